#include "tuner/measure/policy.h"

#include <fmt/format.h>

namespace warptune {

std::string MeasurePolicy::text() const {
  return fmt::format("verify={} precision={} samples={}..{} seconds={} warmup={} sample_ms={}", int{verify}, precision,
                     min_samples, max_samples, max_seconds, warmup_seconds, min_sample_ms);
}

}  // namespace warptune
