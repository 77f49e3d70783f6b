// Sources with a host part: what of them reaches a kernel's compiler.
#include "tuner/kernel/source/whole_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/temporary_folder.h"
#include "tuner/kernel/source/program_text.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(WholeProgram, LosesItsHostPartAndKeepsItsLines) {
  const std::string source =
      "#include <stdio.h>\n#include <cuda_fp16.h>\nusing namespace std;\n#define TILE 16\nconst int EACH = 4;\n"
      "constexpr int other = 3;\n__device__ int twice(int a) { return 2 * a; }\n"
      "__global__ void k(int* x) { x[0] = twice(TILE * EACH); }\nvoid check(const int* x) {\n  printf(\"%d\", *x);\n}\n"
      "int main() {\n  k<<<1, 1>>>(0);\n}\n";
  const std::string kept = device_part(source, {"TILE", "EACH"});
  EXPECT_EQ(std::ranges::count(kept, '\n'), std::ranges::count(source, '\n'));
  EXPECT_THAT(kept, AllOf(HasSubstr("__global__ void k"), HasSubstr("int twice"), HasSubstr("cuda_fp16.h"),
                          HasSubstr("constexpr int other")));
  for (const char* gone : {"stdio", "using", "define TILE", "const int EACH", "printf", "main", "<<<"})
    EXPECT_THAT(kept, Not(HasSubstr(gone)));
}

TEST(WholeProgram, KeepsNamesOfNamespacesThatKernelsUse) {
  const std::string source =
      "namespace cg = cooperative_groups;\nusing namespace nvcuda;\nnamespace fs = std::filesystem;\n"
      "using namespace std;\nusing std::min;\n__global__ void k() { cg::this_thread_block().sync(); }\nint main() {}\n";
  const std::string kept = device_part(source, {});
  EXPECT_THAT(kept, AllOf(HasSubstr("namespace cg ="), HasSubstr("namespace nvcuda"), HasSubstr("void k()")));
  EXPECT_THAT(kept, AllOf(Not(HasSubstr("std")), Not(HasSubstr("main"))));
}

TEST(WholeProgram, KeepsDefinitionsThatGiveWayByThemselvesOrAreNotGiven) {
  const std::string guarded = "#ifndef TILE\n#define TILE 16\n#endif\n#define N 5\n__global__ void k() {}\n";
  EXPECT_EQ(device_part(guarded, {"TILE"}), guarded);
  EXPECT_FALSE(is_whole_program(guarded, {"TILE"}));
  EXPECT_TRUE(is_whole_program(guarded, {"N"}));
}

TEST(WholeProgram, KeepsCommentsClosedThatBeginOrEndBesideHostCode) {
  const std::string source = "/* begins\n here */ int main() {\n} /* and\n goes on */\n__global__ void k() {}\n";
  EXPECT_EQ(device_part(source, {}), "/* begins\n*/\n/*\n goes on */\n__global__ void k() {}\n");
}

TEST(WholeProgram, KeepsALineThatDeviceCodeShares) {
  const std::string source = "int main() { return 0; } __global__ void k() {}\n";
  EXPECT_EQ(device_part(source, {}), source);
}

TEST(WholeProgram, DropsTypesOfTheStandardLibraryAndKeepsTheKernels) {
  const std::string kept = device_part(
      "struct Pair { int a, b; };\nstruct Host { std::vector<int> v; };\nnamespace n {\n__global__ void k(Pair p) {}\n"
      "static void host() {}\n}\n",
      {});
  EXPECT_THAT(kept, AllOf(HasSubstr("struct Pair"), HasSubstr("namespace n {"), HasSubstr("void k(Pair p)"),
                          Not(HasSubstr("vector")), Not(HasSubstr("host()"))));
}

// NVRTC has none of them.
TEST(WholeProgram, DropsTheOperatingSystemsHeaders) {
  const std::string kept = device_part(
      "#include <stdarg.h>\n#include <fcntl.h>\n#include <sys/resource.h>\n#include <linux/types.h>\n#include "
      "<ranges>\n"
      "#include <cuda_fp16.h>\n#include <cuda/std/bit>\n__global__ void k() {}\n",
      {});
  EXPECT_EQ(kept.find("sys/"), std::string::npos);
  EXPECT_THAT(kept, AllOf(Not(HasSubstr("stdarg")), Not(HasSubstr("fcntl")), Not(HasSubstr("linux")),
                          Not(HasSubstr("ranges")), HasSubstr("<cuda_fp16.h>"), HasSubstr("<cuda/std/bit>")));
}

TEST(WholeProgram, NamesTheFileAndItsFirstLineForMessages) {
  EXPECT_THAT(compilable_device_part("__global__ void k() {}\n", {}, "a/b.cu"),
              HasSubstr("#line 1 \"a/b.cu\"\n__global__ void k() {}"));
}

TEST(WholeProgram, KeepsManagedVariables) {
  const std::string source = "__managed__ float factor = 2.0f;\n__managed__ int counts[4];\nint main() {}\n";
  EXPECT_THAT(device_part(source, {}), AllOf(HasSubstr("factor = 2"), HasSubstr("counts[4]"), Not(HasSubstr("main"))));
}

TEST(WholeProgram, DropsTypesThatHoldTheRuntimes) {
  EXPECT_THAT(
      device_part(
          "struct Timer { cudaEvent_t begin, end; };\nstruct Blas { cublasHandle_t h; };\nstruct Pair { int a, b; };\n",
          {}),
      AllOf(Not(HasSubstr("Timer")), Not(HasSubstr("Blas")), HasSubstr("Pair")));
}

class ProgramTextTest : public testing::Test {
 protected:
  std::string text_of(const std::string& source) {
    return program_text(folder_.path() / "k.cu", source, {}, "k.cu",
                        [](const std::filesystem::path& file) { return file.filename().string(); });
  }
  TemporaryFolder folder_;
};

TEST_F(ProgramTextTest, TakesTheDevicePartOfAnOwnHeaderInItsPlace) {
  folder_.write("check.h",
                "#pragma once\n#include <stdio.h>\n#include <cuda_runtime.h>\n"
                "inline void check(cudaError_t e) { if (e) printf(\"%d\", e); }\n"
                "__device__ inline int twice(int a) { return 2 * a; }\n");
  const std::string text = text_of("#include \"check.h\"\n__global__ void k(int* x) { *x = twice(1); }\n");
  EXPECT_THAT(text, AllOf(HasSubstr("#line 1 \"check.h\"\n\n"), HasSubstr("__device__ inline int twice"),
                          HasSubstr("\n#line 2 \"k.cu\"\n__global__"), Not(HasSubstr("cudaError_t"))));
}

TEST_F(ProgramTextTest, LeavesHeadersWithoutHostCodeToTheCompiler) {
  folder_.write("twice.h", "__device__ inline int twice(int a) { return 2 * a; }\n");
  EXPECT_THAT(text_of("#include \"twice.h\"\n#include \"none.h\"\n__global__ void k() {}\n"),
              HasSubstr("\n#include \"twice.h\"\n#include \"none.h\"\n__global__"));
}

TEST_F(ProgramTextTest, FollowsNestedHeadersFromTheirOwnFolders) {
  std::filesystem::create_directory(folder_.path() / "sub");
  folder_.write("sub/all.h", "#include \"host.h\"\n#include \"device.h\"\n#include \"all.h\"\n");
  folder_.write("sub/host.h", "void report(int* x);\n");
  folder_.write("sub/device.h", "__device__ inline int one() { return 1; }\n");
  const std::string text = text_of("#include \"sub/all.h\"\n__global__ void k() {}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("#include \"sub/device.h\"\n"), HasSubstr("#line 2 \"k.cu\"\n__global__"),
                          Not(HasSubstr("report"))));
}

TEST_F(ProgramTextTest, LeavesOutLibrariesThatOnlyTheHostCallsAlsoInOwnHeaders) {
  folder_.write("common.h", "#include <cublasLt.h>\n#include <nvtx3/nvToolsExt.h>\n#include \"helper_cuda.h\"\n");
  const std::string text = text_of(
      "#include <cublas_v2.h>\n#include <mpi.h>\n#include \"common.h\"\n#include <helper_math.h>\n"
      "__global__ void k() {}\n");
  EXPECT_THAT(text, AllOf(Not(HasSubstr("cublas")), Not(HasSubstr("mpi.h")), Not(HasSubstr("nvToolsExt")),
                          Not(HasSubstr("helper_cuda")), HasSubstr("#include <helper_math.h>\n__global__")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("cuda_fp16")), Not(HasSubstr("cuda_bf16"))));
}

TEST_F(ProgramTextTest, HasTheNumbersThatALibrarysHeadersBring) {
  folder_.write("common.h", "#include <cublasLt.h>\ntypedef __nv_bfloat16 floatX;\n");
  const std::string text = text_of("#include \"common.h\"\n__global__ void k(half* x) {}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("#include <cuda_bf16.h>\n"), HasSubstr("#include <cuda_fp16.h>\n"),
                          Not(HasSubstr("cublas")), Not(HasSubstr("cuComplex"))));
  EXPECT_THAT(text_of("#include <cublas_v2.h>\n__global__ void k(__half2* x) {}\n"), HasSubstr("<cuda_fp16.h>"));
}

TEST_F(ProgramTextTest, KeepsALibrarysHeaderWhoseNamesAKernelHasAndOwnHeadersOfThatName) {
  folder_.write("helper_cuda.h", "__device__ inline int one() { return 1; }\n");
  const std::string text = text_of(
      "#include <cufft.h>\n#include <cublas_v2.h>\n#include \"helper_cuda.h\"\n"
      "__global__ void k(cufftComplex* x) { x[0].x = one(); }\n");
  EXPECT_THAT(text, AllOf(HasSubstr("<cufft.h>"), Not(HasSubstr("cublas")), HasSubstr("\"helper_cuda.h\"")));
}

TEST(WholeProgram, DropsTypesOfContainersWithoutTheirNamespace) {
  EXPECT_THAT(
      device_part("using namespace std;\nstruct Tree { vector<int> nodes; };\nstruct Pair { int map, set; };\n", {}),
      AllOf(Not(HasSubstr("Tree")), HasSubstr("Pair")));
}

TEST(WholeProgram, DropsKernelsThatNobodyNeedsAndWhatReadsATextureReference) {
  const std::string source =
      "texture<float, 1> tex;\n__device__ float fetch(int i) { return tex1Dfetch(tex, i); }\n"
      "__global__ void twice(float* x) { x[0] *= 2; }\n__global__ void child(float* x) {}\n"
      "__global__ void other(float* x) { x[0] = fetch(0); }\n"
      "__global__ void parent(float* x) { child<<<1, 1>>>(x); }\n";
  const std::string kept = device_part(source, {}, HostIncludes::dropped, {"twice", "parent"});
  EXPECT_THAT(kept, AllOf(HasSubstr("void twice"), HasSubstr("void child"), Not(HasSubstr("void other")),
                          Not(HasSubstr("fetch")), Not(HasSubstr("texture"))));
  EXPECT_THAT(device_part(source, {}), HasSubstr("void other"));
}

}  // namespace
}  // namespace warptune::tuner
