// Exports winners as JSON for scripts.
#pragma once

#include "tuner/results/exporters/exporter.h"

namespace warptune::tuner {

// Returns {"schema": "warptune/2", "kernel": …, "winners": [{device, problem_size, configuration, time_ms, metrics,
// provenance}]}.
std::string export_json(const Wisdom& wisdom);

}  // namespace warptune::tuner
