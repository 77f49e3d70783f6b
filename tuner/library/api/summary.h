// Turns a session's result into what programs get. It is private to tuner/library/api.
#pragma once

#include "search/space/search_space.h"
#include "tuner/device/device_info.h"
#include "tuner/library/api/tuner_result.h"

namespace warptune {

TunerResult summarize(tuner::SessionResult session, const search::SearchSpace& space, const tuner::DeviceInfo& device);

}  // namespace warptune
