// Adds up the losses of a configuration that departs from rules of thumb.
#include "tuner/session/prior/word_guess.h"

#include <algorithm>
#include <cmath>

#include "tuner/session/prior/words.h"

namespace warptune::tuner {

namespace {

double below(double value, double least) {
  return std::max(0.0, std::log2(least / value));
}

double above(double value, double most) {
  return std::max(0.0, std::log2(value / most));
}

// The losses are rules of thumb: 128 to 360 threads a block, vectors of four elements, four to sixteen elements a
// thread, no bank conflicts, no bodies of hundreds of elements.
double loss(const Said& said) {
  double sum = 0;
  if (said.threads) sum += 0.2 * below(*said.threads, 128) + 0.15 * above(*said.threads, 360);
  if (said.vector) sum += 0.06 * below(*said.vector, 4);
  const double elements = said.vector.value_or(1) * said.per_thread.value_or(1);
  if (said.per_thread) sum += 0.15 * below(elements, 4) + 0.1 * above(*said.per_axis, 16);
  if (said.conflicts.value_or(false)) sum += 0.15;
  return sum + 0.05 * above(said.per_thread.value_or(1) * said.unroll.value_or(1), 64);
}

}  // namespace

std::function<double(const search::Configuration&)> word_guess(const search::SearchSpace& space) {
  const Words words(space);
  if (!words.tells_launches()) return {};
  return [words](const search::Configuration& configuration) { return loss(words.of(configuration)); };
}

}  // namespace warptune::tuner
