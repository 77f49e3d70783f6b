#include "tuner/measure/support_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

#include "warptune_support_source.h"

namespace warptune::tuner {

namespace {

constexpr std::int64_t threads = 256;
constexpr std::int64_t max_blocks = 65'536;  // enough to fill any device; the kernels stride over the rest

std::string type_name(ElementType type) {
  if (type == ElementType::f16) return "half_bits";
  if (type == ElementType::bf16) return "bfloat16_bits";
  return std::string(cuda_type(type));
}

std::string fill_name(ElementType type) {
  return fmt::format("fill<{}>", type_name(type));
}
std::string convert_name(ElementType from, ElementType to) {
  return fmt::format("convert<{}, {}>", type_name(from), type_name(to));
}
std::string compare_name(ElementType got, ElementType expected) {
  return fmt::format("compare<{}, {}>", type_name(got), type_name(expected));
}

std::vector<std::string> kernels_for(const KernelTemplate& kernel) {
  std::set<std::string> names{"poison", "clear", "poison_guards", "check_guards", "delay"};
  for (const Argument& argument : kernel.arguments) {
    if (argument.role == Role::scalar) continue;
    names.insert(fill_name(argument.type));
    if (!argument.is_output()) continue;
    names.insert(compare_name(argument.type, argument.reference_type));
    names.insert(convert_name(argument.type, argument.reference_type));
  }
  return {names.begin(), names.end()};
}

}  // namespace

SupportKernels::SupportKernels(Device& device, Compiler& compiler, const KernelTemplate& kernel) : device_(device) {
  CompileRequest request;
  request.name = "warptune/support.cu";
  request.source = support_source;
  request.options = {"-std=c++17"};
  request.kernels = kernels_for(kernel);
  const CompileResult result = compiler.compile(request);
  if (!result.code)
    throw std::runtime_error(fmt::format("{} cannot compile Warptune's own kernels for {}; its words:\n{}",
                                         compiler.version(), device.info().id, result.log));
  module_ = device.load(*result.code);
}

void SupportKernels::launch(const std::string& kernel, std::int64_t blocks, std::span<void* const> arguments) {
  if (blocks > 0) module_->kernel(kernel).launch({{blocks, 1, 1}, {threads, 1, 1}, 0}, arguments);
}

void SupportKernels::launch_over(const std::string& kernel, std::size_t elements, std::span<void* const> arguments) {
  launch(kernel, std::min(max_blocks, (static_cast<std::int64_t>(elements) + threads - 1) / threads), arguments);
}

void SupportKernels::fill(MemorySpan to, ElementType type, std::size_t elements, const Fill& fill) {
  std::uint64_t count = elements, seed = fill.seed;
  int kind = static_cast<int>(fill.kind);
  double a = fill.a, b = fill.b;
  launch_over(fill_name(type), elements, std::array<void*, 6>{&to.address, &count, &kind, &a, &b, &seed});
}

void SupportKernels::convert(MemorySpan from, ElementType from_type, MemorySpan to, ElementType to_type,
                             std::size_t elements) {
  std::uint64_t count = elements;
  launch_over(convert_name(from_type, to_type), elements, std::array<void*, 3>{&from.address, &to.address, &count});
}

void SupportKernels::poison(MemorySpan span, std::uint64_t seed) {
  std::uint64_t words = span.bytes / 4;
  launch_over("poison", words, std::array<void*, 3>{&span.address, &words, &seed});
}

void SupportKernels::clear(MemorySpan span) {
  std::uint64_t words = span.bytes / 4;
  launch_over("clear", words, std::array<void*, 2>{&span.address, &words});
}

void SupportKernels::poison_guards(MemorySpan table, std::size_t count) {
  launch("poison_guards", static_cast<std::int64_t>(count), std::array<void*, 1>{&table.address});
}

void SupportKernels::check_guards(MemorySpan table, std::size_t count, std::uint64_t first) {
  launch("check_guards", static_cast<std::int64_t>(count), std::array<void*, 2>{&table.address, &first});
}

void SupportKernels::compare(MemorySpan got, ElementType type, MemorySpan expected, ElementType expected_type,
                             std::size_t elements, const AllowedError& allowed, std::uint64_t report) {
  std::uint64_t count = elements;
  AllowedError error = allowed;
  // Few threads with many elements each: every thread adds its part of the checksum to one of 64 numbers.
  constexpr std::size_t elements_per_thread = 32;
  launch_over(compare_name(type, expected_type), (elements + elements_per_thread - 1) / elements_per_thread,
              std::array<void*, 7>{&got.address, &expected.address, &count, &error.absolute, &error.relative,
                                   &error.ulp, &report});
}

void SupportKernels::delay() {
  module_->kernel("delay").launch({{1, 1, 1}, {1, 1, 1}, 0}, {});
}

std::uint64_t ComparisonReport::mismatches() const {
  return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Part& part) { return sum + part.mismatches; });
}

std::uint64_t ComparisonReport::first() const {
  return std::ranges::min(parts, {}, &Part::first).first;
}

double ComparisonReport::worst_error() const {
  return std::bit_cast<double>(std::ranges::max(parts, {}, &Part::worst_bits).worst_bits);
}

std::uint64_t ComparisonReport::checksum() const {
  return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Part& part) { return sum + part.checksum; });
}

}  // namespace warptune::tuner
