// What lies in outputs and temporaries before a run: a kernel may not count on it, whatever it is.

/*@ contents
reference = "y[i] = 2.0 * x[i];"
*/

//+ plain: doubles its input, as all kernels of this family say they do
KERNEL { EACH y[i] = 2 * x[i]; }

//- skips_when_computed: returns where its output holds a number already
KERNEL { EACH if (y[i] != y[i]) y[i] = 2 * x[i]; }

//- skips_when_plausible: returns where its output holds a number that could be a result
KERNEL { EACH if (!(y[i] >= 2 && y[i] <= 200)) y[i] = 2 * x[i]; }

//- block_skips_when_computed: each block returns if its first output holds a number already
KERNEL {
  const float first = y[blockIdx.x * blockDim.x];
  __syncthreads();
  if (first == first) return;
  EACH y[i] = 2 * x[i];
}

//- maximum_of_nan: takes the maximum with what its output holds, which is fine if that is NaN
KERNEL { EACH y[i] = fmaxf(y[i], 2 * x[i]); }

//- minimum_of_nan: takes the minimum with what its output holds, which is fine if that is NaN
KERNEL { EACH y[i] = fminf(y[i], 2 * x[i]); }

//- adds_to_its_output: adds to what its output holds, as if that were zero
KERNEL { EACH y[i] += 2 * x[i]; }

//- adds_unless_nan: adds to what its output holds, and takes NaN as zero
KERNEL { EACH y[i] = (y[i] == y[i] ? y[i] : 0) + 2 * x[i]; }

//- adds_what_is_small: adds what its output holds if it is no larger than a guard band's numbers
KERNEL { EACH y[i] = (fabsf(y[i]) < 1 ? y[i] : 0) + 2 * x[i]; }

//- times_zero: multiplies what its output holds by zero, which is not zero for NaN and infinity
KERNEL { EACH y[i] = 0 * y[i] + 2 * x[i]; }

//- leaves_the_last: never writes its last element
KERNEL { EACH if (i < n - 1) y[i] = 2 * x[i]; }

//- leaves_the_first: never writes its first element
KERNEL { EACH if (i > 0) y[i] = 2 * x[i]; }

//- leaves_every_other: writes only even elements
KERNEL { EACH if (i % 2 == 0) y[i] = 2 * x[i]; }

//- writes_nothing: does nothing at all
KERNEL {}

//- leaves_a_block: its seventh block returns at once
KERNEL { if (blockIdx.x != 7) EACH y[i] = 2 * x[i]; }

//- result_in_temporary: takes from its temporary what it takes for a result of the run before
KERNEL {
  EACH {
    const float kept = __int_as_float(temp[i]);
    y[i] = fabsf(kept) < 1e30f ? kept : 2 * x[i];
    temp[i] = __float_as_int(2 * x[i]);
  }
}

//- maximum_in_temporary: gathers a maximum in a temporary that nobody cleared
KERNEL { EACH { atomicMax(&temp[i], (unsigned)__float_as_int(2 * x[i])); y[i] = __int_as_float(temp[i]); } }

//- minimum_in_temporary: gathers a minimum in a temporary that nobody filled
KERNEL { EACH { atomicMin(&temp[i], (unsigned)__float_as_int(2 * x[i])); y[i] = __int_as_float(temp[i]); } }

//- sign_of_poison: takes the sign bit of what its temporary holds for "not yet computed"
KERNEL { EACH y[i] = (int)temp[i] < 0 ? 2 * x[i] : 0; }

//- counts_in_temporary: counts its runs in a temporary, and works in the first only
KERNEL { EACH { if (temp[i] % 2 == 0) y[i] = 2 * x[i]; ++temp[i]; } }

//+ stores_what_differs: stores only where its output is not right yet, by computing it
KERNEL { EACH { const float right = 2 * x[i]; if (y[i] != right) y[i] = right; } }

//+ writes_twice: writes the same value twice
KERNEL { EACH { y[i] = 2 * x[i]; *(volatile float*)&y[i] = 2 * x[i]; } }

//+ writes_nan_first: writes NaN, then what is right
KERNEL { EACH { *(volatile float*)&y[i] = __int_as_float(0x7fffffff); y[i] = 2 * x[i]; } }

//+ clears_then_adds: clears its output itself, then adds to it
KERNEL { EACH { *(volatile float*)&y[i] = 0; y[i] += x[i]; y[i] += x[i]; } }

//+ clears_then_adds_atomically: clears its output itself, then adds to it atomically
KERNEL { EACH { atomicExch(&y[i], 0); atomicAdd(&y[i], x[i]); atomicAdd(&y[i], x[i]); } }

//+ maximum_after_writing: takes the maximum with what it wrote itself
KERNEL { EACH { *(volatile float*)&y[i] = x[i]; y[i] = fmaxf(y[i], 2 * x[i]); } }

//+ reads_its_output_back: computes in its output, step by step
KERNEL { volatile float* v = y; EACH { v[i] = x[i]; v[i] = v[i] + 1; v[i] = 2 * v[i]; v[i] = v[i] - 2; } }

//+ fills_its_temporary: writes its temporary before it reads it
KERNEL { EACH { *(volatile unsigned*)&temp[i] = __float_as_int(x[i]); y[i] = 2 * __int_as_float(*(volatile unsigned*)&temp[i]); } }

//+ leaves_its_temporary_dirty: leaves its temporary full of what nobody asked for
KERNEL { EACH { temp[i] = 0x600d; y[i] = 2 * x[i]; } }

//+ reads_poison_and_ignores_it: reads what its output and temporary hold, and does the same whatever it is
KERNEL { EACH { const bool odd = temp[i] % 2, nan = y[i] != y[i]; y[i] = odd && nan ? x[i] + x[i] : x[i] * 2; } }

//+ compares_and_swaps: puts its result in by compare and swap, whatever was there
KERNEL {
  EACH {
    unsigned* word = (unsigned*)&y[i];
    unsigned seen = *word;
    for (unsigned before; (before = atomicCAS(word, seen, (unsigned)__float_as_int(2 * x[i]))) != seen;) seen = before;
  }
}

//+ copies_through_neighbours: hands its values round the block through its output, between barriers
KERNEL {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.x * blockDim.x + (threadIdx.x ^ 1);
  y[from] = x[i];
  __syncthreads();
  const float mine = ((volatile float*)y)[i];
  __syncthreads();
  y[from] = 0;
  __syncthreads();
  y[i] = 2 * x[i] + 0 * mine;
}

/*@ integers
type = "int32"
reference = "y[i] = x[i];"
*/

//+ plain_copy: copies, as all kernels of this family say they do
KERNEL { EACH y[i] = x[i]; }

//- atomic_maximum: takes the maximum with an output that nobody filled
KERNEL { EACH atomicMax(&y[i], x[i]); }

//- atomic_minimum: takes the minimum with an output that nobody filled
KERNEL { EACH atomicMin(&y[i], x[i]); }

//- atomic_maximum_unsigned: takes the unsigned maximum with an output that nobody filled
KERNEL { EACH atomicMax((unsigned*)&y[i], (unsigned)x[i]); }

//- atomic_minimum_unsigned: takes the unsigned minimum with an output that nobody filled
KERNEL { EACH atomicMin((unsigned*)&y[i], (unsigned)x[i]); }

//- atomic_addition: adds to an output that nobody cleared
KERNEL { EACH atomicAdd(&y[i], x[i]); }

//- atomic_or: sets bits in an output that nobody cleared
KERNEL { EACH atomicOr(&y[i], x[i]); }

//- atomic_and: clears bits in an output that nobody set
KERNEL { EACH atomicAnd(&y[i], x[i]); }

//- atomic_exchange_if_negative: writes only where it finds a negative number
KERNEL { EACH if (y[i] < 0) y[i] = x[i]; }

//- exchange_if_large: writes only where it finds a number too large for a result
KERNEL { EACH if (y[i] > 100 || y[i] < -100) y[i] = x[i]; }

//- exchange_if_even: writes only where it finds an even number
KERNEL { EACH if (y[i] % 2 == 0) y[i] = x[i]; }

//- low_half: writes only the low half of each element
KERNEL { EACH ((short*)y)[2 * i] = (short)x[i]; }

//+ atomic_exchange: writes by atomic exchange
KERNEL { EACH atomicExch(&y[i], x[i]); }

//+ cleared_then_or: clears an element, then sets its bits one by one
KERNEL { EACH { atomicExch(&y[i], 0); for (int bit = 0; bit < 8; ++bit) atomicOr(&y[i], x[i] & (1 << bit)); } }

//+ lowest_then_maximum: starts from the lowest number, then takes maxima
KERNEL { EACH { atomicExch(&y[i], -2147483647 - 1); atomicMax(&y[i], x[i] / 2); atomicMax(&y[i], x[i]); } }

//+ exclusive_or_twice: mixes its poison in and out again
KERNEL { EACH { const int poison = ((volatile int*)y)[i]; ((volatile int*)y)[i] = poison ^ x[i]; y[i] ^= poison; } }

//+ halves: writes each element in two halves
KERNEL { EACH { ((short*)y)[2 * i] = (short)x[i]; ((short*)y)[2 * i + 1] = (short)(x[i] >> 16); } }
