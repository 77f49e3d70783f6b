#include "bench/store/records.h"

#include <fmt/format.h>

#include "search/random.h"

namespace warptune::tuner::bench {

namespace {

void make_correct(search::Trial& trial, search::Rng& rng) {
  const double median_ms = 0.5 + rng.uniform();
  search::Measurement measurement{{}, median_ms, 0.004, false};
  for (int sample = 0; sample < 20; ++sample)
    measurement.samples_ms.push_back(median_ms * (0.99 + 0.02 * rng.uniform()));
  trial.measurement = measurement;
  trial.objectives = {median_ms};
  trial.metrics = {{"GFLOP/s", 2147.483648 / median_ms}};
  trial.resources = search::ResourceUse{static_cast<std::int64_t>(32 + rng.below(224)), 0, 32768, 0, 256, 0.5};
}

}  // namespace

db::SessionRecord session_record(std::int64_t index) {
  const std::int64_t device = index / 10 % 20;
  db::SessionRecord session;
  session.key.kernel = fmt::format("kernel_{}", index % 10);
  session.key.device = {"cuda",
                        fmt::format("NVIDIA Synthetic {}", device),
                        "sm_90",
                        "580.159",
                        {{"warp_size", std::int64_t{32}}, {"max_threads_per_block", std::int64_t{1024}}}};
  session.key.compiler = "NVRTC 13.0";
  session.key.source_hash = fmt::format("{:064x}", index % 10);
  session.key.manifest_hash = fmt::format("{:064x}", index % 10 + 100);
  session.key.options = "--use_fast_math --std=c++17";
  session.key.problem_size = {{"K", std::int64_t{1024}}, {"M", 64 + index / 200}, {"N", std::int64_t{1024}}};
  session.key.policy = "verified; 2 warm-ups; median of 7..100 samples to 1 %";
  session.strategy = "annealing";
  session.seed = static_cast<std::uint64_t>(index);
  session.objective = "time";
  session.space_size = "1048576";
  session.state = db::SessionState::running;
  session.tool_version = "0.1.0";
  return session;
}

db::StoredTrial trial_record(std::int64_t index) {
  search::Rng rng(static_cast<std::uint64_t>(index));
  db::StoredTrial stored;
  stored.values = {{"TILE_M", std::int64_t{16} << index % 4},
                   {"TILE_N", std::int64_t{16} << index / 4 % 4},
                   {"UNROLL", index / 16 % 8 + 1},
                   {"VECTOR", std::int64_t{1} << index / 128 % 3},
                   {"STAGE", index / 384},
                   {"DOUBLE_BUFFER", index % 2 == 0}};
  stored.trial.phases = {200 * rng.uniform(), 3 * rng.uniform(), 40 * rng.uniform(), rng.uniform()};
  if (index % 5 != 4) {
    make_correct(stored.trial, rng);
  } else {
    stored.trial.outcome = search::Outcome::resource_limit;
    stored.trial.message = "needs 73,728 bytes of shared memory a block, the device has 49,152 without opting in";
  }
  return stored;
}

}  // namespace warptune::tuner::bench
