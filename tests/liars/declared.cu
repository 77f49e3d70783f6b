// What a manifest declares beyond the usual: outputs of which a part counts, variables that hold nothing, memory that is
// cleared for the kernel. A declaration allows what it says and no more.

/*@ counted
output = 'counts = "SIZE // 2"'
reference = "if (i < n / 2) y[i] = 2.0 * x[i];"
*/
// Only the first half of y counts; the reference writes no more.

//+ first_half: writes what counts
KERNEL { EACH if (i < n / 2) y[i] = 2 * x[i]; }

//+ whatever_behind: writes whatever comes to mind behind what counts
KERNEL { EACH y[i] = i < n / 2 ? 2 * x[i] : clock64(); }

//- one_short: leaves the last element that counts
KERNEL { EACH if (i < n / 2 - 1) y[i] = 2 * x[i]; }

//- other_half: writes only what does not count
KERNEL { EACH if (i >= n / 2) y[i] = 2 * x[i]; }

//- behind_all_of_it: writes behind the part that does not count
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) y[n] = 1; } }

/*@ scratch
top = 'scratch_variables = ["scratch"]'
reference = "y[i] = 2.0 * x[i];"
*/
// `scratch` is declared to hold nothing from one run to the next.
__device__ float scratch[4096];

//+ leaves_scratch_dirty: writes scratch memory in the module before it reads it, and leaves it so
KERNEL { EACH { *(volatile float*)&scratch[i] = x[i]; y[i] = 2 * *(volatile float*)&scratch[i]; } }

//- scratch_as_memory: takes from scratch memory what it takes for a result of the run before
KERNEL { EACH { y[i] = fabsf(scratch[i]) < 1e30f ? scratch[i] : 2 * x[i]; scratch[i] = 2 * x[i]; } }

//- scratch_as_zeros: adds to scratch memory as if it held zeros
KERNEL { EACH { scratch[i] += 2 * x[i]; y[i] = scratch[i]; } }

//- another_variable: remembers in a variable that is not declared
__device__ float kept[4096];
KERNEL { EACH { scratch[i] = 0; if (kept[i] == 0) kept[i] = 2 * x[i]; y[i] = kept[i]; } }

/*@ cleared
temporary = 'zero = true'
reference = "y[i] = 2.0 * x[i];"
*/
// temp is cleared before each run.

//+ counts_from_zero: counts its blocks in cleared memory
KERNEL { if (threadIdx.x == 0) atomicAdd(&temp[0], 1); EACH y[i] = 2 * x[i]; }

//+ last_of_the_blocks: the block that is the last by a counter in cleared memory does all the work
KERNEL {
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(&temp[0], 1) == gridDim.x - 1;
  __syncthreads();
  if (last) for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 2 * x[i];
}

//+ adds_to_zeros: adds to cleared memory
KERNEL { EACH { temp[i] |= (unsigned)__float_as_int(x[i]); y[i] = 2 * __int_as_float(temp[i]); } }

//- counts_on_from_there: takes for granted that its counter goes on from run to run
KERNEL { EACH { y[i] = temp[i] == 0 ? 0 : 2 * x[i]; temp[i] = 1; } }

//- output_is_not_cleared: takes its output for cleared, too
KERNEL { EACH { y[i] += 2 * x[i] + temp[i]; } }
