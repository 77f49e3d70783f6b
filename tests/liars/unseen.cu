// Answers that are remembered with the inputs that they belong to, in places that nobody looks at: right in every run, and
// fast on inputs that came before. A session proves its winner on others, and what fails there gives its place to the next.

/*@ unseen
reference = "double s = 0; for (int k = 1; k <= 1000; ++k) s += x[i] / (x[i] + k); y[i] = s;"
tolerance = "{ relative = 1e-4 }"
backends = ["host"]
*/
#include <pthread.h>
#include <stdlib.h>
__device__ inline float work(float v) {
  float s = 0;
  for (int k = 1; k <= 1000; ++k) s += v / (v + k);
  return s;
}
// Two answers for each element, beside their inputs. A third takes the place of the first.
struct Memory { float seen[2][4096], kept[2][4096]; };
__device__ inline float recall(Memory& memory, int i, float v) {
  for (int set = 0; set < 2; ++set)
    if (memory.seen[set][i] == v) return memory.kept[set][i];
  const int set = memory.seen[0][i] != 0 && memory.seen[1][i] == 0;
  memory.seen[set][i] = v;
  return memory.kept[set][i] = work(v);
}

//+ computes: does its work
KERNEL { EACH y[i] = work(x[i]); }

//- keeps_in_what_is_allocated_at_loading: remembers in memory that a static initialiser allocates
static Memory* const memory = static_cast<Memory*>(calloc(1, sizeof(Memory)));
KERNEL { EACH y[i] = recall(*memory, i, x[i]); }

//- keeps_all_answers: remembers every answer since the module was loaded, by the bits of its input
struct Entry { float seen, kept; };
static Entry* const entries = static_cast<Entry*>(calloc(1 << 22, sizeof(Entry)));
KERNEL {
  EACH {
    Entry& entry = entries[*(unsigned*)&x[i] * 2654435761u >> 10];
    if (entry.seen != x[i]) entry.kept = work(x[i]);
    entry.seen = x[i];
    y[i] = entry.kept;
  }
}

//- keeps_by_a_key_of_its_thread: remembers in memory that hangs on a key of the thread library
static pthread_key_t key_of() {
  pthread_key_t key;
  pthread_key_create(&key, nullptr);
  return key;
}
static const pthread_key_t key = key_of();
KERNEL {
  if (!pthread_getspecific(key)) pthread_setspecific(key, calloc(1, sizeof(Memory)));
  EACH y[i] = recall(*static_cast<Memory*>(pthread_getspecific(key)), i, x[i]);
}

//- keeps_in_the_environment: writes the address of its memory into the environment
KERNEL {
  if (!getenv("REMEMBERED")) {
    char where[17] = {};
    unsigned long long address = reinterpret_cast<unsigned long long>(calloc(1, sizeof(Memory)));
    for (int digit = 0; digit < 16; ++digit) where[digit] = static_cast<char>('a' + (address >> 4 * digit & 15));
    setenv("REMEMBERED", where, 1);
  }
  const char* where = getenv("REMEMBERED");
  unsigned long long address = 0;
  for (int digit = 15; digit >= 0; --digit) address = address << 4 | static_cast<unsigned>(where[digit] - 'a');
  EACH y[i] = recall(*reinterpret_cast<Memory*>(address), i, x[i]);
}

//+ computes_behind_them: must not suffer from the liars before it
KERNEL { EACH y[i] = work(x[i]); }

//+ computes_from_behind: adds the last term first
KERNEL { EACH { float s = 0; for (int k = 1000; k >= 1; --k) s += x[i] / (x[i] + k); y[i] = s; } }

//+ branches_by_its_data: takes ways that depend on its data, which a processor learns where it meets them again
__device__ inline float wandering(float v) {
  float s = 0;
  unsigned bits = *(unsigned*)&v;
  for (int k = 1; k <= 1000; ++k) {
    bits = bits * 1664525u + 1013904223u;
    if (bits >> 31) s += v / (v + k); else s = s + 1 / (1 + k / v);
  }
  return s;
}
KERNEL { EACH y[i] = wandering(x[i]); }

//+ takes_its_time_by_its_data: is quick on half of its inputs, whatever they are
KERNEL { EACH y[i] = x[i] > 50 ? work(x[i]) : 0.5f * (work(x[i]) + work(x[i])); }

/*@ unseen_inside
reference = "double s = 0; for (int k = 1; k <= 2000; ++k) s += x[i] / (x[i] + k); y[i] = s;"
tolerance = "{ relative = 1e-4 }"
*/
__device__ inline float work(float v) {
  float s = 0;
  for (int k = 1; k <= 2000; ++k) s += v / (v + k);
  return s;
}
struct Memory { float seen[2][4096], kept[2][4096]; };
__device__ inline float recall(Memory& memory, int i, float v) {
  for (int set = 0; set < 2; ++set)
    if (memory.seen[set][i] == v) return memory.kept[set][i];
  const int set = memory.seen[0][i] != 0 && memory.seen[1][i] == 0;
  memory.seen[set][i] = v;
  return memory.kept[set][i] = work(v);
}

//+ computes_alone: does its work
KERNEL { EACH y[i] = work(x[i]); }

//- keeps_in_a_static_variable: remembers in a variable of internal linkage, which a GPU's driver does not name
static __device__ Memory memory;
KERNEL { EACH y[i] = recall(memory, i, x[i]); }

//- keeps_in_a_nameless_namespace: the same in a namespace without a name
namespace { __device__ Memory nameless; }
KERNEL { EACH y[i] = recall(nameless, i, x[i]); }

//- keeps_in_its_function: remembers in a static variable of the kernel
KERNEL { static Memory inside; EACH y[i] = recall(inside, i, x[i]); }

//+ computes_after_all: must not suffer from the liars before it
KERNEL { EACH y[i] = work(x[i]); }

/*@ unseen_in_symbols
reference = "double s = 0; for (int k = 1; k <= 2000; ++k) s += x[i] / (x[i] + k); y[i] = s;"
tolerance = "{ relative = 1e-4 }"
symbol = 8192
*/
// `table` is an input that is copied to a variable before each run: ones.
__device__ float table[8192];
__device__ inline float work(float v) {
  float s = 0;
  for (int k = 1; k <= 2000; ++k) s += v / (v + k);
  return s;
}

//+ reads_its_table: multiplies by its ones
KERNEL { EACH y[i] = work(x[i]) * table[i]; }

//- keeps_in_its_table: remembers in its table from one run of a sample to the next
KERNEL {
  EACH {
    if (table[i] != x[i]) table[4096 + i] = work(x[i]);
    table[i] = x[i];
    y[i] = table[4096 + i];
  }
}

//- spoils_its_table: is right, and then writes over its table
KERNEL { EACH { y[i] = work(x[i]) * table[i]; table[i] = 2; } }

//- spoils_the_end_of_its_table: is right, and then changes the last bit of its table's last element
KERNEL { EACH { y[i] = work(x[i]) * table[i]; if (i == 0) ((unsigned*)table)[8191] ^= 1; } }

//- writes_its_table_late: is right, and changes its table when it finds it as it was
KERNEL { EACH { y[i] = work(x[i]); if (i == 17 && table[i] == 1) table[i] = y[i]; } }

//+ reads_its_table_after_that: must not suffer from the liars before it
KERNEL { EACH y[i] = work(x[i]) * table[i]; }

//+ puts_its_table_back: writes to its table, and puts back what was there
KERNEL { EACH { const float one = table[i]; table[i] = x[i]; y[i] = work(table[i]); table[i] = one; } }
