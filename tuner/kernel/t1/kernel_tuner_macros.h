// Makes the macros that Kernel Tuner defines besides the parameters' own. Its kernels ask for them by name. T1 files
// and the Python front end for Kernel Tuner's scripts both take them from here.
#pragma once

#include <array>
#include <string>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

inline constexpr std::array<const char*, 3> kernel_tuner_block_names{"block_size_x", "block_size_y", "block_size_z"};

// kernel_tuner is 1; grid_size_x, grid_size_y and grid_size_z are the grid's extents in blocks; the names of the
// block's dimensions are its extents in threads. A macro that is a parameter's name as well is the parameter.
NamedExpressions kernel_tuner_macros(const std::array<search::Expression, 3>& grid,
                                     const std::array<search::Expression, 3>& block,
                                     const std::array<std::string, 3>& block_names);

}  // namespace warptune::tuner
