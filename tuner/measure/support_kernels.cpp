#include "tuner/measure/support_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <stdexcept>
#include <string>

#include "warptune_support_source.h"

namespace warptune {

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
  std::set<std::string> names{"poison", "clear", "check_poison"};
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
  scratch_ = device.allocate(256);
}

void SupportKernels::launch(const std::string& kernel, std::size_t elements, std::span<void* const> arguments) {
  if (elements == 0) return;
  const auto blocks = std::min(max_blocks, (static_cast<std::int64_t>(elements) + threads - 1) / threads);
  module_->kernel(kernel).launch({{blocks, 1, 1}, {threads, 1, 1}, 0}, arguments);
}

void SupportKernels::fill(MemorySpan to, ElementType type, std::size_t elements, const Fill& fill) {
  std::uint64_t count = elements, seed = fill.seed;
  int kind = static_cast<int>(fill.kind);
  double a = fill.a, b = fill.b;
  launch(fill_name(type), elements, std::array<void*, 6>{&to.address, &count, &kind, &a, &b, &seed});
}

void SupportKernels::convert(MemorySpan from, ElementType from_type, MemorySpan to, ElementType to_type,
                             std::size_t elements) {
  std::uint64_t count = elements;
  launch(convert_name(from_type, to_type), elements, std::array<void*, 3>{&from.address, &to.address, &count});
}

void SupportKernels::poison(MemorySpan span, std::uint64_t seed) {
  std::uint64_t words = span.bytes / 4;
  launch("poison", words, std::array<void*, 3>{&span.address, &words, &seed});
}

void SupportKernels::clear(MemorySpan span) {
  std::uint64_t words = span.bytes / 4;
  launch("clear", words, std::array<void*, 2>{&span.address, &words});
}

std::optional<std::size_t> SupportKernels::first_change(MemorySpan span, std::uint64_t seed) {
  std::uint64_t words = span.bytes / 4, first = ~std::uint64_t{0};
  MemorySpan result{scratch_->span().address, sizeof first};
  device_.upload(result, std::as_bytes(std::span(&first, 1)));
  launch("check_poison", words, std::array<void*, 4>{&span.address, &words, &seed, &result.address});
  device_.download(std::as_writable_bytes(std::span(&first, 1)), result);
  if (first == ~std::uint64_t{0}) return std::nullopt;
  return first * 4;
}

Comparison SupportKernels::compare(MemorySpan got, ElementType type, MemorySpan expected, ElementType expected_type,
                                   std::size_t elements, double absolute, double relative) {
  std::array<std::uint64_t, 3> report{0, ~std::uint64_t{0}, 0};  // support.cu's Report
  MemorySpan result{scratch_->span().address, sizeof report};
  device_.upload(result, std::as_bytes(std::span(report)));
  std::uint64_t count = elements;
  launch(compare_name(type, expected_type), elements,
         std::array<void*, 6>{&got.address, &expected.address, &count, &absolute, &relative, &result.address});
  device_.download(std::as_writable_bytes(std::span(report)), result);
  return {report[0], report[1], std::bit_cast<double>(report[2])};
}

}  // namespace warptune
