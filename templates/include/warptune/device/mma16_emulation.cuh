// What mma16.cuh promises, by ordinary arithmetic: on the host, and where the architecture lacks an instruction. Lanes
// exchange words through 16 KiB of static shared memory, as shuffles of 8 bytes would take four times as long there.
// Which lane holds which element is the PTX ISA manual's, so that a kernel's own tiles, layouts and boundaries are what
// runs.
#pragma once

#include <warptune/device/numbers16.cuh>

namespace warptune::device::emulated_mma16 {

// What a lane's four sums need: 16 elements of two rows of the left operand, or of two columns of the right one. A
// multiplication collects them from the lanes that hold them; here they are collected once for all multiplications that
// a fragment takes part in.
struct Operand {
  float of[2][16];

  template <NumberFormat Format>
  __device__ void put(int line, int word, unsigned elements) {
    of[line][2 * word] = to_float<Format>(static_cast<unsigned short>(elements & 0xffffu));
    of[line][2 * word + 1] = to_float<Format>(static_cast<unsigned short>(elements >> 16));
  }
};

// Where each lane of a warp leaves 16 bytes for the others.
struct alignas(16) Message {
  unsigned long long halves[2];
};
__device__ inline Message* messages_of_warp() {
  __shared__ Message of_block[1024];
  return of_block + threadIdx.x / 32 * 32;
}
// `take` gets the messages of all lanes when all are there.
template <class Take>
__device__ inline void exchange(Message mine, const Take& take) {
  Message* const of_lanes = messages_of_warp();
  of_lanes[threadIdx.x % 32] = mine;
  __syncwarp();
  take(of_lanes);
  __syncwarp();
}
__device__ inline unsigned long long joined(unsigned first, unsigned second) {
  return static_cast<unsigned long long>(second) << 32 | first;
}

// Rows lane / 4 and eight below, of which each of four neighbouring lanes holds every fourth word.
template <NumberFormat Format>
__device__ inline Operand left_operand(const unsigned (&a)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Operand result;
  exchange({{joined(a[0], a[1]), joined(a[2], a[3])}}, [&](const Message* of_lanes) {
    for (int t = 0; t < 8; ++t) {
      const unsigned long long pair = of_lanes[lane / 4 * 4 + t % 4].halves[t / 4];
      result.put<Format>(0, t, static_cast<unsigned>(pair));
      result.put<Format>(1, t, static_cast<unsigned>(pair >> 32));
    }
  });
  return result;
}

// Columns 2 * (lane % 4) and the next.
template <NumberFormat Format>
__device__ inline Operand right_operand(unsigned upper, unsigned lower) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Operand result;
  exchange({{joined(upper, lower), 0}}, [&](const Message* of_lanes) {
    for (int t = 0; t < 8; ++t) {
      const unsigned long long pair = of_lanes[(lane % 4 * 2 + t / 4) * 4 + t % 4].halves[0];
      result.put<Format>(t / 4, t % 4, static_cast<unsigned>(pair));
      result.put<Format>(t / 4, 4 + t % 4, static_cast<unsigned>(pair >> 32));
    }
  });
  return result;
}

// A call: inlined into unrolled loops, it would take longer to compile than to run.
__device__ __noinline__ inline void add_all_products(float* sums, const Operand& a, const Operand& b) {
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 16; ++k) sums[i] += a.of[i / 2][k] * b.of[i % 2][k];
  }
}

template <bool Transposed>
__device__ __noinline__ void load_matrices(unsigned (&words)[4], const void* row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int line = lane / 4, first = lane % 4 * 2;
  exchange({{reinterpret_cast<unsigned long long>(row), 0}}, [&](const Message* of_lanes) {
    const auto row_of = [&](int of) { return reinterpret_cast<const unsigned short*>(of_lanes[of].halves[0]); };
    for (int i = 0; i < 4; ++i) {
      const unsigned short* upper = row_of(8 * i + (Transposed ? first : line));
      const unsigned short* lower = Transposed ? row_of(8 * i + first + 1) : upper;
      const unsigned short low = upper[Transposed ? line : first];
      const unsigned short high = lower[Transposed ? line : first + 1];
      words[i] = low | static_cast<unsigned>(high) << 16;
    }
  });
}

}  // namespace warptune::device::emulated_mma16
