// Estimates how long products of matrices take whose blocks step through the depth of a tile, by the steps of one
// multiprocessor.
#pragma once

namespace warptune::tuner {

// Holds the costs of a block's tile per unit of the depth, and the blocks that a multiprocessor has.
struct ProductSteps {
  double clocks_issued = 0;  // of arithmetic and of reads of operands, were the units always fed
  double clocks_shared = 0;  // of shared memory, which delivers operands to threads
  double clocks_cache = 0;   // of the way from the L2 cache
  double clocks_waited = 0;  // per unit of the depth: barriers and latency between two steps, during which others work
  double warps = 1;          // of a block
  double independent = 1;    // multiply-adds of a thread that need not wait for each other
  double depth = 1;          // of the product
  double tiles = 1;          // of the busiest multiprocessor
  double resident = 1;       // tiles on a multiprocessor at once
};

// Returns the clocks of the busiest multiprocessor. Tiles go through it in rounds of `resident`. The last round may be
// smaller, and then few warps are left to hide what others wait for.
double clocks_of(const ProductSteps& steps);

}  // namespace warptune::tuner
