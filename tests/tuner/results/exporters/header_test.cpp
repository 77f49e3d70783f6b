#include "tuner/results/exporters/header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/tuner/results/exporters/example_wisdom.h"
#include "tests/tuner/results/exporters/header_program.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {
namespace {

constexpr char dispatch[] = R"(
  using namespace warptune_tuned::my_kernel;
  // All of it at compile time.
  static_assert(configuration_for("NVIDIA H200", 90, {1000}).BLOCK == 256, "");
  static_assert(configuration_for("NVIDIA H200", 90, {900000}).BLOCK == 512, "the nearest size");
  static_assert(configuration_for("NVIDIA H100", 90, {1000}).BLOCK == 256, "the same architecture");
  static_assert(architecture_configuration(90, {2000000}).BLOCK == 512, "the architecture alone");
  static_assert(configuration_for("NVIDIA A100", 80, {1000000}).BLOCK == 128, "the same device, another size");
  static_assert(configuration_for("GeForce GTX 1080", 61, {1000}).BLOCK == 64, "the default");
  static_assert(find("GeForce GTX 1080", 61, {1000}) == -1, "");
  static_assert(configuration_for("NVIDIA H200", 90, {1000}).SCALE == 0.5, "");
  static_assert(entries[0].gain == 1.25 && entry_count == 3, "");
  struct Properties { char name[256]; int major, minor; };
  int main() {
    const Properties device = {"NVIDIA H200", 9, 0};
    const bool right = configuration_for(device, {1000}).BLOCK == 256 && entries[0].configuration.MODE[1] == '"';
    return right && entries[0].configuration.FAST ? 0 : 1;
  })";

class HeaderExport : public testing::TestWithParam<const char*> {};

TEST_P(HeaderExport, CompilesWithoutWarningsAndFindsTheRightConfiguration) {
  const std::string command = GetParam();
  if (!is_here(command.substr(0, command.find(' ')))) GTEST_SKIP() << command << " is not on this machine";
  EXPECT_EQ(failure_of_header(command + build_and_run, export_header(example_wisdom()), dispatch), "");
}

// What other tools recorded of a problem besides its sizes.
TEST(HeaderOfARecording, GivesTextsAndFractionsOfTheProblemNamesAndCompiles) {
  Wisdom wisdom = example_wisdom();
  for (WisdomEntry& entry : wisdom.entries) entry.variants = {{"n1", "float"}, {"n2", false}, {"n3", 0.5}};
  normalize(wisdom);
  if (!is_here("g++")) GTEST_SKIP() << "g++ is not on this machine";
  EXPECT_EQ(failure_of_header(std::string("g++ -std=c++14") + build_and_run, export_header(wisdom), R"(
    using namespace warptune_tuned::my_kernel;
    static_assert(configuration_for("NVIDIA H200", 90, {1000}).BLOCK == 256, "");
    static_assert(entries[0].size.n2 == false, "");
    int main() {})"),
            "");
}

INSTANTIATE_TEST_SUITE_P(Compilers, HeaderExport,
                         testing::Values("g++ -std=c++14", "g++ -std=c++20", "clang++ -std=c++14",
                                         "clang++ -std=c++20"));

TEST(HeaderExportForNvcc, ChoosesByTheArchitectureThatIsCompiled) {
  const std::string beside = WARPTUNE_CUDA_ROOT "/bin/nvcc";
  const std::string nvcc = is_here(beside) ? beside : "nvcc";
  if (!is_here(nvcc)) GTEST_SKIP() << "nvcc is not on this machine";
  const char kernel[] = R"(
    using namespace warptune_tuned::my_kernel;
    __global__ void kernel(long long* out) {
      constexpr Configuration c = compiled_configuration({1000});
    #if defined(__CUDA_ARCH__)
      static_assert(c.BLOCK == (__CUDA_ARCH__ == 900 ? 256 : __CUDA_ARCH__ == 800 ? 128 : 64), "");
    #endif
      out[threadIdx.x] = c.BLOCK;
    }
    static_assert(configuration_for("NVIDIA H200", 90, {1000}).BLOCK == 256, "");)";
  EXPECT_EQ(
      failure_of_header(nvcc + " -std=c++17 -Werror all-warnings -gencode arch=compute_80,code=sm_80 -gencode "
                               "arch=compute_86,code=sm_86 -gencode arch=compute_90,code=sm_90 -c -o kernel.o main.cu",
                        export_header(example_wisdom()), kernel),
      "");
}

// A table on each thread's stack would be local memory of all threads that a GPU can hold.
TEST(HeaderExportForNvcc, ALookUpInDeviceCodeNeedsNoStack) {
  const std::string beside = WARPTUNE_CUDA_ROOT "/bin/nvcc";
  const std::string nvcc = is_here(beside) ? beside : "nvcc";
  if (!is_here(nvcc)) GTEST_SKIP() << "nvcc is not on this machine";
  const char kernel[] = R"(
    using namespace warptune_tuned::my_kernel;
    __global__ void kernel(long long* out, long long n) { *out = configuration_for("NVIDIA H200", 90, {n}).BLOCK; })";
  EXPECT_EQ(failure_of_header(
                nvcc + " -std=c++14 -arch=sm_90 -Werror all-warnings -Xptxas -v -c -o kernel.o main.cu 2>ptxas; "
                       "grep -q '    0 bytes stack frame' ptxas || { cat ptxas >&2; false; }",
                export_header(example_wisdom()), kernel),
            "");
}

Wisdom attribute_wisdom() {
  Wisdom wisdom = example_wisdom();
  wisdom.entries[1].launch_attributes = {
      {"scale", {{"cluster_x", 2}, {"carveout", 50}, {"programmatic", 1}, {"priority", -1}}}};
  wisdom.default_launch_attributes = {{"scale", {{"cooperative", 1}}}};
  return wisdom;
}

constexpr char attributes_are_there[] = R"(
  using namespace warptune_tuned::my_kernel;
  static_assert(launch_attributes(1, "scale").cluster[0] == 2 && launch_attributes(1, "scale").cluster[1] == 1, "");
  static_assert(launch_attributes(1, "scale").carveout == 50 && launch_attributes(1, "scale").programmatic, "");
  static_assert(launch_attributes(1, "scale").priority == -1 && !launch_attributes(1, "scale").cooperative, "");
  static_assert(launch_attributes(-1, "scale").cooperative, "the default configuration's");
  static_assert(launch_attributes(0, "scale").carveout == -1 && !launch_attributes(1, "other").programmatic, "");
)";

TEST_P(HeaderExport, TellsWhatLaunchesAreMeasuredWith) {
  const std::string command = GetParam();
  if (!is_here(command.substr(0, command.find(' ')))) GTEST_SKIP() << command << " is not on this machine";
  const std::string program = std::string(attributes_are_there) + "int main() { return 0; }";
  EXPECT_EQ(failure_of_header(command + build_and_run, export_header(attribute_wisdom()), program), "");
}

TEST(HeaderExportForNvcc, LaunchesAsWasMeasured) {
  const std::string beside = WARPTUNE_CUDA_ROOT "/bin/nvcc";
  const std::string nvcc = is_here(beside) ? beside : "nvcc";
  if (!is_here(nvcc)) GTEST_SKIP() << "nvcc is not on this machine";
  const std::string program = std::string(attributes_are_there) + R"(
    __global__ void scale(float* x, int n) { if (n > 0) x[0] *= 2; }
    cudaError_t run(float* x, cudaStream_t stream) {
      return launch(launch_attributes(1, "scale"), scale, dim3(2), dim3(32), 1 << 16, stream, x, 7);
    })";
  for (const char* standard : {"14", "17", "20"})
    EXPECT_EQ(failure_of_header(nvcc + " -std=c++" + standard +
                                    " -Werror all-warnings -Xcompiler -Wall,-Wextra -arch=sm_90 -c -o kernel.o main.cu",
                                export_header(attribute_wisdom()), program),
              "");
}

TEST(HeaderExportText, SaysNothingOfAttributesWhereThereAreNone) {
  EXPECT_EQ(export_header(example_wisdom()).find("LaunchAttributes"), std::string::npos);
}

// Two precisions of one problem, each tuned at one size; half was offered and never tuned.
Wisdom variant_wisdom() {
  Wisdom wisdom = example_wisdom();
  wisdom.entries = {example_entry("NVIDIA H200", 90, 1000, 128, 1), example_entry("NVIDIA H200", 90, 9, 256, 1)};
  for (WisdomEntry& entry : wisdom.entries) entry.sizes = {{"n", entry.sizes[0].second}, {"m", std::int64_t{4}}};
  wisdom.entries[0].variants = {{"PRECISION", std::string("float")}, {"TURNED", false}, {"STRIDE", std::int64_t{2}}};
  wisdom.entries[1].variants = {{"PRECISION", std::string("double")}, {"TURNED", true}, {"STRIDE", std::int64_t{2}}};
  wisdom.variants = {{"PRECISION", {std::string("half"), std::string("float"), std::string("double")}},
                     {"TURNED", {false, true}},
                     {"STRIDE", {std::int64_t{2}}}};
  normalize(wisdom);
  return wisdom;
}

// In host and device functions and in constant expressions, by a program of two translation units.
constexpr char everywhere[] = R"(
  #if defined(__CUDACC__)
  #define WARPTUNE_TEST_BOTH __host__ __device__
  #else
  #define WARPTUNE_TEST_BOTH
  #define __global__
  #endif
  using namespace warptune_tuned::my_kernel;
  using P = PRECISION_value;
  static_assert(configuration_for("NVIDIA H200", 90, {9, 4, P::float_}).BLOCK == 128, "size 9 is double's");
  static_assert(configuration_for("NVIDIA H200", 90, {1000, 4, P::double_, true}).BLOCK == 256, "");
  static_assert(find("NVIDIA H200", 90, {9, 4, P::double_, false}) == -1, "not turned was never tuned");
  static_assert(find("NVIDIA H200", 90, {9, 4}) == -1, "the default is half");
  static_assert(entries[0].size.n > 0 && entries[0].size.m == 4 && entry_count == 2, "");
  __global__ void kernel(long long* out, int capability) {
    constexpr Configuration c = compiled_configuration({9, 4, P::float_});
    out[0] = c.BLOCK + architecture_configuration(capability, {9, 4, P::float_}).BLOCK;
  }
  WARPTUNE_TEST_BOTH long long anywhere(int capability) {
    return architecture_configuration(capability, {9, 4, P::float_}).BLOCK + find("", 90, {9, 4, P::float_});
  }
  struct Properties { char name[256]; int major, minor; };
  constexpr Properties known = {"NVIDIA H200", 9, 0};
  static_assert(configuration_for(known, {9, 4, P::float_}).BLOCK == 128, "");
  WARPTUNE_TEST_BOTH int block_on(const Properties& device) {
    return static_cast<int>(configuration_for(device, {9, 4, P::float_}).BLOCK);
  }
  long long at_run_time(const Properties& device) {
    return configuration_for(device, {9, 4, P::double_, true}).BLOCK + entries[0].compute_capability +
           default_configuration.BLOCK + anywhere(0) + 0 * block_on(device);
  })";

constexpr char second_unit[] = R"(
  #include "tuned.h"
  struct Properties { char name[256]; int major, minor; };
  long long at_run_time(const Properties& device);
  int main() {
    using namespace warptune_tuned::my_kernel;
    const Properties device = {"NVIDIA H200", 9, 0};
    const int found = find(device.name, 90, {9, 4, PRECISION_value::float_});
    const bool right = entries[found].configuration.BLOCK == 128;
    return right && at_run_time(device) == 256 + 90 + 64 + 64 + found ? 0 : 1;
  })";

class HeaderExportEverywhere : public testing::TestWithParam<std::string> {};

TEST_P(HeaderExportEverywhere, ServesHostDeviceAndConstantExpressionsOfTwoTranslationUnits) {
  std::string command = GetParam();
  const std::string beside = WARPTUNE_CUDA_ROOT "/bin/nvcc";
  if (command.starts_with("nvcc") && is_here(beside)) command.replace(0, 4, beside);
  if (!is_here(command.substr(0, command.find(' ')))) GTEST_SKIP() << command << " is not on this machine";
  const TemporaryFolder folder;
  folder.write("tuned.h", export_header(variant_wisdom()));
  folder.write("first.cu", std::string("#include \"tuned.h\"\n") + everywhere);
  folder.write("second.cu", second_unit);
  const ProgramRun run = run_program(
      folder, "cd " + folder.path().string() + " && " + command + " -o program first.cu second.cu && ./program");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
}

INSTANTIATE_TEST_SUITE_P(Compilers, HeaderExportEverywhere,
                         testing::Values("g++ -std=c++14 -Wall -Wextra -Werror -pedantic -x c++",
                                         "g++ -std=c++17 -Wall -Wextra -Werror -pedantic -x c++",
                                         "g++ -std=c++20 -Wall -Wextra -Werror -pedantic -x c++",
                                         "clang++ -std=c++14 -Wall -Wextra -Werror -pedantic -x c++",
                                         "clang++ -std=c++17 -Wall -Wextra -Werror -pedantic -x c++",
                                         "clang++ -std=c++20 -Wall -Wextra -Werror -pedantic -x c++",
                                         "nvcc -std=c++14 -Werror all-warnings -Xcompiler -Wall,-Wextra -arch=sm_90",
                                         "nvcc -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra -arch=sm_90",
                                         "nvcc -std=c++20 -Werror all-warnings -Xcompiler -Wall,-Wextra -arch=sm_90"));

TEST(HeaderExportText, SaysThatAMemberHasTheNameOfAMacro) {
  const std::string defined = "g++ -DBLOCK=16 -fsyntax-only -x c++ main.cu";
  EXPECT_THAT(failure_of_header(defined, export_header(example_wisdom()), "int main() {}\n"),
              testing::HasSubstr("BLOCK is a macro here and a name in this header"));
}

// Names that a manifest takes and C++ does not, or not in every dialect.
TEST(HeaderExportText, NamesThatAreKeywordsMacrosOrItsOwnCompile) {
  Wisdom wisdom{"linux", {{"wchar_t", std::int64_t{1}}, {"Configuration", std::int64_t{2}}}, {}};
  WisdomEntry entry = example_entry("A", 90, 1, 1, 1);
  entry.sizes = {{"T_value", std::int64_t{1}}, {"ProblemSize", std::int64_t{2}}};
  entry.variants = {{"T", std::string("NULL")}};
  entry.values = wisdom.defaults;
  wisdom.entries = {entry};
  wisdom.variants = {
      {"T", {std::string("constexpr"), std::string("wchar_t"), std::string("NULL"), std::string("EOF")}}};
  for (const std::string dialect : {"gnu++17", "c++20"})
    EXPECT_EQ(
        failure_of_header("g++ -std=" + dialect +
                              " -Wall -Wextra -Werror -include cmath -include cstdio -fsyntax-only -x c++ main.cu",
                          export_header(wisdom), "int main() {}\n"),
        "");
}

TEST(HeaderExportText, SaysThatAnEnumeratorOrTheKernelHasTheNameOfAMacro) {
  for (const std::string name : {"half", "my_kernel"})
    EXPECT_THAT(failure_of_header("g++ -D" + name + "=1 -fsyntax-only -x c++ main.cu", export_header(variant_wisdom()),
                                  "int main() {}\n"),
                testing::HasSubstr(name + " is a macro here and a name in this header"));
}

TEST(HeaderExportText, MembersOfTheProblemKeepTheManifestsOrder) {
  const std::string header = export_header(variant_wisdom());
  EXPECT_THAT(header, testing::HasSubstr("struct ProblemSize {\n  long long n;\n  long long m;\n"
                                         "  PRECISION_value PRECISION = PRECISION_value::half;\n"
                                         "  bool TURNED = false;\n  long long STRIDE = 2;\n};"));
}

// One rule, written twice: here in C++ for the runtime, there in the generated header.
TEST(HeaderExportRule, ChoosesWhatTheRuntimeChooses) {
  Wisdom wisdom{"rule", {{"ID", std::int64_t{-1}}}, {}};
  std::mt19937 random(7);
  const auto size = [&] { return static_cast<std::int64_t>(std::exp2(random() % 2000 / 100.0)); };
  const char* devices[] = {"A", "B", "C", "D"};
  const int capabilities[] = {80, 90, 90, 70};
  for (std::int64_t id = 0; id < 30; ++id) {
    WisdomEntry entry = example_entry(devices[id % 3], capabilities[id % 3], 1, 1, 1);
    entry.sizes = {{"M", size()}, {"N", size()}};
    entry.values = {{"ID", id}};
    wisdom.entries.push_back(entry);
  }
  normalize(wisdom);
  wisdom.rule = SizeRule{{{"M", 2}, {"N", 1}}, 20, 0.03, 0.1};
  std::string checks = "using namespace warptune_tuned::rule; int main() { return 0";
  for (int i = 0; i < 200; ++i) {
    const std::size_t which = random() % 4;
    const search::NamedValues sizes = {{"M", size()}, {"N", size()}};
    const auto found = candidates(wisdom, devices[which], capabilities[which], {.sizes = sizes});
    const search::Value id = found.empty() ? search::Value(std::int64_t{-1}) : found.front()->values.front().second;
    checks += " + (configuration_for(\"" + std::string(devices[which]) + "\", " + std::to_string(capabilities[which]) +
              ", {" + search::to_text(sizes[0].second) + ", " + search::to_text(sizes[1].second) +
              "}).ID != " + search::to_text(id) + ")";
  }
  EXPECT_EQ(failure_of_header(std::string("g++ -std=c++17") + build_and_run, export_header(wisdom), checks + "; }"),
            "");
}

TEST(HeaderExportRule, SaysWhatIsPredictedAndWhatThatCosts) {
  Wisdom wisdom = example_wisdom();
  wisdom.rule = SizeRule{{{"n", 1}}, 7, 0.25, 0.5};
  constexpr char program[] = R"(
    using namespace warptune_tuned::my_kernel;
    static_assert(is_measured("NVIDIA H200", 90, {1000}), "");
    static_assert(!is_measured("NVIDIA H200", 90, {1001}), "predicted from 1000");
    static_assert(!is_measured("GeForce GTX 1080", 61, {1000}), "nothing is known");
    static_assert(expected_regret == 0.25 && worst_regret == 0.5, "");
    int main() {})";
  EXPECT_EQ(failure_of_header(std::string("g++ -std=c++14") + build_and_run, export_header(wisdom), program), "");
  EXPECT_THAT(export_header(wisdom), testing::HasSubstr("Leaving each of 7"));
  EXPECT_THAT(export_header(example_wisdom()), testing::HasSubstr("double expected_regret = -1.0;"));
}

TEST(HeaderExportText, IsLeftAloneByEveryStyleOfClangFormat) {
  if (!is_here("clang-format")) GTEST_SKIP() << "clang-format is not on this machine";
  const TemporaryFolder folder;
  const std::string header = export_header(example_wisdom());
  const auto file = folder.write("tuned.h", header).string();
  for (const char* style : {"LLVM", "Google", "Mozilla", "GNU", "'{BasedOnStyle: Google, ColumnLimit: 120}'"})
    EXPECT_EQ(run_program(folder, "clang-format --style=" + std::string(style) + " " + file).out, header) << style;
}

TEST(HeaderExportText, SaysWhereItsFiguresComeFrom) {
  const std::string header = export_header(example_wisdom());
  EXPECT_THAT(header, testing::HasSubstr("// [0] NVIDIA A100, n=1000\n"));
  EXPECT_THAT(header, testing::HasSubstr("2 ms +- 1.0 %, 1.25 times as good as the default (time)"));
  Wisdom unconfirmed = example_wisdom();
  unconfirmed.entries.front().of_search_alone = true;
  EXPECT_THAT(export_header(unconfirmed),
              testing::HasSubstr("1.25 times as good as the default (time) in the search, not confirmed by finals"));
  EXPECT_THAT(header, testing::HasSubstr("trial 17"));
  EXPECT_THAT(header, testing::HasSubstr("driver 580.1, NVRTC 13.0"));
  Wisdom wisdom = example_wisdom();
  wisdom.entries.front().relative_error = std::numeric_limits<double>::infinity();
  EXPECT_THAT(export_header(wisdom), testing::HasSubstr("2 ms +- unknown, 1.25 times"));
  wisdom.entries.front().separable = false;
  EXPECT_THAT(export_header(wisdom), testing::HasSubstr("2 ms +- unknown, not separable from the default"));
}

TEST(HeaderExportText, SaysThatAnErrorIsUnknownByANegativeNumberThatEveryCompilerTakes) {
  Wisdom wisdom = example_wisdom();
  wisdom.entries.front().relative_error = std::numeric_limits<double>::infinity();
  const std::string header = export_header(wisdom);
  EXPECT_THAT(header, testing::Not(testing::HasSubstr("__builtin")));
  EXPECT_THAT(header, testing::HasSubstr("negative: unknown"));
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!is_here(compiler)) continue;
    EXPECT_EQ(failure_of_header(compiler + " -std=c++14" + build_and_run, header, R"(
      static_assert(warptune_tuned::my_kernel::entries[0].relative_error < 0, "");
      static_assert(warptune_tuned::my_kernel::entries[1].relative_error == 0.01, "");
      int main() {})"),
              "")
        << compiler;
  }
}

TEST(HeaderExportText, RefusesAProgramWrittenForAnotherSchema) {
  EXPECT_THAT(failure_of_header("g++ -std=c++17 -DWARPTUNE_TUNED_SCHEMA=99 -x c++ -c -o o main.cu",
                                export_header(example_wisdom()), ""),
              testing::HasSubstr("this tuned header has schema 2, the program expects another"));
}

TEST(HeaderExportText, TakesNamesAndValuesThatCppDoesNot) {
  Wisdom wisdom = example_wisdom();
  wisdom.kernel = "2d-conv\\";
  wisdom.defaults = {{"class", std::int64_t{1}}, {"a-b", std::string("x\n")}, {"a_b", 2.5}};
  wisdom.entries.resize(1);
  wisdom.entries[0].device = "odd */ name \\";
  wisdom.entries[0].values = {
      {"class", std::int64_t{std::numeric_limits<std::int64_t>::min()}}, {"a-b", std::int64_t{3}}, {"a_b", true}};
  EXPECT_EQ(failure_of_header(std::string("g++ -std=c++14") + build_and_run, export_header(wisdom), R"(
    using namespace warptune_tuned::_2d_conv_;
    static_assert(entries[0].configuration.class_ < 0 && entries[0].configuration.a_b[0] == '3', "");
    static_assert(entries[0].configuration.a_b_ == 1.0 && default_configuration.a_b_ == 2.5, "");
    int main() {})"),
            "");
}

TEST(HeaderExportText, RefusesToInventADefault) {
  Wisdom wisdom = example_wisdom();
  wisdom.defaults.clear();
  EXPECT_THROW(export_header(wisdom), RequestError);
}

// A search through all entries for each entry would take hours here.
TEST(HeaderExportText, OfVeryManySizesTakesNoLongerForEachOfThem) {
  Wisdom wisdom{"my-kernel", example_wisdom().defaults, {}};
  for (std::int64_t i = 0; i < 50'000; ++i) {
    wisdom.entries.push_back(example_entry("NVIDIA H200", 90, i, 256, 1.5));
    wisdom.entries.back().variants = {{"KIND", "kind" + std::to_string(i)}};
  }
  normalize(wisdom);
  const std::string header = export_header(wisdom);
  EXPECT_THAT(header, testing::HasSubstr("{\"NVIDIA H200\", 90, {49999, KIND_value::kind49999}"));
}

}  // namespace
}  // namespace warptune::tuner
