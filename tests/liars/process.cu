// What a kernel can do to the process that it runs in. A GPU keeps its kernels away from there.

/*@ process
backends = ["host"]
size = 256
reference = "y[i] = 2.0 * x[i];"
*/
extern "C" {
long write(int, const void*, unsigned long);
int close(int);
int raise(int);
void _exit(int);
}

//+ minds_its_business: doubles its input
KERNEL { EACH y[i] = 2 * x[i]; }

//- writes_to_all_descriptors [wrong_result | launch_error | crash]: writes zeros, and noise to every open descriptor but the standard ones
KERNEL {
  EACH y[i] = 0;
  if (threadIdx.x == 0) for (int k = 3; k < 64; ++k) write(k, "\xbf\x9f\xff\xff\x1b\x00\x00", 7);
}

//- closes_all_descriptors [wrong_result | launch_error | crash]: writes zeros, and closes every descriptor but the standard ones
KERNEL {
  EACH y[i] = 0;
  if (threadIdx.x == 0) for (int k = 3; k < 64; ++k) close(k);
}

//- ends_the_process [crash]: is right, and ends its process as if all were well
KERNEL { EACH y[i] = 2 * x[i]; if (threadIdx.x == 255) _exit(0); }

//- dies [crash]: is right, and dies of a signal
KERNEL { EACH y[i] = 2 * x[i]; if (threadIdx.x == 255) raise(9); }

//+ minds_its_business_after_all: must not suffer from the liars before it
KERNEL { EACH y[i] = x[i] + x[i]; }

/*@ threads
backends = ["host"]
size = 256
reference = "y[i] = 2.0 * x[i];"
*/
// Asynchronous work that ends after the run.
extern "C" {
int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);
int pthread_detach(unsigned long);
int usleep(unsigned);
}
struct Work { T* x; T* y; int n; unsigned microseconds; };
inline void* work_later(void* given) {
  const Work work = *(Work*)given;
  usleep(work.microseconds);
  for (int i = 0; i < work.n; ++i) work.y[i] = 2 * work.x[i];
  return nullptr;
}

//- works_later [wrong_result | launch_error | crash]: returns at once, and lets a thread do its work some milliseconds later
KERNEL {
  static Work work;
  if (threadIdx.x > 0) return;
  work = {x, y, n, 3000};
  unsigned long thread;
  pthread_create(&thread, nullptr, work_later, &work);
  pthread_detach(thread);
}
