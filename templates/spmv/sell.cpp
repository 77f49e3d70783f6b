// SELL-32-1024 with columns of 16 bits (sell.cuh), for bands.
#include <algorithm>
#include <numeric>
#include <vector>

constexpr int group_rows = 1024;
constexpr int chunk_rows = 32;

struct Group {
  int first;  // row
  int count;
  std::vector<int> order;  // rows within the group, the longest first; those beyond the matrix are empty
};

static int length_of(const int* starts, const Group& group, int row) {
  return row < group.count ? starts[group.first + row + 1] - starts[group.first + row] : 0;
}

static Group sorted_group(const int* starts, int number, int rows) {
  Group group{number * group_rows, std::min(group_rows, rows - number * group_rows), std::vector<int>(group_rows)};
  std::iota(group.order.begin(), group.order.end(), 0);
  std::stable_sort(group.order.begin(), group.order.end(), [&](int left, int right) {
    return length_of(starts, group, left) > length_of(starts, group, right);
  });
  return group;
}

// A column as near to the diagonal as it is: a band's first rows have columns at the matrix' other end.
static int from_diagonal(int column, int row, int rows) {
  const int distance = column - row;
  return row + (distance > rows / 2 ? distance - rows : distance < -(rows - rows / 2) ? distance + rows : distance);
}

static void store_group(const int* starts, const int* columns, const float* values, const Group& group,
                        int* first_column, int* width, const int* chunk_starts, unsigned short* sell_rows,
                        unsigned short* sell_columns, float* sell_values, int rows) {
  int first = group.first, last = group.first;
  for (int i = starts[group.first]; i < starts[group.first + group.count]; ++i) {
    first = std::min(first, from_diagonal(columns[i], group.first, rows));
    last = std::max(last, from_diagonal(columns[i], group.first, rows));
  }
  *first_column = first;
  *width = last - first + 1;
  for (int place = 0; place < group_rows; ++place) {
    const int row = group.order[place];
    const int begin = row < group.count ? starts[group.first + row] : 0;
    const int* chunk = chunk_starts + place / chunk_rows;
    sell_rows[place] = static_cast<unsigned short>(row);
    for (int to = chunk[0] + place % chunk_rows, k = 0; to < chunk[1]; to += chunk_rows, ++k) {
      const bool padded = k >= length_of(starts, group, row);
      sell_columns[to] =
          padded ? 0 : static_cast<unsigned short>(from_diagonal(columns[begin + k], group.first, rows) - first);
      sell_values[to] = padded ? 0.0f : values[begin + k];
    }
  }
}

// first_columns, widths: a number for each group; chunk_starts: one for each chunk, and the end; sell_rows: one for
// each row, in whole groups; sell_columns, sell_values: the nonzeros with their padding, of which the rest of the room
// is not read. Nothing is done for the power law (pattern 2), nor for 2^30 nonzeros and more, whose places may not have
// 32 bits once they are padded.
extern "C" void sparse_sell(const int* starts, const int* columns, const float* values, int* first_columns, int* widths,
                            int* chunk_starts, unsigned short* sell_rows, unsigned short* sell_columns,
                            float* sell_values, int rows, int pattern) {
  if (pattern == 2 || starts[rows] >= 1 << 30) return;
  const int groups = (rows + group_rows - 1) / group_rows;
  constexpr int chunks = group_rows / chunk_rows;
  std::vector<Group> sorted(groups);
#pragma omp parallel for
  for (int number = 0; number < groups; ++number) sorted[number] = sorted_group(starts, number, rows);
  chunk_starts[0] = 0;
  for (int chunk = 0; chunk < groups * chunks; ++chunk) {
    const Group& group = sorted[chunk / chunks];
    const int longest = length_of(starts, group, group.order[chunk % chunks * chunk_rows]);
    chunk_starts[chunk + 1] = chunk_starts[chunk] + chunk_rows * longest;
  }
#pragma omp parallel for schedule(dynamic, 16)
  for (int number = 0; number < groups; ++number)
    store_group(starts, columns, values, sorted[number], first_columns + number, widths + number,
                chunk_starts + number * chunks, sell_rows + static_cast<long long>(number) * group_rows, sell_columns,
                sell_values, rows);
}
