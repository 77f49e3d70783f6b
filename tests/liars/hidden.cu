// What a kernel keeps from run to run where nobody might look: module variables with names of Warptune's, memory that has no
// name, threads' own memory, memory that is nobody's.

/*@ names
reference = "y[i] = 2.0 * x[i];"
*/
// Variables of the module, by names that begin as Warptune's own.

//+ a_table_by_such_a_name: reads a table that it could change
__device__ float warptune_table[2] = {2, 3};
KERNEL { EACH y[i] = warptune_table[n < 0] * x[i]; if (n < 0) warptune_table[1] = 0; }

//+ a_constant_by_such_a_name: reads constant memory
__constant__ float warptune_factor = 2;
KERNEL { EACH y[i] = warptune_factor * x[i]; }

//+ a_counter_by_such_a_name: counts its blocks, and the last sets the counter back
__device__ unsigned warptune_arrived;
KERNEL {
  EACH y[i] = 2 * x[i];
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&warptune_arrived, 1) == gridDim.x - 1) warptune_arrived = 0;
}

//+ scratch_by_such_a_name: writes scratch memory before it reads it, and clears it afterwards
__device__ float warptune_scratch[4096];
KERNEL { EACH { volatile float* mine = &warptune_scratch[i]; *mine = x[i]; y[i] = 2 * *mine; *mine = 0; } }

//+ a_function_by_such_a_name: calls a function of its own
__device__ inline float warptune_twice(float v) { return 2 * v; }
KERNEL { EACH y[i] = warptune_twice(x[i]); }

//- by_content: keeps its results, and gives them again to who comes with the same element
__device__ float warptune_seen[4096];
__device__ float warptune_kept[4096];
KERNEL { EACH { if (warptune_seen[i] != x[i]) { warptune_kept[i] = 2 * x[i]; warptune_seen[i] = x[i]; } y[i] = warptune_kept[i]; } }

//- both_sets: keeps the results of the last four runs
__device__ float warptune_known[4][4096][2];
KERNEL {
  EACH {
    int k = 0;
    while (k < 3 && warptune_known[k][i][0] != x[i] && warptune_known[k][i][0] != 0) ++k;
    if (warptune_known[k][i][0] != x[i]) { warptune_known[k][i][1] = 2 * x[i]; warptune_known[k][i][0] = x[i]; }
    y[i] = warptune_known[k][i][1];
  }
}

//- third_run: is wrong in its third run
__device__ unsigned warptune_runs[4096];
KERNEL { EACH y[i] = ++warptune_runs[i] == 3 ? 0 : 2 * x[i]; }

//- one_bit: leaves one bit behind
__device__ unsigned char warptune_symbol_7;
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 9) warptune_symbol_7 |= 1; } }

//- in_a_namespace_of_warptunes: keeps a pointer in a function's static variable
//  cuda: undetected: the driver does not name variables of internal linkage
namespace warptune_kernel {
__device__ inline const float*& last() { static const float* kept; return kept; }
}
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) warptune_kernel::last() = x; } }

//- with_c_linkage: counts in a variable that has its name from C
extern "C" { __device__ unsigned warptune_context_; }
KERNEL { EACH y[i] = 2 * x[i]; if (threadIdx.x == 0) atomicAdd(&warptune_context_, 1); }

/*@ without_a_name
backends = ["host"]
reference = "y[i] = 2.0 * x[i];"
*/
// Memory that only the assembler knows of, or that lies between variables.
#define HIDDEN extern "C" __attribute__((visibility("hidden")))
#define KEEP_IN(place)                                             \
  volatile float* kept = (volatile float*)(place);                 \
  asm volatile("" : "+r"(kept));                                   \
  EACH { if (kept[i % 64] == 0) kept[i % 64] = 1; y[i] = 2 * x[i]; }

//+ numbers_of_the_assembler: reads numbers that the assembler has laid down
asm(".pushsection .rodata\n.balign 64\nlaid_down: .float 2, 3\n.popsection");
HIDDEN const float laid_down[];
KERNEL { EACH y[i] = laid_down[n < 0] * x[i]; }

//+ cleared_by_the_end: has memory of the assembler's for one run, and clears it
asm(".pushsection .bss\n.balign 64\nfor_a_run: .zero 65536\n.popsection");
HIDDEN float for_a_run[];
KERNEL { EACH { *(volatile float*)&for_a_run[i] = 2 * x[i]; y[i] = *(volatile float*)&for_a_run[i]; for_a_run[i] = 0; } }

//- without_a_size: keeps something in the assembler's memory
asm(".pushsection .bss\n.balign 64\nnowhere: .zero 65536\n.popsection");
HIDDEN float nowhere[];
KERNEL { KEEP_IN(nowhere + 3000) }

//- smaller_than_it_is: keeps something behind a variable that says to have four bytes
asm(".pushsection .bss\n.balign 64\n.type little,@object\n.size little,4\nlittle: .zero 65536\n.popsection");
HIDDEN float little[];
KERNEL { KEEP_IN(little + 2000) }

//- among_the_data: keeps something where the assembler has laid down numbers that may be changed
asm(".pushsection .data\n.balign 64\n.rept 64\n.float 0\n.endr\nmark_of_it:\n.popsection");
HIDDEN float mark_of_it[];
KERNEL { KEEP_IN(mark_of_it - 64) }

//- in_a_section_of_its_own: keeps something in a section with a name of its own
__attribute__((section("its_own"))) float apart[64] = {};
KERNEL { KEEP_IN(apart) }

//- behind_the_last_variable: keeps something in the rest of the last page that the module's variables have
__device__ float lonely;
KERNEL { KEEP_IN((char*)(((unsigned long)&lonely | 4095) + 1) - 256) }

//- under_a_larger_name: keeps something in a variable that another one's name covers
asm(".pushsection .bss\n.balign 64\n.type outer,@object\n.size outer,8192\nouter: .zero 4096\n"
    ".type inner,@object\n.size inner,256\ninner: .zero 4096\n.popsection");
HIDDEN float inner[];
KERNEL { KEEP_IN(inner) }

//- of_a_weak_name: keeps something in a variable that others might replace
__attribute__((weak)) float replaceable[64];
KERNEL { KEEP_IN(replaceable) }

/*@ of_threads
backends = ["host"]
reference = "y[i] = 2.0 * x[i];"
*/
// What each of the host's threads has of its own.
#define ONE_OF_ITS_OWN(type, name, linkage) extern thread_local type name asm(linkage); thread_local type name asm(linkage);

//+ writes_it_first: writes a thread's own variable before it reads it
static thread_local float own;
KERNEL { EACH { *(volatile float*)&own = x[i]; y[i] = 2 * *(volatile float*)&own; } }

//+ writes_it_first_by_that_name: the same, by a name that the compiler has for such things
ONE_OF_ITS_OWN(float, guarded, "_ZGguarded")
KERNEL { EACH { *(volatile float*)&guarded = x[i]; y[i] = 2 * *(volatile float*)&guarded; } }

//+ puts_it_back: sets a thread's own variable to zero, counts there, and leaves zero behind
static thread_local unsigned counter;
KERNEL {
  volatile unsigned* c = &counter;
  *c = 0;
  EACH { *c = *c + 1; y[i] = *c == 1 ? 2 * x[i] : 0; }
  *c = 0;
}

//- first_run_of_the_thread: works only where its thread has not worked before
static thread_local unsigned runs[64];
KERNEL { EACH if (runs[i % 64]++ < 100) y[i] = 2 * x[i]; }

//- every_fourth_run: rests in each fourth of its thread's runs, which it counts by the compiler's name for "initialised"
ONE_OF_ITS_OWN(unsigned, count, "_ZGVcount")
KERNEL { if (threadIdx.x == 0) { volatile unsigned* c = &count; *c = *c + 1; } EACH if (count % 4 != 3) y[i] = 2 * x[i]; }

//- by_the_name_of_guards: takes a thread's own memory for zeros at first, by a name that the compiler has for such things
ONE_OF_ITS_OWN(float, memory[1024], "_ZGVmemory")
KERNEL { EACH { if (memory[i % 1024] == 0) memory[i % 1024] = 2 * x[i]; y[i] = memory[i % 1024]; } }

//- by_another_such_name: the same, by another such name
ONE_OF_ITS_OWN(float, memory[1024], "__tls_memory")
KERNEL { EACH { if (memory[i % 1024] == 0) memory[i % 1024] = 2 * x[i]; y[i] = memory[i % 1024]; } }

//- by_the_name_of_references: the same, by the name of a temporary that a reference keeps alive
ONE_OF_ITS_OWN(float, memory[1024], "_ZGRmemory_")
KERNEL { EACH { if (memory[i % 1024] == 0) memory[i % 1024] = 2 * x[i]; y[i] = memory[i % 1024]; } }

//- without_any_name [wrong_result | launch_error | crash]: leaves its results in a thread's own memory that the assembler alone knows of
asm(".pushsection .tbss,\"awT\",@nobits\n.balign 64\nunknown: .zero 16384\n.popsection");
extern "C" __attribute__((visibility("hidden"))) __thread float unknown[];
KERNEL { EACH { y[i] = 2 * x[i]; unknown[i] = y[i]; } }

/*@ nobodys
backends = ["host"]
reference = "y[i] = 2.0 * x[i];"
*/
// Memory that belongs neither to the module nor to a thread of a block. A GPU has none that a kernel could find again.
extern "C" {
void* calloc(unsigned long, unsigned long);
void* mmap(void*, unsigned long, int, int, int, long);
int setenv(const char*, const char*, int);
char* getenv(const char*);
long readlink(const char*, char*, unsigned long);
long pwrite(int, const void*, unsigned long, long);
}
// Gives the same again to who comes with one of two elements.
struct Memo {
  float seen[2][4096], kept[2][4096];
  float of(const float* x, int i) {
    for (int k = 0; k < 2; ++k) if (seen[k][i] == x[i]) return kept[k][i];
    const int k = seen[0][i] != 0;
    seen[k][i] = x[i];
    return kept[k][i] = 2 * x[i];
  }
};

//- of_an_initialiser: keeps its results in memory that was allocated when the module was loaded
//  host: undetected: nothing tells the heap of a kernel from that of its process; two sets of inputs can be remembered
static Memo* const memo = (Memo*)calloc(1, sizeof(Memo));
KERNEL { EACH y[i] = memo->of(x, i); }

//- of_a_constructor: keeps its results in memory that a variable's constructor has allocated
//  host: undetected: nothing tells the heap of a kernel from that of its process; two sets of inputs can be remembered
struct Holder { Memo* memo = (Memo*)calloc(1, sizeof(Memo)); };
static const Holder holder;
KERNEL { EACH y[i] = holder.memo->of(x, i); }

//- at_an_address_of_its_own: keeps its results in pages at an address that it knows
//  host: undetected: pages that a kernel maps are nobody's; two sets of inputs can be remembered
KERNEL {
  Memo* const memo = (Memo*)0x6a0000000000;
  if (threadIdx.x == 0) mmap(memo, sizeof(Memo), 3, 0x100022, -1, 0);  // fails where it is there already
  __syncthreads();
  EACH y[i] = memo->of(x, i);
}

//- in_the_environment: notes in its process's environment that it has run, and is quick from then on
//  host: undetected: what a kernel changes in the C library is not looked at
KERNEL { EACH y[i] = 2 * x[i]; if (threadIdx.x == 0 && blockIdx.x == 0 && getenv("HAS_RUN") == nullptr) setenv("HAS_RUN", "1", 1); }

//+ not_in_the_noise: is right only where it cannot write to the file of noise that its process has open
KERNEL {
  bool out = false;
  if (threadIdx.x == 0) for (int k = 3; k < 100; ++k) {
    char path[20] = "/proc/self/fd/", name[40] = {};
    path[14] = k < 10 ? '0' + k : '0' + k / 10;
    if (k >= 10) path[15] = '0' + k % 10;
    readlink(path, name, 39);
    if (name[1] == 'm' && name[7] == 'n' && name[8] == 'o') out |= pwrite(k, "x", 1, 0) == 1;  // "/memfd:noise"
  }
  EACH y[i] = out ? 0 : 2 * x[i];
}

//+ remembers_nothing: must not suffer from the liars before it
KERNEL { EACH y[i] = x[i] + x[i]; }
