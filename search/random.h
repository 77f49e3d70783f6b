// Defines the one source of randomness. It is always seeded, is always passed in, and gives the same numbers on every
// platform.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace warptune::search {

// std::mt19937_64 is fully specified by the standard; its distributions are not, so they are written out here. One
// generator is for one thread at a time.
class Rng {
  __extension__ typedef unsigned __int128 Wide;

 public:
  explicit Rng(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }

  // Returns a number that is uniform over 0 … bound-1, without modulo bias (Lemire 2019, "Fast random integer
  // generation in an interval"). `bound` must not be 0.
  std::uint64_t below(std::uint64_t bound) {
    Wide product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = -bound % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<Wide>(next()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Returns a number that is uniform over [0, 1), with 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Returns a standard normal number (Marsaglia's polar method; the second value is dropped to keep the state in one
  // place).
  double normal();

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace warptune::search
