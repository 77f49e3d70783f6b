#pragma once

#include "tuner/wisdom/wisdom.h"

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

}  // namespace warptune::tuner
