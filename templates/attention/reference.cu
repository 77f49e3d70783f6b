// o = softmax(q k^T / sqrt(d)) v in double precision, from the elements as they are stored; a block of 256 threads for
// 16 queries, which goes through the keys 32 at a time. Exponents need no maximum here: a double's exponential reaches
// scores of 700, and so large ones would need other data than the manifest's.
#include "numbers.cuh"

constexpr NumberFormat format = NumberFormat::PRECISION;
constexpr int head_dim = HEAD_DIM;
constexpr int tile_queries = 16;
constexpr int tile_keys = 32;
constexpr int columns_of_thread = head_dim / 16;

struct Tile {
  double q[tile_queries][head_dim];  // scaled
  float kv[tile_keys][head_dim + 1];
  double weights[tile_queries][tile_keys];
};

__device__ inline void load_keys(Tile& tile, const Element* matrix, int first, int keys) {
  for (int i = static_cast<int>(threadIdx.x); i < tile_keys * head_dim; i += 256) {
    const int key = first + i / head_dim;
    tile.kv[i / head_dim][i % head_dim] =
        key < keys ? to_float<format>(matrix[static_cast<long long>(key) * head_dim + i % head_dim]) : 0.0f;
  }
}

// The exponentials of a query's scores at two keys.
__device__ inline void weigh(Tile& tile, int row, int first, int visible) {
  for (int key = static_cast<int>(threadIdx.x) % 16; key < tile_keys; key += 16) {
    double score = 0.0;
    for (int d = 0; d < head_dim; ++d) score += tile.q[row][d] * tile.kv[key][d];
    tile.weights[row][key] = first + key < visible ? exp(score) : 0.0;
  }
}

extern "C" __global__ void reference(const Element* q, const Element* k, const Element* v, double* o, int heads,
                                     int kv_heads, int queries, int keys) {
  __shared__ Tile tile;
  const int blocks = (queries - 1) / tile_queries + 1;
  const long long matrix = blockIdx.x / static_cast<unsigned>(blocks);
  const int first_query = static_cast<int>(blockIdx.x) % blocks * tile_queries;
  const int row = static_cast<int>(threadIdx.x) / 16;
  const int query = first_query + row;
  q += (matrix * queries + first_query) * head_dim;
  const long long of_keys = matrix / heads * kv_heads + matrix % heads / ((heads - 1) / kv_heads + 1);
  k += of_keys * keys * head_dim;
  v += of_keys * keys * head_dim;
  for (int i = static_cast<int>(threadIdx.x); i < tile_queries * head_dim; i += 256) {
    const bool inside = first_query + i / head_dim < queries;
    tile.q[i / head_dim][i % head_dim] = inside ? to_float<format>(q[i]) / sqrt(static_cast<double>(head_dim)) : 0.0;
  }
  const int visible = CAUSAL ? min(keys, query + 1 + keys - queries) : keys;
  double sum = 0.0, sums[columns_of_thread] = {};
  for (int first = 0; first < keys; first += tile_keys) {
    __syncthreads();
    load_keys(tile, k, first, keys);
    __syncthreads();
    weigh(tile, row, first, visible);
    __syncthreads();
    load_keys(tile, v, first, keys);
    __syncthreads();
    for (int key = 0; key < tile_keys; ++key) {
      const double weight = tile.weights[row][key];
      sum += weight;
      for (int i = 0; i < columns_of_thread; ++i) sums[i] += weight * tile.kv[key][threadIdx.x % 16 + 16 * i];
    }
  }
  if (query >= queries) return;
  o += (matrix * queries + query) * head_dim + threadIdx.x % 16;
  for (int i = 0; i < columns_of_thread; ++i) o[16 * i] = sum > 0.0 ? sums[i] / sum : 0.0;
}
