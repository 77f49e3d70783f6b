// Elements that are bins' numbers: uniform, or skewed towards the low end, as the smallest of four such draws. The
// random numbers are splitmix64's (Steele et al. 2014), a hash of a counter.
static unsigned long long hash64(unsigned long long x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

static unsigned draw(unsigned long long i, unsigned bins) {
  return static_cast<unsigned>((hash64(i) >> 32) * bins >> 32);
}

// input: `size` bytes (of at most 256 bins) or 32-bit integers.
extern "C" void bin_numbers(unsigned char* input, long long size, int bins, int of_bytes, int skewed) {
  const unsigned range = static_cast<unsigned>(of_bytes && bins > 256 ? 256 : bins);
#pragma omp parallel for
  for (long long i = 0; i < size; ++i) {
    unsigned bin = range;
    for (int draws = skewed ? 4 : 1; draws > 0; --draws) {
      const unsigned next = draw(static_cast<unsigned long long>(4 * i + draws), range);
      bin = next < bin ? next : bin;
    }
    if (of_bytes) {
      input[i] = static_cast<unsigned char>(bin);
    } else {
      reinterpret_cast<unsigned*>(input)[i] = bin;
    }
  }
}
