// Chooses the roof that bytes are compared with, and sorts the roofs by how near the run comes to them.
#include "tuner/device/roofline/roofline.h"

#include <algorithm>
#include <stdexcept>

#include "search/value.h"

namespace warptune::tuner {

namespace {

constexpr std::string_view memory_roof = "dram", cache_roof = "l2";

std::optional<Attained> against(const std::vector<db::Roof>& roofs, std::string_view name, double work,
                                double time_ms) {
  const db::Roof* roof = find_roof(roofs, name);
  if (!roof || roof->value <= 0) return std::nullopt;
  const double rate = work / (time_ms / 1e3);
  return Attained{roof->name, rate, rate / roof->value};
}

std::optional<Attained> of_bytes(const search::Work& work, double time_ms, const std::vector<db::Roof>& roofs,
                                 std::int64_t l2_bytes, CacheState cache) {
  auto memory = against(roofs, memory_roof, *work.bytes, time_ms);
  if (cache == CacheState::cold || l2_bytes <= 0 || *work.bytes > static_cast<double>(l2_bytes)) return memory;
  const bool fits = *work.bytes <= static_cast<double>(l2_bytes) / 2;
  if (!fits && memory && memory->share <= 1) return memory;
  auto l2 = against(roofs, cache_roof, *work.bytes, time_ms);
  return l2 ? l2 : memory;
}

}  // namespace

const std::vector<RoofKind>& roof_kinds() {
  static const std::vector<RoofKind> kinds = {
      {"dram", "memory bandwidth", true},          {"l2", "L2 bandwidth", true},
      {"shared", "shared-memory bandwidth", true}, {"fp32", "FP32 arithmetic", false},
      {"fp64", "FP64 arithmetic", false},          {"tensor_bf16", "tensor cores, BF16", false},
      {"tensor_tf32", "tensor cores, TF32", false}};
  return kinds;
}

const RoofKind& roof_kind(std::string_view name) {
  const auto found = std::ranges::find(roof_kinds(), name, &RoofKind::name);
  if (found == roof_kinds().end()) throw std::out_of_range("there is no roof " + std::string(name));
  return *found;
}

bool is_arithmetic(std::string_view name) {
  return std::ranges::any_of(roof_kinds(), [&](const RoofKind& kind) { return !kind.bytes && kind.name == name; });
}

const db::Roof* find_roof(const std::vector<db::Roof>& roofs, std::string_view name) {
  const auto found = std::ranges::find(roofs, name, &db::Roof::name);
  return found == roofs.end() ? nullptr : &*found;
}

CacheState cache_state(const db::SessionKey& key) {
  return key.policy.find("cache=cold") == std::string::npos ? CacheState::warm : CacheState::cold;
}

std::optional<Attainment> attainment(const search::Work& work, double time_ms, const std::vector<db::Roof>& roofs,
                                     std::int64_t l2_bytes, CacheState cache) {
  Attainment result;
  if (!(time_ms > 0)) return std::nullopt;
  const auto add = [&](const std::optional<Attained>& attained) {
    if (attained) result.roofs.push_back(*attained);
  };
  if (work.bytes && *work.bytes > 0) add(of_bytes(work, time_ms, roofs, l2_bytes, cache));
  if (work.flops && *work.flops > 0 && is_arithmetic(work.arithmetic))
    add(against(roofs, work.arithmetic, *work.flops, time_ms));
  if (result.roofs.empty()) return std::nullopt;
  std::ranges::stable_sort(result.roofs, std::ranges::greater{}, &Attained::share);
  if (result.nearest().share >= least_share_that_binds) result.bound = result.nearest().roof;
  return result;
}

std::optional<Attainment> attainment(const db::SessionRecord& session, const search::Work& work, double time_ms,
                                     const std::vector<db::Roof>& roofs) {
  const search::Value* l2 = search::find_value(session.key.device.limits, "l2_bytes");
  const auto* bytes = l2 ? std::get_if<std::int64_t>(l2) : nullptr;
  return attainment(work, time_ms, roofs, bytes ? *bytes : 0, cache_state(session.key));
}

}  // namespace warptune::tuner
