// A session's result as programs get it. Private to tuner/api.
#pragma once

#include "search/space/search_space.h"
#include "tuner/api/tuner_result.h"
#include "tuner/device/device_info.h"

namespace warptune {

TunerResult summarize(tuner::SessionResult session, const search::SearchSpace& space, const tuner::DeviceInfo& device);

}  // namespace warptune
