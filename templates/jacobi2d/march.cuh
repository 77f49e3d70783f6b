// Steps without shared memory and without barriers. A warp holds TILE_X columns and marches down the rows; each row of
// the input gives a row of every step. Of each step's rows a thread keeps the last, and for the row that comes after it
// the sum so far, to which only the row below is missing: one addition makes it, two more make the next sum, with
// neighbours at a thread's outer columns from shuffles. So a point costs three instructions, and a row of a thread two
// shuffles, where a step in shared memory costs some thirty a point.
#pragma once

constexpr int columns = TILE_X < warp ? 1 : TILE_X / warp;  // of a thread (narrower tiles are not marched over)
constexpr int halo_columns = (halo + columns - 1) / columns * columns;
constexpr unsigned whole_warp = 0xffffffffu;

struct alignas(columns < 4 ? 4 * columns : 16) Columns {
  float at[columns];
};

// What a thread of a marching warp sees of the grid.
struct Stripe {
  int height;
  int width;
  int row;     // the first that the warp writes
  int column;  // the thread's first

  __device__ int lane() const { return static_cast<int>(threadIdx.x); }
  __device__ int end() const { return min(row + TILE_Y, height); }
  __device__ long long place(int at_row) const { return static_cast<long long>(at_row) * width + column; }
  __device__ bool is_own() const {  // else the columns are halo
    return lane() * columns >= halo_columns && lane() * columns < TILE_X - halo_columns;
  }
  __device__ bool is_border_row(int at_row) const { return at_row == 0 || at_row == height - 1; }
  __device__ bool is_border_column(int at_column) const { return at_column == 0 || at_column == width - 1; }
  // No border within reach, and rows that start aligned.
  __device__ bool is_inner() const {
    const int left = column - lane() * columns;
    return left >= 0 && left + TILE_X <= width && row >= halo && row + TILE_Y + halo <= height &&
           width % (alignof(Columns) / sizeof(float)) == 0;
  }
};

// Careful: the stripe is not inner.
template <bool Careful>
__device__ inline Columns load_columns(const float* points, const Stripe& stripe, int row) {
  if constexpr (!Careful) {  // rows behind the last are of no use, but may lie behind the grid
    return *reinterpret_cast<const Columns*>(points + stripe.place(min(row, stripe.end() + halo - 1)));
  }
  Columns result{};
  if (row < 0 || row >= stripe.height) return result;
#pragma unroll
  for (int i = 0; i < columns; ++i) {
    const int column = stripe.column + i;
    if (column >= 0 && column < stripe.width) result.at[i] = points[stripe.place(row) + i];
  }
  return result;
}

template <bool Careful>
__device__ inline void store_columns(float* points, const Stripe& stripe, int row, const Columns& values) {
  if constexpr (!Careful) {
    *reinterpret_cast<Columns*>(points + stripe.place(row)) = values;
  } else {
#pragma unroll
    for (int i = 0; i < columns; ++i)
      if (stripe.column + i < stripe.width) points[stripe.place(row) + i] = values.at[i];
  }
}

// One for columns that move, zero for the grid's border: factors cost less than predicates do.
__device__ inline Columns moving_columns(const Stripe& stripe) {
  Columns result;
#pragma unroll
  for (int i = 0; i < columns; ++i) result.at[i] = stripe.is_border_column(stripe.column + i) ? 0.0f : 1.0f;
  return result;
}

// The row plus the neighbours to both sides of the one below.
__device__ inline Columns sum_so_far(const Columns& row, const Columns& below) {
  const float left = __shfl_up_sync(whole_warp, below.at[columns - 1], 1);
  const float right = __shfl_down_sync(whole_warp, below.at[0], 1);
  Columns result;
#pragma unroll
  for (int i = 0; i < columns; ++i) {
    const float beside = (i > 0 ? below.at[i - 1] : left) + (i + 1 < columns ? below.at[i + 1] : right);
    result.at[i] = row.at[i] + beside;
  }
  return result;
}

// Four times the mean: the sum. After n steps all values are 4^n times what they should be, which is exact.
template <bool Careful>
__device__ inline Columns next_row(const Columns& sum, const Columns& center, const Columns& below,
                                   const Columns& moves, bool row_moves) {
  Columns result;
#pragma unroll
  for (int i = 0; i < columns; ++i) result.at[i] = sum.at[i] + below.at[i];
  if constexpr (Careful) {
    const float row_factor = row_moves ? 1.0f : 0.0f;
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      const float factor = row_factor * moves.at[i];
      result.at[i] = factor * result.at[i] + (4.0f - 4.0f * factor) * center.at[i];
    }
  }
  return result;
}

template <bool Careful>
__device__ inline float largest_change(const Columns& before, const Columns& after, const Stripe& stripe) {
  float largest = 0.0f;
#pragma unroll
  for (int i = 0; i < columns; ++i)
    if (!Careful || stripe.column + i < stripe.width) largest = fmaxf(largest, fabsf(after.at[i] - before.at[i]));
  return largest;
}

__device__ inline Columns scaled(const Columns& values, float factor) {
  Columns result;
#pragma unroll
  for (int i = 0; i < columns; ++i) result.at[i] = values.at[i] * factor;
  return result;
}

// The steps' last rows take turns with their registers: a row's are free two steps later, so that the next rows use
// those of the step two before, and after so many rows each has its own again.
constexpr int places = STEPS_PER_LAUNCH + 2;
constexpr int rows_together = places % 2 == 0 ? places / 2 : places;

__host__ __device__ constexpr int place_of(int step, int turn) {
  return (step - 2 * turn + 2 * places * places) % places;
}

// The state between two rows, and what a row leads to.
struct March {
  Columns rows[places];            // each step's last row
  Columns sums[STEPS_PER_LAUNCH];  // without the row below
  Columns moves;
  Columns before;  // the row that the last step was done for, before it
  Columns after;

  // Row number `row` of the input is in its place. `turn`: a constant, below rows_together.
  template <bool Careful>
  __device__ void take_row(const Stripe& stripe, int turn, int row, int count) {
#pragma unroll
    for (int s = 0; s < STEPS_PER_LAUNCH; ++s) {
      if (Careful && s >= count) break;
      const Columns& below = rows[place_of(s, turn + 1)];
      before = rows[place_of(s, turn)];
      after = next_row<Careful>(sums[s], before, below, moves, !stripe.is_border_row(row - s - 1));
      sums[s] = sum_so_far(before, below);
      rows[place_of(s + 1, turn + 1)] = after;
    }
  }
};

// `count` steps, at most STEPS_PER_LAUNCH (that many if not Careful). Returns this thread's largest change in the last.
template <bool Careful>
__device__ inline float march(const float* source, float* target, const Stripe& stripe, int count) {
  March state{};
  Columns coming[PREFETCH_ROWS];
  const int first = stripe.row - halo;
  const int end = stripe.end();
  const float scale = 1.0f / static_cast<float>(1ULL << (2 * (Careful ? count : STEPS_PER_LAUNCH)));
  float largest = 0.0f;
  state.moves = moving_columns(stripe);
#pragma unroll
  for (int i = 0; i < PREFETCH_ROWS; ++i) coming[i] = load_columns<Careful>(source, stripe, first + i);
  for (int start = first; start < end + halo; start += rows_together) {
#pragma unroll
    for (int turn = 0; turn < rows_together; ++turn) {
      state.rows[place_of(0, turn + 1)] = coming[0];
#pragma unroll
      for (int i = 1; i < PREFETCH_ROWS; ++i) coming[i - 1] = coming[i];
      coming[PREFETCH_ROWS - 1] = load_columns<Careful>(source, stripe, start + turn + PREFETCH_ROWS);
      state.template take_row<Careful>(stripe, turn, start + turn, count);
      const int row = start + turn - (Careful ? count : STEPS_PER_LAUNCH);
      if (row >= stripe.row && row < end && stripe.is_own()) {
        const Columns after = scaled(state.after, scale);
        store_columns<Careful>(target, stripe, row, after);
        largest = fmaxf(largest, largest_change<Careful>(scaled(state.before, 4.0f * scale), after, stripe));
      }
    }
  }
  return largest;
}

// Each warp of the block has a stripe beside the last one's.
__device__ inline float march_stripe(const float* source, float* target, int height, int width, int count) {
  const int stripe_number = static_cast<int>(blockIdx.x * BLOCK_DIM_Y + threadIdx.y);
  const Stripe stripe{
      height, width, static_cast<int>(blockIdx.y) * TILE_Y,
      stripe_number * (TILE_X - 2 * halo_columns) - halo_columns + static_cast<int>(threadIdx.x) * columns};
  // A vote, so that the compiler sees that all lanes decide alike: shuffles then need no lanes gathered before them.
  if (__all_sync(whole_warp, count == STEPS_PER_LAUNCH && stripe.is_inner()))
    return march<false>(source, target, stripe, count);
  return march<true>(source, target, stripe, count);
}
