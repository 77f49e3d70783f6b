#include "bench/sizes/gemm_times.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune::bench {

namespace {

// As the manifest orders them.
enum Parameter : std::size_t {
  algorithm,
  tile_m,
  tile_n,
  tile_k,
  coarsening_m,
  coarsening_n,
  sliced_k,
  lanes_m,
  lane_order,
  layout_a,
  padding_a,
  swizzle_a,
  vector_width,
  copy,
  stages,
  fragments,
  traversal,
  unroll,
  raster_group,
  min_blocks,
};

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// -1 to 1, by what is mixed.
double random_number(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(mixed(mixed(seed ^ mixed(a)) + b) >> 11) * 0x1p-52 - 1;
}

}  // namespace

GemmTimes::GemmTimes(const search::SearchSpace& space, std::uint64_t seed) : space_(space), seed_(seed) {}

double GemmTimes::number(const search::Configuration& configuration, std::size_t parameter) const {
  return search::to_double(space_.parameters()[parameter].values[configuration.choices[parameter]]);
}

bool GemmTimes::is(const search::Configuration& configuration, std::size_t parameter, const char* value) const {
  return search::to_text(space_.parameters()[parameter].values[configuration.choices[parameter]]) == value;
}

// Pairs of choices that suit each other or not, and a little of every configuration's own.
double GemmTimes::liking(const search::Configuration& configuration) const {
  constexpr double of_a_pair = 0.012, own = 0.012;
  double sum = 0;
  std::uint64_t all = 0;
  for (std::size_t a = 0; a < configuration.choices.size(); ++a) {
    all = mixed(all + configuration.choices[a]);
    for (std::size_t b = 0; b < a; ++b)
      sum += of_a_pair * random_number(seed_, a * 64 + configuration.choices[a], b * 64 + configuration.choices[b]);
  }
  return sum + own * random_number(seed_, 1, all);
}

GemmTimes::Shape GemmTimes::shape(const search::Configuration& c) const {
  const auto at = [&](std::size_t parameter) { return number(c, parameter); };
  Shape shape;
  shape.tile_m = at(tile_m), shape.tile_n = at(tile_n), shape.tile_k = at(tile_k);
  const double work_m = at(coarsening_m), work_n = at(coarsening_n), slices = at(sliced_k);
  const double threads = at(tile_m) / work_m * (at(tile_n) / work_n) * slices;
  const double registers = std::min(255.0, 36 + 1.15 * work_m * work_n + (at(fragments) + 1) * (work_m + work_n));
  const double bytes = 4 * at(stages) * at(tile_k) * (at(tile_m) + at(tile_n) + at(padding_a)) + 1024;
  const bool tiled = is(c, algorithm, "tiled"), async = is(c, copy, "async");
  shape.blocks = std::max(
      1.0, std::floor(std::min({65536 / (registers * threads), 2048 / threads, tiled ? 232448 / bytes : 32.0, 32.0})));
  shape.warps = threads / 32;
  // Reads of shared memory for each multiplication, and what is lost to conflicts and copies.
  double loss = 0.9 * (1 / work_m + 1 / work_n) / std::max(1.0, at(lanes_m) == 4 ? 1.1 : 1.0);
  if (!tiled) loss += 2.5;
  if (is(c, layout_a, "row")) loss += 0.06;
  if (at(padding_a) == 0 && !is(c, swizzle_a, "true")) loss += 0.1;
  if (at(vector_width) == 1) loss += 0.15;
  if (at(unroll) == 8) loss += 0.01;
  if (at(fragments) == 1) loss += 0.05;
  if (is(c, traversal, "rows")) loss += 0.02;
  if (slices == 2) loss += 0.02;
  shape.efficiency = std::exp(-0.3 * loss + liking(c));
  shape.depth = (async ? at(stages) : 0.6 * at(stages)) * at(fragments) * (slices == 2 ? 1.6 : 1);
  shape.raster = at(raster_group);
  return shape;
}

double GemmTimes::us(const Shape& shape, const GemmSize& size) {
  constexpr double processors = 132, flops_us = 480e3, bytes_us = 4.0e6, launch_us = 2.4,
                   step_us = 0.3;  // a processor's flops
  const double rows = std::ceil(size.m / shape.tile_m), columns = std::ceil(size.n / shape.tile_n);
  const double tiles = rows * columns, steps = std::ceil(size.k / shape.tile_k);
  const double full = std::floor(tiles / (processors * shape.blocks));
  const double rest = std::ceil((tiles - full * processors * shape.blocks) / processors);
  // Each processor has `blocks` tiles at once in full waves, and fewer in the last one: latencies show then.
  const double tile_flops = 2 * shape.tile_m * shape.tile_n * shape.tile_k;
  const auto wave_us = [&](double resident) {
    if (resident <= 0) return 0.0;
    const double busy = std::min(1.0, resident * shape.warps / 6);  // so many warps feed the pipes
    const double arithmetic = resident * tile_flops / (flops_us * shape.efficiency * busy);
    const double latency = step_us / (1 + 0.5 * shape.depth + 0.2 * resident);
    return steps * std::hypot(arithmetic, latency);
  };
  const double compute = full * wave_us(shape.blocks) + wave_us(rest);
  const double reuse = shape.raster > 1 ? 1.0 : 1.25;
  const double bytes =
      4 * (size.m * size.k * (1 + 0.04 * columns) + size.k * size.n * (1 + 0.04 * rows) * reuse + 2 * size.m * size.n);
  return launch_us + std::pow(std::pow(compute, 4) + std::pow(bytes / bytes_us, 4), 0.25);
}

double GemmTimes::us(const search::Configuration& configuration, const GemmSize& size) const {
  return us(shape(configuration), size);
}

std::vector<double> GemmTimes::best_us(const std::vector<GemmSize>& sizes) const {
  std::vector<double> best(sizes.size(), std::numeric_limits<double>::infinity());
  for (search::Count i = 0; i < space_.size(); ++i) {
    const Shape one = shape(space_.at(i));
    for (std::size_t s = 0; s < sizes.size(); ++s) best[s] = std::min(best[s], us(one, sizes[s]));
  }
  return best;
}

}  // namespace warptune::bench
