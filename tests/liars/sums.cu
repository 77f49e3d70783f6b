// Results that gather: sums of many elements, updates in place, several launches.

/*@ sums
type = "int32"
length = "1"
reference = "if (i == 0) { int sum = 0; for (int k = 0; k < n; ++k) sum += x[k]; y[0] = sum; }"
*/
// One sum of all elements.

//+ one_block: one block adds up everything
KERNEL {
  __shared__ int sum;
  if (blockIdx.x > 0) return;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[i];
  atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) y[0] = sum;
}

//- nobody_clears: adds to a sum that nobody cleared
KERNEL { EACH atomicAdd(y, x[i]); }

//- first_block_clears: one block clears the sum, and no other waits for that
KERNEL {
  LATE(blockIdx.x == 0)
  if (blockIdx.x == 0 && threadIdx.x == 0) y[0] = 0;
  __syncthreads();
  EACH atomicAdd(y, x[i]);
}
//  host: undetected: blocks start in order there, as the manual says, and on one core end in order, too

//- last_block_clears: the last block clears the sum, and no other waits for that
KERNEL {
  LATE(blockIdx.x == gridDim.x - 1)
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) y[0] = 0;
  __syncthreads();
  EACH atomicAdd(y, x[i]);
}

//- clears_for_the_next: clears the sum for the next run when it is done, and takes that for granted
__device__ unsigned ended;
__device__ int sum;
KERNEL {
  EACH atomicAdd(&sum, x[i]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1) y[0] = sum;
}

//- without_atomics: reads, adds and writes as if it were alone
KERNEL {
  if (blockIdx.x > 0) return;
  __shared__ volatile int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[i];
  const int seen = sum;
  __syncwarp();
  LATE(threadIdx.x >= 128)
  sum = seen + mine;
  __syncthreads();
  if (threadIdx.x == 0) y[0] = sum;
}

//- forgets_the_last: leaves the last element out
KERNEL {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  int sum = 0;
  for (int i = 0; i < n - 1; ++i) sum += x[i];
  y[0] = sum;
}

//- writes_partial_sums: writes its sums in passing, and ends with the wrong one
KERNEL {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) { sum += x[i]; ((volatile int*)y)[0] = sum; }
  y[0] = sum - x[n - 1];
}

//+ last_block_adds_up: the last block to end adds up what the others left in a temporary
__device__ unsigned ended;
KERNEL {
  __shared__ int sum;
  __shared__ bool last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  EACH atomicAdd(&sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    ((volatile unsigned*)temp)[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x > 0) return;
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += ((volatile unsigned*)temp)[b];
  y[0] = total;
}

//+ sum_in_module: adds up in the module, and whoever is last writes the sum and sets it back
__device__ unsigned ended;
__device__ int sum;
KERNEL {
  EACH atomicAdd(&sum, x[i]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x > 0 || atomicInc(&ended, gridDim.x - 1) < gridDim.x - 1) return;
  y[0] = atomicExch(&sum, 0);
}

//+ warp_sums: adds up by shuffles
KERNEL {
  if (blockIdx.x > 0 || threadIdx.x >= 32) return;
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x == 0) y[0] = sum;
}

//+ writes_sums_in_passing: writes its sums in passing, and ends with the right one
KERNEL {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  int sum = 0;
  for (int i = 0; i < n; ++i) { sum += x[i]; ((volatile int*)y)[0] = sum; }
}

/*@ atomic_sums
length = "1"
reference = "if (i == 0) { double sum = 0; for (int k = 0; k < n; ++k) sum += x[k]; y[0] = sum; }"
tolerance = "{ relative = 1e-4 }"
output = "nondeterministic = true"
launches = 2
*/
// Two launches, the first to clear; sums of floats in any order, as the manifest says.

//+ cleared_by_a_launch: a launch clears the sum, another adds to it atomically
STEP(1) { if (blockIdx.x == 0 && threadIdx.x == 0) y[0] = 0; }
STEP(2) { EACH atomicAdd(y, x[i]); }

//+ through_a_temporary: a launch leaves sums of blocks in a temporary, another adds them up
STEP(1) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  EACH atomicAdd(&sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) temp[blockIdx.x] = __float_as_int(sum);
}
STEP(2) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += __int_as_float(temp[b]);
  y[0] = sum;
}

//+ second_launch_idle: the first launch does everything
STEP(1) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  y[0] = sum;
}
STEP(2) {}

//- forgets_to_clear: its first launch clears nothing
STEP(1) {}
STEP(2) { EACH atomicAdd(y, x[i]); }

//- clears_once: its first launch clears only in the first run
__device__ bool been;
STEP(1) { if (blockIdx.x == 0 && threadIdx.x == 0) { if (!been) y[0] = 0; been = true; } }
STEP(2) { EACH atomicAdd(y, x[i]); }

//- adds_twice: both launches add
STEP(1) { if (blockIdx.x == 0 && threadIdx.x == 0) { y[0] = 0; for (int i = 0; i < n; ++i) y[0] += x[i]; } }
STEP(2) { EACH atomicAdd(y, x[i]); }

//- a_block_too_few: its sums of blocks lack the last one
STEP(1) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  EACH atomicAdd(&sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) temp[blockIdx.x] = __float_as_int(sum);
}
STEP(2) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  float sum = 0;
  for (unsigned b = 0; b + 1 < gridDim.x; ++b) sum += __int_as_float(temp[b]);
  y[0] = sum;
}

/*@ histogram
type = "int32"
length = "101"
reference = "if (i < 101) { int count = 0; for (int k = 0; k < n; ++k) count += x[k] == i; y[i] = count; }"
launches = 2
*/
// How often each number occurs; nothing is cleared for the kernel.

//+ cleared_first: a launch clears all counters, another counts
STEP(1) { EACH if (i < 101) y[i] = 0; }
STEP(2) { EACH atomicAdd(&y[x[i]], 1); }

//+ in_shared_memory: one block counts in shared memory, and writes all counters
STEP(1) {
  __shared__ int count[101];
  if (blockIdx.x > 0) return;
  for (int k = threadIdx.x; k < 101; k += blockDim.x) count[k] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&count[x[i]], 1);
  __syncthreads();
  for (int k = threadIdx.x; k < 101; k += blockDim.x) y[k] = count[k];
}
STEP(2) {}

//- one_counter_not_cleared: clears all counters but one
STEP(1) { EACH if (i < 101 && i != 64) y[i] = 0; }
STEP(2) { EACH atomicAdd(&y[x[i]], 1); }

//- zero_left_out: never writes the counter of what never occurs
STEP(1) { EACH if (i > 0 && i < 101) y[i] = 0; }
STEP(2) { EACH atomicAdd(&y[x[i]], 1); }

//- shared_memory_not_cleared: counts in shared memory that it did not clear
STEP(1) {
  __shared__ int count[101];
  if (blockIdx.x > 0) return;
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&count[x[i]], 1);
  __syncthreads();
  for (int k = threadIdx.x; k < 101; k += blockDim.x) y[k] = atomicExch(&count[k], 0);
}
STEP(2) {}
//  cuda: undetected: shared memory that nobody filled holds zeros more often than not

/*@ in_place
role = "inout"
output = "fill = { uniform = [1, 100], seed = 2 }"
reference = "y[i] += 2.0 * x[i];"
*/
// y is read and written.

//+ accumulates: adds to what is there
KERNEL { EACH y[i] += 2 * x[i]; }

//+ accumulates_atomically: adds to what is there by an atomic operation
KERNEL { EACH atomicAdd(&y[i], 2 * x[i]); }

//+ through_a_copy: keeps what was there in its temporary, clears, and adds all up again
KERNEL { EACH { temp[i] = __float_as_int(y[i]); *(volatile float*)&y[i] = 0; y[i] = __int_as_float(temp[i]) + 2 * x[i]; } }

//+ early_exit: returns where there is nothing to add
KERNEL { EACH if (x[i] != 0) y[i] = fmaf(2, x[i], y[i]); }

//- overwrites: does not add to what is there
KERNEL { EACH y[i] = 2 * x[i]; }

//- adds_in_the_first_run: adds unless its counter says that it did so before
__device__ unsigned runs[4096];
KERNEL { EACH if (runs[i]++ == 0) y[i] += 2 * x[i]; }

//- adds_twice_later: adds once in the first run, and twice in the others
__device__ unsigned runs[4096];
KERNEL { EACH y[i] += (runs[i]++ == 0 ? 2 : 4) * x[i]; }

//- remembers_what_was_there: keeps what was there in the first run, and adds to that
__device__ float kept[4096];
__device__ bool been[4096];
KERNEL { EACH { if (!been[i]) kept[i] = y[i]; been[i] = true; y[i] = kept[i] + 2 * x[i]; } }

//- does_nothing: leaves what is there
KERNEL {}

//- adds_to_its_input: adds to what is there, and then to its input
KERNEL { EACH { y[i] += 2 * x[i]; x[i] += 1; } }

//- every_other: adds to every other element
KERNEL { EACH if (i % 2) y[i] += 2 * x[i]; }

/*@ shuffled_in_place
type = "int32"
role = "inout"
output = "fill = { uniform = [1, 1000], seed = 2 }"
reference = "if (i % 256 == 0) { for (int k = 0; k < 128; ++k) { T a = y[i + k]; y[i + k] = y[i + 255 - k]; y[i + 255 - k] = a; } }"
*/
// Each block turns its part of y round in place.

//+ swaps: half of the threads swap two elements each
KERNEL {
  const int b = blockIdx.x * 256, k = threadIdx.x;
  if (k < 128) { const T a = y[b + k]; y[b + k] = y[b + 255 - k]; y[b + 255 - k] = a; }
}

//+ reads_all_then_writes: all threads read, wait, and write
KERNEL {
  const int b = blockIdx.x * 256, k = threadIdx.x;
  const T mine = y[b + k];
  __syncthreads();
  y[b + 255 - k] = mine;
}

//- writes_while_others_read: all threads read and write without waiting
KERNEL {
  const int b = blockIdx.x * 256, k = threadIdx.x;
  LATE(k >= 128)
  const T mine = ((volatile T*)y)[b + k];
  ((volatile T*)y)[b + 255 - k] = mine;
}

//- turns_in_each_second_run: turns round unless it did so the run before
__device__ unsigned runs[16];
KERNEL {
  const int b = blockIdx.x * 256, k = threadIdx.x;
  const bool turns = runs[blockIdx.x] % 2 == 0;
  const T mine = y[b + k];
  __syncthreads();
  if (turns) y[b + 255 - k] = mine;
  if (k == 0) ++runs[blockIdx.x];
}

//- all_but_the_middle: leaves the two elements in the middle
KERNEL {
  const int b = blockIdx.x * 256, k = threadIdx.x;
  if (k < 127) { const T a = y[b + k]; y[b + k] = y[b + 255 - k]; y[b + 255 - k] = a; }
}
