// Threads and blocks in an order that nobody promised: races, missing barriers, shared memory that nobody filled.

/*@ order
reference = "const int b = i / 256 * 256, t = i % 256; y[i] = 2.0 * x[b + 255 - t] + x[b + (t + 1) % 256];"
*/
// Each output needs elements that other threads of its block load.

//+ barrier: loads, waits, uses
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH { tile[t] = x[i]; __syncthreads(); y[i] = 2 * tile[255 - t] + tile[(t + 1) % 256]; }
}

//- no_barrier: uses what other threads load without waiting for it
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH { LATE(t >= 128) tile[t] = x[i]; y[i] = 2 * tile[255 - t] + tile[(t + 1) % 256]; }
}

//- left_neighbour: waits for all, but not for its left neighbour's second value
KERNEL {
  __shared__ float tile[256], next[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    __syncthreads();
    LATE(t / 32 % 2 == 0)
    next[t] = tile[(t + 2) % 256];
    y[i] = 2 * tile[255 - t] + next[(t + 255) % 256];
  }
}

//- right_neighbour: waits for all, but not for its right neighbour's second value
KERNEL {
  __shared__ float tile[256], next[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    __syncthreads();
    LATE(t / 32 % 2 == 0)
    next[t] = tile[t];
    y[i] = 2 * tile[255 - t] + next[(t + 1) % 256];
  }
}

//- overwritten_too_early: writes its tile anew while others still read it
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    __syncthreads();
    LATE(t < 128)
    const float mirror = tile[255 - t];
    tile[t] = x[i] + 1;
    __syncthreads();
    y[i] = 2 * mirror + tile[(t + 1) % 256] - 1;
  }
}

//- sums_without_barrier: a sum in a tree whose steps do not wait for each other
KERNEL {
  __shared__ float tile[256], sum[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    sum[t] = 1;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
      LATE(t >= 32 && t < 64)
      if (t < half) sum[t] += sum[t + half];
    }
    __syncthreads();
    y[i] = (2 * tile[255 - t] + tile[(t + 1) % 256]) * (sum[0] / 256);
  }
}

//- warp_without_barrier: takes the lanes of a warp to run in step
KERNEL {
  __shared__ volatile float tile[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    const float pair = tile[t ^ 1];
    __syncthreads();
    y[i] = 2 * tile[255 - t] + (t % 2 ? tile[(t + 1) % 256] : pair);
  }
}
//  cuda: undetected: lanes of one warp that do not diverge do run in step on today's GPUs

//- clears_its_right: clears the element to its right before it writes its own, so that the last to come is right
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    __syncthreads();
    LATE(t / 32 % 2)
    if (t < 255) ((volatile float*)y)[i + 1] = 0;
    ((volatile float*)y)[i] = 2 * tile[255 - t] + tile[(t + 1) % 256];
    LATE(t % 32 == 31 && t / 32 % 2 == 0)
    if (t % 32 == 31 && t < 255) ((volatile float*)y)[i + 1] = 0;
  }
}

//- clears_its_left: clears the element to its left after it wrote its own
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    __syncthreads();
    if (t > 0) ((volatile float*)y)[i - 1] = 0;
    LATE(t / 32 % 2)
    ((volatile float*)y)[i] = 2 * tile[255 - t] + tile[(t + 1) % 256];
    if (t % 32 == 0 && t > 0) ((volatile float*)y)[i - 1] = 0;
  }
}

//- writes_for_two: two threads write each element, only one of them what is right
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    __syncthreads();
    const int own = 2 * tile[255 - t] + tile[(t + 1) % 256];
    LATE(t >= 128)
    ((volatile float*)y)[i] = 2 * tile[255 - t] + tile[(t + 1) % 256];
    ((volatile float*)y)[i - t + 255 - t] = own;
  }
}

//- sum_not_cleared: adds up in shared memory that nobody cleared
KERNEL {
  __shared__ float tile[256];
  __shared__ int zero;
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    atomicAdd(&zero, 1);
    atomicSub(&zero, 1);
    __syncthreads();
    y[i] = 2 * tile[255 - t] + tile[(t + 1) % 256] + (zero != 0);
  }
}
//  cuda: undetected: shared memory that nobody filled holds zeros more often than not

//- flags_not_cleared: takes shared memory that nobody filled for "nobody has been here"
KERNEL {
  __shared__ float tile[256];
  __shared__ int been[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    __syncthreads();
    y[i] = been[t] ? 0 : 2 * tile[255 - t] + tile[(t + 1) % 256];
    been[t] = 0;
  }
}
//  cuda: undetected: shared memory that nobody filled holds zeros more often than not

//- tile_of_the_block_before: reads its tile where the block before left it
KERNEL {
  __shared__ float tile[512];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    __syncthreads();
    y[i] = 2 * tile[255 - t] + tile[(t + 1) % 256] + (tile[256 + t] == 0.25f ? 0 : 1);
    tile[256 + t] = 0.25f;
  }
}

//+ no_tile: reads everything from global memory
KERNEL { EACH { const int b = i / 256 * 256, k = i % 256; y[i] = 2 * x[b + 255 - k] + x[b + (k + 1) % 256]; } }

//+ barrier_and_again: uses its tile twice, with barriers on either side
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    __syncthreads();
    const float mirror = tile[255 - t];
    __syncthreads();
    tile[t] = x[i] / 2;
    __syncthreads();
    y[i] = 2 * mirror + 2 * tile[(t + 1) % 256];
  }
}

//+ no_barrier_within_a_thread: needs no barrier where each thread reads only what it wrote
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH { tile[t] = x[i - t + 255 - t]; y[i] = 2 * tile[t] + x[i - t + (t + 1) % 256]; }
}

//+ barrier_of_a_warp: waits for its warp where only its warp reads what it wrote
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x, mirrored = 255 - t, w = t / 32 * 32;
  EACH {
    tile[t] = x[i - t + mirrored];
    __syncwarp();
    const float swapped = tile[t ^ 1];
    __syncwarp();
    tile[t] = swapped;
    __syncwarp();
    y[i] = 2 * tile[w + ((t - w) ^ 1)] + x[i - t + (t + 1) % 256];
  }
}

//+ shuffles: has its neighbour's value from a shuffle, and the last lane reads it
KERNEL {
  const int t = threadIdx.x;
  EACH {
    float right = __shfl_down_sync(0xffffffffu, x[i], 1);
    if (t % 32 == 31) right = x[i - t + (t + 1) % 256];
    y[i] = 2 * x[i - t + 255 - t] + right;
  }
}

//+ all_write_the_same: all threads write the same value to one element of shared memory
KERNEL {
  __shared__ float factor;
  const int t = threadIdx.x;
  factor = 2;
  __syncthreads();
  EACH y[i] = factor * x[i - t + 255 - t] + x[i - t + (t + 1) % 256];
}

//+ one_thread_works: one thread of the block does all
KERNEL {
  if (threadIdx.x != 77) return;
  const int b = blockIdx.x * 256;
  for (int k = 0; k < 256; ++k) y[b + k] = 2 * x[b + 255 - k] + x[b + (k + 1) % 256];
}

//+ votes: takes a vote of its block whose result it knows
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    const int all = __syncthreads_and(x[i] >= 1), none = __syncthreads_or(x[i] < 1);
    y[i] = all && !none ? 2 * tile[255 - t] + tile[(t + 1) % 256] : 0;
  }
}

//+ double_buffer: writes one buffer while the other is read, a barrier a step
KERNEL {
  __shared__ float tile[2][256];
  const int t = threadIdx.x;
  EACH {
    tile[0][t] = x[i];
    for (int step = 0; step < 4; ++step) {
      __syncthreads();
      tile[1 - step % 2][t] = tile[step % 2][255 - t];
    }
    __syncthreads();
    y[i] = 2 * tile[0][255 - t] + tile[0][(t + 1) % 256];
  }
}

//+ shared_atomics: clears a counter in shared memory, waits, and counts
KERNEL {
  __shared__ float tile[256];
  __shared__ int count;
  const int t = threadIdx.x;
  if (t == 0) count = 0;
  __syncthreads();
  EACH {
    tile[t] = x[i];
    atomicAdd(&count, 1);
    __syncthreads();
    y[i] = (2 * tile[255 - t] + tile[(t + 1) % 256]) * (count == 256);
  }
}

//+ divergent_barriers_of_warps: warps take different paths, each with barriers of its own
KERNEL {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  EACH {
    tile[t] = x[i];
    if (t < 128) __syncwarp();
    else { __syncwarp(); __syncwarp(); }
    __syncthreads();
    y[i] = 2 * tile[255 - t] + tile[(t + 1) % 256];
  }
}

/*@ blocks
size = 16384
reference = "y[i] = i >= 256 ? x[i] + x[i - 256] : x[i];"
*/
// Each block needs what the block before it reads.

//+ reads_both: reads both elements from the input
KERNEL { EACH y[i] = i >= 256 ? x[i] + x[i - 256] : x[i]; }

//- reads_the_block_before: takes from its temporary what the block before left there, without waiting for it
KERNEL {
  LATE(blockIdx.x % 2 == 0)
  EACH {
    ((volatile unsigned*)temp)[i] = (unsigned)__float_as_int(x[i]);
    y[i] = i >= 256 ? x[i] + __int_as_float(((volatile unsigned*)temp)[i - 256]) : x[i];
  }
}
//  host: undetected: blocks start in order there, as the manual says, and on one core end in order, too

//- reads_the_block_behind: takes for granted that the block behind it has left its numbers in the temporary
KERNEL {
  LATE(blockIdx.x % 2 == 0)
  EACH {
    ((volatile unsigned*)temp)[i] = (unsigned)__float_as_int(x[i]);
    const bool there = i + 256 >= n || ((volatile unsigned*)temp)[i + 256] == (unsigned)__float_as_int(x[i + 256]);
    y[i] = there ? x[i] + (i >= 256 ? x[i - 256] : 0) : 0;
  }
}

//- last_block_without_counting: takes the block with the largest index for the last one to end
KERNEL {
  LATE(blockIdx.x % 3 == 0)
  if (blockIdx.x == gridDim.x - 1) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      const unsigned before = i >= 256 && i < n - 256 ? ((volatile unsigned*)temp)[i - 256] : 0;
      y[i] = i >= n - 256 ? x[i] + x[i - 256] : x[i] + __int_as_float(before);
    }
  }
  EACH if (blockIdx.x < gridDim.x - 1) temp[i] = (unsigned)__float_as_int(x[i]);
}
//  host: undetected: blocks start in order there, as the manual says, and on one core end in order, too

//+ waits_for_the_block_before: each block waits for the flag of the block before it, and the last clears all flags
__device__ volatile int ready[64];
__device__ unsigned ended;
KERNEL {
  EACH ((volatile unsigned*)temp)[i] = (unsigned)__float_as_int(x[i]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    ready[blockIdx.x] = 1;
    while (blockIdx.x > 0 && !ready[blockIdx.x - 1]) {}
    __threadfence();
  }
  __syncthreads();
  EACH y[i] = i >= 256 ? x[i] + __int_as_float(((volatile unsigned*)temp)[i - 256]) : x[i];
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) ready[threadIdx.x] = 0;
}

//+ last_block_by_count: the block that is the last to end, by a counter, computes everything
__device__ unsigned ended;
__shared__ bool last;
KERNEL {
  EACH ((volatile unsigned*)temp)[i] = (unsigned)__float_as_int(x[i]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(&ended, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const unsigned before = i >= 256 ? ((volatile unsigned*)temp)[i - 256] : 0;
    y[i] = x[i] + __int_as_float(before);
  }
}

//+ no_order_at_all: each block computes for the block with the mirrored index
KERNEL {
  const int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x;
  y[i] = i >= 256 ? x[i] + x[i - 256] : x[i];
}
