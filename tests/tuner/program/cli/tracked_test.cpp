// `run --sanitize` and `run --count` on the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/small_template.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CliTracked : public testing::Test {
 protected:
  CliTracked() { write_doubling_template(folder_); }

  ProgramRun run(const std::string& more, const std::string& environment = "") {
    const std::string folder = folder_.path().string();
    return run_program(folder_, "WARPTUNE_DB=" + folder + "/s.db XDG_CACHE_HOME=" + folder + "/cache " + environment +
                                    " " + warptune_program() + " run " + folder + " --device host " + more);
  }

  // Of one array, instead of the doubling template.
  void write_kernel(const std::string& body) {
    folder_.write("kernel.cu", "__global__ void k(float* y, int n) {\n" + body + "}\n");
    folder_.write(
        "template.toml",
        "name = 'k'\nsource = 'kernel.cu'\n[sizes]\nn = 256\n[parameters.BLOCK]\nvalues = [128]\ndefault = 128\n"
        "[arguments.y]\ntype = 'float'\nshape = ['n']\nrole = 'output'\n[arguments.n]\ntype = 'int32'\n"
        "value = 'n'\n[[launches]]\nkernel = 'k'\ngrid = 'n // BLOCK'\nblock = 'BLOCK'\n"
        "arguments = ['y', 'n']\n[reference]\ndefault_configuration = true\n");
  }

  TemporaryFolder folder_;
};

TEST_F(CliTracked, AKernelWithoutAnEndIsATimeOut) {
  write_kernel("  volatile int go = 1;\n  while (go) { }\n  y[threadIdx.x] = n;\n");
  const ProgramRun sanitized = run("--sanitize --kernel-timeout 1");
  EXPECT_EQ(sanitized.exit_code, 6) << sanitized.err;
  EXPECT_THAT(sanitized.out, AllOf(HasSubstr("outcome             timeout"), HasSubstr("loop without an end")));
  const auto counted = nlohmann::json::parse(run("--count --format json --kernel-timeout 1").out);
  EXPECT_EQ(counted["outcome"], "timeout");
}

// Neither is an access that a tracked module tells of, and both end their process.
TEST_F(CliTracked, ADivisionByZeroIsACrashThatIsToldOf) {
  write_kernel("  int zero = n - 256;\n  y[threadIdx.x] = n / zero;\n");
  for (const std::string what : {"--sanitize", "--count"}) {
    const ProgramRun crashed = run(what);
    EXPECT_EQ(crashed.exit_code, 6) << crashed.err;
    EXPECT_THAT(crashed.out, AllOf(HasSubstr("outcome             crash"), HasSubstr("SIGFPE")));
  }
  EXPECT_EQ(nlohmann::json::parse(run("--sanitize --format json").out)["configuration"]["BLOCK"], 128);
}

TEST_F(CliTracked, AReferenceThatCrashesIsToldOfAsInAPlainRun) {
  write_kernel("  y[blockIdx.x * BLOCK + threadIdx.x] = n;\n");
  folder_.write("ref.cpp",
                "extern \"C\" void reference(double* y, int n) {\n"
                "  for (long i = 0; i < n; ++i) y[i << 24] = n;\n}\n");
  std::stringstream manifest;
  manifest << std::ifstream(folder_.path() / "template.toml").rdbuf();
  std::string text = manifest.str();
  const std::string own = "default_configuration = true";
  text.replace(text.find(own), own.size(), "source = 'ref.cpp'\nfunction = 'reference'\narguments = ['y', 'n']");
  folder_.write("template.toml", text);
  for (const std::string what : {"", "--sanitize", "--count"}) {
    const ProgramRun crashed = run(what);
    EXPECT_EQ(crashed.exit_code, 3) << crashed.out << crashed.err;
    EXPECT_THAT(crashed.err, AllOf(HasSubstr("reference"), HasSubstr("SIGSEGV"), HasSubstr("It is never tracked"),
                                   testing::Not(HasSubstr("--sanitize looks for the line"))));
  }
}

TEST_F(CliTracked, AnAccessBeyondSharedMemoryIsToldOfTheSharedArray) {
  write_kernel(
      "  __shared__ float tile[BLOCK];\n  tile[threadIdx.x + 1] = n;\n  __syncthreads();\n"
      "  y[blockIdx.x * BLOCK + threadIdx.x] = tile[threadIdx.x];\n");
  EXPECT_THAT(run("--sanitize").out, HasSubstr("4 bytes past the end of the shared tile (512 bytes)"));
}

TEST_F(CliTracked, AnAddressFarFromAllMemoryIsNotMeasuredFromABuffer) {
  write_kernel("  float* const nowhere = (float*)16;\n  nowhere[threadIdx.x] = n;\n  y[threadIdx.x] = n;\n");
  EXPECT_THAT(run("--sanitize").out, HasSubstr("at address 0x10, far from every buffer"));
}

TEST_F(CliTracked, OfSeveralSharedArraysSanitizeSaysWhatItDoesNotSee) {
  write_kernel(
      "  __shared__ float a[BLOCK], b[BLOCK];\n  a[threadIdx.x] = n;\n  b[threadIdx.x] = a[threadIdx.x];\n"
      "  y[blockIdx.x * BLOCK + threadIdx.x] = b[threadIdx.x];\n");
  const ProgramRun clean = run("--sanitize", "COLUMNS=200");
  EXPECT_EQ(clean.exit_code, 0) << clean.out << clean.err;
  EXPECT_THAT(clean.out, HasSubstr("beyond one shared array that hits another one is not seen"));
}

TEST_F(CliTracked, SanitizeSaysThatNothingWasFound) {
  const ProgramRun clean = run("--sanitize");
  EXPECT_EQ(clean.exit_code, 0) << clean.err;
  EXPECT_THAT(clean.out, AllOf(HasSubstr("outcome             correct"), HasSubstr("findings            none")));
}

TEST_F(CliTracked, SanitizeFailsOnAnAccessOutOfBoundsAndNamesItsLine) {
  const ProgramRun stray = run("--sanitize --param MODE=outside");
  EXPECT_EQ(stray.exit_code, 6);
  EXPECT_THAT(stray.out, AllOf(HasSubstr("writes 4 bytes, 4 bytes past the end of out (4000 bytes)"),
                               HasSubstr("kernel.cu:16"), HasSubstr("OUT_OF_BOUNDS")));
}

// compute-sanitizer itself ends with what the program ends with, whatever it finds, unless it is told otherwise.
TEST_F(CliTracked, OnAGpuWhatComputeSanitizerFindsIsAnExitCodeToo) {
  const auto driver = build_folder() / "tests/fakes/cuda";
  if (!std::filesystem::exists(driver / "libcuda.so.1")) GTEST_SKIP() << "without CUDA's headers there is no fake GPU";
  const std::string folder = folder_.path().string();
  std::ofstream(folder_.path() / "template.toml", std::ios::app) << "\n[presets.few]\nn = 100\n";
  const std::filesystem::path fake = folder_.path() / "compute-sanitizer";
  std::ofstream(fake) << "#!/bin/sh\necho \"$@\"\n";
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  const auto sanitized = [&](const std::string& more) {
    return run_program(folder_, "LD_LIBRARY_PATH=" + driver.string() + " PATH=" + folder +
                                    ":$PATH WARPTUNE_DB=" + folder + "/s.db " + warptune_program() + " run " + folder +
                                    " --device cuda:0 --sanitize --preset few" + more);
  };
  const ProgramRun run = sanitized(" --param BLOCK=64");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("--error-exitcode 6 "), HasSubstr("--no-workers --configuration BLOCK=64"),
                             HasSubstr("--preset few")));
  EXPECT_THAT(sanitized("").out,
              AllOf(HasSubstr("--no-workers --preset few"), testing::Not(HasSubstr("--configuration"))));
}

TEST_F(CliTracked, CountsFitTheTerminal) {
  const ProgramRun table = run("--count --size n=20", "COLUMNS=60");
  EXPECT_THAT(table.out, AllOf(HasSubstr("doubling: 1 block, 2 warps, 64 threads"), HasSubstr("SECTORS PER")));
  std::istringstream lines(table.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), 60u) << line;
}

TEST_F(CliTracked, CountShowsAccessesForPeopleAndPrograms) {
  const ProgramRun table = run("--count");
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("doubling: 16 blocks, 32 warps, 1024 threads"), HasSubstr("global loads")));
  const auto json = nlohmann::json::parse(run("--count --format json").out);
  const auto& counts = json["launches"][0]["counts"];
  EXPECT_EQ(counts["global_loads"], 1000);
  EXPECT_EQ(counts["buffers"]["out"]["stores"], 1000);
  EXPECT_EQ(counts["global_store_bytes"], 4000);
  EXPECT_THAT(run("--count --format csv").out, HasSubstr("1,doubling,in_loads,1000"));
}

TEST_F(CliTracked, CountersAreThoseThatTheHostCounts) {
  const ProgramRun table = run("--counters");
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(HasSubstr("time  "), HasSubstr("global_load_bytes"), HasSubstr("4.00 kB")));
  const auto json = nlohmann::json::parse(run("--counters --format json").out);
  EXPECT_EQ(json["counters"]["values"]["global_loads"], 1000);
  EXPECT_EQ(json["counters"]["launches"][0]["kernel"], "doubling");
  EXPECT_THAT(json["counters"]["lacking"].dump(), HasSubstr("dram_read_bytes"));
  EXPECT_NE(run("--counters --count").exit_code, 0);
}

TEST_F(CliTracked, CountersOfASessionsFinalistsAreShownAgain) {
  const std::string folder = folder_.path().string();
  const std::string environment = "WARPTUNE_DB=" + folder + "/s.db XDG_CACHE_HOME=" + folder + "/cache ";
  const ProgramRun tuned =
      run_program(folder_, environment + warptune_program() + " tune " + folder +
                               " --device host --restrict 'EACH == 1 and MODE == \"good\"' --counters --format json");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  const auto winner = nlohmann::json::parse(tuned.out)["winner"]["trial"].get<int>();
  const ProgramRun shown =
      run_program(folder_, environment + warptune_program() + " show --trial " + std::to_string(winner));
  EXPECT_THAT(shown.out, AllOf(HasSubstr("global_store_requests"), HasSubstr("Not counted on this device")));
  const ProgramRun table = run_program(folder_, environment + warptune_program() + " show --format csv");
  EXPECT_THAT(table.out, AllOf(HasSubstr(",counter.global_stores,"), HasSubstr(",1000.0,")));
}

TEST_F(CliTracked, APlainRunHasItsTimeAsJson) {
  const ProgramRun done = run("--format json --param BLOCK=128");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json["outcome"], "correct");
  EXPECT_EQ(json["configuration"]["BLOCK"], 128);
  EXPECT_GT(json["search"]["time_ms"].get<double>(), 0) << done.out;
}

TEST_F(CliTracked, ATimeLimitThatNothingKeepsIsToldOf) {
  EXPECT_THAT(run("--no-workers --kernel-timeout 5").err, HasSubstr("--kernel-timeout has no effect"));
  EXPECT_THAT(run("--no-workers").err, testing::Not(HasSubstr("no effect")));
}

TEST_F(CliTracked, OtherFormatsNeedSomethingToFormat) {
  const ProgramRun plain = run("--format csv");
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_THAT(plain.err, HasSubstr("--count"));
}

// At full optimisation a compiler fuses some multiplications and additions, and a tracked kernel is compiled without.
TEST_F(CliTracked, SanitizeComparesWithADefaultThatRoundsInTheSameWay) {
  folder_.write(
      "kernel.cu",
      "__global__ void orbit(int* steps, int n) {\n"
      "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i >= n) return;\n"
      "  float cx = -2.f + 3.f * (i % 64) / 64, cy = -1.f + 2.f * (i / 64) / 64, x = 0, y = 0;\n  int s = 0;\n"
      "  while (x * x + y * y < 4.f && s < 256) { float t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; ++s; "
      "}\n  steps[i] = s;\n}\n");
  folder_.write(
      "template.toml",
      "name = 'orbit'\nsource = 'kernel.cu'\n[sizes]\nn = 4096\n[parameters.BLOCK]\nvalues = [64]\ndefault = 64\n"
      "[arguments.steps]\ntype = 'int32'\nshape = ['n']\nrole = 'output'\n[arguments.n]\ntype = 'int32'\n"
      "value = 'n'\n[[launches]]\nkernel = 'orbit'\ngrid = 'n // BLOCK'\nblock = 'BLOCK'\n"
      "arguments = ['steps', 'n']\n[reference]\ndefault_configuration = true\n");
  const ProgramRun clean = run("--sanitize");
  EXPECT_EQ(clean.exit_code, 0) << clean.out << clean.err;
  EXPECT_EQ(run("").exit_code, 0);
}

}  // namespace
}  // namespace warptune::tuner
