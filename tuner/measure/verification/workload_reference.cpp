// Computes what the reference makes of a workload's inputs, and decides whether anything can be verified with it.
#include <fmt/format.h>

#include "tuner/measure/verification/expected_outputs.h"
#include "tuner/measure/verification/reference.h"
#include "tuner/measure/verification/workload.h"

namespace warptune::tuner {

namespace {

// Names the reference in a message. If the template has none, the default configuration serves as one, and the message
// says so: the user then has to look for the mistake in the kernel.
std::string reference_in_words(const KernelTemplate& kernel) {
  if (kernel.reference.default_configuration) return default_in_words(kernel);
  return fmt::format("the reference of {}", kernel.name);
}

}  // namespace

void Workload::compute_expected(std::size_t set) {
  for (auto& [name, data] : data_) {
    const Argument& argument = data->argument();
    if (argument.is_output() && data->counts > 0 && !data->expected[set])
      data->expected[set] = device_.allocate(whole_quads(data->plan.elements * size_bytes(argument.reference_type)));
  }
  const Poison poison{rng_.next(), rng_.next(), rng_.next()};
  prepare_expected(set, poison);
  reference(set);
  require_written(set, poison);
  add_sums(set);
}

void Workload::add_sums(std::size_t set) {
  for (auto& [name, data] : data_) {
    const Argument& argument = data->argument();
    if (!argument.compares_sum || !data->expected[set]) continue;
    if (!data->sum) data->sum = device_.allocate(SupportKernels::sum_bytes);
    data->expected_sum[set] = device_.allocate(SupportKernels::sum_bytes);
    kernels_.sum(data->expected[set]->span(), argument.reference_type, data->counts, {},
                 data->expected_sum[set]->span());
  }
}

// Masks the expected outputs. This is the last step on what the reference made.
void Workload::mask(std::size_t set) {
  for (auto& [name, data] : data_) {
    if (!data->expected[set]) continue;
    data->mask[set] = rng_.next() | 1;
    kernels_.mask(data->expected[set]->span(), data->mask[set]);
    if (data->expected_sum[set]) kernels_.mask(data->expected_sum[set]->span(), data->mask[set]);
  }
}

// Surveys one output. If none of its elements count, there is nothing to survey.
search::ExpectedOutput Workload::surveyed(const Data& data, std::size_t set) {
  const Argument& argument = data.argument();
  if (!data.expected[set]) return {.name = argument.name, .least = 1, .most = 0};
  Survey found;
  const auto memory = device_.allocate(sizeof found);
  device_.upload(memory->span(), std::as_bytes(std::span(&found, 1)));
  MemorySpan first = argument.role == Role::inout ? data.source[set]->span() : MemorySpan{};
  std::unique_ptr<Memory> sum;
  if (argument.compares_sum && argument.role == Role::inout) {
    sum = device_.allocate(SupportKernels::sum_bytes);
    kernels_.sum(first, argument.type, data.counts, {}, sum->span());
    first = sum->span();
  }
  if (argument.compares_sum)
    kernels_.survey(data.expected_sum[set]->span(), wide_type(argument.reference_type), first, wide_type(argument.type),
                    1, data.allowed, memory->span().address);
  else
    kernels_.survey(data.expected[set]->span(), argument.reference_type, first, argument.type, data.counts,
                    data.allowed, memory->span().address);
  device_.download(std::as_writable_bytes(std::span(&found, 1)), memory->span());
  return found.result(argument.name, data.compared());
}

void Workload::survey(std::size_t set) {
  if (set == 0) expected_outputs_.clear();
  auto known = expected_outputs_.begin();
  for (const Argument& argument : kernel_.arguments) {
    if (!argument.is_output()) continue;
    const Data& data = *data_.at(argument.name);
    search::ExpectedOutput found = surveyed(data, set);
    require_a_number(data, found);
    if (set == 0)
      expected_outputs_.push_back(std::move(found));
    else
      take_both(*known++, found);
  }
}

void Workload::prepare_expected(std::size_t set, const Poison& poison) {
  for (auto& [name, data] : data_) {
    if (!data->expected[set]) continue;
    const Argument& argument = data->argument();
    const MemorySpan expected = data->expected[set]->span();
    kernels_.poison(expected, poison);
    if (argument.role == Role::inout)
      kernels_.convert(data->source[set]->span(), argument.type, expected, argument.reference_type,
                       data->plan.elements);
  }
}

void Workload::reference(std::size_t set) {
  std::map<std::string, MemorySpan> buffers;
  for (const auto& [name, data] : data_) {
    const Argument& argument = data->argument();
    buffers[name] = !data->expected[set] ? span(name)
                                         : MemorySpan{data->expected[set]->span().address,
                                                      data->plan.elements * size_bytes(argument.reference_type)};
  }
  run_reference(kernel_, constants_, buffers, kernels_, compiler_, functions_, options_, reference_code_);
}

// Returns the name of the first element of an output that holds the poison in `once` and the opposite of the poison
// now; empty if there is none.
std::string Workload::first_unwritten(std::size_t set, const std::map<std::string, MemorySpan>& once,
                                      const Poison& poison) {
  for (const auto& [name, data] : data_) {
    const Argument& argument = data->argument();
    if (argument.role != Role::output || !data->expected[set]) continue;
    ComparisonReport report;
    const auto memory = device_.allocate(sizeof report);
    device_.upload(memory->span(), std::as_bytes(std::span(&report, 1)));
    const MemorySpan now = data->expected[set]->span();
    kernels_.find_unwritten(once.contains(name) ? once.at(name) : now, now, argument.reference_type, data->counts,
                            poison, memory->span().address);
    device_.download(std::as_writable_bytes(std::span(&report, 1)), memory->span());
    if (report.mismatches() > 0) return element_name(*data, report.first());
  }
  return {};
}

// Throws WorkloadError if every expected value of an output is NaN. Infinity may be meant, and a kernel seldom writes
// it by mistake; NaN is what mistakes write.
void Workload::require_a_number(const Data& data, const search::ExpectedOutput& expected) const {
  if (expected.elements == 0 || expected.nan != expected.elements || data.argument().role == Role::inout) return;
  throw WorkloadError(fmt::format(
      "every value that {} writes to {} is NaN, so nothing can be verified: a wrong kernel may "
      "write NaN, too. Do the inputs suit the kernel, or does it take a root or logarithm of negative numbers? The "
      "manifest's `fill` and `value` choose them",
      reference_in_words(kernel_), data.argument().name));
}

// Throws WorkloadError if the reference leaves an element unwritten. An element that holds the poison may have been
// given just this value, if it is a byte. So the reference runs again, from the opposite poison: if it writes the
// element, it leaves the same value again.
void Workload::require_written(std::size_t set, const Poison& poison) {
  if (first_unwritten(set, {}, poison).empty()) return;
  std::vector<std::unique_ptr<Memory>> copies;
  std::map<std::string, MemorySpan> once;
  for (const auto& [name, data] : data_) {
    if (!data->expected[set]) continue;
    copies.push_back(device_.allocate(data->expected[set]->span().bytes));
    once[name] = copies.back()->span();
    device_.copy(once[name], data->expected[set]->span());
  }
  prepare_expected(set, poison);
  for (const auto& [name, data] : data_)
    if (data->expected[set] && data->argument().role == Role::output) kernels_.invert(data->expected[set]->span());
  reference(set);
  const std::string element = first_unwritten(set, once, poison);
  for (const auto& copy : copies) kernels_.poison(copy->span(), {rng_.next(), rng_.next(), rng_.next()});
  if (element.empty()) return;
  throw WorkloadError(fmt::format(
      "{} never writes {}, so nothing can be verified there.{} If only the leading elements "
      "count, say how many: counts = \"EXPRESSION\" in the manifest's argument; if it is to be added to, or "
      "keeps what it leaves out (a border), its role is inout.",
      reference_in_words(kernel_), element,
      kernel_.reference.default_configuration ? " So your kernel leaves it out: is a bound in it or the grid too small?"
                                              : ""));
}

}  // namespace warptune::tuner
