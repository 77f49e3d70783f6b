// Holds what tuning found out about one kernel, on every device and size it was tuned for. It is what leaves a store
// and what an application chooses from. It is plain data; wisdom_file.h has its form on disk.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/parameter.h"
#include "search/value.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {

// Says where a figure comes from.
struct Provenance {
  std::string uuid;    // of the device measured on
  std::string driver;  // empty if there is none
  std::string compiler;
  std::string options;
  std::string source_hash;
  std::string manifest_hash;
  std::string policy;
  std::string objective;
  std::string tool_version;
  std::string measured_at;  // UTC, ISO 8601
  std::int64_t session = 0;
  std::int64_t trial = 0;
};

// Holds what launches say beyond grid, block and shared memory (device/launch_attributes.h), by kernel; plain launches
// say nothing.
using AttributesByKernel = std::map<std::string, std::map<std::string, std::int64_t>>;

struct WisdomEntry {
  std::string device;                   // "NVIDIA H200"
  std::string backend;                  // "cuda", "host"
  std::int64_t compute_capability = 0;  // 90 for 9.0; 0 for every host
  search::NamedValues sizes;            // in the manifest's order, the same in all entries
  search::NamedValues variants = {};    // likewise: choices of the problem that a look-up matches exactly
  search::NamedValues values;           // the configuration, in the template's order
  double time_ms = 0;
  double relative_error = 0;              // 0.01 is ±1 %; 0 or infinite: not known
  std::optional<double> gain;             // how many times as good as the default, by the session's objective
  std::map<std::string, double> metrics;  // not kept on disk
  Provenance provenance;
  AttributesByKernel launch_attributes = {};  // that it was measured with
  bool separable = true;                      // from the default; false: its gain may be luck. Not kept on disk
  bool of_search_alone = false;               // no finals confirmed the gain (db/settled.h). Not kept on disk
};

// Says how a size that was not measured gets the configuration of the nearest one that was, and what that costs. It is
// found by leaving each measured size out and predicting it from the others (results/select/prediction.h).
struct SizeRule {
  // A weight is how often a dimension counts in the distance between two sizes, 0 … most_weight; one that is not named
  // counts once.
  std::map<std::string, int> weights;
  static constexpr int most_weight = 8;
  std::size_t left_out = 0;  // sizes that were left out and had a figure for what the others predict
  // These are the regrets of the sizes that were left out: 0.02 is 2 % slower than the best known there. The weights
  // were chosen without the size left out.
  double mean_regret = 0, worst_regret = 0;
};

struct Wisdom {
  std::string kernel;
  search::NamedValues defaults;  // the template's default configuration; may be empty if it is not known
  std::vector<WisdomEntry> entries;
  // These are the variants with all values that the template offers, the default first; else those that entries have.
  std::vector<search::Parameter> variants = {};
  AttributesByKernel default_launch_attributes = {};  // of the default configuration, where it was measured
  std::optional<SizeRule> rule = {};                  // none: too little is known to say what a prediction costs
};

// Brings entries into the one order that files and headers have (device, capability, variants, sizes), and keeps the
// most recently measured of those for the same device name, variants and sizes. Names of sizes and variants take the
// order that the most recently measured entry has; values that no variant lists are added to it.
void normalize(Wisdom& wisdom);

// Returns how far two sizes are apart: the product over the dimensions of larger to smaller, so 1 is equal. Its
// logarithm is the sum of |log2(a / b)|; the product orders alike and needs no logarithm, which a constexpr header does
// not have. A dimension counts as often as `weights` says, or once.
double size_distance(const search::NamedValues& a, const search::NamedValues& b,
                     const std::map<std::string, int>& weights = {});

// Returns the entries to choose from by the rule that headers, defines and the runtime share. Of entries with just
// these variants, it takes those for this device's name; if there are none, those of the same compute capability. The
// nearest size by the wisdom's rule comes first, and the size itself comes before all others. Of equally near ones the
// earlier in the table comes first. If the result is empty, use the default.
std::vector<const WisdomEntry*> candidates(const Wisdom& wisdom, const std::string& device,
                                           std::int64_t compute_capability, const Problem& problem);

}  // namespace warptune::tuner
