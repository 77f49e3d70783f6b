// Memory that was not given: shared memory behind what a launch asked for, local memory that nobody filled. A GPU faults
// on the one, and so does the host. The other holds whatever there was; the host fills it with noise.

/*@ shared_beyond
shared = "1024"
reference = "y[i] = 2.0 * x[i];"
*/
// A launch has 256 numbers. `after` is how many bytes of shared memory lie before what the kernel was not given.
extern __shared__ float dyn[];
#define TWICE_BY(place) EACH { place = x[i]; __syncthreads(); y[i] = 2 * place; __syncthreads(); }

//+ uses_all_of_it: uses the last byte of what its launch asked for
KERNEL { TWICE_BY(dyn[threadIdx.x]) }

//+ from_its_end: reaches back from the end of what its launch asked for
KERNEL { float* end = dyn + 256; TWICE_BY(end[-1 - (int)threadIdx.x]) }

//+ as_bytes: copies byte by byte, up to the last one
KERNEL {
  volatile unsigned char* bytes = (volatile unsigned char*)dyn;
  EACH {
    const unsigned word = __float_as_int(x[i]);
    for (int k = 0; k < 4; ++k) bytes[4 * threadIdx.x + k] = word >> 8 * k;
    __syncthreads();
    unsigned back = 0;
    for (int k = 0; k < 4; ++k) back |= (unsigned)bytes[4 * threadIdx.x + k] << 8 * k;
    y[i] = 2 * __int_as_float(back);
  }
}

//+ in_two_halves: has two arrays of 128 numbers in what its launch asked for
KERNEL {
  float *low = dyn, *high = dyn + 128;
  const int t = threadIdx.x;
  EACH { (t < 128 ? low[t] : high[t - 128]) = x[i]; __syncthreads(); y[i] = 2 * dyn[t]; }
}

//+ declared_beside_it: declares another 256 numbers itself
KERNEL {
  __shared__ float own[256];
  const int t = threadIdx.x;
  EACH { own[t] = x[i]; dyn[t] = own[t]; __syncthreads(); y[i] = own[t] + dyn[t]; }
}

//+ last_vector: writes four numbers at once, the last ones too
KERNEL {
  const int t = threadIdx.x;
  EACH {
    if (t < 64) ((float4*)dyn)[t] = ((const float4*)(x + i - t))[t];
    __syncthreads();
    y[i] = 2 * dyn[t];
  }
}

//+ warps_take_turns: each warp has all of it in its turn
KERNEL {
  const int t = threadIdx.x;
  EACH for (int turn = 0; turn < 8; ++turn) {
    if (t / 32 == turn) for (int k = 0; k < 8; ++k) dyn[t % 32 + 32 * k] = x[i];
    __syncthreads();
    if (t / 32 == turn) y[i] = dyn[t % 32] + dyn[224 + t % 32];
    __syncthreads();
  }
}

//- a_tile_behind [wrong_result | launch_error | crash]: has a tile right behind what its launch asked for
KERNEL { TWICE_BY(dyn[256 + threadIdx.x]) }

//- a_tile_far_behind_{1..3} [wrong_result | launch_error | crash]: has a tile behind it, at 4 KiB times four to the power
KERNEL { TWICE_BY(dyn[(1024 << 2 * VARIANT) + threadIdx.x]) }

//- two_tiles_in_one [wrong_result | launch_error | crash]: has two buffers where its launch asked for one
KERNEL { const int t = threadIdx.x; TWICE_BY(dyn[(blockIdx.x + 1) % 2 * 256 + t]) }

//- doubles_in_floats [wrong_result | launch_error | crash]: has numbers of eight bytes where its launch asked for four each
KERNEL { double* wide = (double*)dyn; TWICE_BY(wide[threadIdx.x]) }

//- one_element_behind [wrong_result | launch_error | crash]: numbers its elements from one
KERNEL { TWICE_BY(dyn[threadIdx.x + 1]) }

//- takes_it_for_zeros [wrong_result | launch_error | crash]: adds what lies behind, as if it were zeros
KERNEL { EACH y[i] = 2 * x[i] + dyn[256 + threadIdx.x]; }

//- takes_it_for_zeros_far_behind [wrong_result | launch_error | crash]: adds what lies 100 KiB behind, as if it were zeros
KERNEL { EACH y[i] = 2 * x[i] + dyn[25600 + threadIdx.x]; }

//- writes_and_forgets [wrong_result | launch_error | crash]: is right, and writes a zero right behind
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 77) *(volatile float*)&dyn[256] = 0; } }

//- counts_behind [wrong_result | launch_error | crash]: counts its threads with atomic additions behind
KERNEL {
  unsigned* counter = (unsigned*)dyn + 300;
  if (threadIdx.x == 0) *counter = 0;
  __syncthreads();
  atomicAdd(counter, 1);
  __syncthreads();
  EACH y[i] = *counter == 256 ? 2 * x[i] : 0;
}

//- vector_over_the_end [wrong_result | launch_error | crash]: the last of its vectors of four lies half behind
KERNEL {
  const int t = threadIdx.x;
  EACH {
    if (t < 64) { float2* to = (float2*)dyn + 2 * t + 1; to[0] = ((const float2*)(x + i - t))[2 * t]; to[1] = ((const float2*)(x + i - t))[2 * t + 1]; }
    __syncthreads();
    y[i] = 2 * dyn[2 + t];
  }
}

//- remembers_behind [wrong_result | launch_error | crash]: keeps its results behind, and gives them again to who comes with the same element
KERNEL {
  volatile float* kept = dyn + 256;
  EACH {
    if (kept[2 * i] != x[i]) { kept[2 * i + 1] = 2 * x[i]; kept[2 * i] = x[i]; }
    y[i] = kept[2 * i + 1];
  }
}

//- remembers_right_behind [wrong_result | launch_error | crash]: keeps a sum of each block right behind
KERNEL {
  volatile float* kept = dyn + 256;
  const float first = x[blockIdx.x * blockDim.x];
  if (threadIdx.x == 0 && kept[blockIdx.x] != first) kept[blockIdx.x] = first;
  EACH y[i] = 2 * x[i];
}

/*@ shared_padded
shared = "4096"
reference = "const int b = i / 1024 * 1024, r = i % 1024 / 32, c = i % 32; y[i] = x[b + c * 32 + r];"
*/
// Transposes squares of 32 x 32 numbers, for which a launch has memory, and for no padding. Each fourth block has one.
extern __shared__ float dyn[];
#define SQUARES(tile)                                                        \
  const int t = threadIdx.x, b = blockIdx.x / 4 * 1024;                      \
  if (blockIdx.x % 4 != 0) return;                                           \
  for (int k = t; k < 1024; k += 256) tile(k / 32, k % 32) = x[b + k];       \
  __syncthreads();                                                           \
  for (int k = t; k < 1024; k += 256) y[b + k] = tile(k % 32, k / 32);

//+ without_padding: has rows of 32 numbers
KERNEL {
#define PLAIN(row, column) dyn[(row) * 32 + (column)]
  SQUARES(PLAIN)
}

//+ swizzled: has rows of 32 numbers, each shifted by its own number
KERNEL {
#define SHIFTED(row, column) dyn[(row) * 32 + ((row) ^ (column))]
  SQUARES(SHIFTED)
}

//- with_padding [wrong_result | launch_error | crash]: has rows of 33 numbers, for which its launch asked for too little
KERNEL {
#define PADDED(row, column) dyn[(row) * 33 + (column)]
  SQUARES(PADDED)
}

//- with_much_padding [wrong_result | launch_error | crash]: has rows of 64 numbers
KERNEL {
#define WIDE(row, column) dyn[(row) * 64 + (column)]
  SQUARES(WIDE)
}

/*@ shared_by_warps
shared = "32"
reference = "double s = 0; for (int k = 0; k < 256; ++k) s += x[i / 256 * 256 + k]; y[i] = s + x[i];"
tolerance = "{ relative = 1e-4 }"
*/
// Adds each block's sum, with a number a warp in shared memory.
extern __shared__ float dyn[];
__device__ inline float of_warp(float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  return v;
}

//+ one_a_warp: adds up each warp by shuffles first
KERNEL {
  EACH {
    const float sum = of_warp(x[i]);
    if (threadIdx.x % 32 == 0) dyn[threadIdx.x / 32] = sum;
    __syncthreads();
    float all = x[i];
    for (int k = 0; k < 8; ++k) all += dyn[k];
    y[i] = all;
  }
}

//- one_a_thread [wrong_result | launch_error | crash]: has a number a thread
KERNEL {
  const int t = threadIdx.x;
  EACH {
    dyn[t] = x[i];
    for (int k = 128; k > 0; k /= 2) { __syncthreads(); if (t < k) dyn[t] += dyn[t + k]; }
    __syncthreads();
    y[i] = dyn[0] + x[i];
  }
}

/*@ shared_declared
reference = "y[i] = 2.0 * x[i];"
*/
// All shared memory is declared; a launch asks for none. `out` is an array's address that no compiler sees through.
#define HIDDEN(array) float* out = array; asm volatile("" : "+r"(out));
#if !WARPTUNE_HOST
#undef HIDDEN
#define HIDDEN(array) float* out = array; asm volatile("" : "+l"(out));
#endif

//+ within_what_it_declares: uses what it declares
KERNEL { __shared__ float tile[256]; HIDDEN(tile) EACH { out[threadIdx.x] = x[i]; __syncthreads(); y[i] = 2 * out[threadIdx.x]; } }

//+ large_and_declared: declares 48 KiB, and uses the last of it
KERNEL {
  __shared__ float tile[12288];
  HIDDEN(tile)
  EACH { for (int k = threadIdx.x; k < 12288; k += 256) out[k] = x[i]; __syncthreads(); y[i] = out[threadIdx.x] + out[12032 + threadIdx.x]; }
}

//- far_behind_what_it_declares [wrong_result | launch_error | crash]: has a tile 16 KiB behind what it declares
KERNEL { __shared__ float tile[256]; HIDDEN(tile) EACH { out[n + threadIdx.x] = x[i]; __syncthreads(); y[i] = 2 * out[n + threadIdx.x]; } }

//- zeros_behind_what_it_declares [wrong_result | launch_error | crash]: adds what lies 16 KiB behind what it declares
KERNEL { __shared__ float tile[256]; HIDDEN(tile) EACH { tile[threadIdx.x] = x[i]; y[i] = 2 * x[i] + out[n + threadIdx.x]; } }

/*@ shared_largest
backends = ["host"]
shared = "227 * 1024"
size = 1024
reference = "y[i] = 2.0 * x[i];"
*/
// As much as an H100's blocks may have, and there is none behind.
extern __shared__ float dyn[];

//+ all_of_227_kib: fills 227 KiB, and uses the first and the last
KERNEL {
  const int t = threadIdx.x, all = 227 * 256;
  EACH { for (int k = t; k < all; k += 256) dyn[k] = x[i]; __syncthreads(); y[i] = dyn[t] + dyn[all - 256 + t]; }
}

//- a_page_behind_all [wrong_result | launch_error | crash]: goes on for 4 KiB behind that
KERNEL { const int t = threadIdx.x, all = 227 * 256; EACH { dyn[all + 768 + t] = x[i]; __syncthreads(); y[i] = 2 * dyn[all + 768 + t]; } }

//- right_behind_all [wrong_result | launch_error | crash]: is right, and writes right behind that
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 5) *(volatile float*)&dyn[227 * 256] = 1; } }

/*@ shared_in_turns
backends = ["host"]
launches = 2
shared = "2048"
reference = "y[i] = 2.0 * x[i];"
*/
// Two launches of one module, one behind the other.
extern __shared__ float dyn[];

//+ both_use_all: both use all that they have
STEP(1) { EACH { dyn[256 + threadIdx.x] = x[i]; __syncthreads(); temp[i] = __float_as_int(dyn[256 + threadIdx.x]); } }
STEP(2) { EACH { dyn[threadIdx.x] = 2 * __int_as_float(temp[i]); __syncthreads(); y[i] = dyn[threadIdx.x]; } }

//- second_reads_the_firsts: the second launch takes from shared memory what the first left there
STEP(1) { EACH { dyn[threadIdx.x] = 2 * x[i]; temp[i] = 0; } }
STEP(2) { EACH y[i] = dyn[threadIdx.x]; }

//- second_goes_too_far [wrong_result | launch_error | crash]: the second launch goes behind what it has
STEP(1) { EACH temp[i] = __float_as_int(x[i]); }
STEP(2) { EACH { dyn[512 + threadIdx.x] = x[i]; __syncthreads(); y[i] = 2 * dyn[512 + threadIdx.x]; } }

/*@ local_memory
backends = ["host"]
reference = "y[i] = 2.0 * x[i];"
*/
// Local arrays that nobody filled, or only in part. (On a GPU, local memory that no kernel has written holds zeros, and
// nothing fills it with anything else.)
extern "C" void* memset(void*, int, unsigned long);
#define EACH_OF(array, from, to) for (int k = from; k < to; k += 1 + ((to) - (from)) / 64)

//- half_filled_{1..4}: takes the half that it has not filled for zeros, in 2 KiB times four to the power
KERNEL {
  constexpr int size = 128 << 2 * VARIANT;
  volatile float a[size];
  EACH_OF(a, 0, size / 2) a[k] = 0;
  EACH { float sum = 2 * x[i]; EACH_OF(a, size / 2, size) sum += a[k]; y[i] = sum; }
}

//- front_half_missing: the same, the other half
KERNEL {
  volatile float a[2048];
  EACH_OF(a, 1024, 2048) a[k] = 0;
  EACH { float sum = 2 * x[i]; EACH_OF(a, 0, 1024) sum += a[k]; y[i] = sum; }
}

//- one_missing: has filled all but one of 1,024
KERNEL {
  volatile float a[1024];
  for (int k = 0; k < 1024; ++k) if (k != 517) a[k] = 0;
  EACH { float sum = 2 * x[i]; for (int k = 0; k < 1024; ++k) sum += a[k]; y[i] = sum; }
}

//- counters_left_at_zero: counts in an array that nobody has cleared, and leaves it as it was
KERNEL {
  volatile int a[1024];
  EACH { a[i % 1024] = a[i % 1024] + 1; y[i] = a[i % 1024] == 1 ? 2 * x[i] : 0; a[i % 1024] = a[i % 1024] - 1; }
}

//- marks_nobody_set: takes no mark for set in an array of marks
KERNEL {
  volatile bool seen[4096];
  EACH { y[i] = seen[i] ? 0 : 2 * x[i]; }
}

//- maximum_of_nothing: begins its maxima from what its array holds
KERNEL {
  volatile float best[512];
  EACH { for (int k = 0; k < 512; k += 32) best[k] = fmaxf(best[k], 2 * x[i]); float all = 0; for (int k = 0; k < 512; k += 32) all = fmaxf(all, best[k]); y[i] = all; for (int k = 0; k < 512; ++k) best[k] = 0; }
}

//- minimum_of_nothing: begins its minima from what its array holds
KERNEL {
  volatile float least[512];
  EACH { for (int k = 0; k < 512; k += 32) least[k] = fminf(least[k], 2 * x[i]); float all = 1e30f; for (int k = 0; k < 512; k += 32) all = fminf(all, least[k]); y[i] = all; for (int k = 0; k < 512; ++k) least[k] = 1e30f; }
}

//- members_missing: copies a structure of which it has filled one member
struct Large { float factor, offsets[2000]; };
KERNEL {
  volatile Large large;
  large.factor = 2;
  EACH y[i] = large.factor * x[i] + large.offsets[1500] + large.offsets[3];
}

//- behind_a_barrier: half-filled arrays of threads that wait for each other
KERNEL {
  volatile float a[2048];
  EACH_OF(a, 0, 1024) a[k] = 0;
  __syncthreads();
  EACH { float sum = 2 * x[i]; EACH_OF(a, 1024, 2048) sum += a[k]; y[i] = sum; }
}

//- allocated_on_the_stack: takes 16 KiB from its stack, and them for zeros
KERNEL {
  volatile float* a = (volatile float*)__builtin_alloca(4 * n);
  EACH { float sum = 2 * x[i]; EACH_OF(a, 0, n) sum += a[k]; y[i] = sum; }
}

//- deep_in_a_recursion: adds what it finds in a half-filled array at each of 40 calls
__device__ __attribute__((noinline)) float go_down(int depth, float value) {
  volatile float a[256];
  EACH_OF(a, 0, 128) a[k] = 0;
  const float below = depth > 0 ? go_down(depth - 1, value) : value;
  float sum = below;
  EACH_OF(a, 0, 256) sum += a[k];
  return sum;
}
KERNEL { EACH y[i] = go_down(40, 2 * x[i]); }

//- reads_below_its_frame: adds what lies 64 KiB below its frame
KERNEL { volatile float one = 0; volatile float* below = &one; asm volatile("" : "+r"(below)); EACH y[i] = 2 * x[i] + one + below[-16384]; }

//- filled_by_the_first: its first thread fills the array, and the others take theirs for filled
KERNEL {
  volatile float a[2048];
  if (threadIdx.x == 0) EACH_OF(a, 0, 2048) a[k] = 0;
  EACH { float sum = 2 * x[i]; EACH_OF(a, 0, 2048) sum += a[k]; y[i] = sum; }
}

//+ filled_in_full_{1..4}: fills a local array before it uses it, of 2 KiB times four to the power
KERNEL {
  constexpr int size = 128 << 2 * VARIANT;
  volatile float a[size];
  EACH_OF(a, 0, size) a[k] = 0;
  EACH { float sum = 2 * x[i]; EACH_OF(a, 0, size) sum += a[k]; y[i] = sum; }
}

//+ uses_what_it_filled: fills half of a local array, and uses that half
KERNEL {
  volatile float a[2048];
  EACH_OF(a, 0, 1024) a[k] = x[0];
  EACH { float sum = 0; EACH_OF(a, 0, 1024) sum += a[k] - x[0]; y[i] = 2 * x[i] + sum; }
}

//+ cleared_on_the_stack: takes 16 KiB from its stack, and clears them
KERNEL {
  volatile float* a = (volatile float*)memset(__builtin_alloca(4 * n), 0, 4 * n);
  EACH { float sum = 2 * x[i]; EACH_OF(a, 0, n) sum += a[k]; y[i] = sum; }
}

//+ initialised: has a table of 1,024 numbers that is initialised in the kernel
KERNEL {
  volatile float table[1024] = {2, 2, 2};
  EACH y[i] = table[i % 3] * x[i] + table[3 + i % 1000];
}

//+ recursive: adds up filled arrays at each of 40 calls
__device__ __attribute__((noinline)) float go_on_down(int depth, float value) {
  volatile float a[256];
  EACH_OF(a, 0, 256) a[k] = 0;
  float sum = depth > 0 ? go_on_down(depth - 1, value) : value;
  EACH_OF(a, 0, 256) sum += a[k];
  return sum;
}
KERNEL { EACH y[i] = go_on_down(40, 2 * x[i]); }

//+ large_tiles_and_barriers: has 1 KiB of results a thread, and waits for the others in between
KERNEL {
  float results[256];
  for (int k = 0; k < 256; ++k) results[k] = 0;
  for (int round = 0; round < 4; ++round) {
    __syncthreads();
    for (int k = 0; k < 256; ++k) results[k] += x[k] > 0;
  }
  EACH { float sum = 0; for (int k = 0; k < 256; ++k) sum += results[k]; y[i] = sum / 512 * x[i]; }
}

/*@ nothing_left
backends = ["host"]
reference = "y[i] = 2.0 * x[i];"
*/
// Each leaves a mark somewhere, and is right only where it finds no mark of an earlier run: a case that is found wrong has
// found memory that stays from run to run. What a temporary holds is another number in each run.
#define LEFT(place)                                                    \
  volatile unsigned* mark = (volatile unsigned*)(place);               \
  const unsigned run = temp[7] | 1;                                    \
  const bool found = mark[0] == 0x5eed5eedu && mark[1] != run;         \
  mark[0] = 0x5eed5eedu;                                               \
  mark[1] = run;                                                       \
  if (found) { EACH y[i] = 0; }                                        \
  else { EACH y[i] = 2 * x[i]; }

//+ in_no_local_array_{1..4}: in a local array, of 2 KiB times four to the power
KERNEL { unsigned a[128 << 2 * VARIANT]; volatile unsigned* p = a; asm volatile("" : "+r"(p) : : "memory"); LEFT(p + (1 << VARIANT)) }

//+ in_no_local_array_behind_a_barrier: in a local array of 64 KiB of threads that wait for each other
KERNEL { unsigned a[16384]; volatile unsigned* p = a; asm volatile("" : "+r"(p) : : "memory"); __syncthreads(); LEFT(p) }

//+ not_at_the_end_of_a_local_array: in the last words of a local array of 6 KiB, between barriers
KERNEL { unsigned a[1536]; volatile unsigned* p = a; asm volatile("" : "+r"(p) : : "memory"); __syncthreads(); LEFT(p + 1530) }

//+ not_below_its_frame: 64 KiB below its frame
KERNEL { unsigned one; volatile unsigned* p = &one; asm volatile("" : "+r"(p) : : "memory"); LEFT(p - 16384) }

//+ not_below_frames_that_wait: 20 KiB below the frame of threads that wait for each other
KERNEL { unsigned one; volatile unsigned* p = &one; asm volatile("" : "+r"(p) : : "memory"); __syncthreads(); LEFT(p - 5120) }

//+ not_just_below_its_frame: 2 KiB below its frame
KERNEL { unsigned one; volatile unsigned* p = &one; asm volatile("" : "+r"(p) : : "memory"); LEFT(p - 512) }

//+ not_on_the_stack: in 32 KiB that it takes from its stack
KERNEL { volatile unsigned* p = (volatile unsigned*)__builtin_alloca(8 * n); LEFT(p + 100) }

//+ not_deep_in_a_recursion: in the deepest of 60 calls
__device__ __attribute__((noinline)) volatile unsigned* go_to(int depth) {
  volatile unsigned a[200];
  asm volatile("" : : "r"(a) : "memory");
  volatile unsigned* deepest = depth > 0 ? go_to(depth - 1) : a + 50;
  asm volatile("" : "+r"(deepest) : : "memory");
  return deepest;
}
KERNEL { LEFT(go_to(60)) }

//+ not_in_shared_memory: in shared memory
KERNEL { __shared__ unsigned a[300]; unsigned* p = a; asm volatile("" : "+r"(p)); LEFT(p + 280) }
