// Writes what a page shows of the device beside the times: what limits each launch's occupancy, and the device's roofs.
// The arithmetic is tuner/device/roofline's. This is private to page_data.
#pragma once

#include "tuner/results/report/page/page_data.h"

namespace warptune::tuner {

// Adds "limiter", an index into "limiters" for each trial (-1: not known), and "waves".
void add_residency(const PageSession& page, Json& columns);

// Returns {"roofs", "flops", "bytes", "arithmetic", "winner", "default"}. The work is a number, or a column where it
// differs between trials. Winner and default have their rates and shares, nearest roof first. It is null without work
// or roofs.
Json roofline_json(const PageSession& page);

}  // namespace warptune::tuner
