// Made-up times of templates/gemm at any size, quick enough to know the best of all configurations.
#pragma once

#include <cstdint>
#include <vector>

#include "search/space/search_space.h"

namespace warptune::bench {

struct GemmSize {
  double m = 0, n = 0, k = 0;
};

// Tiles are quantised, waves too, occupancy and tiles' depths hide latencies or do not, small kernels wait for launches
// and memory, and parameters favour each other in ways that only trying tells. Deterministic.
class GemmTimes {
 public:
  GemmTimes(const search::SearchSpace& space, std::uint64_t seed);

  double us(const search::Configuration& configuration, const GemmSize& size) const;
  // The least of all configurations, by size.
  std::vector<double> best_us(const std::vector<GemmSize>& sizes) const;

 private:
  // All that does not depend on the size.
  struct Shape {
    double tile_m = 0, tile_n = 0, tile_k = 0, blocks = 1, warps = 1, efficiency = 1, depth = 1, raster = 1;
  };
  Shape shape(const search::Configuration& configuration) const;
  double number(const search::Configuration& configuration, std::size_t parameter) const;
  bool is(const search::Configuration& configuration, std::size_t parameter, const char* value) const;
  double liking(const search::Configuration& configuration) const;
  static double us(const Shape& shape, const GemmSize& size);

  const search::SearchSpace& space_;
  std::uint64_t seed_;
};

}  // namespace warptune::bench
