// Rows of a matrix that threads of a block share: what a row's threads find out together, and where each keeps its part
// of the row between two passes over it.
//
//   struct Adder {
//     float& sum;
//     template <int Count>
//     __device__ void operator()(const Pack<float, 4> (&vectors)[Count], int column) const;
//   };
//   KeptRow<float, 4, block_size, threads_per_row, 2, 1, 4> part(row, columns, places);
//   float sum = 0.0f;
//   part.read<CacheHint::plain, CacheHint::plain>(zeros, Adder{sum});
//   sum = reduced_over_row<block_size, threads_per_row>(sum, [](float a, float b) { return a + b; });
//   part.read_again([&](const Pack<float, 4>& vector, int column) { ... });                            // writes
//
// A row's threads are neighbours in a block of one dimension. Both numbers of threads are powers of two, a block has
// whole warps. Sources: OneFlow's warp, block and uncached softmax and normalisations for where a row is kept;
// Luitjens, "Faster Parallel Reductions on Kepler" (NVIDIA developer blog, 2014) for the reduction.
#pragma once

#include <warptune/device/async_copy.cuh>
#include <warptune/device/vectors.cuh>
#include <warptune/device/warp.cuh>

namespace warptune::device {

// The state of the lane whose number differs in the bit `distance`. State: a float or a struct of floats.
template <class State>
__device__ inline State state_across(const State& state, int distance) {
  static_assert(sizeof(State) % sizeof(float) == 0, "a state is made of floats");
  State other;
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(State) / sizeof(float)); ++i) {
    const float mine = reinterpret_cast<const float*>(&state)[i];
    reinterpret_cast<float*>(&other)[i] = __shfl_xor_sync(whole_warp, mine, distance);
  }
  return other;
}

// Over each group of `Lanes` neighbouring lanes, in all of them. Lanes is a power of two.
template <int Lanes, class State, class Combine>
__device__ inline State reduced_over_lanes(State mine, Combine combine) {
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2) mine = combine(mine, state_across(mine, distance));
  return mine;
}

// Over the threads of each row, in all of them, for any number of rows one after another. All threads of the block call
// together. Up to 32 threads exchange by shuffles alone; more use shared memory, a State for each warp, and two
// barriers. `combine(a, b)` takes and gives a State; the order of its operands may differ between threads.
template <int BlockSize, int ThreadsPerRow, class State, class Combine>
__device__ inline State reduced_over_row(State mine, Combine combine) {
  if constexpr (ThreadsPerRow <= warp_size) {
    return reduced_over_lanes<ThreadsPerRow>(mine, combine);
  } else {
    constexpr int floats = static_cast<int>(sizeof(State) / sizeof(float));
    constexpr unsigned warps = ThreadsPerRow / warp_size;
    __shared__ float states[floats][BlockSize / warp_size];
    const unsigned thread = threadIdx.x;  // unsigned: fewer instructions for quotients
    mine = reduced_over_lanes<warp_size>(mine, combine);
    __syncthreads();  // the rows before have been read
    if (thread % warp_size == 0) {
#pragma unroll
      for (int i = 0; i < floats; ++i) states[i][thread / warp_size] = reinterpret_cast<const float*>(&mine)[i];
    }
    __syncthreads();
    const unsigned of_warp = thread / ThreadsPerRow * warps + thread % warps;
    State others;
#pragma unroll
    for (int i = 0; i < floats; ++i) reinterpret_cast<float*>(&others)[i] = states[i][of_warp];
    return reduced_over_lanes<static_cast<int>(warps)>(others, combine);
  }
}

// The same for several rows at once, whose exchanges wait for each other's latency together.
template <int BlockSize, int ThreadsPerRow, class State, int Rows, class Combine>
__device__ inline void reduce_over_rows(State (&states)[Rows], Combine combine) {
  struct States {
    State of[Rows];
  };
  States mine;
#pragma unroll
  for (int i = 0; i < Rows; ++i) mine.of[i] = states[i];
  mine = reduced_over_row<BlockSize, ThreadsPerRow>(mine, [combine](const States& a, const States& b) {
    States both;
#pragma unroll
    for (int i = 0; i < Rows; ++i) both.of[i] = combine(a.of[i], b.of[i]);
    return both;
  });
#pragma unroll
  for (int i = 0; i < Rows; ++i) states[i] = mine.of[i];
}

// A thread's part of a row: vectors that lie ThreadsPerRow vectors apart. The first `InRegisters` of them stay in
// registers between two passes, the next `InShared` in shared memory; the rest is read again, `InFlight` at once.
// Where all of a row is kept InFlight is 0: code for a rest that is never there would take registers, and with them
// blocks that a multiprocessor could hold. Asynchronous copies bring vectors of 4 bytes and more to shared memory. A
// thread reads its own only, which needs no barrier. Every row begins aligned for vectors. `Within` says that no row
// ends before what is kept of it: then that is not asked for each vector.
template <class Element, int Width, int BlockSize, int ThreadsPerRow, int InRegisters, int InShared, int InFlight,
          bool Within = false>
class KeptRow {
 public:
  using Vector = Pack<Element, Width>;
  static constexpr int step = ThreadsPerRow * Width;  // elements from one vector of a thread to its next

  KeptRow() = default;  // for arrays

  // `places`: this thread's first vector in shared memory; its next ones lie BlockSize vectors apart.
  __device__ KeptRow(const Element* row, int columns, Vector* places) : row_(row), columns_(columns), places_(places) {}

  // Sends for all that is kept; `take_all` then waits for it. Several rows may be sent for before the first is taken.
  // The hint is for vectors that go to registers.
  template <CacheHint HintOfKept>
  __device__ void send_for(const Vector& behind_end) {
#pragma unroll
    for (int i = 0; i < InShared; ++i) {
      const int column = first_shared + first() + i * step;
      if (Within || column < columns_) bring<HintOfKept>(places_ + i * BlockSize, row_ + column);
    }
    if constexpr (InShared > 0) commit_copies();
#pragma unroll
    for (int i = 0; i < InRegisters; ++i) kept_[i] = load<HintOfKept, Within>(first() + i * step, behind_end);
  }

  // Calls take(vectors, column) until it has had every vector once: arrays of vectors of which the first one begins at
  // the column and the next ones lie `step` apart. `behind_end` stands for those that the row does not have.
  // A struct, since NVRTC takes a lambda with `auto` parameters for a host function.
  // The hint is for vectors that are read again.
  template <CacheHint HintOfRest, class Take>
  __device__ void take_all(const Vector& behind_end, Take take) const {
    if constexpr (InRegisters > 0) take(kept_, first());
    if constexpr (InFlight > 0) {
#pragma unroll 1
      for (int column = first_reread + first(); column < columns_; column += InFlight * step) {
        Vector vectors[InFlight];
#pragma unroll
        for (int i = 0; i < InFlight; ++i) vectors[i] = load<HintOfRest, false>(column + i * step, behind_end);
        take(vectors, column);
      }
    }
    if constexpr (InShared > 0) {
      wait_for_copies<0>();
#pragma unroll
      for (int i = 0; i < InShared; ++i) {
        const int column = first_shared + first() + i * step;
        const Vector vectors[1] = {chosen(Within || column < columns_, places_ + i * BlockSize, behind_end)};
        take(vectors, column);
      }
    }
  }

  // Both together.
  template <CacheHint HintOfKept, CacheHint HintOfRest, class Take>
  __device__ void read(const Vector& behind_end, Take take) {
    send_for<HintOfKept>(behind_end);
    take_all<HintOfRest>(behind_end, take);
  }

  // Calls use(i, column) for each place in registers whose vector the row has: for what a caller keeps there instead.
  template <class Use>
  __device__ void for_each_register(Use use) const {
#pragma unroll
    for (int i = 0; i < InRegisters; ++i) {
      const int column = first() + i * step;
      if (Within || column < columns_) use(i, column);
    }
  }

  // After `read`, once or more: calls use(vector, column) for every vector that the row has.
  template <class Use>
  __device__ void read_again(Use use) const {
    for_each_register([&](int i, int column) { use(kept_[i], column); });
#pragma unroll
    for (int i = 0; i < InShared; ++i) {
      const int column = first_shared + first() + i * step;
      if (Within || column < columns_) use(places_[i * BlockSize], column);
    }
    if constexpr (InFlight > 0) {
#pragma unroll(InFlight)
      for (int column = first_reread + first(); column < columns_; column += step)
        use(load_pack<Width>(row_ + column), column);
    }
  }

  // The same for several rows of one length together: calls use(vectors, column) with a vector of each.
  template <int Rows, class Use>
  __device__ static void read_rows_again(const KeptRow (&parts)[Rows], Use use) {
    if constexpr (Rows == 1) {
      parts[0].read_again([&](const Vector& vector, int column) {
        const Vector vectors[1] = {vector};
        use(vectors, column);
      });
    } else {
      static_assert(InShared == 0 && InFlight == 0, "several rows together are kept whole, in registers");
      parts[0].for_each_register([&](int i, int column) {
        Vector vectors[Rows];
#pragma unroll
        for (int r = 0; r < Rows; ++r) vectors[r] = parts[r].kept_[i];
        use(vectors, column);
      });
    }
  }

 private:
  static constexpr int first_shared = InRegisters * step;
  static constexpr int first_reread = first_shared + InShared * step;

  __device__ static int first() {
    return static_cast<int>(threadIdx.x % ThreadsPerRow) * Width;
  }

  // Words are chosen between, not elements: of two bytes those would be unpacked, chosen and packed again one by one.
  template <CacheHint Hint = CacheHint::plain, class Source>
  __device__ static Vector chosen(bool there, const Source* source, const Vector& otherwise) {
    using Word = typename WordOf<sizeof(Vector)>::type;
    Word word = reinterpret_cast<const Word&>(otherwise);
    if (there) word = load_vector<Hint>(reinterpret_cast<const Word*>(source));
    return reinterpret_cast<const Vector&>(word);
  }

  template <CacheHint Hint, bool There>
  __device__ Vector load(int column, const Vector& behind_end) const {
    return chosen<Hint>(There || column < columns_, row_ + column, behind_end);
  }

  // A vector from global memory to the thread's own place in shared memory.
  template <CacheHint Hint>
  __device__ static void bring(Vector* place, const Element* source) {
    if constexpr (sizeof(Vector) >= 4) {
      copy_async<sizeof(Vector)>(place, source);
    } else {
      *place = load_pack<Width, Hint>(source);
    }
  }

  const Element* row_;
  int columns_;
  Vector* places_;
  Vector kept_[InRegisters > 0 ? InRegisters : 1];
};

}  // namespace warptune::device
