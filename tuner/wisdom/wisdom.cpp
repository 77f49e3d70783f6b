#include "tuner/wisdom/wisdom.h"

#include <algorithm>
#include <tuple>

namespace warptune::tuner {

namespace {

double number(const search::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 1;
}

double ratio(double a, double b) {
  const double x = std::max(a, 1.0), y = std::max(b, 1.0);
  return x > y ? x / y : y / x;
}

bool sizes_before(const search::NamedValues& a, const search::NamedValues& b) {
  return std::ranges::lexicographical_compare(a, b, [](const auto& x, const auto& y) {
    return std::tuple(x.first, number(x.second)) < std::tuple(y.first, number(y.second));
  });
}

bool before(const WisdomEntry& a, const WisdomEntry& b) {
  if (a.device != b.device) return a.device < b.device;
  if (a.compute_capability != b.compute_capability) return a.compute_capability < b.compute_capability;
  if (sizes_before(a.sizes, b.sizes) || sizes_before(b.sizes, a.sizes)) return sizes_before(a.sizes, b.sizes);
  return std::tie(b.provenance.measured_at, b.provenance.trial) <
         std::tie(a.provenance.measured_at, a.provenance.trial);
}

bool same_place(const WisdomEntry& a, const WisdomEntry& b) {
  return a.device == b.device && a.compute_capability == b.compute_capability && a.sizes == b.sizes;
}

}  // namespace

void normalize(Wisdom& wisdom) {
  for (WisdomEntry& entry : wisdom.entries) std::ranges::sort(entry.sizes, {}, &search::NamedValues::value_type::first);
  std::ranges::sort(wisdom.entries, before);
  const auto repeated = std::unique(wisdom.entries.begin(), wisdom.entries.end(), same_place);
  wisdom.entries.erase(repeated, wisdom.entries.end());
}

double size_distance(const search::NamedValues& a, const search::NamedValues& b) {
  double product = 1;
  for (const auto& [name, value] : a)
    if (const search::Value* other = search::find_value(b, name)) product *= ratio(number(value), number(*other));
  return product;
}

std::vector<const WisdomEntry*> candidates(const Wisdom& wisdom, const std::string& device,
                                           std::int64_t compute_capability, const search::NamedValues& sizes) {
  std::vector<const WisdomEntry*> found;
  for (const WisdomEntry& entry : wisdom.entries)
    if (entry.device == device) found.push_back(&entry);
  if (found.empty())
    for (const WisdomEntry& entry : wisdom.entries)
      if (entry.compute_capability == compute_capability) found.push_back(&entry);
  std::ranges::stable_sort(found, {}, [&](const WisdomEntry* entry) { return size_distance(entry->sizes, sizes); });
  return found;
}

}  // namespace warptune::tuner
