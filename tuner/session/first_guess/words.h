// Reads what parameters say by their names. It knows the words of templates/README.md whose meaning does not depend on
// the template. Where there is no manifest, as for recordings and for what programs tune, times are guessed from these
// names alone.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "search/space/search_space.h"

namespace warptune::tuner {

// Holds what the parameters of one configuration say. A member is empty where no parameter says it.
struct Said {
  std::optional<double> threads;         // a block's: BLOCK_SIZE, BLOCK_DIM*
  std::optional<double> per_thread;      // outputs or elements: COARSENING*
  std::optional<double> per_axis;        // the geometric mean of these: a product's operands are used along both
  std::optional<double> vector;          // elements an access moves: VECTOR_WIDTH*, the mean of several
  std::optional<double> vector_load;     // elements a load moves: VECTOR_WIDTH, VECTOR_WIDTH_LOAD
  std::optional<double> tile;            // outputs that a block covers: TILE_M, TILE_N, TILE_X …
  std::optional<double> narrowest;       // side of a rectangular tile: TILE_ROWS or TILE_COLUMNS, the smaller
  std::optional<double> edges;           // rows and columns of a tile together: TILE_M + TILE_N
  std::optional<double> depth;           // of the tiles in shared memory: TILE_K
  std::optional<double> warp_tile;       // outputs that a warp covers: WARP_M, WARP_N
  std::optional<double> unroll;          // UNROLL
  std::optional<double> least_resident;  // blocks a multiprocessor must hold: MIN_BLOCKS_PER_SM
  std::optional<double> stages;          // of a pipeline that reads ahead: STAGES
  std::optional<bool> persistent;        // blocks take one tile after the other: PERSISTENT
  std::optional<bool> warpgroups;        // ALGORITHM: whether tensor cores are fed by warpgroups (wgmma)
  std::optional<bool> alternating;       // SCHEDULE: whether one tile ends while the next is computed (pingpong)
  std::optional<bool> conflicts;         // nothing is done against bank conflicts: PADDING*, SWIZZLE*
};

// Knows which parameters of a space are such words. It refers to the space, which must outlive it. It is immutable and
// thread-safe.
class Words {
 public:
  explicit Words(const search::SearchSpace& space);

  Said of(const search::Configuration& configuration) const;
  // Returns whether this parameter is one of the words, so that what it does is known.
  bool knows(std::size_t parameter) const { return known_[parameter]; }
  // Returns whether the names say enough for a guess without a manifest.
  bool tells_launches() const {
    return !(threads_.empty() && tile_.empty()) && !(per_thread_.empty() && vector_.empty());
  }

 private:
  using Product = std::vector<std::size_t>;  // places in the space
  std::optional<double> product(const Product& parameters, const search::Configuration& configuration) const;
  std::optional<double> mean(const Product& parameters, const search::Configuration& configuration) const;
  double number(std::size_t parameter, const search::Configuration& configuration) const;

  const search::SearchSpace* space_;
  std::optional<std::size_t> instructions_, persistent_, schedule_;  // places in the space
  Product threads_, per_thread_, vector_, loads_, tile_, sides_, warp_tile_, depth_, unroll_, stages_, least_resident_,
      against_conflicts_;
  std::vector<bool> known_;
};

// Returns a guess from the names alone, for StrategyContext::first_guess. It is empty where parameters have names of
// their own, which say nothing of launches. It refers to the space, which must outlive it. It is thread-safe.
std::function<double(const search::Configuration&)> word_guess(const search::SearchSpace& space);

}  // namespace warptune::tuner
