// What only a GPU can do: work of its own that a kernel starts, copies that run by themselves.

/*@ children
backends = ["cuda"]
top = 'options_cuda = ["-rdc=true"]'
reference = "y[i] = 2.0 * x[i];"
*/
// Kernels that launch kernels. Children belong to their parent: it has not ended before they have.
extern "C" __global__ void child(const T* x, T* y, int first) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  LATE(true)
  y[i] = 2 * x[i];
}

//+ forgets_its_children: launches a grid that does all the work, and ends at once
KERNEL { if (blockIdx.x == 0 && threadIdx.x == 0) child<<<n / 256, 256, 0, cudaStreamFireAndForget>>>(x, y, 0); }

//+ leaves_work_behind: launches a grid that does all the work when it has ended itself
KERNEL { if (blockIdx.x == 0 && threadIdx.x == 0) child<<<n / 256, 256, 0, cudaStreamTailLaunch>>>(x, y, 0); }

//+ shares_with_its_children: does one half, and launches a grid for the other
KERNEL {
  if (blockIdx.x == 0 && threadIdx.x == 0) child<<<n / 512, 256, 0, cudaStreamFireAndForget>>>(x, y, n / 2);
  EACH if (i < n / 2) y[i] = 2 * x[i];
}

//- does_not_wait_for_its_children: uses what its children have not written yet
KERNEL {
  if (threadIdx.x == 0) child<<<1, 256, 0, cudaStreamFireAndForget>>>(x, (T*)temp, blockIdx.x * 256);
  EACH y[i] = __int_as_float(((volatile unsigned*)temp)[i]);
}

//- forgets_a_child: launches one grid too few
KERNEL { if (threadIdx.x == 0 && blockIdx.x > 0) child<<<1, 256, 0, cudaStreamFireAndForget>>>(x, y, blockIdx.x * 256); }

/*@ copies
backends = ["cuda"]
size = 65536
reference = "y[i] = 2.0 * x[i];"
*/
// Copies to shared memory that run by themselves.
__device__ inline void begin_copy(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
}

//+ waits_for_its_copy: copies, waits, uses
KERNEL {
  __shared__ float tile[256];
  EACH {
    begin_copy(&tile[threadIdx.x], &x[i]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    y[i] = 2 * tile[threadIdx.x];
  }
}

//- does_not_wait_for_its_copy: copies, and uses what is there
KERNEL {
  __shared__ volatile float tile[256];
  EACH {
    begin_copy((float*)&tile[threadIdx.x], &x[i]);
    y[i] = 2 * tile[threadIdx.x];
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
}

//+ sleeps: sleeps for a while before it works
KERNEL { if (threadIdx.x % 64 == 0) __nanosleep(1000); EACH y[i] = 2 * x[i]; }

//+ traps_for_nobody: would trap if its input were negative
KERNEL { EACH { if (x[i] < 0) __trap(); y[i] = 2 * x[i]; } }

//- traps [launch_error]: is right, and traps
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 999) __trap(); } }

//+ sleeps_on: must not suffer from the liar before it
KERNEL { EACH y[i] = x[i] + x[i]; }
