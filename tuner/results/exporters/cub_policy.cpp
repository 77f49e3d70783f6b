// Writes a chain of policies, one for each compute capability that was tuned, in front of CUB's own.
#include "tuner/results/exporters/cub_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "search/plain_text.h"
#include "tuner/kernel/problem.h"
#include "tuner/results/exporters/source_text.h"

namespace warptune::tuner {

namespace {

using Names = std::map<std::string, std::string, std::less<>>;

std::string text_of(const WisdomEntry& entry, std::string_view parameter) {
  if (const search::Value* value = search::find_value(entry.values, parameter)) return search::to_text(*value);
  throw RequestError(fmt::format(
      "export --format cub-policy needs the parameter {}, which this winner does not have; tune the template again",
      parameter));
}

// Returns CUB's word for a parameter's value.
std::string cub_name(const WisdomEntry& entry, std::string_view parameter, const Names& names) {
  const std::string value = text_of(entry, parameter);
  if (const auto found = names.find(value); found != names.end()) return found->second;
  throw RequestError(fmt::format("export --format cub-policy knows no word of CUB's for {}={}", parameter, value));
}

const Names block_scans = {{"raking", "cub::BLOCK_SCAN_RAKING"},
                           {"raking_memoize", "cub::BLOCK_SCAN_RAKING_MEMOIZE"},
                           {"warp_scans", "cub::BLOCK_SCAN_WARP_SCANS"}};

std::string delay_of(const WisdomEntry& entry) {
  const std::string first = text_of(entry, "BACKOFF_NS"), write = text_of(entry, "WRITE_NS");
  if (text_of(entry, "BACKOFF") == "none") return fmt::format("cub::detail::no_delay_constructor_t<{}>", write);
  const Names names = {{"fixed", "fixed_delay"},
                       {"backoff", "exponential_backoff"},
                       {"backoff_jitter", "exponential_backoff_jitter"},
                       {"backon", "exponential_backon"},
                       {"backon_jitter", "exponential_backon_jitter"}};
  return fmt::format("cub::detail::{}_constructor_t<{}, {}>", cub_name(entry, "BACKOFF", names), first, write);
}

// Returns CUB's words for the ways to move a tile; `how` is LOAD or STORE.
Names moved(std::string_view how) {
  Names names;
  for (const auto& [ours, cubs] : {std::pair{"direct", "DIRECT"}, std::pair{"vectorize", "VECTORIZE"},
                                   std::pair{"transpose", "TRANSPOSE"}, std::pair{"warp_transpose", "WARP_TRANSPOSE"}})
    names[ours] = fmt::format("cub::BLOCK_{}_{}", how, cubs);
  return names;
}

const Names load_hints = {{"plain", "cub::LOAD_DEFAULT"},
                          {"all", "cub::LOAD_CA"},
                          {"global", "cub::LOAD_CG"},
                          {"streaming", "cub::LOAD_CS"},
                          {"read_only", "cub::LOAD_LDG"}};

std::string scan_policy(const WisdomEntry& entry) {
  const std::string threads = text_of(entry, "BLOCK_SIZE"), items = text_of(entry, "COARSENING");
  return fmt::format(
      "    using ScanPolicyT =\n        cub::AgentScanPolicy<{0}, {1}, Accum, {2}, {3},\n"
      "                             {4}, {5},\n"
      "                             cub::detail::MemBoundScaling<{0}, {1}, Accum>, {6}>;\n",
      threads, items, cub_name(entry, "TILE_LOAD", moved("LOAD")), cub_name(entry, "CACHE_HINT_LOAD", load_hints),
      cub_name(entry, "TILE_STORE", moved("STORE")), cub_name(entry, "BLOCK_SCAN", block_scans), delay_of(entry));
}

// Keys of another size get as many bytes a thread, as in CUB's own policies.
std::string merge_sort_policy(const WisdomEntry& entry) {
  return fmt::format(
      "    using MergeSortPolicy =\n        cub::AgentMergeSortPolicy<{}, cub::Nominal4BItemsToItems<typename "
      "own::KeyT>({}), {},\n"
      "                                  {}, {}>;\n",
      text_of(entry, "BLOCK_SIZE"), text_of(entry, "COARSENING"), cub_name(entry, "TILE_LOAD", moved("LOAD")),
      cub_name(entry, "CACHE_HINT_LOAD", load_hints), cub_name(entry, "TILE_STORE", moved("STORE")));
}

// Throws RequestError for a winner with a bound on resident blocks: CUB's kernels are bounded by their threads alone.
void refuse_bounds(const WisdomEntry& entry) {
  const search::Value* bound = search::find_value(entry.values, "MIN_BLOCKS_PER_SM");
  if (!bound || *bound == search::Value(std::int64_t{0})) return;
  throw RequestError(fmt::format(
      "export --format cub-policy cannot say MIN_BLOCKS_PER_SM={}, which CUB's policies have no word for; tune "
      "into a store of its own with --restrict 'MIN_BLOCKS_PER_SM == 0' --db FILE, and export from that",
      search::to_text(*bound)));
}

// Returns the policies of a radix sort. Those that an Onesweep sort does not run are CUB's own, because the dispatch
// compiles them all the same.
std::string radix_policy(const WisdomEntry& entry) {
  refuse_bounds(entry);
  const Names ranks = {{"match", "cub::RADIX_RANK_MATCH"},
                       {"early_any", "cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY"},
                       {"early_atomic", "cub::RADIX_RANK_MATCH_EARLY_COUNTS_ATOMIC_OR"}};
  const Names stores = {{"direct", "cub::RADIX_SORT_STORE_DIRECT"}, {"aligned", "cub::RADIX_SORT_STORE_ALIGNED"}};
  std::string text = fmt::format(
      "    static constexpr bool ONESWEEP = true;\n    static constexpr int ONESWEEP_RADIX_BITS = {0};\n"
      "    using HistogramPolicy = cub::AgentRadixSortHistogramPolicy<{1}, {2}, {3}, Key, {0}>;\n"
      "    using ExclusiveSumPolicy = cub::AgentRadixSortExclusiveSumPolicy<(1 << {0}), {0}>;\n"
      "    using OnesweepPolicy =\n        cub::AgentRadixSortOnesweepPolicy<{4}, {5}, Key, {6}, {7},\n"
      "                                          {8}, {9}, {0}>;\n",
      text_of(entry, "RADIX_BITS"), text_of(entry, "HISTOGRAM_BLOCK_SIZE"), text_of(entry, "HISTOGRAM_COARSENING"),
      text_of(entry, "HISTOGRAM_COPIES"), text_of(entry, "BLOCK_SIZE"), text_of(entry, "COARSENING"),
      text_of(entry, "COPIES"), cub_name(entry, "MATCH", ranks), cub_name(entry, "BLOCK_SCAN", block_scans),
      cub_name(entry, "SCATTER", stores));
  for (const char* other :
       {"Scan", "Downsweep", "AltDownsweep", "Upsweep", "AltUpsweep", "SingleTile", "Segmented", "AltSegmented"})
    text += fmt::format("    using {0}Policy = typename own::Policy900::{0}Policy;\n", other);
  return text;
}

// Names what CUB 3 has for one of its algorithms.
struct Algorithm {
  std::string_view kernel, header, dispatch, arguments, own;
  std::vector<std::int64_t> capabilities;  // of its own policies, as it writes them: 900 is 9.0
  std::string (*policy)(const WisdomEntry&);
};

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = {{"cub_scan",
                                              "device_scan",
                                              "cub::DispatchScan",
                                              "class Input, class Output, class Accum, class Offset, class Operation",
                                              "cub::detail::scan::policy_hub<Input, Output, Accum, Offset, Operation>",
                                              {500, 520, 600, 800, 860, 900, 1000},
                                              scan_policy},
                                             {"cub_radix_sort",
                                              "device_radix_sort",
                                              "cub::DispatchRadixSort",
                                              "class Key, class Value, class Offset",
                                              "cub::detail::radix::policy_hub<Key, Value, Offset>",
                                              {500, 600, 610, 620, 700, 800, 900, 1000},
                                              radix_policy},
                                             {"cub_merge_sort",
                                              "device_merge_sort",
                                              "cub::DispatchMergeSort",
                                              "class KeyIterator",
                                              "cub::detail::merge_sort::policy_hub<KeyIterator>",
                                              {500, 520, 600},
                                              merge_sort_policy}};
  return all;
}

const Algorithm& algorithm_of(const Wisdom& wisdom) {
  const auto found = std::ranges::find(algorithms(), wisdom.kernel, &Algorithm::kernel);
  if (found != algorithms().end()) return *found;
  throw RequestError(fmt::format(
      "export --format cub-policy is for the templates cub_scan, cub_radix_sort and cub_merge_sort, and not "
      "for {}; use --format header",
      search::printable(wisdom.kernel, search::Lines::escape)));
}

double extent(const WisdomEntry& entry) {
  double product = 1;
  for (const auto& [name, value] : entry.sizes)
    if (const auto* size = std::get_if<std::int64_t>(&value)) product *= static_cast<double>(*size);
  return product;
}

// `largest_of_each` returns the entry of the largest size for each capability, by ascending capability.
using ByCapability = std::map<std::int64_t, const WisdomEntry*>;
ByCapability largest_of_each(const Wisdom& wisdom, const search::NamedValues& variants) {
  ByCapability chosen;
  for (const WisdomEntry& entry : wisdom.entries) {
    if (entry.variants != variants || entry.compute_capability == 0) continue;
    const WisdomEntry*& kept = chosen[entry.compute_capability * 10];
    if (!kept || extent(entry) > extent(*kept)) kept = &entry;
  }
  return chosen;
}

std::string hub_name(const Algorithm& algorithm, const search::NamedValues& variants) {
  std::string name(algorithm.kernel);
  for (const auto& [variant, value] : variants) name += "_" + identifier(search::to_text(value));
  return name;
}

// Returns the policy of the nearest smaller capability: one that was tuned, else CUB's own.
std::string previous(const Algorithm& algorithm, const ByCapability& chosen, std::int64_t capability) {
  const auto at = chosen.find(capability);
  if (at != chosen.begin()) return fmt::format("Policy{}", std::prev(at)->first);
  const auto above = std::ranges::lower_bound(algorithm.capabilities, capability);
  return above == algorithm.capabilities.begin() ? fmt::format("Policy{}", capability)
                                                 : fmt::format("typename own::Policy{}", *std::prev(above));
}

std::string hub(const Algorithm& algorithm, const search::NamedValues& variants, const ByCapability& chosen) {
  std::string text = fmt::format("template <{}>\nstruct {} {{\n  using own = {};\n", algorithm.arguments,
                                 hub_name(algorithm, variants), algorithm.own);
  for (const auto& [capability, entry] : chosen)
    text += fmt::format("  struct Policy{0} : cub::ChainedPolicy<{0}, Policy{0}, {1}> {{\n{2}  }};\n", capability,
                        previous(algorithm, chosen, capability), algorithm.policy(*entry));
  return text + fmt::format("  using MaxPolicy = Policy{};\n}};\n\n", chosen.rbegin()->first);
}

std::string beginning(const Wisdom& wisdom, const Algorithm& algorithm) {
  std::string text = fmt::format(
      "// CUB's policies of {0} as tuned, written by warptune. Do not edit: export again instead.\n//\n"
      "// A hub is the template argument PolicyHub of {1}. CUB chooses by compute capability: of several sizes the\n"
      "// largest one's winner is here, and larger capabilities than those that were tuned take the largest's.\n//\n",
      algorithm.kernel, algorithm.dispatch);
  for (const std::string& line : provenance_lines(wisdom, 1)) text += "// " + line + "\n";
  return text + fmt::format(
                    "#pragma once\n\n#include <cub/version.cuh>\n#if CUB_VERSION < 300000\n"
                    "#error \"these policies are for CUB 3 (CUDA 13)\"\n#endif\n#include <cub/device/{}.cuh>\n\n"
                    "namespace warptune_tuned {{\n\n",
                    algorithm.header);
}

}  // namespace

std::string export_cub_policy(const Wisdom& wisdom) {
  const Algorithm& algorithm = algorithm_of(wisdom);
  std::string text = beginning(wisdom, algorithm);
  std::vector<search::NamedValues> done;
  for (const WisdomEntry& entry : wisdom.entries) {
    if (entry.compute_capability == 0 || std::ranges::find(done, entry.variants) != done.end()) continue;
    done.push_back(entry.variants);
    text += hub(algorithm, entry.variants, largest_of_each(wisdom, entry.variants));
  }
  return text + "}  // namespace warptune_tuned\n";
}

}  // namespace warptune::tuner
