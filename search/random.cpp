// Draws normal numbers by Marsaglia's polar method.
#include "search/random.h"

#include <cmath>

namespace warptune::search {

double Rng::normal() {
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

}  // namespace warptune::search
