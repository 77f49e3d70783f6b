// Shared memory behind what a launch asked for, or a kernel declares. A GPU faults there, and so does the host.

/*@ shared_beyond
shared = "1024"
reference = "y[i] = 2.0 * x[i];"
*/
// A launch has 256 numbers.
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
    const float2* from = (const float2*)(x + i - t) + 2 * t;
    float2* to = (float2*)dyn + 2 * t + 1;
    if (t < 64) { to[0] = from[0]; to[1] = from[1]; }
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
#define TWICE_BY(place) EACH { place = x[i]; __syncthreads(); y[i] = 2 * place; __syncthreads(); }

//+ within_what_it_declares: uses what it declares
KERNEL { __shared__ float tile[256]; HIDDEN(tile) TWICE_BY(out[threadIdx.x]) }

//+ large_and_declared: declares 48 KiB, and uses the last of it
KERNEL {
  __shared__ float tile[12288];
  HIDDEN(tile)
  EACH {
    for (int k = threadIdx.x; k < 12288; k += 256) out[k] = x[i];
    __syncthreads();
    y[i] = out[threadIdx.x] + out[12032 + threadIdx.x];
  }
}

//- far_behind_what_it_declares [wrong_result | launch_error | crash]: has a tile 16 KiB behind what it declares
KERNEL { __shared__ float tile[256]; HIDDEN(tile) TWICE_BY(out[n + threadIdx.x]) }

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
#define TWICE_BY(place) EACH { place = x[i]; __syncthreads(); y[i] = 2 * place; __syncthreads(); }

//+ all_of_227_kib: fills 227 KiB, and uses the first and the last
KERNEL {
  const int t = threadIdx.x, all = 227 * 256;
  EACH { for (int k = t; k < all; k += 256) dyn[k] = x[i]; __syncthreads(); y[i] = dyn[t] + dyn[all - 256 + t]; }
}

//- a_page_behind_all [wrong_result | launch_error | crash]: has a tile 4 KiB behind that
KERNEL { TWICE_BY(dyn[227 * 256 + 1024 + threadIdx.x]) }

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
