// Compiles and launches the support kernels, and adds up the parts of their reports.
#include "tuner/measure/memory/support_kernels.h"

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

std::string find_unwritten_name(ElementType type) {
  return fmt::format("find_unwritten<{}>", type_name(type));
}

std::string survey_name(ElementType type, ElementType expected) {
  return fmt::format("survey<{}, {}>", type_name(type), type_name(expected));
}

std::string sum_name(ElementType type) {
  return fmt::format("sum_elements<{}, {}>", type_name(type), type_name(wide_type(type)));
}

// Each row of blocks gets a share of the device: enough blocks that the longest row is done in a few turns.
std::int64_t blocks_for(std::size_t items, std::size_t items_per_thread) {
  constexpr std::size_t most = 2048;
  const std::size_t per_block = static_cast<std::size_t>(threads) * items_per_thread;
  return static_cast<std::int64_t>(std::clamp<std::size_t>((items + per_block - 1) / per_block, 1, most));
}

std::vector<std::string> kernels_for(const KernelTemplate& kernel) {
  std::set<std::string> names{"poison",        "clear",  "stage", "poison_guards", "check_guards", "sum_regions",
                              "check_regions", "invert", "delay", "read",          "checksum",     "mask"};
  for (const Argument& argument : kernel.arguments) {
    if (argument.role == Role::scalar) continue;
    names.insert(fill_name(argument.type));
    if (!argument.is_output()) continue;
    names.insert(compare_name(argument.type, argument.reference_type));
    names.insert(convert_name(argument.type, argument.reference_type));
    names.insert(find_unwritten_name(argument.reference_type));
    names.insert(survey_name(argument.type, argument.reference_type));
    if (!argument.compares_sum) continue;
    const ElementType wide = wide_type(argument.type), expected = wide_type(argument.reference_type);
    names.insert({sum_name(argument.type), sum_name(argument.reference_type), compare_name(wide, expected),
                  survey_name(wide, expected)});
  }
  return {names.begin(), names.end()};
}

}  // namespace

ElementType wide_type(ElementType type) {
  if (is_floating(type)) return ElementType::f64;
  const bool is_signed =
      type == ElementType::i8 || type == ElementType::i16 || type == ElementType::i32 || type == ElementType::i64;
  return is_signed ? ElementType::i64 : ElementType::u64;
}

CompileRequest support_request(const KernelTemplate& kernel) {
  CompileRequest request;
  request.name = "warptune/support.cu";
  request.source = support_source;
  request.options = {"-std=c++17"};
  request.kernels = kernels_for(kernel);
  return request;
}

SupportKernels::SupportKernels(Device& device, Compiler& compiler, const KernelTemplate& kernel) : device_(device) {
  const CompileResult result = compiler.compile(support_request(kernel));
  if (!result.code)
    throw std::runtime_error(fmt::format("{} cannot compile Warptune's own kernels for {}; its words:\n{}",
                                         compiler.version(), device.info().id, result.log));
  module_ = device.load(*result.code);
}

void SupportKernels::launch(const std::string& kernel, std::int64_t blocks, std::int64_t rows,
                            std::span<void* const> arguments) {
  if (blocks > 0 && rows > 0) module_->kernel(kernel).launch({{blocks, rows, 1}, {threads, 1, 1}, 0}, arguments);
}

void SupportKernels::launch_over(const std::string& kernel, std::size_t elements, std::span<void* const> arguments) {
  launch(kernel, std::min(max_blocks, (static_cast<std::int64_t>(elements) + threads - 1) / threads), 1, arguments);
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

void SupportKernels::poison(MemorySpan span, const Poison& poison) {
  std::uint64_t bytes = span.bytes;
  Poison as = poison;
  launch_over("poison", (bytes + 3) / 4, std::array<void*, 5>{&span.address, &bytes, &as.key, &as.round, &as.noise});
}

void SupportKernels::clear(MemorySpan span) {
  std::uint64_t bytes = span.bytes;
  launch_over("clear", (bytes + 3) / 4, std::array<void*, 2>{&span.address, &bytes});
}

void SupportKernels::read(MemorySpan span) {
  std::uint64_t bytes = span.bytes;
  launch_over("read", bytes / 16, std::array<void*, 2>{&span.address, &bytes});
}

void SupportKernels::stage(std::uint64_t jobs, std::size_t count, std::size_t most_bytes, std::uint64_t round,
                           std::uint64_t noise) {
  constexpr std::size_t quads_per_thread = 4;
  launch("stage", blocks_for(most_bytes / 16, quads_per_thread), static_cast<std::int64_t>(count),
         std::array<void*, 3>{&jobs, &round, &noise});
}

void SupportKernels::poison_guards(MemorySpan table, std::size_t count, std::size_t most_bytes, std::uint64_t phase) {
  launch("poison_guards", blocks_for(most_bytes / 4, 4), static_cast<std::int64_t>(count),
         std::array<void*, 2>{&table.address, &phase});
}

void SupportKernels::check_guards(MemorySpan table, std::size_t count, std::size_t most_bytes, std::uint64_t phase,
                                  std::uint64_t first) {
  launch("check_guards", blocks_for(most_bytes / 4, 4), static_cast<std::int64_t>(count),
         std::array<void*, 3>{&table.address, &phase, &first});
}

void SupportKernels::sum_regions(MemorySpan table, std::size_t count, std::size_t most_bytes) {
  launch("sum_regions", blocks_for(Region::pieces(most_bytes), 1), static_cast<std::int64_t>(count),
         std::array<void*, 1>{&table.address});
}

void SupportKernels::check_regions(MemorySpan table, std::size_t count, std::size_t most_bytes, std::size_t stride,
                                   std::uint64_t seed, std::uint64_t first) {
  std::uint64_t one_in = stride;
  launch("check_regions", blocks_for(Region::pieces(most_bytes) / stride, 1), static_cast<std::int64_t>(count),
         std::array<void*, 4>{&table.address, &one_in, &seed, &first});
}

void SupportKernels::mask(MemorySpan span, std::uint64_t key) {
  std::uint64_t words = span.bytes / 8;
  launch_over("mask", words, std::array<void*, 3>{&span.address, &words, &key});
}

void SupportKernels::compare(const ComparedOutput& output, const Poison& poison, std::uint64_t secret,
                             std::uint64_t report) {
  ComparedOutput of = output;
  std::uint64_t count = output.elements;
  Poison as = poison;
  // Each of the few threads takes many elements, because every thread adds its part of the checksum to one of 64
  // numbers.
  constexpr std::size_t elements_per_thread = 32;
  launch(compare_name(of.type, of.expected_type), blocks_for(of.elements, elements_per_thread),
         static_cast<std::int64_t>(of.runs),
         std::array<void*, 14>{&of.got.address, &of.others, &of.stride, &of.expected.address, &of.mask, &count,
                               &of.allowed.absolute, &of.allowed.relative, &of.allowed.ulp, &as.key, &as.round,
                               &as.noise, &secret, &report});
}

void SupportKernels::find_unwritten(MemorySpan once, MemorySpan again, ElementType type, std::size_t elements,
                                    const Poison& poison, std::uint64_t report) {
  std::uint64_t count = elements;
  Poison as = poison;
  launch_over(find_unwritten_name(type), elements,
              std::array<void*, 7>{&once.address, &again.address, &count, &as.key, &as.round, &as.noise, &report});
}

void SupportKernels::survey(MemorySpan expected, ElementType expected_type, MemorySpan first, ElementType type,
                            std::size_t elements, const AllowedError& allowed, std::uint64_t report) {
  std::uint64_t count = elements;
  AllowedError error = allowed;
  constexpr std::size_t elements_per_thread = 32;
  launch_over(survey_name(type, expected_type), (elements + elements_per_thread - 1) / elements_per_thread,
              std::array<void*, 7>{&expected.address, &first.address, &count, &error.absolute, &error.relative,
                                   &error.ulp, &report});
}

void SupportKernels::sum(MemorySpan from, ElementType type, std::size_t elements, const Poison& poison, MemorySpan to) {
  std::uint64_t count = elements, unwritten = to.address + 8;
  Poison as = poison;
  launch(sum_name(type), 1, 1,
         std::array<void*, 7>{&from.address, &count, &as.key, &as.round, &as.noise, &to.address, &unwritten});
}

void SupportKernels::invert(MemorySpan span) {
  std::uint64_t words = span.bytes / 4;
  launch_over("invert", words, std::array<void*, 2>{&span.address, &words});
}

void SupportKernels::checksum(MemorySpan span, std::uint64_t sum) {
  std::uint64_t bytes = span.bytes;
  constexpr std::size_t bytes_per_thread = 128;
  launch_over("checksum", (span.bytes + bytes_per_thread - 1) / bytes_per_thread,
              std::array<void*, 3>{&span.address, &bytes, &sum});
}

void SupportKernels::delay() {
  module_->kernel("delay").launch({{1, 1, 1}, {1, 1, 1}, 0}, {});
}

static std::uint64_t sum_of(const std::array<ComparisonReport::Part, 64>& parts,
                            std::uint64_t ComparisonReport::Part::*count) {
  return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, const ComparisonReport::Part& part) { return sum + part.*count; });
}

std::uint64_t ComparisonReport::mismatches() const {
  return sum_of(parts, &Part::mismatches);
}

std::uint64_t ComparisonReport::unwritten() const {
  return sum_of(parts, &Part::unwritten);
}

std::uint64_t ComparisonReport::zeros() const {
  return sum_of(parts, &Part::zeros);
}

// The proof uses that the sum of 2 i + 1 over the first n numbers is n squared.
bool ComparisonReport::proves(std::uint64_t secret, std::size_t elements, std::size_t runs) const {
  return sum_of(parts, &Part::proof) == secret * runs * elements * elements;
}

std::uint64_t ComparisonReport::first() const {
  return std::ranges::min(parts, {}, &Part::first).first;
}

double ComparisonReport::worst_error() const {
  return std::bit_cast<double>(std::ranges::max(parts, {}, &Part::worst_bits).worst_bits);
}

// Returns the double at a place in the order of doubles.
static double double_at(std::uint64_t place) {
  constexpr std::uint64_t positive = std::uint64_t{1} << 63;
  return std::bit_cast<double>(place >= positive ? place & ~positive : ~place);
}

search::ExpectedOutput Survey::result(std::string name, std::size_t elements) const {
  const auto sum = [&](auto&& count) {
    std::uint64_t all = 0;
    for (const Part& part : parts) all += count(part);
    return static_cast<std::int64_t>(all);
  };
  search::ExpectedOutput found{.name = std::move(name), .elements = static_cast<std::int64_t>(elements)};
  found.nan = sum([](const Part& part) { return part.nan; });
  found.infinite = sum([](const Part& part) { return part.infinite; });
  found.told = sum([](const Part& part) { return part.told; });
  const bool any_finite = found.nan + found.infinite < found.elements;
  found.least = any_finite ? double_at(~std::ranges::max(parts, {}, &Part::least).least) : 1;
  found.most = any_finite ? double_at(std::ranges::max(parts, {}, &Part::most).most) : 0;
  found.room = std::bit_cast<double>(std::ranges::max(parts, {}, &Part::room).room);
  for (std::size_t i = 0; i < 3; ++i)
    if (const auto same = sum([i](const Part& part) { return part.same[i]; }); same > found.same)
      found.same = same, found.commonest = parts.front().samples[i];
  found.one_value = elements > 1 && found.same == found.elements;
  found.begins_so = sum([](const Part& part) { return part.unchanged; }) == found.elements;
  return found;
}

double ComparisonReport::squared_errors() const {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const Part& part) { return sum + part.squares; });
}

std::uint64_t ComparisonReport::checksum() const {
  return sum_of(parts, &Part::checksum);
}

}  // namespace warptune::tuner
