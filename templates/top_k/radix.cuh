// Candidates by radix selection: the TOP-th largest candidate of the row, digit by digit from the highest on. Among
// those that share the digits found so far, a histogram of the next digit says which one is next. Candidates are all
// different, so exactly TOP are no smaller.
#pragma once

#include "row.cuh"

constexpr int in_flight = algorithm == Algorithm::radix ? UNROLL : 1;  // few registers where this is the exception

// Calls use(candidate) for each element of the row.
template <class Use>
__device__ inline void for_each_candidate(const Element* row, int columns, Use use) {
#pragma unroll 1
  for (int column = thread_of_row() * width; column < columns; column += in_flight * step) {
    Vector vectors[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i)
      if (column + i * step < columns) vectors[i] = load_pack<width>(row + column + i * step);
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      if (column + i * step < columns) {
#pragma unroll
        for (int j = 0; j < width; ++j)
          use(candidate_of(key_of(to_float<format>(vectors[i].at[j])), column + i * step + j));
      }
    }
  }
}

// The digit that the wanted candidate has, and how many of those counted are before it: by one warp, whose lanes have
// eight digits each.
__device__ inline void choose_digit(const RowMemory& memory, unsigned wanted) {
  constexpr int each = digits / warp_size;
  const int lane = static_cast<int>(threadIdx.x % warp_size);
  unsigned own = 0;
#pragma unroll
  for (int i = 0; i < each; ++i) own += memory.counts[digits - 1 - lane * each - i];
  unsigned before = warptune::device::warp_inclusive_sum(own) - own;
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const unsigned digit = static_cast<unsigned>(digits - 1 - lane * each - i), count = memory.counts[digit];
    if (before < wanted && wanted <= before + count) {
      memory.counters[2] = digit;
      memory.counters[3] = before;
    }
    before += count;
  }
}

// The smallest candidate that is among the TOP largest. Digits of the place that all places share are skipped.
__device__ inline Candidate last_of_top(const Element* row, int columns, const RowMemory& memory) {
  unsigned wanted = TOP;
  Candidate found = 0, known = 0;  // digits, and which bits they are
#pragma unroll 1
  for (int shift = 56; shift >= 0; shift -= 8) {
    const bool same = shift < 32 && columns - 1 >> shift == 0;
    if (!same) {
      for (int digit = thread_of_row(); digit < digits; digit += THREADS_PER_ROW) memory.counts[digit] = 0;
      wait_for_row();
      for_each_candidate(row, columns, [&](Candidate candidate) {
        if ((candidate & known) == found) atomicAdd(memory.counts + (candidate >> shift & (digits - 1)), 1u);
      });
      wait_for_row();
      if (thread_of_row() < warp_size) choose_digit(memory, wanted);
      wait_for_row();
      wanted -= memory.counters[3];
    }
    found |= static_cast<Candidate>(same ? digits - 1 : memory.counters[2]) << shift;
    known |= static_cast<Candidate>(digits - 1) << shift;
  }
  return found;
}

// Fills the candidates with the TOP largest and returns TOP. A call: where this is the exception, it costs the rest no
// registers.
__device__ __noinline__ int candidates_by_radix(const Element* row, int columns, RowMemory memory) {
  const Candidate last = last_of_top(row, columns, memory);
  wait_for_row();
  if (thread_of_row() == 0) memory.counters[0] = 0;
  wait_for_row();
  for_each_candidate(row, columns, [&](Candidate candidate) {
    if (candidate >= last) put(candidate, memory, memory.counters);
  });
  wait_for_row();
  return TOP;
}
