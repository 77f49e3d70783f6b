#pragma once

#include "tuner/exporters/exporter.h"

namespace warptune {

// A header that needs nothing but the language (C++17): `namespace warptune_tuned::<kernel>` with a struct that has a
// member for each parameter, a constexpr table of winners, and `find(device, compute_capability, sizes…)`: the same GPU
// and size, else the nearest size (by the product of the ratios) on the same GPU, else on the same architecture, else
// the default.
std::string export_header(const ExportInput& input);

}  // namespace warptune
