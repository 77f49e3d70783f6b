// Addresses that are all different: in order, a fixed distance apart, in any order within groups of 1,024, or in any
// order at all. Filtered by address, one in four is -1; filtered by flags, one in four is zero.
#include <utility>

// splitmix64's output function (Steele et al. 2014): a hash of a counter.
static unsigned long long hashed(unsigned long long i) {
  unsigned long long x = i * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Fisher and Yates.
static void shuffle(int* addresses, long long count, unsigned long long seed) {
  for (long long i = count - 1; i > 0; --i)
    std::swap(addresses[i],
              addresses[hashed(seed + static_cast<unsigned long long>(i)) % static_cast<unsigned long long>(i + 1)]);
}

static long long greatest_common_divisor(long long a, long long b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

// pattern: in order (0), strided (1), local (2), random (3); filter: as the reference has it.
extern "C" void make_addresses(int* addresses, unsigned char* flags, long long size, int pattern, int filter) {
  long long stride = pattern == 1 ? 33 : 1;
  while (greatest_common_divisor(stride, size) != 1) ++stride;
  for (long long i = 0; i < size; ++i) addresses[i] = static_cast<int>(i * stride % size);
  const long long group = pattern == 2 ? 1024 : size;
  if (pattern >= 2) {
    for (long long first = 0; first < size; first += group)
      shuffle(addresses + first, first + group < size ? group : size - first, static_cast<unsigned long long>(first));
  }
  if (filter == 1) {
    for (long long i = 0; i < size; ++i) {
      if (hashed(static_cast<unsigned long long>(i) + 12345) % 4 == 0) addresses[i] = -1;
    }
  }
  if (filter == 3) {
    for (long long i = 0; i < size; ++i)
      flags[i] = static_cast<unsigned char>(hashed(static_cast<unsigned long long>(i) + 12345) % 4);
  }
}
