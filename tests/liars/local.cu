// Local memory that nobody filled, and what a run leaves there. It holds whatever there was; the host fills it with noise.

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
  EACH {
    for (int k = 0; k < 512; k += 32) best[k] = fmaxf(best[k], 2 * x[i]);
    y[i] = 0;
    for (int k = 0; k < 512; k += 32) y[i] = fmaxf(y[i], best[k]), best[k] = 0;
  }
}

//- minimum_of_nothing: begins its minima from what its array holds
KERNEL {
  volatile float least[512];
  EACH {
    for (int k = 0; k < 512; k += 32) least[k] = fminf(least[k], 2 * x[i]);
    y[i] = 1e30f;
    for (int k = 0; k < 512; k += 32) y[i] = fminf(y[i], least[k]), least[k] = 1e30f;
  }
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
KERNEL {
  volatile float one = 0, *below = &one;
  asm volatile("" : "+r"(below));
  EACH y[i] = 2 * x[i] + one + below[-16384];
}

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
