// What a page shows of the device beside the times: what limits each launch's occupancy, and the device's roofs. The
// arithmetic is tuner/device/roofline's. Private to page_data.
#pragma once

#include "tuner/results/report/page/page_data.h"

namespace warptune::tuner {

// "limiter", an index into "limiters" for each trial (-1: not known), and "waves".
void add_residency(const PageSession& page, Json& columns);

// {"roofs", "flops", "bytes", "arithmetic", "winner", "default"}: the work is a number, or a column where it differs
// between trials; winner and default have their rates and shares, nearest roof first. Null without work or roofs.
Json roofline_json(const PageSession& page);

}  // namespace warptune::tuner
