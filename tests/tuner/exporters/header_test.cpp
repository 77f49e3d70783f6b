#include "tuner/exporters/header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/temporary_folder.h"

namespace warptune {
namespace {

db::BestRecord winner(const std::string& device, const std::string& architecture, std::int64_t n, std::int64_t block,
                      double time_ms) {
  db::BestRecord best;
  best.session.key.kernel = "my-kernel";
  best.session.key.device.name = device;
  best.session.key.device.architecture = architecture;
  best.session.key.compiler = "NVRTC 13.0";
  best.session.key.problem_size = {{"n", n}};
  best.trial.values = {{"BLOCK", block}, {"FAST", true}, {"MODE", std::string("a\"b")}, {"SCALE", 0.5}};
  best.trial.trial.measurement = Measurement{{time_ms}, time_ms, 0.01, false};
  return best;
}

ExportInput example() {
  return {"my-kernel",
          {winner("NVIDIA H200", "sm_90", 1000, 256, 1.5), winner("NVIDIA H200", "sm_90", 1000000, 512, 9),
           winner("NVIDIA A100", "sm_80", 1000, 128, 2)},
          {{"BLOCK", std::int64_t{64}}, {"FAST", false}, {"MODE", std::string("plain")}, {"SCALE", 1.0}}};
}

// Compiles a program that includes the header and runs it; its exit status.
int run_with_header(const std::string& header, const std::string& program) {
  const TemporaryFolder folder;
  folder.write("tuned.h", header);
  const auto source = folder.write("main.cpp", "#include \"tuned.h\"\n#include \"tuned.h\"\n" + program);
  const auto binary = folder.path() / "program";
  const std::string build =
      "c++ -std=c++17 -Wall -Wextra -Werror -pedantic -o " + binary.string() + " " + source.string();
  if (std::system(build.c_str()) != 0) return -1;
  return std::system(binary.c_str());
}

TEST(HeaderExport, CompilesAndFindsTheRightConfiguration) {
  EXPECT_EQ(run_with_header(export_header(example()), R"(
    using namespace warptune_tuned::my_kernel;
    // All of it at compile time.
    static_assert(configuration_for("NVIDIA H200", 90, {1000}).BLOCK == 256);
    static_assert(configuration_for("NVIDIA H200", 90, {900000}).BLOCK == 512, "the nearest size");
    static_assert(configuration_for("NVIDIA H100", 90, {1000}).BLOCK == 256, "the same architecture");
    static_assert(configuration_for("NVIDIA A100", 80, {1000000}).BLOCK == 128);
    static_assert(configuration_for("GeForce GTX 1080", 61, {1000}).BLOCK == 64, "the default");
    static_assert(find("GeForce GTX 1080", 61, {1000}) == nullptr);
    static_assert(configuration_for("NVIDIA H200", 90, {1000}).SCALE == 0.5);
    int main() { return find("NVIDIA H200", 90, {1000})->configuration.MODE[1] == '"' ? 0 : 1; })"),
            0);
}

TEST(HeaderExport, SaysWhereItsFiguresComeFrom) {
  const std::string header = export_header(example());
  EXPECT_THAT(header, testing::HasSubstr("// NVIDIA A100, n=1000"));
  EXPECT_THAT(header, testing::HasSubstr("NVRTC 13.0"));
}

TEST(HeaderExport, IsDeterministic) {
  EXPECT_EQ(export_header(example()), export_header(example()));
}

TEST(HeaderExport, FallsBackToAWinnerWithoutADefault) {
  ExportInput input = example();
  input.fallback.clear();
  EXPECT_THAT(export_header(input), testing::HasSubstr("default_configuration{256, true, \"a\\\"b\", 0.5}"));
}

}  // namespace
}  // namespace warptune
