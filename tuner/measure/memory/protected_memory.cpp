// Keeps the tables of protected regions on the device, and bounds what one check reads.
#include "tuner/measure/memory/protected_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace warptune::tuner {

namespace {

constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

// Returns how many bytes one quick check may read: some 20 µs of a GPU's time, some milliseconds of a processor's.
std::size_t quick_budget(const Device& device) {
  return device.info().is_host() ? std::size_t{8} << 20 : std::size_t{64} << 20;
}
std::size_t thorough_budget(const Device& device) {
  return 8 * quick_budget(device);
}

}  // namespace

ProtectedMemory::Table ProtectedMemory::table(const std::vector<Region>& regions) {
  Table made;
  made.count = regions.size();
  for (const Region& region : regions) {
    made.bytes += region.bytes;
    made.most_bytes = std::max<std::size_t>(made.most_bytes, region.bytes);
  }
  const auto bytes = std::as_bytes(std::span(regions));
  made.memory = device_.allocate(bytes.size());
  device_.upload(made.memory->span(), bytes);
  return made;
}

void ProtectedMemory::protect(std::vector<Content> contents, std::vector<Copy> copies) {
  contents_ = std::move(contents);
  copies_ = std::move(copies);
  sums_.clear();
  std::vector<Region> regions;
  for (const Content& content : contents_) {
    sums_.push_back(device_.allocate(Region::pieces(content.span.bytes) * sizeof(std::uint64_t)));
    regions.push_back({content.span.address, content.span.bytes, sums_.back()->span().address});
  }
  of_contents_ = table(regions);
  for (std::size_t set = 0; set < of_copies_.size(); ++set) {
    std::vector<Region> same;
    for (const Copy& copy : copies_)
      same.push_back({copy.span.address, copy.span.bytes, regions.at(copy.content.at(set)).sums});
    of_copies_.at(set) = table(same);
  }
  kernels_.sum_regions(of_contents_.memory->span(), of_contents_.count, of_contents_.most_bytes);
}

void ProtectedMemory::look(const Table& table, std::size_t budget, std::uint64_t seed, std::uint64_t first) {
  const std::size_t stride = table.bytes / budget + 1;
  kernels_.check_regions(table.memory->span(), table.count, table.most_bytes, stride, seed, first);
}

void ProtectedMemory::queue(std::uint64_t first, int set, bool thorough, std::uint64_t seed) {
  const std::size_t quick = quick_budget(device_);
  look(of_contents_, quick, seed, first);
  look(of_copies_.at(static_cast<std::size_t>(set)), thorough ? thorough_budget(device_) : quick, seed + 1,
       first + contents_.size() * sizeof(std::uint64_t));
}

void ProtectedMemory::queue_all(std::uint64_t first, int set) {
  look(of_contents_, everything, 0, first);
  look(of_copies_.at(static_cast<std::size_t>(set)), everything, 0, first + contents_.size() * sizeof(std::uint64_t));
}

std::string ProtectedMemory::describe(std::span<const std::uint64_t> first, std::uint64_t intact) const {
  // Copies come first in the message, since kernels are given their addresses.
  for (std::size_t i = 0; i < size(); ++i) {
    const bool copy = i < copies_.size();
    const std::size_t at = copy ? contents_.size() + i : i - copies_.size();
    if (first[at] == intact) continue;
    return fmt::format("{} was written, from byte {} on or soon after it", copy ? copies_[i].what : contents_[at].what,
                       first[at] * Region::piece_bytes);
  }
  return {};
}

bool ProtectedMemory::only_copies(std::span<const std::uint64_t> first, std::uint64_t intact) const {
  return std::ranges::all_of(first.first(contents_.size()), [=](std::uint64_t piece) { return piece == intact; });
}

}  // namespace warptune::tuner
