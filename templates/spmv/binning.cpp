// A matrix' nonzeros in bins (binning.cuh): by tiles of columns, within a tile by panels of nonzeros as CSR has them,
// and within such a bin in CSR's order.
#include <algorithm>
#include <vector>

// Counts of each panel's nonzeros by tile, in the place of the bins' starts.
static void count_bins(const int* columns, int* bin_starts, int count, int tile_columns, int tiles, int panel_nonzeros,
                       int panels) {
#pragma omp parallel for schedule(dynamic, 16)
  for (int panel = 0; panel < panels; ++panel) {
    int* counts = bin_starts + static_cast<long long>(panel) * tiles;
    std::fill(counts, counts + tiles, 0);
    const long long first = static_cast<long long>(panel) * panel_nonzeros;
    const long long last = std::min<long long>(first + panel_nonzeros, count);
    for (long long i = first; i < last; ++i) ++counts[columns[i] / tile_columns];
  }
}

// Tiles begin at multiples of four, for vectors; those places between them are zero.
static void scan_bins(int* bin_starts, unsigned short* binned_columns, float* binned_values, int tiles, int panels) {
  int next = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    for (int panel = 0; panel < panels; ++panel) {
      int& start = bin_starts[static_cast<long long>(panel) * tiles + tile];
      const int count = start;
      start = next;
      next += count;
    }
    bin_starts[static_cast<long long>(panels) * tiles + tile] = next;
    for (; next % 4 != 0; ++next) {
      binned_columns[next] = 0;
      binned_values[next] = 0.0f;
    }
  }
}

// panel_rows: the row that each panel's first nonzero belongs to, but 0 of the first panel, and the last row.
static void rows_of_panels(const int* starts, int* panel_rows, int rows, int panel_nonzeros, int panels) {
  panel_rows[0] = 0;
  for (int panel = 1, row = 0; panel < panels; ++panel) {
    while (starts[row + 1] <= static_cast<long long>(panel) * panel_nonzeros) ++row;
    panel_rows[panel] = row;
  }
  panel_rows[panels] = rows - 1;
}

// bin_starts: panels + 1 times tiles; binned_columns, binned_values, places: count and four for each tile. For the
// power law (pattern 2) only, and fewer than 2^30 nonzeros.
extern "C" void sparse_bins(const int* starts, const int* columns, const float* values, int* bin_starts,
                            unsigned short* binned_columns, float* binned_values, unsigned short* places,
                            int* panel_rows, int rows, int pattern, int tile_columns, int panel_nonzeros) {
  if (pattern != 2 || starts[rows] >= 1 << 30) return;
  const int count = starts[rows];
  const int tiles = (rows + tile_columns - 1) / tile_columns;
  const int panels = (count + panel_nonzeros - 1) / panel_nonzeros;
  count_bins(columns, bin_starts, count, tile_columns, tiles, panel_nonzeros, panels);
  scan_bins(bin_starts, binned_columns, binned_values, tiles, panels);
  rows_of_panels(starts, panel_rows, rows, panel_nonzeros, panels);
#pragma omp parallel for schedule(dynamic, 16)
  for (int panel = 0; panel < panels; ++panel) {
    const int* first_of = bin_starts + static_cast<long long>(panel) * tiles;
    std::vector<int> next(first_of, first_of + tiles);
    const long long first = static_cast<long long>(panel) * panel_nonzeros;
    const long long last = std::min<long long>(first + panel_nonzeros, count);
    for (long long i = first; i < last; ++i) {
      const int tile = columns[i] / tile_columns;
      const int to = next[tile]++;
      binned_columns[to] = static_cast<unsigned short>(columns[i] - tile * tile_columns);
      binned_values[to] = values[i];
      places[to] = static_cast<unsigned short>(i - first);
    }
  }
}
