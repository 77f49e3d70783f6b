// Adds the parts of a step, which overlap, as the cube root of a sum of cubes.
#include "tuner/session/first_guess/product_time.h"

#include <algorithm>
#include <cmath>

namespace warptune::tuner {

namespace {

// A multiprocessor never waits for a result while so many independent instructions are under way: four schedulers times
// a latency of about six clocks, half of it for operands from shared memory (Volkov 2010).
constexpr double to_keep_busy = 24;

double of_round(const ProductSteps& steps, double blocks) {
  const double under_way = blocks * steps.warps * steps.independent / to_keep_busy;
  const double fed = under_way / std::hypot(1, under_way);
  const auto cube = [](double x) { return x * x * x; };
  return std::cbrt(cube(blocks * steps.clocks_issued / fed) + cube(blocks * steps.clocks_shared) +
                   cube(blocks * steps.clocks_cache) + cube(steps.clocks_waited));
}

}  // namespace

double clocks_of(const ProductSteps& steps) {
  const double resident = std::min(steps.resident, steps.tiles);
  const double rounds = std::floor(steps.tiles / resident), rest = steps.tiles - rounds * resident;
  return steps.depth * (rounds * of_round(steps, resident) + (rest > 0 ? of_round(steps, rest) : 0));
}

}  // namespace warptune::tuner
