// Chooses at random which samples are checked and which set of inputs each has, and queues them.
#include "tuner/measure/verification/independent_runs.h"

#include <algorithm>
#include <utility>

#include "tuner/measure/memory/module_state.h"

namespace warptune::tuner {

namespace {

// If a launch takes less time than this, it is mostly the gap before the next one.
constexpr double short_launch_ms = 0.02;
// The number of cheap checks that are always made. Later ones are made at random.
constexpr std::size_t sure_checks = 4;

}  // namespace

IndependentRuns::IndependentRuns(const KernelTemplate& kernel, Workload& workload, Module& module, Plan plan,
                                 LaunchAs as)
    : kernel_(kernel),
      workload_(workload),
      module_(module),
      plan_(std::move(plan)),
      as_(as),
      round_(workload.rng().next()),
      known_(workload.sets()) {
  const std::vector<FilledVariable> filled = filled_variables();
  fills_variables_ = !filled.empty();
  if (fills_variables_)
    for (const auto& [name, span] : module_.variables())
      for (const FilledVariable& each : filled) may_write_filled_ |= overlap(span, each.span);
  make_lanes(1);
}

std::vector<FilledVariable> IndependentRuns::filled_variables() const {
  std::vector<FilledVariable> variables;
  for (const Argument& argument : kernel_.arguments) {
    if (argument.symbol.empty()) continue;
    const MemorySpan from = workload_.span(argument.name);
    const MemorySpan to{module_.symbol(argument.symbol).address, from.bytes};
    variables.push_back({to, argument.role == Role::input ? argument.name : "", from});
  }
  for (const std::string& name : kernel_.scratch_variables) variables.push_back({module_.symbol(name), {}, {}});
  return variables;
}

// Each run has a lane of memory, but variables exist only once.
int IndependentRuns::most_runs() const {
  return may_write_filled_ ? 1 : static_cast<int>(workload_.most_lanes());
}

std::size_t IndependentRuns::make_lanes(std::size_t wanted) {
  if (wanted > lanes_.size() && !checked_.empty()) {
    // Inspects first, because making room loses what the checks found.
    const Workload::Judgement judgement = workload_.inspect(false);
    if (fault_.empty()) fault_ = judgement.fault;
    if (judgement.fault.empty()) take_larger(error_, judgement.error);
    varied_ |= differs(judgement);
  }
  const std::size_t there = wanted == 1 ? 1 : workload_.make_lanes(wanted);
  while (lanes_.size() < there) {
    const auto find = [this, lane = lanes_.size()](const std::string& name) {
      return workload_.kernel_span(name, lane);
    };
    const auto on_host = [this](const std::string& name) { return workload_.host_span(name); };
    lanes_.push_back(std::make_unique<BoundPlan>(plan_, module_, FindBuffer{find, on_host}, workload_.device(),
                                                 workload_.kernels()));
  }
  return there;
}

// Chooses the samples that are checked. Where checking is cheap, these are all of the first few and some later ones at
// random. Otherwise it is one of a batch. In the first batch it is one on either side of the turn to other data.
std::vector<std::size_t> IndependentRuns::choose_checks(std::size_t samples, std::size_t turn) {
  std::vector<std::size_t> chosen;
  if (workload_.outputs_are_small()) {
    for (std::size_t i = 0; i < samples; ++i)
      if (checks_ + chosen.size() <= sure_checks || workload_.rng().below(4) == 0) chosen.push_back(i);
    return chosen;
  }
  if (samples == 1 || checks_ > 1) return {workload_.rng().below(samples)};
  return {workload_.rng().below(turn), turn + workload_.rng().below(samples - turn)};
}

// Chooses the set of data of each sample. The second checked run has the data of the first one, so that their outputs
// can be compared; later ones alternate. Where a change of inputs copies much, a batch changes once.
void IndependentRuns::choose_sets(std::vector<Sample>& samples, std::size_t turn) {
  if (workload_.sets() == 1) return;
  std::size_t checks = checks_;
  const auto side = [](std::size_t check) -> std::size_t { return check >= 2 && check % 2 == 0 ? 1 : 0; };
  const bool begins_elsewhere = samples.size() == 1 ? side(checks_) : checks_ > 1 && workload_.rng().below(2) == 1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::size_t& set = samples[i].start.set;
    if (!workload_.inputs_are_small())
      set = (std::size_t{begins_elsewhere} + (i >= turn)) % 2;
    else
      set = samples[i].checked ? side(checks++) : workload_.rng().below(2);
  }
}

std::vector<IndependentRuns::Sample> IndependentRuns::arrange(const How& how, std::size_t lanes) {
  std::vector<Sample> samples(static_cast<std::size_t>(how.samples));
  const std::size_t turn = samples.size() > 1 ? 1 + workload_.rng().below(samples.size() - 1) : 1;
  // Runs that reuse a lane are not checked: they do not begin as a first run.
  if (how.check && static_cast<std::size_t>(how.runs) <= lanes)
    for (const std::size_t i : choose_checks(samples.size(), turn)) samples[i].checked = true;
  choose_sets(samples, turn);
  const std::size_t used = std::min(lanes, static_cast<std::size_t>(how.runs));
  for (Sample& sample : samples) {
    if (workload_.outputs_are_tiny(used))
      sample.lanes = used;
    else
      sample.lane = workload_.rng().below(used);
    sample.start.noise = workload_.rng().next();
    sample.start.round = workload_.rng().next();
    if (sample.checked) sample.start.round = round_++ - sample.lane;
  }
  return samples;
}

// Queues what comes before a sample.
void IndependentRuns::begin(const Sample& sample, std::size_t lanes) {
  workload_.stage(sample.start, lanes);
  if (!fills_variables_) return;
  fill_symbols(kernel_, module_, workload_.device(), [&](const std::string& name) { return workload_.span(name); });
  std::uint64_t key = sample.start.noise;
  for (const std::string& name : kernel_.scratch_variables)
    workload_.kernels().poison(module_.symbol(name), {++key, sample.start.round, sample.start.noise});
}

// Decides whether a run is timed as a graph. In a stream, launches come only as fast as the host makes them, and a
// kernel that is shorter than its launch leaves gaps. Work that cannot be recorded is launched in the stream, unless a
// graph is required.
void IndependentRuns::queue_as_deployed(Timing& timing) const {
  const BoundPlan& plan = *lanes_.front();
  const bool is_short = plan.only_kernels() && launch_ms_ > 0 && launch_ms_ < short_launch_ms;
  timing.short_launches = as_ == LaunchAs::automatic && is_short;
  timing.only_as_graph = as_ == LaunchAs::graph;
  if (!timing.only_as_graph || plan.only_kernels()) return;
  throw DeviceError(search::Outcome::launch_error, "NOT_RECORDED",
                    "this run cannot be a CUDA graph: it has copies, touches or several streams; measure it with --as "
                    "stream, or without --as");
}

std::vector<double> IndependentRuns::run(const std::vector<Sample>& samples, std::size_t lanes, int runs,
                                         bool cold_cache) {
  std::size_t next = 0;
  Timing timing;
  if (as_ != LaunchAs::stream) timing.lead = [&] { workload_.kernels().delay(); };
  timing.prepare = [&] {
    begin(samples[next], lanes);
    if (cold_cache) workload_.flush_cache();
  };
  timing.work = [&] {
    for (int i = 0; i < runs; ++i) lanes_[static_cast<std::size_t>(i) % lanes]->run();
  };
  timing.check = [&] {
    const Sample& sample = samples[next++];
    if (!sample.checked || !workload_.can_check()) return;
    workload_.check(sample.start, sample.lane, sample.lanes);
    checked_.push_back(sample.start.set);
    ++checks_;
  };
  timing.samples = static_cast<int>(samples.size());
  queue_as_deployed(timing);
  std::vector<double> taken = workload_.device().sample_ms(timing);
  launch_ms_ = taken.back() / runs / static_cast<double>(lanes_.front()->launches());
  return taken;
}

std::vector<double> IndependentRuns::timed(const How& how) {
  const std::size_t lanes = make_lanes(static_cast<std::size_t>(std::clamp(how.runs, 1, most_runs())));
  return run(arrange(how, lanes), lanes, how.runs, how.cold_cache);
}

void IndependentRuns::queue(int runs) {
  const std::size_t lanes = make_lanes(static_cast<std::size_t>(std::clamp(runs, 1, most_runs())));
  begin(arrange({.runs = runs}, lanes).front(), lanes);
  for (int i = 0; i < runs; ++i) lanes_[static_cast<std::size_t>(i) % lanes]->run();
}

// The first run, and the bits of its outputs, belong to the first set: bits can be compared only for equal data.
double IndependentRuns::single(bool check, std::size_t set) {
  Sample sample{{set, round_++, workload_.rng().next()}, check};
  return run({sample}, 1, 1, false).front();
}

bool IndependentRuns::redraw() {
  if (!workload_.redraw()) return false;
  known_.at(1).clear();
  return true;
}

std::vector<AccessBuffer> IndependentRuns::buffers() const {
  std::vector<AccessBuffer> buffers;
  const auto add = [&](const std::string& name) {
    const MemorySpan span = workload_.span(name);
    if (span.bytes > 0) buffers.push_back({name, span.address, span.bytes});
  };
  for (const Argument& argument : kernel_.arguments)
    if (!argument.value) add(argument.name);
  for (const PlannedBuffer& buffer : plan_.buffers) add(buffer.argument->name);
  return buffers;
}

search::Counters IndependentRuns::count(Profiler& profiler, const std::function<double()>& now_s) {
  const Sample sample{{0, round_++, workload_.rng().next()}};
  BoundPlan& plan = *lanes_.front();
  CountedWork work;
  work.prepare = [&] {
    now_s();
    begin(sample, 1);
    workload_.settle_cache();
  };
  work.run = [&] { plan.run(); };
  work.kernels = plan.kernels();
  work.buffers = buffers();
  std::vector<CounterValues> counted = profiler.count(work);
  std::vector<search::LaunchCounters> launches;
  for (std::size_t i = 0; i < work.kernels.size(); ++i)
    if (!work.kernels[i].empty()) launches.push_back({work.kernels[i], std::move(counted.at(i))});
  return counters_of(std::move(launches), profiler.lacking());
}

Workload::Judgement IndependentRuns::inspect(bool thorough) {
  Workload::Judgement judgement = workload_.inspect(thorough);
  if (judgement.fault.empty()) take_larger(error_, judgement.error);
  if (judgement.fault.empty()) judgement.fault = std::exchange(fault_, {});
  return judgement;
}

bool IndependentRuns::varies(const Workload::Judgement& judgement) {
  return differs(judgement) || std::exchange(varied_, false);
}

bool IndependentRuns::differs(const Workload::Judgement& judgement) {
  bool different = false;
  for (std::size_t i = 0; i < checked_.size() && i < judgement.checksums.size(); ++i) {
    auto& known = known_.at(checked_[i]);
    if (known.empty())
      known = judgement.checksums[i];
    else
      different |= known != judgement.checksums[i];
  }
  checked_.clear();
  return different;
}

}  // namespace warptune::tuner
