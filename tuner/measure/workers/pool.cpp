// Decides which worker gets which job, and when to listen to whom.
#include "tuner/measure/workers/pool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/measure/compilation/compile_pool.h"
#include "tuner/measure/workers/requests.h"
#include "tuner/system/clock.h"

namespace warptune::tuner::workers {

WorkerPool::WorkerPool(const search::SearchSpace& space, Setup setup, std::vector<DeviceInfo> devices,
                       PoolOptions options)
    : WorkerPool(&space, std::move(setup), std::move(devices), std::move(options)) {}

WorkerPool::WorkerPool(Setup setup, std::vector<DeviceInfo> devices, PoolOptions options)
    : WorkerPool(nullptr, std::move(setup), std::move(devices), std::move(options)) {}

WorkerPool::WorkerPool(const search::SearchSpace* space, Setup setup, std::vector<DeviceInfo> devices,
                       PoolOptions options)
    : space_(space),
      setup_(std::move(setup)),
      devices_(std::move(devices)),
      options_(std::move(options)),
      board_(options_.deterministic) {
  if (options_.first) prepare(std::move(options_.first));
  if (!options_.compile_only)
    for (const DeviceInfo& device : devices_)
      measurers_.push_back(std::make_unique<MeasureSlot>(options_.program, setup_, device, board_,
                                                         [this] { return std::move(spare_); }));
  const std::size_t jobs = compile_jobs(setup_.options.compile_jobs);
  for (std::size_t i = 0; i < jobs; ++i)
    compilers_.push_back(std::make_unique<CompileSlot>(options_.program, setup_, devices_.front(), board_, counts_,
                                                       options_.compile_only, options_.idle_workers.get()));
  serve(0);
}

// Ends the workers first, so that they stop compiling. Then trims the cache to its limit.
WorkerPool::~WorkerPool() {
  finish_sending();
  if (options_.idle_workers && !stopped()) keep_idle_workers();
  compilers_.clear();
  measurers_.clear();
  spare_.reset();
  CodeCache(setup_.options.cache).trim();
}

// Keeps idle workers for the next session. A busy compiler stays out, because it reads files that are deleted with the
// session. So does a worker on the host: kernels have run in it, which may have spoilt it, and it is confined.
void WorkerPool::keep_idle_workers() {
  IdleWorkers& idle_workers = *options_.idle_workers;
  for (auto& compiler : compilers_)
    if (compiler->free() && !compiler->finishing())
      idle_workers.keep(IdleWorkers::Role::compiles, compiler->hand_over());
  if (spare_) idle_workers.keep(IdleWorkers::Role::measures, std::move(spare_));
  for (auto& measurer : measurers_)
    if (measurer->open() && !measurer->device().is_host())
      idle_workers.keep(IdleWorkers::Role::measures,
                        measurer->hand_over());  // last, so that the next session begins with it
}

// Waits until compile workers have sent their entries for the shared cache, which would be lost with them. After an
// interruption it does not wait.
void WorkerPool::finish_sending() {
  const SharedCacheOptions& shared = setup_.options.cache.shared;
  if (shared.url.empty() || shared.read_only || stopped()) return;
  try {
    for (auto& compiler : compilers_)
      if (compiler->free()) compiler->finish();
    const auto finishing = [](const auto& compiler) { return compiler->finishing(); };
    const Deadline deadline = Deadline::in_ms(shared.patience_ms);
    while (std::ranges::any_of(compilers_, finishing) && !deadline.has_passed()) serve(20);
  } catch (const std::exception&) {
    // The workers are ended anyway, and what was not sent will be compiled elsewhere.
  }
}

std::size_t WorkerPool::capacity() const {
  if (options_.lookahead > 0) return options_.lookahead;
  return compilers_.size() + 2 * options_.jobs_a_device * measurers_.size();
}

void WorkerPool::submit(const Evaluation& evaluation) {
  require_fitting(*space_, evaluation.configuration);
  submit(evaluation, space_->values(evaluation.configuration));
}

void WorkerPool::submit(const Evaluation& evaluation, search::NamedValues values, std::string code_name) {
  if (board_.add(evaluation, std::move(values), std::move(code_name)) && evaluation.purpose == Purpose::trial)
    ++counts_.from_cache;
  hand_out();
}

void WorkerPool::turn_to(search::NamedValues constants) {
  if (constants == setup_.constants) return;
  setup_.constants = std::move(constants);
  expected_told_ = false;
  for (auto& measurer : measurers_) measurer->turn();
}

void WorkerPool::compile_ahead(search::NamedValues values, std::shared_ptr<const search::NamedValues> constants,
                               std::string code_name) {
  board_.add_ahead(std::move(values), std::move(constants), std::move(code_name));
  hand_out();
}

void WorkerPool::attend(int timeout_ms, std::span<pollfd> others) {
  hand_out();
  if (!board_.has_finished()) require_device();
  serve(board_.has_finished() ? 0 : timeout_ms, others);
  hand_out();
}

search::Trial WorkerPool::next() {
  require_in_flight(!board_.empty());
  for (;;) {
    hand_out();
    if (auto trial = board_.take_finished()) return std::move(*trial);
    if (stopped()) {
      search::Trial abandoned;
      abandoned.configuration = board_.drop_oldest();
      abandoned.outcome = search::Outcome::crash;
      abandoned.message = "interrupted";
      return abandoned;
    }
    require_device();
    serve(200);
  }
}

bool WorkerPool::wait(double seconds) {
  const Deadline deadline = Deadline::in_s(seconds);
  for (;;) {
    hand_out();
    if (board_.empty() || board_.has_finished() || stopped()) return true;
    require_device();
    if (deadline.has_passed()) return false;
    serve(deadline.left_ms(200));
  }
}

void WorkerPool::race_against(const Rivals& rivals) {
  for (auto& measurer : measurers_) measurer->race_against(rivals);
}

std::size_t WorkerPool::cancel() {
  std::set<JobId> begun;
  for (const auto& measurer : measurers_) begun.insert(measurer->jobs().begin(), measurer->jobs().end());
  return board_.cancel(begun);
}

double WorkerPool::now_s() const {
  return steady_s() - start_s_;
}

std::vector<std::string> WorkerPool::lost_devices() const {
  std::vector<std::string> lost;
  for (const auto& measurer : measurers_)
    if (!measurer->alive()) lost.push_back(measurer->lost());
  return lost;
}

void WorkerPool::serve(int timeout_ms, std::span<pollfd> others) {
  polled_.clear();
  bool dying = false;
  const auto each = [this](const auto& act) {
    for (auto& slot : measurers_) act(*slot);
    for (auto& slot : compilers_) act(*slot);
  };
  each([&](WorkerSlot& slot) {
    slot.add_to(polled_);
    dying |= slot.dying();
  });
  // Slots without a process have yet to start one, so the poll does not wait.
  if (polled_.size() < 2 * (measurers_.size() + compilers_.size())) timeout_ms = dying ? 2 : 0;
  polled_.insert(polled_.end(), others.begin(), others.end());
  poll(polled_.data(), polled_.size(), timeout_ms);
  std::copy_n(polled_.end() - static_cast<std::ptrdiff_t>(others.size()), others.size(), others.begin());
  polled_.resize(polled_.size() - others.size());
  each([&](WorkerSlot& slot) { slot.serve(polled_); });
  // If the shared cache is left alone, new workers need not find that out for themselves.
  if (counts_.notices.contains("left alone")) setup_.options.cache.shared = {};
  look_at_devices();
}

void WorkerPool::hand_out() {
  for (auto& compiler : compilers_) {
    if (!compiler->free()) continue;
    const auto id = board_.take_for_compiling();
    if (!id) break;
    compiler->start(*id);
  }
  if (options_.compile_only)
    while (const auto id = board_.take_for_measuring(true)) board_.finish(*id);
  const auto finals = std::ranges::find_if(measurers_, [](const auto& slot) { return slot->alive(); });
  while (MeasureSlot* measurer = least_busy()) {
    const auto id = board_.take_for_measuring(finals != measurers_.end() && finals->get() == measurer);
    if (!id) break;
    measurer->start(*id);
  }
}

MeasureSlot* WorkerPool::least_busy() {
  MeasureSlot* best = nullptr;
  for (auto& slot : measurers_)
    if (slot->open() && slot->jobs().size() < options_.jobs_a_device &&
        (!best || slot->jobs().size() < best->jobs().size()))
      best = slot.get();
  return best;
}

// Starts a spare worker, but not before the devices are open, since everything waits for these at the start.
void WorkerPool::look_at_devices() {
  if (options_.compile_only) return;
  const auto open = [](const auto& slot) { return slot->open(); };
  if (!any_opened_) {
    any_opened_ = std::ranges::any_of(measurers_, open);
    tell_setup();
  }
  tell_expected();
  all_opened_ =
      all_opened_ || std::ranges::all_of(measurers_, [](const auto& slot) { return slot->open() || !slot->alive(); });
  if (!all_opened_ || spare_) return;
  auto kept = options_.idle_workers ? options_.idle_workers->take(IdleWorkers::Role::measures) : nullptr;
  prepare(kept ? std::move(kept) : std::make_unique<Process>(options_.program));
}

void WorkerPool::tell_setup() {
  if (!options_.on_setup) return;
  if (any_opened_) return options_.on_setup({});
  const std::string step = measurers_.front()->setup_step();
  if (step == step_) return;
  step_ = step;
  options_.on_setup(step_);
}

void WorkerPool::tell_expected() {
  if (expected_told_ || !options_.on_expected) return;
  const auto open = std::ranges::find_if(measurers_, [](const auto& slot) { return slot->open(); });
  if (open == measurers_.end()) return;
  expected_told_ = true;
  options_.on_expected((*open)->expected_outputs());
}

// Makes a worker a spare one. It reads the template and loads the libraries, but opens no device: two contexts on one
// GPU share its memory.
void WorkerPool::prepare(std::unique_ptr<Process> spare) {
  spare_ = std::move(spare);
  spare_->channel().post({to_cbor(prepare_request(setup_, devices_.front(), false)), {}});
  spare_->channel().exchange();
}

void WorkerPool::require_device() const {
  const auto lost = lost_devices();
  if (lost.size() < measurers_.size() || options_.compile_only) return;
  throw DeviceLostError(
      fmt::format("{}. Every trial is in the store: the same command continues.", fmt::join(lost, ". ")));
}

}  // namespace warptune::tuner::workers
