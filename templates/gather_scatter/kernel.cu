// Gather and scatter: an array of addresses says where each element comes from or goes to.
//
//   gather:  output[i] = input[addresses[i]]     a thread per output, which reads from anywhere
//   scatter: output[addresses[i]] = input[i]     a thread per input, which writes to anywhere
//
// The addresses are all different, so that no two threads write to one place. Filtered (FILTER), an element stays out
// if its address is negative, if a predicate of the element says so, or if its flag is zero; where nothing is written
// the output stays as it was.
//
//   BLOCK_SIZE        threads per block
//   COARSENING        vectors of addresses per thread, all in flight at once
//   COARSENING_ORDER  strided: a warp's vectors are neighbours; consecutive: a thread's vectors are neighbours
//   VECTOR_WIDTH      addresses, and elements in order, moved by one memory instruction
//   CACHE_HINT        of what is read or written in order: plain, or streaming, so that the caches are left to the rest
//   BLOCKS_PER_SM     0: a block for each chunk; else that many blocks per multiprocessor in a grid-stride loop
//
// Sources: He, Govindaraju, Luo & Smith, "Efficient Gather and Scatter Operations on Graphics Processors" (SC 2007);
// Kirk & Hwu, "Programming Massively Parallel Processors", for gather instead of scatter.

#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::load_pack;
using warptune::device::store_pack;

enum class Operation { gather, scatter };
enum class Filter { none, address, predicate, flags };
enum class CoarseningOrder { strided, consecutive };

constexpr Operation operation = Operation::OPERATION;
constexpr Filter filter = Filter::FILTER;
constexpr CoarseningOrder coarsening_order = CoarseningOrder::COARSENING_ORDER;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr int chunk = BLOCK_SIZE * COARSENING * VECTOR_WIDTH;

using Addresses = warptune::device::Pack<int, VECTOR_WIDTH>;
using Elements = warptune::device::Pack<float, VECTOR_WIDTH>;

// What `FILTER` lets through before the element is known, and after. `flag` points to that of the i-th address.
__device__ inline bool may_move(int address, const unsigned char* flag) {
  if constexpr (filter == Filter::address) return address >= 0;
  if constexpr (filter == Filter::flags) return *flag != 0;
  return true;
}
__device__ inline bool moves(float element) {
  return filter != Filter::predicate || !(element < 0.0f);
}

// One element, as the definition has it.
__device__ inline void move_one(const float* input, const int* addresses, const unsigned char* flags, float* output,
                                long long i) {
  const int address = addresses[i];
  if (!may_move(address, flags + i)) return;
  const float element = operation == Operation::gather ? input[address] : input[i];
  if (moves(element)) output[operation == Operation::gather ? i : address] = element;
}

// The first address of a thread's vector, from the chunk's beginning.
__device__ inline int first_of(int item) {
  const int thread = static_cast<int>(threadIdx.x);
  return (coarsening_order == CoarseningOrder::strided ? item * BLOCK_SIZE + thread : thread * COARSENING + item) *
         VECTOR_WIDTH;
}

__device__ inline void gather_chunk(const float* input, const int* addresses, const unsigned char* flags,
                                    float* output) {
  Addresses from[COARSENING];
  Elements elements[COARSENING];
#pragma unroll
  for (int item = 0; item < COARSENING; ++item)
    from[item] = load_pack<VECTOR_WIDTH, cache_hint>(addresses + first_of(item));
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) {
      const bool moving = may_move(from[item].at[j], flags + first_of(item) + j);
      elements[item].at[j] = moving ? input[from[item].at[j]] : 0.0f;
      if constexpr (filter != Filter::none) {
        if (moving && moves(elements[item].at[j])) output[first_of(item) + j] = elements[item].at[j];
      }
    }
  }
  if constexpr (filter == Filter::none) {
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) store_pack<cache_hint>(output + first_of(item), elements[item]);
  }
}

__device__ inline void scatter_chunk(const float* input, const int* addresses, const unsigned char* flags,
                                     float* output) {
  Addresses to[COARSENING];
  Elements elements[COARSENING];
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    to[item] = load_pack<VECTOR_WIDTH, cache_hint>(addresses + first_of(item));
    elements[item] = load_pack<VECTOR_WIDTH, cache_hint>(input + first_of(item));
  }
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) {
      if (may_move(to[item].at[j], flags + first_of(item) + j) && moves(elements[item].at[j]))
        output[to[item].at[j]] = elements[item].at[j];
    }
  }
}

// input, addresses, output: `size` elements, aligned to 16 bytes; flags: as many bytes, of FILTER flags only.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    gather_scatter(const float* __restrict__ input, const int* __restrict__ addresses,
                   const unsigned char* __restrict__ flags, float* __restrict__ output, long long size) {
  long long first = static_cast<long long>(blockIdx.x) * chunk;
  do {
    if (first + chunk > size) {
      for (long long i = first + threadIdx.x; i < size; i += BLOCK_SIZE) move_one(input, addresses, flags, output, i);
    } else if constexpr (operation == Operation::gather) {
      gather_chunk(input, addresses + first, flags + first, output + first);
    } else {
      scatter_chunk(input + first, addresses + first, flags + first, output);
    }
    first += static_cast<long long>(gridDim.x) * chunk;
  } while (BLOCKS_PER_SM > 0 && first < size);
}
