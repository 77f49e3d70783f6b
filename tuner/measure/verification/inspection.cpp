// Lays out the report on the device: guards, then protected regions, then comparisons. Downloads single elements to
// print them.
#include "tuner/measure/verification/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "tuner/kernel/numbers16.h"

namespace warptune::tuner {

namespace {

std::unique_ptr<Memory> uploaded(Device& device, std::span<const std::byte> bytes) {
  auto memory = device.allocate(bytes.size());
  device.upload(memory->span(), bytes);
  return memory;
}

template <class T>
void append(std::vector<std::byte>& bytes, const std::vector<T>& values) {
  const auto more = std::as_bytes(std::span(values));
  bytes.insert(bytes.end(), more.begin(), more.end());
}

std::vector<std::uint64_t> numbers(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  std::vector<std::uint64_t> read(count);
  if (count > 0) std::memcpy(read.data(), bytes.data() + at, count * sizeof(std::uint64_t));
  return read;
}

MemorySpan part(const Memory& memory, std::size_t bytes) {
  return {memory.span().address, bytes};
}

}  // namespace

void Inspection::watch(const std::vector<Guard>& guards, std::size_t outputs, ProtectedMemory* protected_memory) {
  guards_ = guards.size();
  outputs_ = outputs;
  protected_ = protected_memory;
  most_guard_bytes_ = 0;
  for (const Guard& guard : guards) most_guard_bytes_ = std::max<std::size_t>(most_guard_bytes_, guard.bytes);
  table_ = uploaded(device_, std::as_bytes(std::span(guards)));
  std::vector<std::byte> blank;
  append(blank, std::vector<std::uint64_t>(guards_ + (protected_ ? protected_->size() : 0), intact));
  append(blank, std::vector<ComparisonReport>(outputs_ * most_checks));
  blank_ = uploaded(device_, blank);
  report_ = device_.allocate(blank.size());
  this->blank();
  kernels_.poison_guards(table_->span(), guards_, most_guard_bytes_, phase_);
}

void Inspection::blank() {
  checks_.clear();
  device_.copy(report_->span(), blank_->span());
}

// Returns a secret from a Weyl sequence with an unknown start. It differs each time and is never 0.
std::uint64_t Inspection::next_secret() {
  secret_ += 0x9e3779b97f4a7c15u;
  return secret_ * 0xbf58476d1ce4e5b9u | 1;
}

void Inspection::check(const std::vector<ComparedOutput>& outputs, std::uint64_t round, std::uint64_t noise) {
  if (outputs.size() != outputs_ || checks_.size() == most_checks)
    throw std::logic_error("a check of other outputs, or one too many");
  std::uint64_t place = report_->span().address + head() + checks_.size() * outputs_ * sizeof(ComparisonReport);
  const std::uint64_t secret = next_secret();
  for (const ComparedOutput& output : outputs) {
    kernels_.compare(output, {output.key, round, noise}, secret, place);
    place += sizeof(ComparisonReport);
  }
  checks_.push_back({outputs, secret});
}

Inspection::Findings Inspection::run(int set, bool thorough) {
  kernels_.check_guards(table_->span(), guards_, most_guard_bytes_, phase_, report_->span().address);
  if (protected_) protected_->queue(protected_address(), set, thorough, next_secret());
  std::vector<std::byte> bytes(head() + checks_.size() * outputs_ * sizeof(ComparisonReport));
  device_.download(bytes, part(*report_, bytes.size()));

  Findings findings;
  findings.damage = numbers(bytes, 0, guards_);
  findings.changed = numbers(bytes, guards_ * sizeof(std::uint64_t), protected_ ? protected_->size() : 0);
  std::size_t at = head();
  for (const Checked& checked : checks_) {
    auto& comparisons = findings.checks.emplace_back();
    for (const ComparedOutput& output : checked.outputs) {
      Comparison comparison;
      std::memcpy(&comparison.report, bytes.data() + at, sizeof comparison.report);
      comparison.elements = output.elements * output.runs;
      comparison.proved =
          comparison.report.mismatches() == 0 && comparison.report.proves(checked.secret, output.elements, output.runs);
      comparisons.push_back(comparison);
      at += sizeof(ComparisonReport);
    }
  }
  blank();
  kernels_.poison_guards(table_->span(), guards_, most_guard_bytes_, ++phase_);
  return findings;
}

std::vector<std::uint64_t> Inspection::check_protected(int set) {
  if (!protected_) return {};
  protected_->queue_all(protected_address(), set);
  std::vector<std::byte> bytes(head());
  device_.download(bytes, part(*report_, bytes.size()));
  blank();
  return numbers(bytes, guards_ * sizeof(std::uint64_t), protected_->size());
}

namespace {

template <class T>
T as(const std::array<std::byte, 8>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Returns the number as text. A NaN's sign means nothing to a reader and is left out.
template <class T>
std::string real_text(T value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

}  // namespace

std::string element_text(Device& device, MemorySpan buffer, ElementType type, std::size_t index) {
  std::array<std::byte, 8> bytes{};
  const std::size_t size = size_bytes(type);
  device.download(std::span(bytes).first(size), {buffer.address + index * size, size});
  switch (type) {
    case ElementType::f32:
      return real_text(as<float>(bytes));
    case ElementType::f64:
      return real_text(as<double>(bytes));
    case ElementType::f16:
      return real_text(half_value(as<std::uint16_t>(bytes)));
    case ElementType::bf16:
      return real_text(bfloat16_value(as<std::uint16_t>(bytes)));
    case ElementType::i8:
      return fmt::format("{}", int{as<std::int8_t>(bytes)});
    case ElementType::u8:
      return fmt::format("{}", int{as<std::uint8_t>(bytes)});
    case ElementType::i16:
      return fmt::format("{}", as<std::int16_t>(bytes));
    case ElementType::u16:
      return fmt::format("{}", as<std::uint16_t>(bytes));
    case ElementType::i32:
      return fmt::format("{}", as<std::int32_t>(bytes));
    case ElementType::u32:
      return fmt::format("{}", as<std::uint32_t>(bytes));
    case ElementType::i64:
      return fmt::format("{}", as<std::int64_t>(bytes));
    case ElementType::u64:
      return fmt::format("{}", as<std::uint64_t>(bytes));
  }
  throw std::logic_error("unknown element type");
}

}  // namespace warptune::tuner
