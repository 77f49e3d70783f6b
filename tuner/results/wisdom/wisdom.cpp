// Orders the entries, and finds those for a device and a size.
#include "tuner/results/wisdom/wisdom.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

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

// Compares variants by name and then as text, which is an order that is the same everywhere.
bool variants_before(const search::NamedValues& a, const search::NamedValues& b) {
  return std::ranges::lexicographical_compare(a, b, [](const auto& x, const auto& y) {
    return std::pair(x.first, search::to_text(x.second)) < std::pair(y.first, search::to_text(y.second));
  });
}

bool sizes_before(const search::NamedValues& a, const search::NamedValues& b) {
  return std::ranges::lexicographical_compare(a, b, [](const auto& x, const auto& y) {
    return std::tuple(x.first, number(x.second)) < std::tuple(y.first, number(y.second));
  });
}

bool before(const WisdomEntry& a, const WisdomEntry& b) {
  if (a.device != b.device) return a.device < b.device;
  if (a.compute_capability != b.compute_capability) return a.compute_capability < b.compute_capability;
  if (a.variants != b.variants) return variants_before(a.variants, b.variants);
  if (sizes_before(a.sizes, b.sizes) || sizes_before(b.sizes, a.sizes)) return sizes_before(a.sizes, b.sizes);
  return std::tie(b.provenance.measured_at, b.provenance.trial) <
         std::tie(a.provenance.measured_at, a.provenance.trial);
}

bool same_place(const WisdomEntry& a, const WisdomEntry& b) {
  return a.device == b.device && a.compute_capability == b.compute_capability && a.variants == b.variants &&
         a.sizes == b.sizes;
}

bool measured_before(const WisdomEntry& a, const WisdomEntry& b) {
  return std::tie(a.provenance.measured_at, a.provenance.trial) <
         std::tie(b.provenance.measured_at, b.provenance.trial);
}

// Sorts the values in the order of `like`. Names that `like` lacks stay behind the others, in their order.
void order_like(const search::NamedValues& like, search::NamedValues& values) {
  const auto place = [&](const auto& value) {
    return std::ranges::find(like, value.first, &search::NamedValues::value_type::first) - like.begin();
  };
  std::ranges::stable_sort(values, {}, place);
}

// Adds the values of the entries to the variants. They come behind those that are known.
void add_values(const std::vector<WisdomEntry>& entries, std::vector<search::Parameter>& variants) {
  std::map<std::string, std::unordered_set<search::Value>> known;
  for (const search::Parameter& variant : variants)
    known[variant.name].insert(variant.values.begin(), variant.values.end());
  for (const WisdomEntry& entry : entries)
    for (const auto& [name, value] : entry.variants) {
      if (!known[name].insert(value).second) continue;
      auto variant = std::ranges::find(variants, name, &search::Parameter::name);
      if (variant == variants.end()) variant = variants.insert(variants.end(), search::Parameter{name, {}});
      variant->values.push_back(value);
    }
}

bool same_variants(const search::NamedValues& a, const search::NamedValues& b) {
  return std::ranges::is_permutation(a, b);
}

}  // namespace

void normalize(Wisdom& wisdom) {
  if (wisdom.entries.empty()) return;
  const WisdomEntry newest = *std::ranges::max_element(wisdom.entries, measured_before);
  for (WisdomEntry& entry : wisdom.entries) {
    order_like(newest.sizes, entry.sizes);
    order_like(newest.variants, entry.variants);
  }
  std::ranges::sort(wisdom.entries, before);
  const auto repeated = std::unique(wisdom.entries.begin(), wisdom.entries.end(), same_place);
  wisdom.entries.erase(repeated, wisdom.entries.end());
  add_values(wisdom.entries, wisdom.variants);
}

double size_distance(const search::NamedValues& a, const search::NamedValues& b,
                     const std::map<std::string, int>& weights) {
  double product = 1;
  for (const auto& [name, value] : a) {
    const search::Value* other = search::find_value(b, name);
    if (!other) continue;
    const auto known = weights.find(name);
    const int weight = known == weights.end() ? 1 : known->second;
    for (int i = 0; i < weight; ++i) product *= ratio(number(value), number(*other));
  }
  return product;
}

std::vector<const WisdomEntry*> candidates(const Wisdom& wisdom, const std::string& device,
                                           std::int64_t compute_capability, const Problem& problem) {
  std::vector<const WisdomEntry*> found;
  const auto add_if = [&](auto&& fits) {
    for (const WisdomEntry& entry : wisdom.entries)
      if (same_variants(entry.variants, problem.variants) && fits(entry)) found.push_back(&entry);
  };
  add_if([&](const WisdomEntry& entry) { return entry.device == device; });
  if (found.empty()) add_if([&](const WisdomEntry& entry) { return entry.compute_capability == compute_capability; });
  const auto weights = wisdom.rule ? wisdom.rule->weights : std::map<std::string, int>{};
  std::ranges::stable_sort(found, {}, [&](const WisdomEntry* entry) {
    return std::pair(size_distance(entry->sizes, problem.sizes) > 1,
                     size_distance(entry->sizes, problem.sizes, weights));
  });
  return found;
}

}  // namespace warptune::tuner
