// Rotary position embedding: each pair of elements of a head is rotated by an angle that grows with the token's
// position and shrinks with the pair's number, angle = position * base^(-2 * pair / HEAD_DIM). All heads of a token are
// rotated by the same angles, so a thread that has several heads finds its angles once.
//
//   BLOCK_SIZE        threads per block
//   VECTOR_WIDTH      elements moved by one memory instruction (heads must begin aligned: otherwise fewer)
//   COARSENING        heads of a token per thread, all in flight before the first is rotated
//   TRIG              table: cosines and sines are read; precise: computed from the position by sincospif; fast: by the
//                     special function units
//   BLOCKS_PER_SM     0: a block for each BLOCK_SIZE pieces of work; else so many blocks per multiprocessor go on and on
//   CACHE_HINT_LOAD   of the elements
//   CACHE_HINT_STORE  of the result
//
// The angle is computed in turns, in which whole ones may be dropped without an error: the frequency is a sum of two
// floats, and the product's rounding error comes from a fused multiply-add. Rejected: radians in one float, whose last
// bit at position 8192 is worth 0.001.
//
// Sources: Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021); GPT-NeoX and Llama for
// the pairs of two halves; vLLM's rotary_embedding for a table of cosines and sines; Dekker, "A floating-point
// technique for extending the available precision" (1971) for the product in two parts.

#include <warptune/device/numbers16.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::from_float;
using warptune::device::load_pack;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::to_float;

enum class Pairs { adjacent, halves };
enum class Trig { table, precise, fast };

constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr bool by_halves = Pairs::PAIRS == Pairs::halves;
constexpr Trig trig = Trig::TRIG;
constexpr int width = ALIGNED_WIDTH;
constexpr int pairs = HEAD_ELEMENTS / 2;
// A thread's pairs: two vectors of two halves, or the pairs of one vector, or two single elements.
constexpr int pairs_per_thread = by_halves || width == 1 ? width : width / 2;
constexpr int threads_per_head = pairs > 0 ? pairs / pairs_per_thread : 1;
constexpr int head_groups = (HEAD_COUNT - 1) / COARSENING + 1;

using Element = StoredNumber<format>::type;

struct Angles {
  float cosine[pairs_per_thread];
  float sine[pairs_per_thread];
};

// Elements as floats: first and second of each pair.
struct Elements {
  float first[pairs_per_thread];
  float second[pairs_per_thread];
};

// A row of the table: the cosines of all pairs, then the sines.
__device__ inline Angles angles_from_table(const float* table, int position, int pair) {
  constexpr int chunk = pairs_per_thread < 4 ? pairs_per_thread : 4;
  const float* row = table + static_cast<long long>(position) * (2 * pairs) + pair;
  Angles angles;
#pragma unroll
  for (int i = 0; i < pairs_per_thread; i += chunk) {
    const auto cosines = load_pack<chunk>(row + i);
    const auto sines = load_pack<chunk>(row + pairs + i);
#pragma unroll
    for (int j = 0; j < chunk; ++j) {
      angles.cosine[i + j] = cosines.at[j];
      angles.sine[i + j] = sines.at[j];
    }
  }
  return angles;
}

// frequencies: turns per position, as sums of two floats. Positions below 2^24 are exact as floats.
__device__ inline Angles computed_angles(const float2* frequencies, int position, int pair) {
  const float at = static_cast<float>(position);
  Angles angles;
#pragma unroll
  for (int i = 0; i < pairs_per_thread; ++i) {
    const float2 frequency = frequencies[pair + i];
    const float turns = at * frequency.x;
    const float lost = fmaf(at, frequency.x, -turns);
    const float part = turns - rintf(turns) + fmaf(at, frequency.y, lost);
    if constexpr (trig == Trig::fast) {
      angles.cosine[i] = __cosf(6.283185307f * part);
      angles.sine[i] = __sinf(6.283185307f * part);
    } else {
      sincospif(2.0f * part, &angles.sine[i], &angles.cosine[i]);
    }
  }
  return angles;
}

// Elements as they are stored: two vectors of a head, or one that has both elements of each pair.
constexpr bool two_vectors = by_halves || width == 1;
struct Stored {
  Pack<Element, width> first;
  Pack<Element, width> second;
};

// head: the head's first element.
__device__ inline Stored load(const Element* head, int pair) {
  Stored stored;
  if constexpr (two_vectors) {
    stored.first = load_pack<width, load_hint>(head + (by_halves ? pair : 2 * pair));
    stored.second = load_pack<width, load_hint>(head + (by_halves ? pair + pairs : 2 * pair + 1));
  } else {
    stored.first = load_pack<width, load_hint>(head + 2 * pair);
  }
  return stored;
}

__device__ inline Elements as_floats(const Stored& stored) {
  Elements elements;
#pragma unroll
  for (int i = 0; i < pairs_per_thread; ++i) {
    elements.first[i] = to_float<format>(stored.first.at[two_vectors ? i : 2 * i]);
    elements.second[i] = to_float<format>(two_vectors ? stored.second.at[i] : stored.first.at[2 * i + 1]);
  }
  return elements;
}

__device__ inline void write(Element* head, int pair, const Elements& elements) {
  if constexpr (two_vectors) {
    Pack<Element, width> first, second;
#pragma unroll
    for (int i = 0; i < pairs_per_thread; ++i) {
      first.at[i] = from_float<format>(elements.first[i]);
      second.at[i] = from_float<format>(elements.second[i]);
    }
    store_pack<store_hint>(head + (by_halves ? pair : 2 * pair), first);
    store_pack<store_hint>(head + (by_halves ? pair + pairs : 2 * pair + 1), second);
  } else {
    Pack<Element, width> both;
#pragma unroll
    for (int i = 0; i < pairs_per_thread; ++i) {
      both.at[2 * i] = from_float<format>(elements.first[i]);
      both.at[2 * i + 1] = from_float<format>(elements.second[i]);
    }
    store_pack<store_hint>(head + 2 * pair, both);
  }
}

__device__ inline Elements rotated(const Elements& elements, const Angles& angles) {
  Elements result;
#pragma unroll
  for (int i = 0; i < pairs_per_thread; ++i) {
    const float first = elements.first[i], second = elements.second[i];
    result.first[i] = first * angles.cosine[i] - second * angles.sine[i];
    result.second[i] = second * angles.cosine[i] + first * angles.sine[i];
  }
  return result;
}

// What a thread turns: the pairs from `pair` on, of one head of each group.
struct Piece {
  int group;
  int pair;
};

// x, y: the token's heads. Elements are on their way before the angles are looked for: these need the position first.
__device__ inline void rotate_heads(const Element* x, Element* y, Piece piece, const int* position, const float* table,
                                    const float2* frequencies) {
  Stored stored[COARSENING];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int head = piece.group + i * head_groups;
    if (head < HEAD_COUNT) stored[i] = load(x + head * HEAD_ELEMENTS, piece.pair);
  }
  const Angles angles = trig == Trig::table ? angles_from_table(table, *position, piece.pair)
                                            : computed_angles(frequencies, *position, piece.pair);
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int head = piece.group + i * head_groups;
    if (head < HEAD_COUNT) write(y + head * HEAD_ELEMENTS, piece.pair, rotated(as_floats(stored[i]), angles));
  }
}

// The last element of a head of odd length has no partner and stays as it is.
__device__ inline void copy_last(const Element* x, Element* y, int group) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int head = group + i * head_groups;
    if (head < HEAD_COUNT) y[head * HEAD_ELEMENTS + HEAD_ELEMENTS - 1] = x[head * HEAD_ELEMENTS + HEAD_ELEMENTS - 1];
  }
}

// x, y: tokens * HEAD_COUNT * HEAD_ELEMENTS elements, aligned to 16 bytes; in place x is not read. positions: one for
// each token, from 0 on and below 2^24. table: 2 * pairs floats for each position; frequencies: one for each pair.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    rope(const Element* x, Element* y, const int* __restrict__ positions, const float* __restrict__ table,
         const float2* __restrict__ frequencies, int tokens) {
  const unsigned all = static_cast<unsigned>(tokens) * (head_groups * threads_per_head);
  for (unsigned i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < all; i += gridDim.x * BLOCK_SIZE) {
    const int pair = static_cast<int>(i % threads_per_head) * pairs_per_thread;
    const int group = static_cast<int>(i / threads_per_head % head_groups);
    const unsigned token = i / (threads_per_head * head_groups);
    const long long offset = static_cast<long long>(token) * (HEAD_COUNT * HEAD_ELEMENTS);
    const Element* source = (IN_PLACE ? y : x) + offset;
    if constexpr (pairs > 0) rotate_heads(source, y + offset, {group, pair}, positions + token, table, frequencies);
    if (HEAD_ELEMENTS % 2 == 1 && !IN_PLACE && pair == 0) copy_last(source, y + offset, group);
  }
}
