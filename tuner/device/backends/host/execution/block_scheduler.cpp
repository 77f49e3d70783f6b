// Switches between fibers, releases barriers when all have arrived, and reports threads that can never go on.
#include "tuner/device/backends/host/execution/block_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "tuner/device/backends/host/execution/access_tracker.h"
#include "tuner/device/backends/host/execution/arithmetic.h"
#include "tuner/device/backends/host/execution/fiber.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::host {

namespace {

// Stacks of equal alignment would all begin in the same set of the cache, so each is this many bytes further down.
constexpr std::size_t kInsetStep = 5 * 64;
constexpr std::size_t kInsetRange = 2048;

bool waits_for_block(Wait what) {
  return what <= Wait::kBlockOr;
}

Index3 thread_at(unsigned linear, const Index3& size) {
  return {linear % size.x, linear / size.x % size.y, linear / size.x / size.y};  // CUDA's numbering: x first
}

// Each launch finds this much of a stack littered anew. Below lie pages that begin as noise and are dropped when a
// launch has touched them; few kernels go so deep, and only they pay for it.
constexpr std::size_t kLittered = 2560;

std::string text(const Index3& index) {
  return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

}  // namespace

BlockScheduler::Fiber::Fiber(BlockScheduler& scheduler, const StackPolicy& policy, std::size_t count)
    : owner(scheduler),
      stack(policy.bytes + kInsetRange, count < policy.guarded ? std::optional(policy.noise) : std::nullopt),
      number(count),
      inset(number * kInsetStep % kInsetRange) {
  reset();
}

void BlockScheduler::Fiber::reset() {
  context.prepare(stack, inset, &BlockScheduler::pull_threads, this);
}

std::size_t BlockScheduler::Fiber::kept() const {
  return inset + kLittered;
}

// Fills all but the frames of the waiting fiber with noise.
void BlockScheduler::Fiber::fill_with_noise(std::span<const std::byte> noise) {
  host::fill_with_noise(stack.floor(kept()), context.stack_end(), noise, launch + number);
  host::fill_with_noise(stack.top() - inset, stack.top(), noise, launch + number);
}

BlockScheduler::BlockScheduler(StackPolicy policy) : policy_(policy) {}

BlockScheduler::~BlockScheduler() = default;

const warptune_host::Runtime& BlockScheduler::runtime() {
  static const warptune_host::Runtime services = {
      [](void* self, Wait what, unsigned mask, Word value, unsigned argument) {
        return static_cast<BlockScheduler*>(self)->wait(what, mask, value, argument);
      },
      [](void* self) { return static_cast<BlockScheduler*>(self)->next_thread(); },
      [](void* self) { static_cast<BlockScheduler*>(self)->yield(); },
      [](void* self, const char* code, const char* message) {
        static_cast<BlockScheduler*>(self)->fail({search::Outcome::launch_error, code, message});
      },
      [](void* self, auto... told) { static_cast<BlockScheduler*>(self)->access(told...); },
      [](void* self, auto... told) { static_cast<BlockScheduler*>(self)->step(told...); },
  };
  return services;
}

void BlockScheduler::begin_launch(const BlockLaunch& launch) {
  launch_ = launch;
  page_faults_ = page_faults();
}

// Stacks that went deep have new page faults; without any, no stack is renewed.
void BlockScheduler::end_launch() {
  launch_.tracker = nullptr;
  if (const auto now = page_faults(); now && now == page_faults_) return;
  for (const auto& fiber : fibers_)
    if (fiber->launch == launch_.seed) fiber->stack.renew(fiber->kept());
}

std::optional<KernelFailure> BlockScheduler::run(warptune_host::Context& context) {
  context_ = &context;
  choose_order(launch_.seed + context.block.x + (std::uint64_t{context.block.y} << 24) +
               (std::uint64_t{context.block.z} << 44));
  context.linear = context.first;
  context.thread = thread_at(context.linear, context.block_size);
  context.begun = 0;
  context.waited = false;
  failure_.reset();
  current_ = &idle_fiber();
  if (launch_.tracker != nullptr) launch_.tracker->begin_block(context.block, context.block_size);
  {
    const KeptArithmetic kept;
    main_.jump(current_->context);
  }
  if (launch_.tracker != nullptr) launch_.tracker->end_block();
  if (!failure_) return std::nullopt;
  // The fibers that hang in the failed block are dropped where they stand.
  ready_head_ = ready_tail_ = nullptr;
  idle_.clear();
  for (auto& fiber : fibers_) fiber->reset(), idle_.push_back(fiber.get());
  return std::move(failure_);
}

void BlockScheduler::choose_order(std::uint64_t seed) {
  warptune_host::Context& context = *context_;
  const unsigned threads = context.threads;
  context.first = 0;
  context.step = 1;
  if (launch_.order == ThreadOrder::forward || threads < 2) return;
  seed = (seed ^ seed >> 29) * 0xbf58476d1ce4e5b9u;
  const bool scattered = launch_.order == ThreadOrder::any && threads > 2 && (seed >> 62 & 1) != 0;
  if (!scattered) {
    if (seed >> 63 != 0) context.first = context.step = threads - 1;
    return;
  }
  context.first = static_cast<unsigned>((seed >> 33 & 0x1fffffff) % threads);
  context.step = 2 + static_cast<unsigned>((seed >> 11 & 0xffffff) % (threads - 2));
  while (std::gcd(context.step, threads) != 1) --context.step;  // 1 at the latest
  if (context.step == 1) context.first = 0;
}

unsigned BlockScheduler::linear_at(unsigned number) const {
  return static_cast<unsigned>((context_->first + std::uint64_t{number} * context_->step) % context_->threads);
}

void BlockScheduler::pull_threads(void* fiber) {
  Fiber& self = *static_cast<Fiber*>(fiber);
  for (;;) {
    begin_arithmetic();
    const BlockLaunch& launch = self.owner.launch_;
    fill_stack_with_noise(launch.noise, launch.seed + ++self.blocks);
    self.owner.launch_.run(self.owner.launch_.arguments);
    self.owner.park(self);
  }
}

BlockScheduler::Fiber& BlockScheduler::idle_fiber() {
  if (idle_.empty()) {
    fibers_.push_back(std::make_unique<Fiber>(*this, policy_, fibers_.size()));
    idle_.push_back(fibers_.back().get());
  }
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  if (std::exchange(fiber.launch, launch_.seed) != launch_.seed) fiber.fill_with_noise(launch_.noise);
  return fiber;
}

// Begins a block's bookkeeping. Until now its threads ran one after another, so those before this one have exited.
void BlockScheduler::note_first_wait() {
  context_->waited = true;
  current_->thread = context_->thread;
  current_->linear = context_->linear;
  exited_ = context_->begun;
  started_ = exited_ + 1;
  barrier_ = {};
  waiting_.assign(context_->threads, nullptr);
  warps_.resize((context_->threads + kWarpSize - 1) / kWarpSize);
  for (unsigned i = 0; i < warps_.size(); ++i) {
    const unsigned lanes = std::min(kWarpSize, context_->threads - i * kWarpSize);
    warps_[i].live = ~0u >> (kWarpSize - lanes);
    warps_[i].groups.clear();
  }
  for (unsigned number = 0; number < exited_; ++number) {
    const unsigned linear = linear_at(number);
    warps_[linear / kWarpSize].live &= ~(1u << linear % kWarpSize);
  }
}

Word BlockScheduler::wait(Wait what, unsigned mask, Word value, unsigned argument) {
  if (!context_->waited) note_first_wait();
  Fiber& self = *current_;
  self.what = what;
  self.mask = what == Wait::kActiveMask ? argument : mask;
  self.lane = {value, argument, 0};
  waiting_[self.linear] = &self;
  if (waits_for_block(what)) {
    wait_for_block(self);
  } else {
    wait_for_warp(self);
  }
  return self.lane.result;
}

void BlockScheduler::wait_for_block(Fiber& self) {
  if (barrier_.arrived == 0) barrier_.what = self.what;
  if (barrier_.what != self.what) fail(divergence());
  ++barrier_.arrived;
  barrier_.predicates += self.lane.value != 0;
  if (!release_block(&self)) dispatch(self);
}

void BlockScheduler::wait_for_warp(Fiber& self) {
  const unsigned warp_index = self.linear / kWarpSize;
  const unsigned bit = 1u << self.linear % kWarpSize;
  Warp& warp = warps_[warp_index];
  if (self.what != Wait::kActiveMask && (self.mask & bit) == 0) {
    fail({search::Outcome::launch_error, "WARP_MASK",
          fmt::format("thread {} of block {} called {} with the mask {:#010x}, which its own lane {} is not in",
                      text(self.thread), text(context_->block), name_of(self.what), self.mask,
                      self.linear % kWarpSize)});
  }
  auto group = std::find_if(warp.groups.begin(), warp.groups.end(),
                            [&](const Group& g) { return g.what == self.what && g.mask == self.mask; });
  if (group == warp.groups.end()) group = warp.groups.insert(group, {self.what, self.mask, 0});
  group->arrived |= bit;
  const auto index = static_cast<std::size_t>(group - warp.groups.begin());
  if (self.what == Wait::kActiveMask || !release_group(warp_index, index, &self)) dispatch(self);
}

// Releases all threads once the last has arrived. `running`, if it is that one, does not wait: it goes on at once.
bool BlockScheduler::release_block(const Fiber* running) {
  if (barrier_.arrived == 0 || barrier_.arrived + exited_ < context_->threads) return false;
  const Word result = barrier_.what == Wait::kBlockAnd  ? barrier_.predicates == barrier_.arrived
                      : barrier_.what == Wait::kBlockOr ? barrier_.predicates > 0
                                                        : barrier_.predicates;
  barrier_ = {};
  if (launch_.tracker != nullptr) launch_.tracker->block_barrier();
  for (unsigned number = 0; number < context_->threads; ++number) {
    Fiber*& fiber = waiting_[linear_at(number)];
    if (fiber != nullptr) release(fiber, running).lane.result = result;
  }
  return true;
}

bool BlockScheduler::release_group(unsigned warp_index, std::size_t group_index, const Fiber* running) {
  Warp& warp = warps_[warp_index];
  const Group group = warp.groups[group_index];
  if (group.what != Wait::kActiveMask && (group.mask & warp.live) != (group.arrived & group.mask & warp.live))
    return false;
  warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(group_index));
  if (launch_.tracker != nullptr && group.what != Wait::kActiveMask)
    launch_.tracker->warp_barrier(warp_index, group.arrived);
  std::array<Lane*, kWarpSize> lanes{};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((group.arrived >> lane & 1) != 0) lanes[lane] = &release(waiting_[warp_index * kWarpSize + lane], running).lane;
  }
  complete(group.what, group.arrived, lanes);
  return true;
}

// Releases lanes at __activemask. Nothing else in the block can go on, so no other lane will come to where they are.
bool BlockScheduler::release_active_masks() {
  bool released = false;
  for (unsigned i = 0; i < warps_.size(); ++i) {
    for (std::size_t group = warps_[i].groups.size(); group-- > 0;) {
      if (warps_[i].groups[group].what == Wait::kActiveMask) released |= release_group(i, group, nullptr);
    }
  }
  return released;
}

BlockScheduler::Fiber& BlockScheduler::release(Fiber*& waiting, const Fiber* running) {
  Fiber& fiber = *waiting;
  waiting = nullptr;
  if (&fiber != running) make_ready(fiber);
  return fiber;
}

void BlockScheduler::make_ready(Fiber& fiber) {
  fiber.next = nullptr;
  (ready_head_ == nullptr ? ready_head_ : ready_tail_->next) = &fiber;
  ready_tail_ = &fiber;
}

// As on GPUs since Volta, a thread that has exited counts as arrived at every barrier.
void BlockScheduler::exit_thread(const Fiber& self) {
  ++exited_;
  const unsigned warp_index = self.linear / kWarpSize;
  Warp& warp = warps_[warp_index];
  warp.live &= ~(1u << self.linear % kWarpSize);
  for (std::size_t group = warp.groups.size(); group-- > 0;) {
    if (warp.groups[group].what != Wait::kActiveMask) release_group(warp_index, group, nullptr);
  }
  release_block(nullptr);
}

bool BlockScheduler::next_thread() {
  exit_thread(*current_);
  if (ready_head_ != nullptr || started_ == context_->threads) return false;
  begin_thread(*current_);
  return true;
}

void BlockScheduler::begin_thread(Fiber& fiber) {
  fiber.linear = linear_at(started_++);
  fiber.thread = thread_at(fiber.linear, context_->block_size);
  make_current(fiber);
}

void BlockScheduler::make_current(Fiber& fiber) {
  current_ = &fiber;
  context_->thread = fiber.thread;
  context_->linear = fiber.linear;
}

void BlockScheduler::park(Fiber& self) {
  idle_.push_back(&self);
  dispatch(self);
}

void BlockScheduler::dispatch(Fiber& self) {
  Fiber* to = next_fiber();
  if (to != &self) self.context.jump(to == nullptr ? main_ : to->context);
}

// Returns the fiber that may go on, oldest first, else a thread that has not begun; null when the block has ended.
BlockScheduler::Fiber* BlockScheduler::next_fiber() {
  if (!context_->waited) return nullptr;
  const bool can_begin = started_ < context_->threads;
  if (ready_head_ == nullptr && can_begin) return fiber_for_next_thread();
  if (ready_head_ == nullptr && exited_ == started_) return nullptr;
  if (ready_head_ == nullptr && !release_active_masks()) {
    failure_ = divergence();
    return nullptr;
  }
  Fiber& fiber = *ready_head_;
  ready_head_ = fiber.next;
  make_current(fiber);
  return &fiber;
}

BlockScheduler::Fiber* BlockScheduler::fiber_for_next_thread() {
  // No exception may leave a fiber: above it there are only the kernel's frames.
  try {
    Fiber& fiber = idle_fiber();
    begin_thread(fiber);
    return &fiber;
  } catch (const DeviceError& error) {
    failure_ = KernelFailure{error.outcome(), error.code(), error.what()};
    return nullptr;
  }
}

// Leaves out accesses to the thread's own stack, which are most of what it reads and writes.
void BlockScheduler::access(warptune_host::Access kind, const void* address, Word bytes, const void* from) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto top = reinterpret_cast<std::uintptr_t>(current_->stack.top());
  if (launch_.tracker == nullptr || top - at <= current_->stack.usable_bytes() || bytes == 0) return;
  const auto place = reinterpret_cast<std::uintptr_t>(from);
  std::string fault = launch_.tracker->access(context_->linear, kind, at, bytes, place);
  if (fault.empty()) return;
  fail({search::Outcome::launch_error, "OUT_OF_BOUNDS", std::move(fault), *launch_.tracker->fault()});
}

void BlockScheduler::step(warptune_host::Step kind, const void* what) {
  if (launch_.tracker != nullptr) launch_.tracker->step(context_->linear, kind, reinterpret_cast<std::uintptr_t>(what));
}

void BlockScheduler::yield() {
  if (!context_->waited) note_first_wait();
  Fiber& self = *current_;
  make_ready(self);
  if (started_ == context_->threads) return dispatch(self);
  Fiber* to = fiber_for_next_thread();
  self.context.jump(to == nullptr ? main_ : to->context);
}

void BlockScheduler::fail(KernelFailure failure) {
  failure_ = std::move(failure);
  current_->context.jump(main_);
  std::abort();  // nobody jumps back to a failed thread
}

std::string BlockScheduler::describe(const Fiber& fiber) const {
  std::string text = fmt::format("thread {} waits at {}", host::text(fiber.thread), name_of(fiber.what));
  if (!waits_for_block(fiber.what)) text += fmt::format(" with mask {:#010x}", fiber.mask);
  return text;
}

KernelFailure BlockScheduler::divergence() const {
  const Fiber* first = nullptr;
  const Fiber* other = nullptr;
  for (const Fiber* fiber : waiting_) {
    if (fiber == nullptr) continue;
    if (first == nullptr) first = fiber;
    if (other == nullptr && (fiber->what != first->what || fiber->mask != first->mask)) other = fiber;
  }
  std::string message = fmt::format("block {} can never go on: {}", text(context_->block), describe(*first));
  if (other != nullptr) message += fmt::format(", {}", describe(*other));
  return {search::Outcome::launch_error, "BARRIER_DIVERGENCE", message + "; all threads must come to the same barrier"};
}

}  // namespace warptune::tuner::host
