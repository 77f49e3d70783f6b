// Lengths of the sequences, and where their pages lie.

// splitmix64's output function (Steele et al. 2014): a hash of a counter.
static unsigned long long hashed(unsigned long long i) {
  unsigned long long x = i * 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

template <class Number>
static void shuffle(Number* numbers, int count) {
  for (int i = count - 1; i > 0; --i) {
    const int j = static_cast<int>(hashed(static_cast<unsigned long long>(i)) % static_cast<unsigned long long>(i + 1));
    const Number number = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = number;
  }
}

// All as long as the longest; or evenly from nothing to that, in any order.
extern "C" void make_lengths(int* lengths, int sequences, int longest) {
  for (int i = 0; i < sequences; ++i) {
    const bool ragged = RAGGED && sequences > 1;
    lengths[i] = ragged ? static_cast<int>(static_cast<long long>(longest) * i / (sequences - 1)) : longest;
  }
  shuffle(lengths, sequences);
}

// Pages of all sequences in any order.
extern "C" void make_pages(int* pages, int count) {
  for (int i = 0; i < count; ++i) pages[i] = i;
  shuffle(pages, count);
}
