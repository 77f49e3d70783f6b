#include "tuner/measure/inspection.h"

#include <algorithm>
#include <cstring>

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

}  // namespace

void Inspection::watch(const std::vector<Guard>& guards, std::vector<ComparedOutput> outputs) {
  guards_ = guards.size();
  outputs_ = std::move(outputs);
  table_ = uploaded(device_, std::as_bytes(std::span(guards)));
  std::vector<std::byte> blank;
  append(blank, std::vector<std::uint64_t>(guards_, intact));
  append(blank, std::vector<ComparisonReport>(outputs_.size()));
  report_bytes_ = blank.size();
  blank_ = uploaded(device_, blank);
  report_ = device_.allocate(report_bytes_);
  kernels_.poison_guards(table_->span(), guards_);
}

Inspection::Findings Inspection::run() {
  device_.copy(report(), blank_->span());
  kernels_.check_guards(table_->span(), guards_, report().address);
  std::uint64_t place = report().address + guards_ * sizeof(std::uint64_t);
  for (const ComparedOutput& output : outputs_) {
    kernels_.compare(output.got, output.type, output.expected, output.expected_type, output.elements, output.allowed,
                     place);
    place += sizeof(ComparisonReport);
  }
  std::vector<std::byte> bytes(report_bytes_);
  device_.download(bytes, report());

  Findings findings{std::vector<std::uint64_t>(guards_), std::vector<ComparisonReport>(outputs_.size())};
  const std::size_t guard_bytes = guards_ * sizeof(std::uint64_t);
  std::memcpy(findings.damage.data(), bytes.data(), guard_bytes);
  if (!outputs_.empty())
    std::memcpy(findings.comparisons.data(), bytes.data() + guard_bytes, bytes.size() - guard_bytes);
  if (std::ranges::any_of(findings.damage, [](std::uint64_t word) { return word != intact; }))
    kernels_.poison_guards(table_->span(), guards_);
  return findings;
}

}  // namespace warptune::tuner
