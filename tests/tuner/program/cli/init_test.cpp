// `warptune init` and what follows it, as a newcomer types it: a source in an empty folder, then a tuned kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/user_kernels.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CliInit : public testing::Test {
 protected:
  ProgramRun run(const std::string& arguments) {
    const std::string folder = folder_.path().string();
    return run_program(folder_, "cd " + folder + " && WARPTUNE_DB=" + folder + "/s.db XDG_CACHE_HOME=" + folder +
                                    "/cache " + warptune_program() + " " + arguments);
  }

  std::string manifest() const {
    std::ifstream stream(folder_.path() / "mine/template.toml");
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
};

struct UserKernel {
  const char* name;
  const char* source;
  const char* parameter;  // another value than the source's
};

void PrintTo(const UserKernel& kernel, std::ostream* out) {
  *out << kernel.name;
}

class CliInitOfA : public CliInit, public testing::WithParamInterface<UserKernel> {};

// Another configuration than the default, so that it is held against the default's result.
TEST_P(CliInitOfA, RunsUnchanged) {
  folder_.write("mine/kernel.cu", GetParam().source);
  const ProgramRun init = run("init mine/kernel.cu");
  ASSERT_EQ(init.exit_code, 0) << init.err;
  EXPECT_THAT(init.err, HasSubstr("next: warptune tune mine"));
  const ProgramRun other = run(std::string("run mine/kernel.cu --device host --param ") + GetParam().parameter);
  EXPECT_EQ(other.exit_code, 0) << other.out << other.err << manifest();
  EXPECT_THAT(other.out, HasSubstr("correct"));
}

INSTANTIATE_TEST_SUITE_P(Source, CliInitOfA,
                         testing::Values(UserKernel{"Matmul", matmul_program, "TILE_WIDTH=8"},
                                         UserKernel{"Convolution", convolution_source, "BLOCK=64"},
                                         UserKernel{"TwoKernels", two_kernels_program, "BLOCK_SIZE=128"},
                                         UserKernel{"Reduction", reduction_program, "BLOCK_VALUE=64"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_F(CliInit, NamesTheInstalledSchemaInTheFirstLine) {
  folder_.write("mine/kernel.cu", saxpy_source);
  const ProgramRun shown = run("init mine/kernel.cu -o -");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, StartsWith("#:schema /"));
  const std::string file = shown.out.substr(9, shown.out.find('\n') - 9);
  EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
  EXPECT_EQ(manifest(), "");  // nothing was written
}

TEST_F(CliInit, ReplacesNoManifestUnasked) {
  folder_.write("mine/kernel.cu", saxpy_source);
  folder_.write("mine/template.toml", "# mine\n");
  const ProgramRun refused = run("init mine/kernel.cu");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("mine/template.toml is there already"), HasSubstr("--force")));
  EXPECT_EQ(manifest(), "# mine\n");
  EXPECT_EQ(run("init mine/kernel.cu --force").exit_code, 0);
  EXPECT_THAT(manifest(), HasSubstr("[parameters.BLOCK_SIZE]"));
}

TEST_F(CliInit, PutsTheManifestIntoAFolderThatIsNamed) {
  folder_.write("mine/kernel.cu", saxpy_source);
  folder_.write("elsewhere/notes.txt", "");
  EXPECT_EQ(run("init mine/kernel.cu -o elsewhere").exit_code, 0);
  EXPECT_THAT(run("space elsewhere").out, HasSubstr("BLOCK_SIZE"));  // it finds the source from there
  EXPECT_THAT(run("init mine/kernel.cu -o elsewhere").err, HasSubstr("elsewhere/template.toml is there already"));
}

TEST_F(CliInit, IsOfferedWhereASourceStandsForATemplate) {
  folder_.write("mine/kernel.cu", saxpy_source);
  for (const char* verb : {"tune", "space", "run"}) {
    const ProgramRun told = run(std::string(verb) + " mine/kernel.cu");
    EXPECT_EQ(told.exit_code, 3);
    EXPECT_THAT(told.err, AllOf(HasSubstr("`warptune init mine/kernel.cu`"), Not(HasSubstr("[Y/n]"))));
  }
  EXPECT_EQ(manifest(), "");
}

TEST_F(CliInit, NamesAnotherPlaceWhereTheManifestCannotBeWritten) {
  folder_.write("mine/kernel.cu", saxpy_source);
  const ProgramRun refused = run("init mine/kernel.cu -o /proc/none/template.toml");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("the folder /proc/none is not there and could not be made; name another"),
                                 HasSubstr("-o puts the manifest elsewhere")));
}

TEST_F(CliInit, MakesTheFolderOfTheManifest) {
  folder_.write("mine/kernel.cu", saxpy_source);
  run("init mine/kernel.cu -o none/such/template.toml");
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "none/such/template.toml"));
}

// The manifest replaces what the file defines itself; a compiler that gets the exported macros does not.
TEST_F(CliInit, SaysWhereExportedMacrosWillHaveNoEffect) {
  folder_.write("mine/kernel.cu",
                "#define TPB 64\nconstexpr int VPT = 2;\n#ifndef UNROLL\n#define UNROLL 1\n#endif\n"
                "__global__ void twice(float* x, int n) {\n"
                "  int i = (blockIdx.x * TPB + threadIdx.x) * VPT;\n"
                "  for (int k = 0; k < VPT; k += UNROLL) if (i + k < n) x[i + k] *= 2;\n}\n");
  ASSERT_EQ(run("init mine/kernel.cu").exit_code, 0);
  ASSERT_EQ(run("tune mine --device host --budget 1").exit_code, 0);
  const std::string said = run("export mine --format defines").err;
  EXPECT_THAT(said,
              HasSubstr("kernel.cu, line 1 defines TPB again, and what is exported has no effect: write #ifndef"));
  EXPECT_THAT(said, HasSubstr("kernel.cu, line 2: VPT is a constant there, which a macro of that name breaks"));
  EXPECT_THAT(said, Not(HasSubstr("UNROLL")));
  EXPECT_THAT(run("export mine").err, Not(HasSubstr("TPB")));  // a header has members
}

TEST_F(CliInit, EndsWithACodeOfItsOwnWhereBlanksRemain) {
  folder_.write("mine/kernel.cu", "__global__ void k(float** rows) { rows[0][threadIdx.x] = 1; }\n");
  const ProgramRun blank = run("init mine/kernel.cu");
  EXPECT_EQ(blank.exit_code, 3);
  EXPECT_THAT(blank.err, AllOf(HasSubstr("to do: arguments.rows"), HasSubstr("marked TODO")));
  EXPECT_THAT(manifest(), HasSubstr("# TODO: arguments.rows"));
}

TEST_F(CliInit, SaysThatANameMeansTheTemplateOfTheProgramAndNotTheSourceHere) {
  const std::string run_it = "run saxpy --device host";
  EXPECT_THAT(run(run_it).err, Not(HasSubstr("note:")));
  folder_.write("saxpy/mine.cu", saxpy_source);
  EXPECT_THAT(run(run_it).err, HasSubstr("not ./saxpy in this folder; for your own: `warptune tune ./saxpy`"));
  EXPECT_THAT(run("tune ./saxpy --device host").err, HasSubstr("`warptune init saxpy/mine.cu` writes it"));
  folder_.write("saxpy.cu", saxpy_source);
  EXPECT_THAT(run(run_it).err, AllOf(HasSubstr("note: 'saxpy' is the template in /"), HasSubstr("not saxpy.cu in this"),
                                     HasSubstr("`warptune init saxpy.cu` and then `warptune tune .`")));
  run("init saxpy.cu");
  const ProgramRun tuned = run("tune saxpy --device host --budget 1 --finals 0");
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("not saxpy.cu in this folder; for your own: `warptune tune .`\n"));
  EXPECT_THAT(run("space saxpy --device host").err, HasSubstr("not saxpy.cu in this folder"));
  for (const std::string own : {"run .", "run saxpy.cu", "run ./saxpy.cu"})
    EXPECT_THAT(run(own + " --device host").err, Not(HasSubstr("note:"))) << own;
}

TEST_F(CliInit, SaysWhatAFolderWithoutAManifestNeeds) {
  folder_.write("mine/kernel.cu", "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n");
  const ProgramRun one = run("tune mine");
  EXPECT_EQ(one.exit_code, 3);
  EXPECT_THAT(one.err, HasSubstr("`warptune init mine/kernel.cu` writes it"));
  folder_.write("mine/other.cu", "");
  EXPECT_THAT(run("tune mine").err, AllOf(HasSubstr("the folder mine has no template.toml"),
                                          HasSubstr("of which there are 2 in the folder")));
  std::filesystem::create_directory(folder_.path() / "empty");
  EXPECT_THAT(run("tune empty").err, HasSubstr("of which there is none in the folder"));
}

TEST_F(CliInit, LeavesOutBlocksThatDoNotDivideTheSizeOfAKernelWithoutBounds) {
  folder_.write("mine/kernel.cu",
                "__global__ void twice(float* x, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  x[i] *= 2;\n}\n");
  ASSERT_EQ(run("init mine/kernel.cu").exit_code, 0);
  const ProgramRun some = run("tune mine --device host --budget 5 --size n=2304");  // 9 blocks of 256
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_THAT(some.err, AllOf(HasSubstr("4 of 6 configurations are valid"), Not(HasSubstr("wrong_result"))));
  EXPECT_THAT(run("run mine --device host --size n=1000").err, HasSubstr("n % BLOCK_SIZE == 0"));
}

TEST_F(CliInit, RefusesADefaultAsReferenceWhereItIsForbidden) {
  folder_.write("mine/kernel.cu",
                "__global__ void twice(float* x, int n) {\n"
                "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  x[i] *= 2;\n}\n");
  ASSERT_EQ(run("init mine/kernel.cu").exit_code, 0);
  const ProgramRun refused = run("tune mine --device host --budget 1 --size n=96");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("the default configuration of twice, which is its reference, is forbidden "
                                           "for n=96: BLOCK_SIZE=256 breaks n % BLOCK_SIZE == 0"),
                                 HasSubstr("add a reference")));
  EXPECT_EQ(run("tune mine --device host --budget 1 --size n=96 --verify never").exit_code, 0);
  // What a request excludes is no reason to distrust the default.
  const ProgramRun other = run("tune mine --device host --budget 1 --size n=2304 --restrict 'BLOCK_SIZE != 256'");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  // Nor is what excludes it at every size: that may be for its speed.
  std::string text = manifest();
  const std::string whole = "n % BLOCK_SIZE == 0";
  text.replace(text.find('"' + whole) + 1, whole.size(), "BLOCK_SIZE != 256");
  folder_.write("mine/template.toml", text);
  const ProgramRun slow = run("tune mine --device host --budget 1");
  EXPECT_EQ(slow.exit_code, 0) << slow.err;
}

TEST_F(CliInit, SaysHowToFindTheReasonWhereEveryConfigurationIsWrong) {
  folder_.write("mine/kernel.cu",
                "#define BLOCK 64\n__global__ void shift(const float* in, float* out, int n) {\n"
                "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i] = in[i + 1];\n}\n");
  ASSERT_EQ(run("init mine/kernel.cu").exit_code, 0);
  const ProgramRun wrong = run("tune mine --device host --budget 2");
  EXPECT_EQ(wrong.exit_code, 6);
  EXPECT_THAT(wrong.err, HasSubstr("next: warptune run mine --device host --sanitize"));
  EXPECT_THAT(run("run mine --device host --sanitize").out, HasSubstr("kernel.cu:4"));
}

TEST_F(CliInit, LeavesOutTheHostCodeOfAProgramsOwnHeaders) {
  folder_.write("mine/check.h",
                "#include <stdio.h>\n"
                "inline void check(cudaError_t e) { if (e != cudaSuccess) printf(\"%s\", cudaGetErrorString(e)); }\n"
                "__device__ inline float twice(float x) { return 2 * x; }\n");
  folder_.write("mine/kernel.cu",
                "#include \"check.h\"\n#define BLOCK 64\n__managed__ float factor = 2.0f;\n"
                "__global__ void scale(const float* in, float* out, int n) {\n"
                "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i] = twice(in[i]) * factor;\n}\n");
  ASSERT_EQ(run("init mine/kernel.cu").exit_code, 0);
  const ProgramRun done = run("run mine --device host --param BLOCK=128");
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  folder_.write("mine/check.h", "void f(cudaError_t);\n__device__ float twice(float x) { return 2 * y; }\n");
  const ProgramRun broken = run("run mine --device host");
  EXPECT_THAT(broken.out + broken.err, HasSubstr("scale/check.h:2:"));
}

// Its reference is its own default configuration, which would run untracked and take the program along.
TEST_F(CliInit, SanitizeFindsTheLineOfAKernelThatReachesFarOutside) {
  folder_.write("mine/kernel.cu",
                "#define BLOCK 64\n__global__ void far(const float* in, float* out, int n) {\n"
                "  int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n");
  ASSERT_EQ(run("init mine/kernel.cu").exit_code, 0);
  folder_.write("mine/kernel.cu",
                "__global__ void far(const float* in, float* out, int n) {\n"
                "  long long i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i * 1000000000] = in[i];\n}\n");
  EXPECT_THAT(run("run mine --device host").err, HasSubstr("with --sanitize looks for the line"));
  for (const std::string configuration : {"", " --param BLOCK=128"}) {
    const ProgramRun found = run("run mine --device host --sanitize" + configuration);
    EXPECT_EQ(found.exit_code, 6) << found.err;
    EXPECT_THAT(found.out, AllOf(HasSubstr("kernel.cu:3"), HasSubstr("OUT_OF_BOUNDS")));
    EXPECT_EQ(found.out.find("the default configuration") == std::string::npos, configuration.empty()) << found.out;
  }
}

}  // namespace
}  // namespace warptune::tuner
