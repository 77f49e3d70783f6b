#include "tuner/measure/policy.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptune {

MeasurePolicy MeasurePolicy::for_finalists() const {
  MeasurePolicy policy = *this;
  policy.min_samples = policy.max_samples = std::min(min_samples, 5);
  return policy;
}

std::string MeasurePolicy::text() const {
  return fmt::format("verify={} precision={} samples={}..{} seconds={} warmup={} sample_ms={}", int{verify}, precision,
                     min_samples, max_samples, max_seconds, warmup_seconds, min_sample_ms);
}

}  // namespace warptune
