#pragma once

#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

inline WisdomEntry example_entry(const std::string& device, std::int64_t capability, std::int64_t n, std::int64_t block,
                                 double time_ms) {
  WisdomEntry entry;
  entry.device = device;
  entry.backend = "cuda";
  entry.compute_capability = capability;
  entry.sizes = {{"n", n}};
  entry.values = {{"BLOCK", block}, {"FAST", true}, {"MODE", std::string("a_b")}, {"SCALE", 0.5}};
  entry.time_ms = time_ms;
  entry.relative_error = 0.01;
  entry.gain = 1.25;
  entry.provenance.compiler = "NVRTC 13.0";
  entry.provenance.driver = "580.1";
  entry.provenance.objective = "time";
  entry.provenance.measured_at = "2026-11-21T10:00:00Z";
  entry.provenance.trial = 17;
  return entry;
}

// Three winners on two devices, and a default.
inline Wisdom example_wisdom() {
  Wisdom wisdom{"my-kernel",
                {{"BLOCK", std::int64_t{64}}, {"FAST", false}, {"MODE", std::string("plain")}, {"SCALE", 1.0}},
                {example_entry("NVIDIA H200", 90, 1000, 256, 1.5), example_entry("NVIDIA H200", 90, 1000000, 512, 9),
                 example_entry("NVIDIA A100", 80, 1000, 128, 2)}};
  normalize(wisdom);
  return wisdom;
}

// Winners of CUB's scan: inclusive ones on two devices, an exclusive one.
inline Wisdom example_cub_wisdom() {
  Wisdom wisdom = example_wisdom();
  wisdom.kernel = "cub_scan";
  for (WisdomEntry& entry : wisdom.entries) {
    const bool small = entry.sizes[0].second == search::Value(std::int64_t{1000});
    entry.variants = {{"KIND", std::string(small && entry.compute_capability == 90 ? "exclusive" : "inclusive")}};
    entry.values = {{"BLOCK_SIZE", entry.values[0].second},
                    {"COARSENING", std::int64_t{24}},
                    {"TILE_LOAD", std::string("warp_transpose")},
                    {"TILE_STORE", std::string("transpose")},
                    {"BLOCK_SCAN", std::string("raking")},
                    {"CACHE_HINT_LOAD", std::string("plain")},
                    {"BACKOFF", std::string("fixed")},
                    {"BACKOFF_NS", std::int64_t{648}},
                    {"WRITE_NS", std::int64_t{1245}}};
  }
  normalize(wisdom);
  return wisdom;
}

}  // namespace warptune::tuner
