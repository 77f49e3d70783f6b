// The fault suite on the host backend: real kernels and compilers that misbehave, one configuration each.
#include "tests/tuner/measure/workers/fault_suite.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char manifest[] = R"toml(
name = "faults"
options_host = ["-fconstexpr-loop-limit=2147483647", "-fconstexpr-ops-limit=9223372036854775807"]
[sizes]
n = 64
[parameters.MODE]
values = ["GOOD", "LOOP", "WILD", "TRAP", "DEEP", "ZERO", "ABORT", "OUTSIDE", "ENDLESS", "QUITS"]
default = "GOOD"
[arguments.out]
type = "int"
shape = ["n"]
role = "output"
[arguments.nought]
type = "int"
value = "0"
[[launches]]
kernel = "faults"
grid = "n // 32"
block = 32
arguments = ["out", "nought"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "n // 32"
block = 32
arguments = ["out"]
)toml";

constexpr char kernel[] = R"cuda(
enum { GOOD, LOOP, WILD, TRAP, DEEP, ZERO, ABORT, OUTSIDE, ENDLESS, QUITS };
extern "C" void abort();
extern "C" void _exit(int);
constexpr int mode = MODE;
template <int Mode>
constexpr long spin() {
  long sum = 0;
  if (Mode == ENDLESS)
    for (long i = 0; i < (1l << 60); ++i) sum ^= i;
  return sum;
}
constexpr long spun = spin<mode>();
__device__ int depth(int n) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(n);
  return n < 0 ? 0 : depth(n + 1) + frame[0];
}
extern "C" __global__ void faults(int* out, int nought) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  volatile int zero = nought;
  int value = i + static_cast<int>(spun);
  if (mode == LOOP)
    while (zero == 0) {
    }
  if (mode == WILD) *reinterpret_cast<volatile int*>(8l + zero) = 1;
  if (mode == TRAP) __trap();
  if (mode == DEEP) value = depth(zero);
  if (mode == ZERO) value = i / zero;
  if (mode == ABORT) abort();
  if (mode == QUITS) _exit(3);
  if (mode == OUTSIDE) out[i + 64] = 1;
  out[i] = value;
}
)cuda";

constexpr char reference[] = R"cuda(
extern "C" __global__ void reference(int* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = i;
}
)cuda";

class HostFaults : public FaultSuite {
 protected:
  HostFaults() {
    folder_.write("template.toml", manifest);
    folder_.write("kernel.cu", kernel);
    folder_.write("reference.cu", reference);
  }

  // Only these values of MODE, for a cheaper space.
  void restrict_to(const std::string& modes) {
    std::string text = manifest;
    const auto begin = text.find("values = ["), end = text.find('\n', begin);
    folder_.write("template.toml", text.replace(begin, end - begin, "values = [" + modes + "]"));
  }
};

TEST_F(HostFaults, EachEndsWithItsOutcomeAndTheRestGoesOn) {
  const ProgramRun tuned = tune("--device host --compile-jobs 2 --kernel-timeout 1 --compile-timeout 10");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("Winner    the default configuration"));
  auto all = by_configuration();
  ASSERT_EQ(all.size(), 10u);
  const auto expect = [&](const std::string& mode, search::Outcome outcome, const std::string& words) {
    const search::Trial& trial = all.at("MODE=" + mode).trial;
    EXPECT_EQ(search::to_string(trial.outcome), search::to_string(outcome)) << mode;
    EXPECT_THAT(trial.message, HasSubstr(words)) << mode;
  };
  expect("GOOD", search::Outcome::correct, "");
  expect("LOOP", search::Outcome::timeout, "kernel time-out of 1 s");
  expect("WILD", search::Outcome::crash, "SIGSEGV (Segmentation fault): it may have read or written outside");
  expect("TRAP", search::Outcome::launch_error, "__trap()");
  expect("DEEP", search::Outcome::crash, "SIGSEGV");
  expect("ZERO", search::Outcome::crash, "SIGFPE");
  expect("ABORT", search::Outcome::crash, "SIGABRT");
  expect("OUTSIDE", search::Outcome::wrong_result, "out of bounds");
  expect("ENDLESS", search::Outcome::timeout, "compile time-out of 10 s");
  expect("QUITS", search::Outcome::crash, "exit code 3");

  // Quarantined: what is in the store is not tried again.
  const ProgramRun again = tune("--device host --compile-jobs 1");
  EXPECT_THAT(again.err, HasSubstr("resuming: 10 trials"));
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(trials().size(), 10u);
}

TEST_F(HostFaults, ATrialIsRunAgainWithOneCommand) {
  restrict_to("\"GOOD\", \"ABORT\"");
  tune("--device host --compile-jobs 1");
  const auto all = by_configuration();
  const std::string bad = std::to_string(all.at("MODE=ABORT").id), good = std::to_string(all.at("MODE=GOOD").id);
  const std::string here = " " + folder_.path().string();
  EXPECT_EQ(run("show --trial " + bad + " --replay").out,
            "warptune run " + (folder_.path() / "template.toml").string() +
                " --device host --size n=64 --configuration MODE=ABORT\n");
  EXPECT_THAT(run("show --trial " + bad).out, HasSubstr("SIGABRT"));
  const ProgramRun crashed = run("run" + here + " --trial " + bad);
  EXPECT_EQ(crashed.exit_code, 6) << crashed.err;
  EXPECT_THAT(crashed.out, testing::ContainsRegex("outcome +crash"));
  EXPECT_THAT(crashed.out, HasSubstr("SIGABRT"));
  const ProgramRun correct = run("run" + here + " --size n=64 --device host --configuration MODE=GOOD");
  EXPECT_EQ(correct.exit_code, 0) << correct.err;
  EXPECT_THAT(correct.out, testing::ContainsRegex("outcome +correct"));
  EXPECT_EQ(run("run" + here + " --trial 4711").exit_code, 3);
}

TEST_F(HostFaults, ACompilerThatCrashesOrHangsCostsItsConfigurationOnly) {
  restrict_to("\"GOOD\", \"TRAP\", \"ABORT\"");
  const auto compiler = folder_.write("cxx", R"sh(#!/bin/sh
for source; do :; done
case "$*" in *" -c "*)
  case "$(cat "$source")" in *"MODE TRAP"*) kill -SEGV $$ ;; *"MODE ABORT"*) sleep 1000 ;; esac
esac
exec c++ "$@"
)sh");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  more_environment_ = "CXX=" + compiler.string();
  const ProgramRun tuned = tune("--device host --compile-jobs 2 --compile-timeout 10");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  auto all = by_configuration();
  EXPECT_EQ(all.at("MODE=GOOD").trial.outcome, search::Outcome::correct);
  EXPECT_EQ(all.at("MODE=TRAP").trial.outcome, search::Outcome::crash);
  EXPECT_THAT(all.at("MODE=TRAP").trial.message, HasSubstr("ended with status 139"));
  EXPECT_EQ(all.at("MODE=ABORT").trial.outcome, search::Outcome::timeout);
}

TEST_F(HostFaults, ASecondRunCompilesNothing) {
  restrict_to("\"GOOD\", \"OUTSIDE\"");
  const auto counter = folder_.path() / "count";
  const auto compiler = folder_.write(
      "cxx", "#!/bin/sh\ncase \"$*\" in *\" -c \"*) echo >> " + counter.string() + ";; esac\nexec c++ \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  more_environment_ = "CXX=" + compiler.string();
  tune("--device host --compile-jobs 1");
  const auto first = std::filesystem::file_size(counter);
  EXPECT_GE(first, 2u);
  std::filesystem::remove(database());
  const ProgramRun second = tune("--device host --compile-jobs 1");
  EXPECT_THAT(second.err, HasSubstr("0 compiled, 2 from the cache"));
  EXPECT_EQ(std::filesystem::file_size(counter), first);
  EXPECT_EQ(trials().size(), 2u);
}

TEST_F(HostFaults, ACompilerThatIsKilledOnceCostsNothing) {
  restrict_to("\"GOOD\", \"TRAP\"");
  // The first three compilations, of Warptune's own kernels too, end as `kill cc1plus` makes them end.
  const auto compiler = folder_.write("cxx", R"sh(#!/bin/sh
case "$*" in *" -c "*)
  if mkdir "$0.1" 2>/dev/null || mkdir "$0.2" 2>/dev/null || mkdir "$0.3" 2>/dev/null; then
    echo "c++: fatal error: Terminated signal terminated program cc1plus" >&2
    exit 1
  fi ;;
esac
exec c++ "$@"
)sh");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  more_environment_ = "CXX=" + compiler.string();
  const ProgramRun tuned = tune("--device host --compile-jobs 1");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(by_configuration().at("MODE=GOOD").trial.outcome, search::Outcome::correct);
  EXPECT_EQ(by_configuration().at("MODE=TRAP").trial.outcome, search::Outcome::launch_error);
}

TEST_F(HostFaults, AFileThatChangesDuringASessionIsNotUsedAndTold) {
  const std::string source = kernel;
  folder_.write("kernel.cu", "#define HDR \"part.cuh\"\n#include HDR\n" + source);
  folder_.write("part.cuh", "// as it was\n");
  restrict_to("\"GOOD\", \"OUTSIDE\", \"ZERO\"");
  // The first compilation breaks the header for all that follow.
  const auto compiler = folder_.write("cxx", "#!/bin/sh\ncase \"$*\" in *\" -c \"*) echo '#error changed' > " +
                                                 (folder_.path() / "part.cuh").string() + ";; esac\nexec c++ \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  more_environment_ = "CXX=" + compiler.string();
  const ProgramRun tuned = tune("--device host --compile-jobs 1");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(by_configuration().at("MODE=GOOD").trial.outcome, search::Outcome::correct);
  EXPECT_EQ(by_configuration().at("MODE=OUTSIDE").trial.outcome, search::Outcome::wrong_result);
  EXPECT_THAT(tuned.err, HasSubstr((folder_.path() / "part.cuh").string() + " changed during the session"));
  // And the next session is another one, which tells of the header under its own name.
  const ProgramRun next = tune("--device host --compile-jobs 1");
  EXPECT_THAT(next.err, Not(HasSubstr("resuming")));
  EXPECT_EQ(next.exit_code, 6);
}

TEST_F(HostFaults, AStoppedWorkerIsNotATimeOut) {
  restrict_to("\"GOOD\"");
  std::string slow = kernel;
  slow.replace(slow.find("if (mode == LOOP)"), 17,
               "if (mode == GOOD) for (volatile long j = 0; j < 3000000; ++j);\n  if (mode == LOOP)");
  folder_.write("kernel.cu", slow);
  std::jthread freezer([this] {
    for (int round = 0; round < 4; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      const auto all = processes();
      for (const pid_t process : all) kill(process, SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      for (const pid_t process : all) kill(process, SIGCONT);
    }
  });
  const ProgramRun tuned = tune("--device host --compile-jobs 1 --kernel-timeout 1 --compile-timeout 10");
  freezer.join();
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(by_configuration().at("MODE=GOOD").trial.outcome, search::Outcome::correct);
}

TEST_F(HostFaults, AReferenceThatHangsOrCrashesIsTheTemplatesErrorAndIsNamed) {
  folder_.write("reference.cu",
                "extern \"C\" __global__ void reference(volatile int* out) { while (out[1] != 4711); }\n");
  const ProgramRun hangs = tune("--device host --compile-jobs 1 --kernel-timeout 1");
  EXPECT_EQ(hangs.exit_code, 3) << hangs.err;
  EXPECT_THAT(hangs.err, HasSubstr((folder_.path() / "reference.cu").string()));
  EXPECT_THAT(hangs.err, HasSubstr("kernel time-out of 1 s"));
  folder_.write("reference.cu", "extern \"C\" __global__ void reference(int* out) { *(volatile int*)8l = 1; }\n");
  const ProgramRun crashes = tune("--device host --compile-jobs 1");
  EXPECT_EQ(crashes.exit_code, 3) << crashes.err;
  EXPECT_THAT(crashes.err, HasSubstr((folder_.path() / "reference.cu").string()));
  EXPECT_THAT(crashes.err, HasSubstr("SIGSEGV"));
}

TEST_F(HostFaults, AKernelCannotUseItsWorkersChannel) {
  restrict_to("\"GOOD\", \"OUTSIDE\"");
  // Writes to every descriptor that there may be, and goes on with a wrong result.
  std::string liar = kernel;
  liar.replace(liar.find("extern \"C\" void abort();"), 24,
               "extern \"C\" void abort();\nextern \"C\" long write(int, const void*, unsigned long);");
  liar.replace(liar.find("if (mode == OUTSIDE) out[i + 64] = 1;"), 37,
               "if (mode == OUTSIDE) { for (int d = 3; d < 200; ++d) write(d, \"WTG2 correct\", 12); value = -1; }");
  folder_.write("kernel.cu", liar);
  const ProgramRun tuned = tune("--device host --compile-jobs 1");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(by_configuration().at("MODE=GOOD").trial.outcome, search::Outcome::correct);
  EXPECT_EQ(by_configuration().at("MODE=OUTSIDE").trial.outcome, search::Outcome::wrong_result);
}

TEST_F(HostFaults, AWorkerStartedByHandSaysWhatItIs) {
  for (const std::string arguments : {"worker", "worker 3 1 2", "worker 0 $$ 2 </dev/null", "worker 1 2"}) {
    const ProgramRun started = run(arguments);
    EXPECT_EQ(started.exit_code, 2) << arguments;
    EXPECT_EQ(started.out, "");
  }
  EXPECT_THAT(run("worker").err, HasSubstr("warptune starts it itself"));
}

}  // namespace
}  // namespace warptune::tuner
