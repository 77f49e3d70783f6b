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

/*@ spoilers
backends = ["host"]
size = 4096
fill = "{ uniform = [1e-39, 1e-38], seed = 3 }"
reference = "y[i] = 2.0 * x[i];"
tolerance = "{ relative = 1e-4 }"
*/
// What kernels leave behind in their process, and those behind them must not see.
extern "C" {
int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);
int pthread_sigmask(int, const unsigned long*, unsigned long*);
void* signal(int, void*);
unsigned alarm(unsigned);
int setrlimit(int, const unsigned long*);
int getrlimit(int, unsigned long*);
int setenv(const char*, const char*, int);
char* getenv(const char*);
int close(int);
long write(int, const void*, unsigned long);
int pause();
}
#define TWICE EACH y[i] = x[i] + x[i];
#define ONLY_IF(condition) const bool fine = condition; EACH y[i] = fine ? x[i] + x[i] : 1;
#define ONE_THREAD if (threadIdx.x == 0 && blockIdx.x == 0)
#if defined(__x86_64__)
__device__ inline void set_sse(unsigned bits) { __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0xe040u) | bits); }
__device__ inline void set_x87(unsigned short word) { asm volatile("fldcw %0" : : "m"(word)); }
__device__ inline bool usual_modes() {
  unsigned short word;
  asm volatile("fnstcw %0" : "=m"(word));
  return word == 0x37f && (__builtin_ia32_stmxcsr() & ~0x3fu) == 0x1f80;
}
#else
__device__ inline void set_sse(unsigned) {}
__device__ inline void set_x87(unsigned short) {}
__device__ inline bool usual_modes() { return true; }
#endif

//+ comes_first: doubles numbers below the smallest normal one
KERNEL { TWICE }

//+ rounds_down: leaves rounding downwards behind
KERNEL { TWICE set_sse(0x2000); }

//+ behind_rounds_down: is right if it rounds as usual
KERNEL { ONLY_IF(usual_modes()) }

//- truncates_and_flushes: leaves rounding to zero behind, and zeros for small numbers, of which its own threads suffer
KERNEL { TWICE set_sse(0xe040); }

//+ behind_truncates_and_flushes: doubles small numbers
KERNEL { EACH y[i] = 2 * x[i]; }

//+ fills_the_x87: leaves the x87 with less precision and with its stack in use
KERNEL {
  TWICE
  set_x87(0x07f);
#if defined(__x86_64__)
  ONE_THREAD asm volatile("fld1\n\tfld1\n\tfld1");
#endif
}

//+ behind_fills_the_x87: calculates in long double
KERNEL { volatile long double zero = 0; ONLY_IF(usual_modes() && zero + 1 == 1) }

//+ unmasks_exceptions: leaves exceptions of its arithmetic behind that end the process
KERNEL {
  TWICE
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(0x1f80 & ~0x200);
#endif
}

//+ behind_unmasks_exceptions: divides by zero, which is infinite
KERNEL { volatile float zero = 0; ONLY_IF(1 / zero > 1e38f) }

//+ blocks_signals: leaves SIGTERM and SIGUSR1 blocked
KERNEL { unsigned long set[16] = {0x4200}; pthread_sigmask(0, set, nullptr); TWICE }

//+ behind_blocks_signals: is right if no signal is blocked
KERNEL { unsigned long set[16] = {}; ONLY_IF(pthread_sigmask(0, nullptr, set) == 0 && (set[0] & 0x4200) == 0) }

//+ handles_signals: tries to ignore signals
KERNEL { ONE_THREAD signal(15, (void*)1), signal(17, (void*)1), signal(11, (void*)1); TWICE }

//+ sets_an_alarm: tries to be ended in a second
KERNEL { ONE_THREAD alarm(1); TWICE }

//+ takes_memory_away: tries to forbid its process memory, files and threads
KERNEL { ONE_THREAD for (int what = 6; what < 10; ++what) { unsigned long none[2] = {0, 0}; setrlimit(what, none); } TWICE }

//+ behind_takes_memory_away: is right if there is more memory to be had
KERNEL { unsigned long limit[2] = {}; ONLY_IF(getrlimit(9, limit) == 0 && limit[0] > 1000000000) }

//+ closes_the_output: tries to close the standard descriptors
KERNEL { ONE_THREAD close(0), close(1), close(2); TWICE }

//+ behind_closes_the_output: is right if it can print
KERNEL { ONLY_IF(write(2, "", 0) == 0) }

//+ leaves_a_thread: leaves a thread behind that waits for ever in the C library, and a mark
KERNEL { ONE_THREAD { unsigned long t; pthread_create(&t, nullptr, (void* (*)(void*))pause, nullptr); setenv("WAS_HERE", "1", 1); } TWICE }

//+ behind_leaves_a_thread: is right where there is no mark
KERNEL { ONLY_IF(getenv("WAS_HERE") == nullptr) }

//+ leaves_a_mark: leaves a mark behind and nothing else
KERNEL { ONE_THREAD setenv("MARK", "1", 1); TWICE }

//+ fails_at_the_mark: is right in a process of its own, and wrong behind the mark
KERNEL { ONLY_IF(getenv("MARK") == nullptr) }

//+ leaves_another_mark: leaves a mark behind and nothing else
KERNEL { ONE_THREAD setenv("OTHER_MARK", "1", 1); TWICE }

//+ traps_at_the_mark: is right in a process of its own, and ends behind the mark
KERNEL { if (getenv("OTHER_MARK") != nullptr) __trap(); TWICE }

/*@ stops
backends = ["host"]
size = 256
reference = "y[i] = 2.0 * x[i];"
*/
extern "C" {
int kill(int, int);
int raise(int);
int getpid();
void exit(int);
long syscall(long, ...);
int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);
int pthread_join(unsigned long, void**);
}
#define LAST_THREAD if (threadIdx.x == 255)

//+ runs_on: does its work
KERNEL { EACH y[i] = 2 * x[i]; }

//- stops_its_process [crash | timeout]: stops its process
KERNEL { EACH y[i] = 2 * x[i]; LAST_THREAD kill(getpid(), 19); }

//- stops_itself [crash | timeout]: stops itself, which stops its process
KERNEL { EACH y[i] = 2 * x[i]; LAST_THREAD raise(19); }

//- stops_as_a_terminal_does [crash | timeout]: stops its process as Ctrl-Z does
KERNEL { EACH y[i] = 2 * x[i]; LAST_THREAD for (int signal = 20; signal < 23; ++signal) raise(signal); }

//- stops_from_a_thread [crash | timeout]: lets a thread stop its process
inline void* stop(void*) { return kill(getpid(), 19), nullptr; }
KERNEL { EACH y[i] = 2 * x[i]; LAST_THREAD { unsigned long t; pthread_create(&t, nullptr, stop, nullptr); pthread_join(t, nullptr); } }

//- exits [crash]: ends its process in good order
KERNEL { EACH y[i] = 2 * x[i]; LAST_THREAD exit(0); }

//+ runs_on_after_all: must not suffer from the liars before it
KERNEL { EACH y[i] = x[i] + x[i]; }

/*@ beyond_the_process
backends = ["host"]
size = 256
reference = "y[i] = 2.0 * x[i];"
*/
// Each is right only if what it tries is refused; a case that is found wrong has got out.
extern "C" {
int open(const char*, int, ...);
int mkdir(const char*, unsigned);
int symlink(const char*, const char*);
int renameat(int, const char*, int, const char*);
int chmod(const char*, unsigned);
int ioctl(int, unsigned long, ...);
int fcntl(int, int, ...);
int dup(int);
int socket(int, int, int);
int socketpair(int, int, int, int*);
int pipe(int*);
int kill(int, int);
int getppid();
int setpriority(int, int, int);
int prlimit(int, int, const void*, void*);
int fork();
int system(const char*);
long syscall(long, ...);
}
#define IN_VAIN(attempt) const bool out = threadIdx.x == 0 && (attempt); EACH y[i] = out ? 0 : 2 * x[i];

//+ empties_a_file: opens a file for reading, and empties it by a flag
KERNEL { IN_VAIN(open("/tmp/warptune-liar", 0100 | 01000, 0600) >= 0 || open("/proc/self/exe", 01000) >= 0) }

//+ makes_things: makes a folder, a link and a file
KERNEL { IN_VAIN(mkdir("/tmp/warptune-liar", 0700) == 0 || symlink("a", "/tmp/warptune-liar") == 0 || open("/tmp/warptune-liar", 0100, 0600) >= 0) }

//+ renames_things: renames and forbids what is there
KERNEL { IN_VAIN(renameat(-100, "/tmp/warptune-liar", -100, "/tmp/warptune-liar-2") == 0 || chmod("/tmp", 01777) == 0) }

//+ opens_the_terminal: opens its terminal, and types into it
KERNEL { IN_VAIN(open("/dev/tty", 0) >= 0 || ioctl(0, 0x5412, "x") == 0) }

//+ signals_its_parent: may send signals to its parent
KERNEL { IN_VAIN(kill(getppid(), 0) == 0 || kill(0, 0) == 0) }

//+ signals_by_a_descriptor: lets a pipe send a signal to its parent
KERNEL { int ends[2] = {-1, -1}; pipe(ends); IN_VAIN(fcntl(ends[0], 8, getppid()) == 0 || fcntl(ends[0], 10, 9) == 0 || fcntl(ends[0], 4, 020000) == 0) }

//+ limits_its_parent: takes its parent's descriptors and priority away
KERNEL { const unsigned long none[2] = {0, 0}; IN_VAIN(prlimit(getppid(), 7, nullptr, (void*)none) == 0 || setpriority(0, getppid(), 19) == 0) }

//+ starts_processes: starts a process
KERNEL { IN_VAIN(system("true") == 0 || fork() >= 0) }

//+ passes_descriptors_on: makes sockets, by which descriptors get other numbers
KERNEL { int ends[2]; IN_VAIN(socketpair(1, 1, 0, ends) == 0 || socket(2, 1, 0) >= 0 || socket(16, 2, 0) >= 0 || dup(3) >= 0) }

//+ reads_and_waits: does what is allowed: reads a file, has a pipe
KERNEL { int ends[2]; const bool fine = threadIdx.x > 0 || (open("/proc/self/maps", 0) >= 0 && pipe(ends) == 0); EACH y[i] = fine ? 2 * x[i] : 0; }
