// Computes how near a run comes to what its device can do (the roofline model: Williams, Waterman and Patterson 2009),
// from the work that the manifest states and from roofs that were measured. These are pure functions of what the store
// keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"
#include "search/trial.h"

namespace warptune::tuner {

// Describes a kind of roof.
struct RoofKind {
  std::string_view name;   // in the store, and in manifests as `arithmetic`
  std::string_view title;  // "memory bandwidth"
  bool bytes = false;      // whether its unit is bytes a second; else operations
};
// Returns every kind of roof, in the order in which they are shown.
const std::vector<RoofKind>& roof_kinds();
// Throws std::out_of_range for an unknown name.
const RoofKind& roof_kind(std::string_view name);
bool is_arithmetic(std::string_view name);  // one of a manifest's arithmetic_names()

const db::Roof* find_roof(const std::vector<db::Roof>& roofs, std::string_view name);

// Compares a run with one roof.
struct Attained {
  std::string roof;
  double rate = 0;   // bytes or operations a second
  double share = 0;  // of the roof; 1 is all of it
};

struct Attainment {
  std::vector<Attained> roofs;  // nearest first
  // Names the nearest roof if the run reaches most of it. Otherwise it is nothing: then neither bandwidth nor
  // arithmetic is what the run waits for, but latency, launches or too few threads.
  std::optional<std::string> bound;

  const Attained& nearest() const { return roofs.front(); }
};

// Below this share of every roof, none binds. Nsight Compute draws the same line (60 % of either peak).
inline constexpr double least_share_that_binds = 0.6;

// Says where data lies before a run. Warm data lies in the L2 as far as it fits.
enum class CacheState { warm, cold };
CacheState cache_state(const db::SessionKey& key);

// Compares a run that takes `time_ms` with the roofs. Warm bytes are compared with the L2's roof if they fit into half
// of it, or if they fit into it and come faster than the memory delivers. All others are compared with the memory's.
// Returns nothing if work or roofs are not known.
std::optional<Attainment> attainment(const search::Work& work, double time_ms, const std::vector<db::Roof>& roofs,
                                     std::int64_t l2_bytes, CacheState cache);
// Does the same for a stored session's trial.
std::optional<Attainment> attainment(const db::SessionRecord& session, const search::Work& work, double time_ms,
                                     const std::vector<db::Roof>& roofs);

}  // namespace warptune::tuner
