// Stages runs, checks and inspects what they left, and words the faults.
#include "tuner/measure/verification/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tuner/kernel/content_hash.h"
#include "tuner/measure/verification/inspection.h"

namespace warptune::tuner {

std::uint64_t unknown_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

MemorySpan Workload::span(const std::string& name, std::size_t lane) const {
  return writable_.contains(name) ? writable_.span(name, lane) : data_.at(name)->input->span();
}

std::span<std::byte> Workload::host_span(const std::string& name) const {
  return data_.at(name)->host.span();
}

MemorySpan Workload::kernel_span(const std::string& name, std::size_t lane) const {
  const auto found = data_.find(name);
  return found != data_.end() && found->second->on_host() ? found->second->host.on_device() : span(name, lane);
}

// Returns where an argument on the host lies on the device.
const GuardedBuffer& Workload::twin(const Data& data) const {
  return data.input ? *data.input : writable_.buffer(data.argument().name, 0);
}

void Workload::make_room(const Plan& plan) {
  bool moved = false;
  for (const PlannedBuffer& planned : plan.buffers)
    moved |= writable_.put(planned.argument->name, planned.bytes(), {{}, planned.argument->zero});
  if (moved) watch();
  for (const auto& [name, kind] : plan.host_memory) data_.at(name)->host.use(kind, device_, twin(*data_.at(name)));
  for (const auto& [name, nondeterministic] : plan.nondeterministic)
    data_.at(name)->nondeterministic = nondeterministic;
}

std::size_t Workload::held_bytes() const {
  std::size_t bytes = flushed_ ? flushed_->span().bytes : 0;
  const auto add = [&](const std::unique_ptr<Memory>& memory) { bytes += memory ? memory->span().bytes : 0; };
  for (const auto& [name, data] : data_) {
    if (data->input) bytes += data->input->with_guards().bytes;
    for (const auto& source : data->source) add(source);
    for (const auto& expected : data->expected) add(expected);
  }
  for (const WritableMemory::Guarded& each : writable_.guarded()) bytes += each.buffer->with_guards().bytes;
  return bytes;
}

std::size_t Workload::make_lanes(std::size_t wanted) {
  if (has_host_memory_) return 1;
  if (writable_.grow(wanted)) watch();
  return std::min(wanted, writable_.count());
}

// Tells the inspection and the lanes where buffers lie now. The guards' patterns follow from a secret seed.
void Workload::watch() {
  std::vector<Guard> guards;
  const auto add_guards = [&](const GuardedBuffer& buffer) {
    for (Guard guard : buffer.guards()) {
      guard.seed ^= secret_;
      guards.push_back(guard);
    }
  };
  for (const auto& [name, data] : data_)
    if (data->input) add_guards(*data->input);
  for (const WritableMemory::Guarded& each : writable_.guarded()) add_guards(*each.buffer);
  inspection_.watch(guards, compared({}).size(), &protected_);
  writable_.prepare(sets_);
}

void Workload::put_inputs(std::size_t set) {
  if (keeps_sources_ && inputs_ > 0)
    kernels_.stage(input_jobs_->span().address + set * inputs_ * sizeof(StageJob), inputs_, most_input_bytes_, 0, 0);
  set_ = set;
}

// Inputs are staged last: the cache then holds what a run reads first, as it does after another run.
void Workload::stage(const Start& start, std::size_t lanes) {
  writable_.stage(lanes, start.set, start.round, start.noise);
  if (inputs_are_small() || start.set != set_) put_inputs(start.set);
  staged_since_check_ = true;
  for (auto& [name, data] : data_)
    if (data->on_host()) data->host.stage(device_, twin(*data), data->argument().is_output());
}

std::vector<ComparedOutput> Workload::compared(const Checked& checked) const {
  std::vector<ComparedOutput> outputs;
  const std::size_t set = checked.start.set;
  for (const auto& [name, data] : data_) {
    if (!data->expected[set]) continue;
    const Argument& argument = data->argument();
    ComparedOutput output{.elements = data->compared(), .allowed = data->allowed, .mask = data->mask[set]};
    if (argument.compares_sum) {
      output.type = wide_type(argument.type);
      output.expected_type = wide_type(argument.reference_type);
      output.got = data->sum->span();
      output.expected = data->expected_sum[set]->span();
    } else {
      output.type = argument.type;
      output.expected_type = argument.reference_type;
      output.got = writable_.span(name, checked.lane);
      output.expected = data->expected[set]->span();
      output.key = writable_.key(name);
      output.runs = checked.lanes;
      if (checked.lanes > 1) output.others = writable_.listed_at(name, checked.lane + 1);
      output.stride = writable_.list_stride();
    }
    outputs.push_back(output);
  }
  return outputs;
}

void Workload::check(const Start& start, std::size_t lane, std::size_t lanes) {
  for (auto& [name, data] : data_)
    if (data->on_host() && data->argument().is_output()) data->host.collect(device_, twin(*data));
  for (auto& [name, data] : data_)
    if (data->sum)
      kernels_.sum(writable_.span(name, lane), data->argument().type, data->counts,
                   {writable_.key(name), start.round + lane, start.noise + lane}, data->sum->span());
  checked_.push_back({start, lane, lanes});
  inspection_.check(compared(checked_.back()), start.round + lane, start.noise + lane);
  staged_since_check_ = false;
}

void Workload::flush_cache() {
  // The memory has twice the cache's size, because the cache's replacement is not exactly least recently used. If the
  // size is unknown, the memory is larger than any cache.
  constexpr std::int64_t unknown = std::int64_t{256} << 20;
  const std::int64_t l2 = device_.info().l2_bytes;
  if (!flushed_) flushed_ = device_.allocate(static_cast<std::size_t>(l2 > 0 ? 2 * l2 : unknown));
  kernels_.clear(flushed_->span());
}

void Workload::settle_cache() {
  flush_cache();
  kernels_.read(flushed_->span());
  kernels_.read(flushed_->span());
}

Workload::Judgement Workload::inspect(bool thorough) {
  for (auto& [name, data] : data_)
    if (data->on_host()) data->host.collect_all(device_, twin(*data));
  const Inspection::Findings findings = inspection_.run(static_cast<int>(set_), thorough);
  Judgement judgement;
  judgement.fault = damage(findings.damage);
  if (judgement.fault.empty()) judgement.fault = protected_.describe(findings.changed, Inspection::intact);
  judge(findings, judgement);
  checked_.clear();
  return judgement;
}

namespace {

// Adds up the error over several outputs.
struct TotalError {
  double max = 0, squares = 0;
  std::size_t elements = 0;

  void add(const ComparisonReport& report, std::size_t count) {
    max = std::max(max, report.worst_error());
    squares += report.squared_errors();
    elements += count;
  }
  std::optional<search::OutputError> result() const {
    if (elements == 0) return std::nullopt;
    return search::OutputError{max, std::sqrt(squares / static_cast<double>(elements))};
  }
};

}  // namespace

void take_larger(std::optional<search::OutputError>& error, const std::optional<search::OutputError>& other) {
  if (!error || !other) return void(error = error ? error : other);
  error->max = std::max(error->max, other->max);
  error->rms = std::max(error->rms, other->rms);
}

void Workload::judge(const Inspection::Findings& findings, Judgement& judgement) {
  for (std::size_t check = 0; check < findings.checks.size(); ++check) {
    auto comparison = findings.checks[check].begin();
    TotalError total;
    auto& checksums = judgement.checksums.emplace_back();
    for (auto& [name, data] : data_) {
      if (!data->expected[0]) continue;
      if (!comparison->proved && judgement.fault.empty()) {
        judgement.fault = describe(*data, *comparison, check);
        judgement.mismatch = true;
        judgement.check = check;
      }
      if (is_floating(data->argument().type)) total.add(comparison->report, comparison->elements);
      if (!data->nondeterministic) checksums.push_back(comparison->report.checksum());
      ++comparison;
    }
    take_larger(judgement.error, total.result());
  }
}

std::optional<search::OutputBits> Workload::bits(const std::vector<std::uint64_t>& checksums) const {
  if (!verifies_) return std::nullopt;
  std::size_t verified = 0, varying = 0;
  for (const auto& [name, data] : data_) {
    if (!data->expected[0]) continue;
    ++verified;
    varying += data->nondeterministic;
  }
  if (varying > 0) return search::OutputBits{data_hash_, {}};
  if (verified == 0 || checksums.size() != verified) return std::nullopt;
  return search::OutputBits{data_hash_,
                            content_hash(fmt::format("{:016x}", fmt::join(checksums, " "))).substr(0, hash_digits)};
}

// Each buffer has two guards, in the order of watch().
std::string Workload::damage(const std::vector<std::uint64_t>& bytes) const {
  auto byte = bytes.begin();
  std::string found;
  const auto look = [&](const std::string& name, const GuardedBuffer& buffer) {
    for (std::size_t guard = 0; guard < 2; ++guard, ++byte)
      if (found.empty() && *byte != Inspection::intact)
        found = fmt::format("out of bounds: {} was written {}", name,
                            buffer.place(guard, *byte, size_bytes(kernel_.find_argument(name)->type)));
  };
  for (const auto& [name, data] : data_)
    if (data->input) look(name, *data->input);
  for (const WritableMemory::Guarded& each : writable_.guarded()) look(each.name, *each.buffer);
  return found;
}

std::string Workload::element_name(const Data& data, std::uint64_t element) const {
  std::vector<std::uint64_t> index(data.plan.shape.size());
  std::uint64_t rest = element;
  for (std::size_t axis = index.size(); axis-- > 0; rest /= static_cast<std::uint64_t>(data.plan.shape[axis]))
    index[axis] = rest % static_cast<std::uint64_t>(data.plan.shape[axis]);
  return fmt::format("{}[{}] (element {})", data.argument().name, fmt::join(index, ","), element);
}

// Unmasks the expected values for a moment. No kernel runs meanwhile.
std::string Workload::expected_text(const Data& data, std::size_t set, std::size_t element) {
  const bool sums = data.argument().compares_sum;
  const MemorySpan expected = (sums ? data.expected_sum : data.expected)[set]->span();
  const ElementType held = data.argument().reference_type, type = sums ? wide_type(held) : held;
  kernels_.mask(expected, data.mask[set]);
  std::string text = element_text(device_, expected, type, element);
  kernels_.mask(expected, data.mask[set]);
  return text;
}

std::string Workload::describe(const Data& data, const Inspection::Comparison& comparison, std::size_t check) {
  const ComparisonReport& report = comparison.report;
  if (report.mismatches() == 0)
    return fmt::format("the findings about {} were overwritten: something wrote to memory that is not its own",
                       data.argument().name);
  if (data.argument().compares_sum) return describe_sum(data, check);
  const Checked& checked = checked_.at(check);
  const Argument& argument = data.argument();
  const std::uint64_t element = report.first() % data.counts, lane = checked.lane + report.first() / data.counts;
  std::string text =
      fmt::format("{}: expected {}", element_name(data, element), expected_text(data, checked.start.set, element));
  // The element that was found can be shown only for the latest run. The output of an earlier one is gone.
  if (report.unwritten() == report.mismatches())
    text +=
        report.zeros() < report.unwritten() ? ", was never written" : ", was never written, or is the 0 that was there";
  else if (is_at_hand(check))
    text += ", got " + element_text(device_, writable_.span(argument.name, lane), argument.type, element);
  text += fmt::format("; {} of {} elements differ", report.mismatches(), data.counts * checked.lanes);
  if (checked.lanes > 1) text += fmt::format(" in {} runs", checked.lanes);
  // A kernel that writes a wrong 0 now and then meets a poison of 0, so zeros are no certain sign of unwritten
  // elements.
  const std::uint64_t certain = report.unwritten() - report.zeros();
  if (certain > 0 && report.unwritten() < report.mismatches())
    text += fmt::format(", of which {} were never written", certain);
  if (report.worst_error() > 0) text += fmt::format(", the worst by {:.3g}", report.worst_error());
  return text;
}

std::string Workload::describe_sum(const Data& data, std::size_t check) {
  const Argument& argument = data.argument();
  std::string text = fmt::format("the sum of the {} elements of {}: expected {}", data.counts, argument.name,
                                 expected_text(data, checked_.at(check).start.set, 0));
  if (!is_at_hand(check)) return text + ", and it differs";
  text += ", got " + element_text(device_, data.sum->span(), wide_type(argument.type), 0);
  std::array<std::uint64_t, 2> found{};
  device_.download(std::as_writable_bytes(std::span(found)), data.sum->span());
  if (found[1] > 0) text += fmt::format("; never written: {} of them", found[1]);
  return text;
}

bool Workload::heal() {
  const std::vector<std::uint64_t> changed = inspection_.check_protected(static_cast<int>(set_));
  if (std::ranges::all_of(changed, [](std::uint64_t piece) { return piece == Inspection::intact; })) return false;
  if (keeps_sources_ && protected_.only_copies(changed, Inspection::intact))
    put_inputs(set_);
  else {
    set_up();
    watch();
  }
  return true;
}

}  // namespace warptune::tuner
