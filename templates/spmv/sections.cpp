// JDS and ELL together: rows sorted from the longest to the shortest are cut into sections, each padded to its own
// longest row and stored column by column. Section s of S has the rows of 2^(S-1-s) nonzeros and more, fewer than twice
// as many, so that no row is padded to twice its length. Rows without nonzeros are in none.
#include <algorithm>

static void store_section(const int* starts, const int* columns, const float* values, const int* sorted_rows,
                          int* section_columns, float* section_values, int first, int end, int width) {
#pragma omp parallel for
  for (int place = first; place < end; ++place) {
    const int row = sorted_rows[place];
    for (int k = 0; k < width; ++k) {
      const int i = std::min(starts[row] + k, starts[row + 1] - 1);
      const long long to = static_cast<long long>(k) * (end - first) + (place - first);
      section_columns[to] = columns[i];
      section_values[to] = starts[row] + k < starts[row + 1] ? values[i] : 0.0f;
    }
  }
}

// sorted_rows: all rows, the longest first; section_rows: the first place of each section among them, and the end;
// section_widths: nonzeros of a section's rows; section_starts: where its columns and values begin. Nothing is done for
// 2^30 nonzeros and more, whose places may not have 32 bits once they are padded.
extern "C" void sparse_sections(const int* starts, const int* columns, const float* values, const int* sorted_rows,
                                int* section_rows, int* section_widths, int* section_starts, int* section_columns,
                                float* section_values, int rows, int sections) {
  if (starts[rows] >= 1 << 30) return;
  int place = 0;
  int stored = 0;
  for (int section = 0; section < sections; ++section) {
    const int least = 1 << (sections - 1 - section);
    const int first = place;
    const auto length = [&](int at) { return starts[sorted_rows[at] + 1] - starts[sorted_rows[at]]; };
    while (place < rows && length(place) >= least) ++place;
    section_rows[section] = first;
    section_starts[section] = stored;
    section_widths[section] = place > first ? length(first) : 0;
    store_section(starts, columns, values, sorted_rows, section_columns + stored, section_values + stored, first, place,
                  section_widths[section]);
    stored += (place - first) * section_widths[section];
  }
  section_rows[sections] = place;
}
