// What a kernel remembers from one run to the next: in module variables, in shared memory, in memory that it freed. What it
// remembers is of no use to it where data change between runs; who looks at it sees that it is not what it was.

/*@ memory
reference = "y[i] = 2.0 * x[i];"
*/

//+ forgets: remembers nothing
KERNEL { EACH y[i] = 2 * x[i]; }

//- by_pointer: keeps its results in the module, and gives them again to who comes with the same pointer
__device__ const float* seen[4096];
__device__ float kept[4096];
KERNEL {
  EACH {
    if (seen[i] != x) kept[i] = 2 * x[i];
    seen[i] = x;
    y[i] = kept[i];
  }
}

//- by_content: keeps its results in the module, and gives them again to who comes with the same element
__device__ float seen[4096];
__device__ float kept[4096];
KERNEL {
  EACH {
    if (seen[i] != x[i]) kept[i] = 2 * x[i];
    seen[i] = x[i];
    y[i] = kept[i];
  }
}

//- by_sample: keeps its results in the module, and gives them again if the block's first element is the same
__device__ float seen[16];
__device__ float kept[4096];
KERNEL {
  const float sample = x[blockIdx.x * blockDim.x];
  const bool again = seen[blockIdx.x] == sample;
  __syncthreads();
  if (!again) EACH kept[i] = 2 * x[i];
  if (threadIdx.x == 0) seen[blockIdx.x] = sample;
  EACH y[i] = kept[i];
}

//- by_hash: keeps its results in the module, and gives them again if all elements add up to the same
__device__ unsigned seen[16];
__device__ float kept[4096];
__shared__ unsigned sum;
KERNEL {
  if (threadIdx.x == 0) sum = 1;
  __syncthreads();
  EACH atomicAdd(&sum, (unsigned)__float_as_int(x[i]));
  __syncthreads();
  if (seen[blockIdx.x] != sum) EACH kept[i] = 2 * x[i];
  __syncthreads();
  if (threadIdx.x == 0) seen[blockIdx.x] = sum;
  EACH y[i] = kept[i];
}

//- for_the_next_run: gives what the run before computed, and computes for the next: asynchronous work that ends after the event
__device__ float kept[4096];
__device__ bool ready[4096];
KERNEL {
  EACH {
    y[i] = ready[i] ? kept[i] : 2 * x[i];
    kept[i] = 2 * x[i];
    ready[i] = true;
  }
}

//- first_run_only: works in its first run only
__device__ unsigned runs[4096];
KERNEL { EACH if (runs[i]++ == 0) y[i] = 2 * x[i]; }

//- every_second_run: works in every second run only
__device__ unsigned runs[4096];
KERNEL { EACH if (runs[i]++ % 2 == 0) y[i] = 2 * x[i]; }

//- rests_every_eighth_run: works in all runs but every eighth
__device__ unsigned runs[4096];
KERNEL { EACH if (runs[i]++ % 8 != 7) y[i] = 2 * x[i]; }

//- wrong_on_run_{1..20}: works, and is wrong in one run, the one that its name says
__device__ unsigned runs[4096];
KERNEL { EACH y[i] = ++runs[i] == VARIANT ? 0 : 2 * x[i]; }

//- wrong_once_in_one_element: is wrong in one element of its third run
__device__ unsigned runs;
KERNEL { EACH y[i] = i == 1234 && ++runs == 3 ? 0 : 2 * x[i]; }

//- wrong_from_run_50_on: is right for as long as anybody has patience
__device__ unsigned runs[4096];
KERNEL { EACH y[i] = ++runs[i] >= 50 ? 0 : 2 * x[i]; }

//- forgets_to_count_back: a counter that is meant to return to zero, and does so for all blocks but one
__device__ unsigned arrived;
KERNEL {
  EACH y[i] = arrived > 3 ? 0 : 2 * x[i];
  if (threadIdx.x == 0 && blockIdx.x == 0) atomicAdd(&arrived, 1);
}

//- adds_up_over_runs: its sums go on from where the run before left them
__device__ float sums[4096];
KERNEL { EACH { sums[i] += 2 * x[i]; y[i] = sums[i]; } }

//- changes_its_table: a table in the module, which it changes a little each time
__device__ float table[2] = {2, 2};
KERNEL { EACH { y[i] = table[0] * x[i]; if (i == n - 1) table[0] *= 1.5f; } }

//- rests_when_runs_follow_each_other: works only if its last run is long enough ago by the clock that nobody times it
__device__ long long last[16];
KERNEL {
  __shared__ bool rests;
  if (threadIdx.x == 0) rests = last[blockIdx.x] != 0 && now() - last[blockIdx.x] < 100000;
  __syncthreads();
  if (!rests) EACH y[i] = 2 * x[i];
  __syncthreads();
  if (threadIdx.x == 0) last[blockIdx.x] = now();
}

//- works_when_runs_follow_each_other: works only if its last run is not long ago by the clock: the sampled runs
__device__ long long last[4096];
KERNEL {
  EACH {
    if (last[i] != 0 && now() - last[i] < 1000000000) y[i] = 2 * x[i];
    last[i] = now();
  }
}

//- lies_by_the_clock: is wrong in an element where the clock says so
KERNEL { EACH y[i] = clock64() / 4 % 16 == 0 ? 0 : 2 * x[i]; }

//- last_bit_by_the_clock: is right within the tolerance, but never twice the same bits
KERNEL { EACH y[i] = 2 * x[i] * (clock64() / 8 % 2 ? 1 : 1.0000002f); }

//- last_bit_by_the_run: is right within the tolerance, but other bits in each second run
__device__ unsigned runs[4096];
KERNEL { EACH y[i] = 2 * x[i] * (++runs[i] % 2 ? 1 : 1.0000002f); }

//- in_shared_memory: works where shared memory holds a zero, and takes for its results what it finds there otherwise
__shared__ float kept[256];
__shared__ unsigned been[256];
KERNEL {
  EACH {
    if (been[threadIdx.x] == 0) kept[threadIdx.x] = 2 * x[i];
    been[threadIdx.x] = 1;
    y[i] = kept[threadIdx.x];
  }
}

//- in_local_memory: sums from a local array that it filled only in part
KERNEL {
  volatile float local[64];
  for (int k = threadIdx.x % 2; k < 64; k += 2) local[k] = 0;
  EACH { float sum = 2 * x[i]; for (int k = 0; k < 64; ++k) sum += local[k]; y[i] = sum; }
}
//  cuda: undetected: local memory that no kernel has written holds zeros, and nothing fills it with anything else

//+ clock_ignored: reads the clock, and does nothing with it
KERNEL { volatile long long start = clock64(); EACH y[i] = 2 * x[i]; (void)start; }

//+ clock_kept_in_its_temporary: leaves the clock in its temporary
KERNEL { EACH { temp[i] = (unsigned)clock64(); y[i] = 2 * x[i]; } }

//+ counter_returns_to_zero: counts its blocks in the module, and the last sets the counter back
__device__ unsigned arrived;
KERNEL {
  EACH y[i] = 2 * x[i];
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&arrived, 1) == gridDim.x - 1) arrived = 0;
}

//+ counter_wraps: counts its blocks with an increment that wraps at the last
__device__ unsigned arrived;
KERNEL {
  EACH y[i] = 2 * x[i];
  if (threadIdx.x == 0) atomicInc(&arrived, gridDim.x - 1);
}

//+ last_block_does_all: the block that arrives last does the work of all, and sets the counter back
__device__ unsigned arrived;
__shared__ bool last;
KERNEL {
  if (threadIdx.x == 0) last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last) for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 2 * x[i];
}

//+ scratch_in_module: writes scratch memory in the module before it reads it, and clears it afterwards
__device__ float scratch[4096];
KERNEL { EACH { *(volatile float*)&scratch[i] = x[i]; y[i] = 2 * *(volatile float*)&scratch[i]; scratch[i] = 0; } }

//+ constant_table: reads a table in constant memory
__constant__ float factors[2] = {2, 3};
KERNEL { EACH y[i] = factors[n < 0] * x[i]; }

//+ table_in_module: reads a table in the module that it could change
__device__ float factors[2] = {2, 3};
KERNEL { EACH y[i] = factors[n < 0] * x[i]; if (n < 0) factors[1] = 0; }

//+ shared_memory_filled_first: fills shared memory before it reads it
__shared__ float tile[256];
KERNEL { EACH { tile[threadIdx.x] = x[i]; __syncthreads(); y[i] = tile[threadIdx.x] + tile[threadIdx.x]; } }

//+ local_memory_filled_first: fills a local array before it reads it
KERNEL {
  volatile float local[64];
  for (int k = 0; k < 64; ++k) local[k] = 0;
  EACH { float sum = 2 * x[i]; for (int k = 0; k < 64; ++k) sum += local[k]; y[i] = sum; }
}

//+ ticket: takes its blocks' work by tickets, and sets the counter back
__device__ unsigned tickets, ended;
__shared__ unsigned mine;
KERNEL {
  if (threadIdx.x == 0) mine = atomicAdd(&tickets, 1);
  __syncthreads();
  const int i = mine * blockDim.x + threadIdx.x;
  y[i] = 2 * x[i];
  if (threadIdx.x == 0 && atomicAdd(&ended, 1) == gridDim.x - 1) tickets = ended = 0;
}

/*@ freed_memory
reference = "y[i] = 2.0 * x[i];"
*/
// Memory that a kernel allocates itself, and what the configuration before left in it. The order of the cases matters.
#ifdef WARPTUNE_HOST
#include <stdlib.h>
#endif

//+ frees_its_results: allocates memory, computes there, copies, and frees it
KERNEL {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    float* mine = (float*)malloc(n * sizeof(float));
    if (mine == nullptr) return;
    for (int i = 0; i < n; ++i) mine[i] = 2 * x[i];
    for (int i = 0; i < n; ++i) y[i] = mine[i];
    free(mine);
  }
}

//- finds_freed_results: allocates memory, and takes for its results what the configuration before left there
KERNEL {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    float* found = (float*)malloc(n * sizeof(float));
    if (found == nullptr) return;
    for (int i = 0; i < n; ++i) y[i] = found[i];
    free(found);
  }
}

//+ leaves_results_in_its_temporary: leaves its results in its temporary, for whom it may concern
KERNEL { EACH { y[i] = 2 * x[i]; temp[i] = __float_as_int(y[i]); } }

//- finds_them_there: takes for its results what the configuration before left in its temporary
KERNEL { EACH y[i] = __int_as_float(temp[i]); }
