// Makes the macros of kernel_tuner_macros.h from the expressions of a launch.
#include "tuner/kernel/t1/kernel_tuner_macros.h"

#include <fmt/format.h>

namespace warptune::tuner {

NamedExpressions kernel_tuner_macros(const std::array<search::Expression, 3>& grid,
                                     const std::array<search::Expression, 3>& block,
                                     const std::array<std::string, 3>& block_names) {
  constexpr std::array<const char*, 3> grid_names{"grid_size_x", "grid_size_y", "grid_size_z"};
  // A division gives a real number, and kernels use these as integers.
  const auto whole = [](const search::Expression& extent) {
    return search::Expression::parse(fmt::format("floor({})", extent.text()));
  };
  NamedExpressions macros;
  for (std::size_t axis = 0; axis < 3; ++axis) macros.emplace_back(grid_names[axis], whole(grid[axis]));
  for (std::size_t axis = 0; axis < 3; ++axis) macros.emplace_back(block_names[axis], whole(block[axis]));
  macros.emplace_back("kernel_tuner", search::Expression::constant(std::int64_t{1}));
  return macros;
}

}  // namespace warptune::tuner
