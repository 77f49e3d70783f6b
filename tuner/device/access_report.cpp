// Names the kinds of counts, and adds counts up.
#include "tuner/device/access_report.h"

namespace warptune::tuner {

std::string_view name_of(Count kind) {
  static constexpr std::array<std::string_view, count_kinds> names = {"global_loads",
                                                                      "global_stores",
                                                                      "global_atomics",
                                                                      "global_load_bytes",
                                                                      "global_store_bytes",
                                                                      "global_load_requests",
                                                                      "global_store_requests",
                                                                      "global_load_sectors",
                                                                      "global_store_sectors",
                                                                      "shared_loads",
                                                                      "shared_stores",
                                                                      "shared_atomics",
                                                                      "shared_load_requests",
                                                                      "shared_store_requests",
                                                                      "shared_load_conflicts",
                                                                      "shared_store_conflicts",
                                                                      "constant_loads",
                                                                      "block_barriers",
                                                                      "warp_barriers",
                                                                      "warp_steps",
                                                                      "lane_steps",
                                                                      "divergent_branches",
                                                                      "threads",
                                                                      "warps",
                                                                      "blocks"};
  return names[static_cast<std::size_t>(kind)];
}

void AccessCounts::add(const AccessCounts& other) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += other.values[i];
  for (const auto& [name, counts] : other.buffers) {
    buffers[name].loads += counts.loads;
    buffers[name].stores += counts.stores;
    buffers[name].atomics += counts.atomics;
  }
}

}  // namespace warptune::tuner
