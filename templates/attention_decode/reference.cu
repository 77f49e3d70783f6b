// o = softmax(q transposed(K) / sqrt(d)) v in double precision, from the elements as they are stored; a block of 256
// threads per query, each with a key at a time. Exponents need no maximum here: a double's exponential reaches scores
// of 700, and so large ones would need other data than the manifest's.
#include <warptune/device/numbers16.cuh>

using warptune::device::NumberFormat;
using warptune::device::to_float;

using Element = unsigned short;

constexpr NumberFormat format = NumberFormat::PRECISION;
constexpr int head_dim = HEAD_DIM;
constexpr int chunk = 256;

__device__ inline double value_of(Element stored) {
  return to_float<format>(stored);
}

__device__ inline double score_of(const double* q, const Element* key) {
  double score = 0.0;
  for (int d = 0; d < head_dim; ++d) score += q[d] * value_of(key[d]);
  return score;
}

extern "C" __global__ void reference(const Element* q, const Element* k, const Element* v, double* o,
                                     const int* lengths, const int* pages, int heads, int kv_heads, int tokens,
                                     int pages_of_sequence, int page_size) {
  __shared__ double query[head_dim], weights[chunk];
  __shared__ long long places[chunk];
  const int thread = static_cast<int>(threadIdx.x), row = static_cast<int>(blockIdx.x);
  const int token = row % tokens, head = row / tokens % heads, sequence = row / tokens / heads;
  if (thread < head_dim)
    query[thread] = value_of(q[static_cast<long long>(row) * head_dim + thread]) / sqrt(static_cast<double>(head_dim));
  const int visible = lengths[sequence] + 1 - tokens + token;
  double sum = 0.0, output = 0.0;
  for (int first = 0; first < visible; first += chunk) {
    __syncthreads();
    const int key = first + thread;
    if (key < visible) {
      const int page = PAGE_SIZE > 0 ? pages[sequence * pages_of_sequence + key / page_size] : sequence;
      const int slot = PAGE_SIZE > 0 ? key % page_size : key;
      places[thread] =
          ((static_cast<long long>(page) * kv_heads + head / ((heads - 1) / kv_heads + 1)) * page_size + slot) *
          head_dim;
      weights[thread] = exp(score_of(query, k + places[thread]));
    }
    __syncthreads();
    if (thread >= head_dim) continue;
    for (int i = 0; i < chunk && first + i < visible; ++i) {
      sum += weights[i];
      output += weights[i] * value_of(v[places[i] + thread]);
    }
  }
  if (thread < head_dim) o[static_cast<long long>(row) * head_dim + thread] = sum > 0.0 ? output / sum : 0.0;
}
