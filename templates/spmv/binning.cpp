// A matrix' nonzeros in bins (binning.cuh): what a tile of columns and a panel of nonzeros, as CSR has them, have in
// common. Columns and values lie tile by tile and within a tile panel by panel, products and their places panel by
// panel and within a panel tile by tile, and within a bin both are in CSR's order.
#include <algorithm>
#include <utility>
#include <vector>

struct Bins {
  const int* columns;
  int count, tile_columns, tiles, panel_nonzeros, panels;

  int tile_of(int i) const { return columns[i] / tile_columns; }
  int first_of(int panel) const { return panel * panel_nonzeros; }
  int last_of(int panel) const { return std::min(count - first_of(panel), panel_nonzeros) + first_of(panel); }
  long long place(int tile, int panel) const { return static_cast<long long>(tile) * panels + panel; }
};

// Counts of each panel's nonzeros by tile, in the place of the bins' starts, and where their products go.
static void count_bins(const Bins& bins, int* starts, int* targets) {
#pragma omp parallel for schedule(dynamic, 16)
  for (int panel = 0; panel < bins.panels; ++panel) {
    std::vector<int> counts(bins.tiles, 0);
    for (int i = bins.first_of(panel); i < bins.last_of(panel); ++i) ++counts[bins.tile_of(i)];
    int next = bins.first_of(panel);
    for (int tile = 0; tile < bins.tiles; ++tile) {
      starts[bins.place(tile, panel)] = counts[tile];
      targets[bins.place(tile, panel)] = next;
      next += counts[tile];
    }
  }
  int next = 0;
  for (long long bin = 0; bin < bins.place(bins.tiles, 0); ++bin) next += std::exchange(starts[bin], next);
  starts[bins.place(bins.tiles, 0)] = next;
}

static void fill_panel(const Bins& bins, int panel, const float* values, const int* starts, const int* targets,
                       unsigned short* binned_columns, float* binned_values, unsigned short* places) {
  std::vector<int> next(bins.tiles, 0);
  for (int i = bins.first_of(panel); i < bins.last_of(panel); ++i) {
    const int tile = bins.tile_of(i);
    const int within = next[tile]++;
    const int to = starts[bins.place(tile, panel)] + within;
    binned_columns[to] = static_cast<unsigned short>(bins.columns[i] - tile * bins.tile_columns);
    binned_values[to] = values[i];
    places[targets[bins.place(tile, panel)] + within] = static_cast<unsigned short>(i - bins.first_of(panel));
  }
}

// panel_rows: the row that each panel's first nonzero belongs to, but 0 of the first panel, and the last row.
static void rows_of_panels(const int* starts, int* panel_rows, int rows, int panel_nonzeros, int panels) {
  panel_rows[0] = 0;
  for (int panel = 1, row = 0; panel < panels; ++panel) {
    while (starts[row + 1] <= panel * panel_nonzeros) ++row;
    panel_rows[panel] = row;
  }
  panel_rows[panels] = rows - 1;
}

// bin_starts: tiles times panels, and the end; bin_targets: tiles times panels; binned_columns, binned_values, places:
// a number for each nonzero. For the power law (pattern 2) only, and fewer than 2^30 nonzeros.
extern "C" void sparse_bins(const int* starts, const int* columns, const float* values, int* bin_starts,
                            int* bin_targets, unsigned short* binned_columns, float* binned_values,
                            unsigned short* places, int* panel_rows, int rows, int pattern, int tile_columns,
                            int panel_nonzeros) {
  if (pattern != 2 || starts[rows] >= 1 << 30) return;
  const int count = starts[rows];
  const Bins bins{columns,        count,
                  tile_columns,   (rows + tile_columns - 1) / tile_columns,
                  panel_nonzeros, (count + panel_nonzeros - 1) / panel_nonzeros};
  count_bins(bins, bin_starts, bin_targets);
  rows_of_panels(starts, panel_rows, rows, panel_nonzeros, bins.panels);
#pragma omp parallel for schedule(dynamic, 16)
  for (int panel = 0; panel < bins.panels; ++panel)
    fill_panel(bins, panel, values, bin_starts, bin_targets, binned_columns, binned_values, places);
}
