// Positions, and what depends on them alone: cosines and sines of all angles, and each pair's frequency.
#include <cmath>

static double turns_per_position(int pair, int elements, double base) {
  return std::pow(base, -2.0 * pair / elements) / (2.0 * std::acos(-1.0));
}

// Sequences of 1024 tokens, each from another position on.
extern "C" void make_positions(int* positions, int tokens, int position_count) {
  for (int i = 0; i < tokens; ++i) positions[i] = static_cast<int>((i % 1024 + i / 1024 * 769LL) % position_count);
}

// table: for each position the cosines of all pairs, then the sines.
extern "C" void make_table(float* table, int position_count, int elements, double base) {
  const int pairs = elements / 2;
  table[0] = 1.0f;  // where there is no pair
#pragma omp parallel for
  for (int position = 0; position < position_count; ++position) {
    float* row = table + static_cast<long long>(position) * 2 * pairs;
    for (int pair = 0; pair < pairs; ++pair) {
      const double angle = position * std::pow(base, -2.0 * pair / elements);
      row[pair] = static_cast<float>(std::cos(angle));
      row[pairs + pair] = static_cast<float>(std::sin(angle));
    }
  }
}

// frequencies: turns per position as the sum of two floats.
extern "C" void make_frequencies(float* frequencies, int elements, double base) {
  frequencies[0] = frequencies[1] = 0.0f;
  for (int pair = 0; pair < elements / 2; ++pair) {
    const double turns = turns_per_position(pair, elements, base);
    frequencies[2 * pair] = static_cast<float>(turns);
    frequencies[2 * pair + 1] = static_cast<float>(turns - static_cast<float>(turns));
  }
}
