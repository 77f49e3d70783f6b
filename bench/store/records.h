// Synthetic records of realistic shape: 10 kernels on 20 devices at 10 sizes, 500 trials a session.
#pragma once

#include "db/records.h"

namespace warptune::tuner::bench {

// Different keys for indices below 2,000; beyond that the problem size goes on.
db::SessionRecord session_record(std::int64_t index);

// Trial `index` of a session: six parameters; one in five failed with a message, the others with 20 samples.
db::StoredTrial trial_record(std::int64_t index);

}  // namespace warptune::tuner::bench
