// c = a + b for vectors that begin and end in the host's memory. An addition costs next to nothing: what is timed is
// how the data comes to the device and back.
//
//   MEMORY      pageable: copied, through a buffer of the driver's, while the program waits. pinned: page-locked, and
//               copied by the device itself. mapped: page-locked, and the kernel reads and writes it where it is
//               (zero-copy). managed: one address for host and device (unified memory), whose pages move to whoever
//               accesses them
//   PREFETCH    managed memory's pages are sent to the device before the kernel needs them, and the sum's back after
//               it; otherwise the kernel waits for each page that it finds missing, and so does the host
//   CHUNKS      parts that the data is moved in: many hide more of the first copy in and of the last copy out, few pay
//               less often for the start of a copy and of a launch
//   STREAMS     chunks under way at once: work in one stream runs in order, work in different ones may overlap
//   BLOCK_SIZE  threads per block
//
// Sources: Harris, "How to Optimize Data Transfers in CUDA C/C++" and "How to Overlap Data Transfers in CUDA C/C++"
// (NVIDIA developer blog, 2012), for pinned memory and chunks; Harris, "Unified Memory for CUDA Beginners" (2017), and
// Sakharnykh, "Maximizing Unified Memory Performance in CUDA" (2017), for pages and prefetching; the CUDA C++ Best
// Practices Guide, "Data Transfer Between Host and Device" and "Zero Copy".

// a, b, c: `count` floats each from element `first` on.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, long long first,
        long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  if (i < count) c[first + i] = a[first + i] + b[first + i];
}
