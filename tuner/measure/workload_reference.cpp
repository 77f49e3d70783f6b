// What the reference makes of a workload's inputs, and whether anything can be verified with it.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "tuner/measure/reference.h"
#include "tuner/measure/workload.h"

namespace warptune::tuner {

namespace {

// Who has no reference looks for the mistake in the kernel.
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
  require_telling();
  functions_.keep();
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
  run_reference(kernel_, constants_, buffers, kernels_, compiler_, functions_, options_);
}

// The first element of an output that holds the poison in `once`, and its opposite after that; a text, or nothing.
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
    require_a_number(*data, report);
    const bool all_finite = report.checksum() == 0 && report.unwritten() == 0;
    data->largest = all_finite ? report.worst_error() : std::numeric_limits<double>::infinity();
  }
  return {};
}

// Infinity may be meant, and a kernel seldom writes it by mistake; NaN is what mistakes write.
void Workload::require_a_number(const Data& data, const ComparisonReport& report) const {
  if (!is_floating(data.argument().type) || data.counts == 0 || report.checksum() != data.counts) return;
  throw WorkloadError(fmt::format(
      "every value that {} writes to {} is NaN, so nothing can be verified: a wrong kernel may "
      "write NaN, too. Do the inputs suit the kernel, or does it take a root or logarithm of negative numbers? The "
      "manifest's `fill` and `value` choose them",
      reference_in_words(kernel_), data.argument().name));
}

// Where the tolerance allows more than all that is expected, zeros are right, and so is nearly anything. One output
// that is compared in earnest is enough: others may well be about zero, as what is left of an error.
void Workload::require_telling() const {
  const Data* lax = nullptr;
  for (const auto& [name, data] : data_) {
    const Argument& argument = data->argument();
    if (!argument.is_output() || data->counts == 0) continue;
    const AllowedError& allowed = data->allowed;
    const bool covers = data->largest > 0 && data->largest <= allowed.absolute + allowed.relative * data->largest &&
                        std::isfinite(data->largest);
    if (argument.role == Role::inout || !is_floating(argument.type) || !covers) return;
    lax = data.get();
  }
  if (!lax) return;
  throw WorkloadError(fmt::format(
      "the tolerance of {0} in {1} covers every value that the reference writes there, so nothing can be verified: a "
      "kernel that writes zeros would be right. The largest value is {2:.3g}, and absolute = {3:.3g}, relative = "
      "{4:.3g} are allowed. Say a smaller `tolerance` in [arguments.{0}], or larger inputs by `fill` and `value`",
      lax->argument().name, kernel_.name, lax->largest, lax->allowed.absolute, lax->allowed.relative));
}

// An element that holds the poison may have been given just this value, if it is a byte: then a second run, from the
// opposite poison, leaves that value again.
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
