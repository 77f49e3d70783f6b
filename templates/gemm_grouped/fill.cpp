// Where the rows of each expert begin, as a router might send tokens to them.
#include <algorithm>
#include <vector>

enum class Routing { uniform, ragged, skewed };

constexpr Routing routing = Routing::ROUTING;

// splitmix64's output function (Steele et al. 2014): a hash of a counter.
static unsigned long long hashed(unsigned long long i) {
  unsigned long long x = i * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Ragged: the fourth of each eight experts gets no token, all others are as likely. Skewed: the second is half as
// likely as the first, the third a third as likely (Zipf's law), in an order that has nothing to do with their numbers.
static double likelihood(int expert, int experts) {
  if (routing == Routing::ragged) return expert % 8 == 3 ? 0.0 : 1.0;
  int rank = 1;
  const unsigned long long own = hashed(static_cast<unsigned long long>(expert));
  for (int other = 0; other < experts; ++other) rank += hashed(static_cast<unsigned long long>(other)) < own;
  return 1.0 / rank;
}

static void share_evenly(int* offsets, int experts, int tokens) {
  for (int i = 0; i <= experts; ++i) offsets[i] = static_cast<int>(static_cast<long long>(tokens) * i / experts);
}

// Each token draws its expert: a multinomial distribution.
static void draw(int* offsets, int experts, int tokens) {
  std::vector<double> up_to(static_cast<std::size_t>(experts));
  double sum = 0.0;
  for (int i = 0; i < experts; ++i) up_to[static_cast<std::size_t>(i)] = sum += likelihood(i, experts);
  std::fill(offsets, offsets + experts + 1, 0);
  for (int token = 0; token < tokens; ++token) {
    const unsigned long long bits = hashed(static_cast<unsigned long long>(token) + (1ull << 40)) >> 11;
    const double drawn = static_cast<double>(bits) / 9007199254740992.0 * sum;  // 2^53
    ++offsets[std::upper_bound(up_to.begin(), up_to.end() - 1, drawn) - up_to.begin() + 1];
  }
  for (int i = 0; i < experts; ++i) offsets[i + 1] += offsets[i];
}

extern "C" void make_offsets(int* offsets, int experts, int tokens) {
  if (routing == Routing::uniform) {
    share_evenly(offsets, experts, tokens);
  } else {
    draw(offsets, experts, tokens);
  }
}
