// A tuned kernel's way back into its source, and the source's way back to the tuner: what `export` wrote is included,
// and `run`, `tune` and `check` of that source work as before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/places.h"
#include "tests/support/program.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kernel_text[] =
    "__global__ void twice(float* x, int n) {\n"
    "  int i = (blockIdx.x * TPB + threadIdx.x) * VPT;\n"
    "  for (int k = 0; k < VPT; ++k) if (i + k < n) x[i + k] *= 2;\n}\n";
constexpr char program_text[] =
    "int main() {\n  int n = 10000;\n  float* x;\n  cudaMalloc(&x, n * sizeof(float));\n"
    "  twice<<<(n + TPB * VPT - 1) / (TPB * VPT), TPB>>>(x, n);\n  printf(\"%d\\n\", n);\n}\n";

class RoundTrip : public testing::Test {
 protected:
  ProgramRun run(const std::string& arguments) {
    const std::string folder = folder_.path().string();
    return run_program(folder_, "cd " + folder + " && WARPTUNE_DB=" + folder + "/s.db XDG_CACHE_HOME=" + folder +
                                    "/cache " + warptune_program() + " " + arguments);
  }

  void expect_success(const std::string& arguments) {
    const ProgramRun done = run(arguments);
    EXPECT_EQ(done.exit_code, 0) << arguments << '\n' << done.out << done.err;
  }

  // Of a source whose first lines are `definitions`: a manifest, and a winner.
  void tune(const std::string& definitions, const std::string& rest) {
    rest_ = rest;
    folder_.write("mine/twice.cu", definitions + rest);
    expect_success("init mine/twice.cu");
    expect_success("tune mine --device host --budget 1");
  }

  // With other first lines, all verbs work, and another export leaves the stored sessions as good as they were.
  void expect_round_trip(const std::string& lines, const std::string& format, const std::string& file) {
    folder_.write("mine/twice.cu", lines + rest_);
    expect_success("run mine --device host --param TPB=32");
    expect_success("tune mine --device host --budget 1");
    expect_success("check mine --device host --tolerance 100 --keep");
    expect_success("export mine --format " + format + " -o mine/" + file);
    expect_success("check mine --device host --tolerance 100 --keep");
  }

  std::string rest_;
  TemporaryFolder folder_;
};

constexpr char definitions[] = "#include <stdio.h>\n#define TPB 64\n#define VPT 2\n";

TEST_F(RoundTrip, ASourceThatIncludesItsMacrosIsTunedAgain) {
  tune(definitions, std::string(kernel_text) + program_text);
  const ProgramRun exported = run("export mine --format defines -o mine/twice_macros.h");
  EXPECT_THAT(exported.err, HasSubstr("\n  #include \"twice_macros.h\"\n"));
  expect_round_trip("#include <stdio.h>\n#include \"twice_macros.h\"\n", "defines", "twice_macros.h");
}

TEST_F(RoundTrip, ASourceThatTakesConstantsFromItsHeaderIsTunedAgain) {
  tune(definitions, std::string(kernel_text) + program_text);
  const ProgramRun exported = run("export mine -o mine/twice_tuned.h");
  const std::string lines = "  #include \"twice_tuned.h\"\n  WARPTUNE_TWICE_CONSTANTS(0);\n";
  EXPECT_THAT(exported.err, AllOf(HasSubstr(lines), HasSubstr("in place of line 2 of twice.cu, which defines TPB")));
  expect_round_trip("#include <stdio.h>\n" + lines, "header", "twice_tuned.h");
}

TEST_F(RoundTrip, PrefixedMacrosStandForWhatIsTuned) {
  tune(definitions, std::string(kernel_text) + program_text);
  const ProgramRun exported = run("export mine --format defines --prefix TWICE_ -o mine/twice_macros.h");
  EXPECT_THAT(exported.err, HasSubstr("says TWICE_TPB where it said TPB"));
  for (const std::string name : {"TPB", "VPT"})
    for (std::size_t at = 0; (at = rest_.find(name, at)) != rest_.npos; at += name.size() + 6)
      rest_.insert(at, "TWICE_");
  const std::string again = "defines --prefix TWICE_";
  expect_round_trip("#include <stdio.h>\n#include \"twice_macros.h\"\n", again, "twice_macros.h");
  EXPECT_THAT(run("run mine --device host --param TPB=32").out, HasSubstr("32"));
}

TEST_F(RoundTrip, PrefixesAreForMacrosAndBeginANameOfC) {
  EXPECT_THAT(run("export mine --prefix A_").err, HasSubstr("--prefix is for macros (--format defines)"));
  EXPECT_THAT(run("export mine --format defines --prefix 3-").err, HasSubstr("begins no macro's name"));
}

// A constant would be nothing in an #if, and no compiler would say so.
TEST_F(RoundTrip, OffersMacrosWhereAConditionAsksForAParameter) {
  tune(definitions, "#if VPT > 1\n#endif\n" + std::string(kernel_text) + program_text);
  EXPECT_THAT(run("export mine -o mine/twice_tuned.h").err,
              AllOf(HasSubstr("line 4 of twice.cu asks for VPT in an #if"), Not(HasSubstr("CONSTANTS"))));
}

}  // namespace
}  // namespace warptune::tuner
