// What kernels on the host leave behind in their worker, and what they try beyond it: it costs their own trial at most.
#include <pty.h>
#include <sys/wait.h>

#include <fstream>

#include "tests/tuner/measure/workers/fault_suite.h"

namespace warptune::tuner {
namespace {

using search::Outcome;
using testing::HasSubstr;

constexpr char spoilers_manifest[] = R"toml(
name = "spoilers"
[sizes]
n = 64
[parameters.MODE]
values = [MODES]
default = "FIRST"
[arguments.x]
type = "float"
shape = ["n"]
fill = { uniform = [1e-39, 1e-38], seed = 1 }
[arguments.y]
type = "float"
shape = ["n"]
role = "output"
tolerance = { relative = 1e-6 }
[[launches]]
kernel = "twice"
grid = "n // 32"
block = 32
arguments = ["x", "y"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "n // 32"
block = 32
arguments = ["x", "y"]
)toml";

constexpr char spoilers_kernel[] = R"cuda(
extern "C" {
int setenv(const char*, const char*, int);
char* getenv(const char*);
int kill(int, int);
int getpid();
int getppid();
long write(int, const void*, unsigned long);
long read(int, void*, unsigned long);
int close(int);
int open(const char*, int, ...);
int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);
int pthread_sigmask(int, const unsigned long*, unsigned long*);
int pause();
void* mmap(void*, unsigned long, int, int, int, long);
}
enum { FIRST, GOOD, MARKS, HEEDS_MARK, TRAPS_AT_MARK, THREADS, FLUSHES, X87, HEEDS_X87, BLOCKS, HEEDS_SIGNALS, STOPS, INHERITED, TERMINAL, ALWAYS };
inline bool has_terminal() {
  char text[512] = {};
  const int file = open("/proc/self/stat", 0);
  if (file < 0 || read(file, text, 511) <= 0) return true;
  close(file);
  int at = 0, spaces = 0;
  for (int i = 0; text[i] != 0; ++i) at = text[i] == ')' ? i : at;
  for (++at; spaces < 5; ++at) spaces += text[at] == ' ';
  return text[at] != '0';
}
extern "C" __global__ void twice(const float* x, float* y) {
  const int i = blockIdx.x * 32 + threadIdx.x, mode = MODE;
  bool right = mode != ALWAYS;
  if (mode == MARKS || mode == THREADS) setenv("SPOILT", "1", 1);
  if (mode == HEEDS_MARK) right = getenv("SPOILT") == nullptr;
  if (mode == TRAPS_AT_MARK && getenv("SPOILT") != nullptr) __trap();
  unsigned long thread, signals[16] = {};
  if (mode == THREADS && i == 0) pthread_create(&thread, nullptr, (void* (*)(void*))pause, nullptr);
  if (mode == STOPS && i == 0) kill(getpid(), 19);
  if (mode == INHERITED) for (int k = 3; k < 30; ++k) right &= write(k, "a kernel was here", 17) < 0;
  if (mode == TERMINAL) right = !has_terminal() && open("/dev/tty", 0) < 0;
  if (mode == HEEDS_SIGNALS) right = pthread_sigmask(0, nullptr, signals) == 0 && (signals[0] & ~0x180000000ul) == 0;
  if (mode == BLOCKS) signals[0] = 0x4000, pthread_sigmask(0, signals, nullptr);
#if defined(__x86_64__)
  unsigned short control = 0;
  volatile long double one = 1;
  if (mode == HEEDS_X87) {
    asm volatile("fnstcw %0" : "=m"(control));
    right = control == 0x37f && one + one == 2;
  }
#endif
  y[i] = right ? x[i] + x[i] : 0;
#if defined(__x86_64__)
  if (mode == FLUSHES) __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0xe040);
  const unsigned short to_zero = 0xc7f;
  if (mode == X87) asm volatile("fld1\n\tfld1\n\tfldcw %0" : : "m"(to_zero));
#endif
}
)cuda";

constexpr char spoilers_reference[] = R"cuda(
extern "C" __global__ void reference(const float* x, double* y) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  y[i] = 2.0 * x[i];
}
)cuda";

class SpoiltWorker : public FaultSuite {
 protected:
  static constexpr char options[] = "--device host --compile-jobs 1 --deterministic --finals 0";

  // In this order, in one session.
  void run_modes(const std::string& modes, const std::string& before = "") {
    write_template(modes);
    const ProgramRun tuned = tune(options, before);
    EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  }
  void write_template(const std::string& modes) {
    std::string text = spoilers_manifest;
    folder_.write("template.toml", text.replace(text.find("MODES"), 5, modes));
    folder_.write("kernel.cu", spoilers_kernel);
    folder_.write("reference.cu", spoilers_reference);
  }
  // The same at a terminal.
  void run_modes_at_terminal(const std::string& modes) {
    write_template(modes);
    int terminal = -1;
    const pid_t program = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (program == 0) execl("/bin/sh", "sh", "-c", tune_command(options).c_str(), nullptr);
    char words[256];
    while (read(terminal, words, sizeof words) > 0) {
    }
    int status = -1;
    waitpid(program, &status, 0);
    close(terminal);
    EXPECT_EQ(status, 0);
  }
  void expect(const std::string& mode, Outcome outcome) {
    const auto all = by_configuration();
    ASSERT_TRUE(all.contains("MODE=" + mode)) << mode;
    const search::Trial& trial = all.at("MODE=" + mode).trial;
    EXPECT_EQ(search::to_string(trial.outcome), search::to_string(outcome)) << mode << ": " << trial.message;
  }
};

TEST_F(SpoiltWorker, CalculatesForTheNextKernelAsForTheFirst) {
  run_modes(R"("FIRST", "FLUSHES", "GOOD", "X87", "HEEDS_X87", "BLOCKS", "HEEDS_SIGNALS")");
  expect("FLUSHES", Outcome::wrong_result);  // its own threads suffer
  for (const std::string mode : {"FIRST", "GOOD", "X87", "HEEDS_X87", "BLOCKS", "HEEDS_SIGNALS"})
    expect(mode, Outcome::correct);
}

TEST_F(SpoiltWorker, IsNotBelievedWhenAKernelFailsThatAFreshOneFindsRight) {
  run_modes(R"("FIRST", "MARKS", "HEEDS_MARK", "TRAPS_AT_MARK", "ALWAYS", "GOOD")");
  for (const std::string mode : {"FIRST", "MARKS", "HEEDS_MARK", "TRAPS_AT_MARK", "GOOD"})
    expect(mode, Outcome::correct);
  expect("ALWAYS", Outcome::wrong_result);
}

TEST_F(SpoiltWorker, IsReplacedWhenAKernelLeavesThreadsBehind) {
  run_modes(R"("FIRST", "THREADS", "HEEDS_MARK")");
  for (const std::string mode : {"FIRST", "THREADS", "HEEDS_MARK"}) expect(mode, Outcome::correct);
}

TEST_F(SpoiltWorker, EndsWhenItsKernelStopsIt) {
  run_modes(R"("FIRST", "STOPS", "GOOD")");
  expect("STOPS", Outcome::crash);
  EXPECT_THAT(by_configuration().at("MODE=STOPS").trial.message, HasSubstr("SIGSYS"));
  expect("GOOD", Outcome::correct);
}

TEST_F(SpoiltWorker, HasNoTerminal) {
  run_modes_at_terminal(R"("FIRST", "TERMINAL")");
  expect("TERMINAL", Outcome::correct);
}

TEST_F(SpoiltWorker, HasNothingOpenOfWhatItsProgramWasStartedWith) {
  const std::string inherited = (folder_.path() / "inherited").string();
  run_modes(R"("FIRST", "INHERITED")", "exec 9>>" + inherited + "; ");
  expect("INHERITED", Outcome::correct);
  EXPECT_EQ(std::filesystem::file_size(inherited), 0u);
}

}  // namespace
}  // namespace warptune::tuner
