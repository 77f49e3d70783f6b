// Finds the memory that an access goes to, describes accesses that go to none, and reports a launch's counts and
// findings with the lines of the source that they belong to.
#include "tuner/device/backends/host/execution/access_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tuner/device/backends/host/compile/source_lines.h"
#include "tuner/device/backends/host/execution/device_heap.h"

namespace warptune::tuner::host {

namespace {

using warptune_host::Access;
using warptune_host::Index3;

bool within(const MemorySpan& span, std::uint64_t address, std::uint64_t bytes = 1) {
  return address >= span.address && bytes <= span.bytes && address - span.address <= span.bytes - bytes;
}

constexpr const char* heap_name = "device heap";  // among the buffers, behind those with a name

const unsigned char* memory(std::uint64_t address) {
  return reinterpret_cast<const unsigned char*>(address);
}

const char* verb(Access kind) {
  switch (kind) {
    case warptune_host::kRead:
    case warptune_host::kAtomicRead:
      return "reads";
    case warptune_host::kAtomic:
      return "updates atomically";
    default:
      return "writes";
  }
}

}  // namespace

std::string text_of(const Index3& index) {
  return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

std::string text_of_thread(unsigned linear, const Index3& size) {
  return text_of({linear % size.x, linear / size.x % size.y, linear / size.x / size.y});
}

AccessTracker::AccessTracker(const AccessLog& log, ModulePlaces places)
    : log_(log), buffers_(log.buffers), places_(std::move(places)) {
  std::ranges::sort(buffers_, {}, &AccessBuffer::address);
}

void AccessTracker::begin_block(const Index3& block, const Index3& block_size) {
  block_ = block;
  block_size_ = block_size;
  const unsigned threads = block_size.x * block_size.y * block_size.z;
  races_.begin_block(threads, places_.block.bytes);
  counter_.begin_block(threads);
}

const AccessBuffer* AccessTracker::buffer_at(std::uint64_t address, std::uint64_t bytes) const {
  const auto behind = std::ranges::upper_bound(buffers_, address, {}, &AccessBuffer::address);
  if (behind == buffers_.begin()) return nullptr;
  const AccessBuffer& buffer = *(behind - 1);
  return within({buffer.address, buffer.bytes}, address, bytes) ? &buffer : nullptr;
}

std::string AccessTracker::access(unsigned thread, Access kind, std::uint64_t address, std::uint64_t bytes,
                                  std::uint64_t from) {
  if (rewrite_) settle_rewrite();
  if (kind == warptune_host::kAllocate) return DeviceHeap::of_process().add({address, bytes}), std::string();
  if (kind == warptune_host::kFree) return DeviceHeap::of_process().release(address), std::string();
  const std::uint64_t place = from - places_.image.address;
  if (within(places_.block, address)) {
    const auto holds = [&](const MemorySpan& span) { return within(span, address, bytes); };
    if (std::ranges::any_of(places_.private_, holds)) return {};
    if (std::ranges::none_of(places_.shared, holds, &ModulePlaces::Variable::span))
      return out_of_bounds(thread, kind, address, bytes, place);
    shared_access(thread, kind, address, bytes, place);
    return {};
  }
  if (const AccessBuffer* buffer = buffer_at(address, bytes)) {
    if (log_.counts)
      counter_.access(thread, Space::global, static_cast<std::size_t>(buffer - buffers_.data()), kind, address, bytes,
                      place);
    return {};
  }
  if (!within(places_.image, address, bytes)) {
    if (!DeviceHeap::of_process().holds({address, bytes})) return out_of_bounds(thread, kind, address, bytes, place);
    if (log_.counts) counter_.access(thread, Space::global, buffers_.size(), kind, address, bytes, place);
    return {};
  }
  if (log_.counts) counter_.access(thread, Space::variable, 0, kind, address, bytes, place);
  return {};
}

void AccessTracker::shared_access(unsigned thread, Access kind, std::uint64_t address, std::uint64_t bytes,
                                  std::uint64_t from) {
  if (log_.counts) counter_.access(thread, Space::shared, 0, kind, address, bytes, from);
  if (!log_.races) return;
  const auto race = races_.access(thread, kind, address - places_.block.address, bytes, from);
  if (!race) return;
  if (!race->first.writes() || !race->second.writes() || race->first.is_atomic() || race->second.is_atomic())
    return note(*race);
  rewrite_ = Rewrite{*race, address, {memory(address), memory(address) + bytes}};
}

// Notes the race if the value has changed. By the next thing that the block does the value is there.
void AccessTracker::settle_rewrite() {
  const Rewrite rewrite = *std::exchange(rewrite_, std::nullopt);
  if (std::memcmp(memory(rewrite.address), rewrite.before.data(), rewrite.before.size()) != 0) note(rewrite.race);
}

void AccessTracker::note(const Race& race) {
  Hazard& hazard = hazards_[{race.first.from, race.second.from, race.first.writes(), race.second.writes()}];
  if (hazard.times++ > 0) return;
  hazard.race = race;
  hazard.block = block_;
  hazard.block_size = block_size_;
}

void AccessTracker::step(unsigned thread, warptune_host::Step kind, std::uint64_t what) {
  if (rewrite_) settle_rewrite();
  switch (kind) {
    case warptune_host::kEnterFunction:
      return log_.counts ? counter_.enter_function(thread, what) : void();
    case warptune_host::kLeaveFunction:
      return log_.counts ? counter_.leave_function(thread) : void();
    case warptune_host::kBasicBlock:
      return log_.counts ? counter_.basic_block(thread, what - places_.image.address) : void();
    case warptune_host::kAcquire:
      return races_.acquire(thread, memory(what));
    case warptune_host::kRelease:
      return races_.release(thread, memory(what));
  }
}

void AccessTracker::block_barrier() {
  if (rewrite_) settle_rewrite();
  races_.block_barrier();
  counter_.block_barrier();
}

void AccessTracker::warp_barrier(unsigned warp, unsigned lanes) {
  if (rewrite_) settle_rewrite();
  races_.warp_barrier(warp, lanes);
  counter_.warp_barrier(warp, lanes);
}

void AccessTracker::end_block() {
  if (rewrite_) settle_rewrite();
  counter_.end_block();
}

// Says how far the access is from the buffer, shared variable or heap block that is nearest: "4 bytes past the end of
// input". An access that is far from all of them is no mistake in an index.
std::string AccessTracker::nearest(std::uint64_t address, std::uint64_t bytes) const {
  constexpr std::uint64_t far = std::uint64_t{1} << 32;
  std::uint64_t least = far;
  std::string text = fmt::format("at address {:#x}, far from every buffer and from shared memory", address);
  const auto look = [&](const std::string& name, const MemorySpan& span) {
    const std::uint64_t end = span.address + span.bytes;
    const std::uint64_t past = address + bytes > end ? address + bytes - end : 0;
    const std::uint64_t before = address < span.address ? span.address - address : 0;
    const std::uint64_t distance = address >= span.address ? past : before;
    if (distance >= least) return;
    least = distance;
    text = before > 0 ? fmt::format("{} bytes before the start of {}", before, name)
                      : fmt::format("{} bytes past the end of {} ({} bytes)", past, name, span.bytes);
  };
  for (const auto& variable : places_.shared) look("the shared " + variable.name, variable.span);
  for (const AccessBuffer& buffer : buffers_) look(buffer.name, {buffer.address, buffer.bytes});
  if (const auto block = DeviceHeap::of_process().before(address)) {
    const auto& [begin, of] = *block;
    if (of.freed && address - begin < of.bytes) return "in memory of the device's heap that was freed";
    if (!of.freed) look("memory that was allocated in a kernel", {begin, of.bytes});
  }
  return text;
}

std::string AccessTracker::out_of_bounds(unsigned thread, Access kind, std::uint64_t address, std::uint64_t bytes,
                                         std::uint64_t from) {
  fault_ = from;
  return fmt::format("thread {} of block {} {} {} bytes, {}", text_of_thread(thread, block_size_), text_of(block_),
                     verb(kind), bytes, nearest(address, bytes));
}

std::set<std::uint64_t> AccessTracker::instructions() const {
  std::set<std::uint64_t> all;
  for (const auto& [key, hazard] : hazards_) all.insert({hazard.race.first.from, hazard.race.second.from});
  for (const auto& [from, steps] : counter_.steps()) all.insert(from);
  return all;
}

AccessCounts AccessTracker::counts() const {
  AccessCounts counts = counter_.counts();
  for (std::size_t i = 0; i < counter_.buffers().size(); ++i)
    counts.buffers[i < buffers_.size() ? buffers_[i].name : heap_name] = counter_.buffers()[i];
  return counts;
}

std::string AccessTracker::shared_name(std::uint64_t offset) const {
  const std::uint64_t address = places_.block.address + offset;
  for (const auto& variable : places_.shared)
    if (within(variable.span, address))
      return fmt::format("{} + {} bytes", variable.name, address - variable.span.address);
  return fmt::format("shared memory + {}", offset);
}

namespace {

using Lines = std::map<std::uint64_t, std::string>;

std::string line_of(const Lines& lines, std::uint64_t instruction) {
  const auto found = lines.find(instruction);
  return found == lines.end() ? "a line that is not known" : found->second;
}

const char* did(const SharedAccess& access) {
  if (access.kind == warptune_host::kAtomic) return "updated atomically";
  return access.writes() ? "wrote" : "read";
}

const char* does(const SharedAccess& access) {
  if (access.kind == warptune_host::kAtomic) return "updates atomically";
  return access.writes() ? "writes" : "reads";
}

// Returns the name of a data hazard. It tells the second access first.
const char* hazard_name(const Race& race) {
  if (!race.first.writes()) return "write after read";
  return race.second.writes() ? "write after write" : "read after write";
}

std::string describe(const AccessTracker& tracker, const AccessTracker::Hazard& hazard, const Lines& lines) {
  const Race& race = hazard.race;
  return fmt::format(
      "{} in shared memory, with no barrier between: thread {} {} {} at {}, which thread {} {} at {} (block {})",
      hazard_name(race), text_of_thread(race.second.thread, hazard.block_size), does(race.second),
      tracker.shared_name(race.offset), line_of(lines, race.second.from),
      text_of_thread(race.first.thread, hazard.block_size), did(race.first), line_of(lines, race.first.from),
      text_of(hazard.block));
}

// Holds the one finding for each pair of lines, however many instructions they became. It tells of the first block that
// shows it, whichever worker saw it.
struct Found {
  std::uint64_t block = 0;
  AccessFinding finding;
};

std::uint64_t order_of(const warptune_host::Index3& block) {
  return (std::uint64_t{block.z} << 48) + (std::uint64_t{block.y} << 32) + block.x;
}

void collect(const AccessTracker& tracker, const std::string& kernel, const Lines& lines,
             std::map<std::string, Found>& found) {
  for (const auto& [key, hazard] : tracker.hazards()) {
    const Race& race = hazard.race;
    const std::string places = fmt::format("{} {} {} {}", kernel, hazard_name(race), line_of(lines, race.first.from),
                                           line_of(lines, race.second.from));
    const std::uint64_t block = order_of(hazard.block);
    const auto [at, is_new] = found.try_emplace(places, Found{block, {kernel, places, "", 0}});
    Found& known = at->second;
    known.finding.times += hazard.times;
    if (!known.finding.message.empty() && block >= known.block) continue;
    known.block = block;
    known.finding.message = describe(tracker, hazard, lines);
  }
}

void add_findings(AccessLog& log, const std::map<std::string, Found>& found) {
  for (const auto& [places, each] : found) {
    const auto known = std::ranges::find(log.findings, places, &AccessFinding::key);
    if (known == log.findings.end())
      log.findings.push_back(each.finding);
    else
      known->times += each.finding.times;
  }
}

void add_steps(AccessCounts& counts, const AccessCounter& counter, const Lines& lines) {
  for (const auto& [instruction, steps] : counter.steps()) {
    const auto line = lines.find(instruction);
    if (line != lines.end() && is_of_shim(line->second)) continue;
    counts[Count::warp_steps] += steps.warps;
    counts[Count::lane_steps] += steps.lanes;
    counts[Count::divergent_branches] += steps.divergent;
  }
}

}  // namespace

std::string report(AccessLog& log, LaunchCounts launch, std::span<const std::byte> library,
                   const std::vector<const AccessTracker*>& trackers, std::uint64_t instruction) {
  std::set<std::uint64_t> instructions;
  for (const AccessTracker* tracker : trackers) instructions.merge(tracker->instructions());
  if (instruction != 0) instructions.insert(instruction);
  const Lines lines = source_lines(library, instructions);
  std::map<std::string, Found> found;
  for (const AccessTracker* tracker : trackers) {
    launch.counts.add(tracker->counts());
    add_steps(launch.counts, tracker->counter(), lines);
    collect(*tracker, launch.kernel, lines, found);
  }
  add_findings(log, found);
  if (log.counts) log.launches.push_back(std::move(launch));
  const auto line = lines.find(instruction);
  return line == lines.end() ? "" : line->second;
}

}  // namespace warptune::tuner::host
