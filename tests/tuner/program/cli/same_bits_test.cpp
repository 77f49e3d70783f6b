// --same-bits-as and best --reproducible, on a kernel that adds in several orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char adding_manifest[] = R"toml(
name = "adding"
[sizes]
n = 1000
[parameters.BLOCK]
values = [32, 64]
default = 64
[parameters.ORDER]
values = ["forwards", "backwards", "any"]
default = "backwards"
[arguments.in]
type = "float"
shape = ["n", 8]
fill = { uniform = [1, 2], seed = 3 }
[arguments.out]
type = "float"
shape = ["n"]
role = "output"
tolerance = { relative = 1e-5 }
nondeterministic = "ORDER == 'any'"
[arguments.count]
type = "int"
value = "n"
[[launches]]
kernel = "adding"
grid = "ceildiv(n, BLOCK)"
block = "BLOCK"
arguments = ["in", "out", "count"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "out", "count"]
)toml";

constexpr char adding_kernel[] = R"(
#define forwards 0
#define backwards 1
#define any 2
extern "C" __global__ void adding(const float* in, float* out, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= count) return;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += in[8 * i + (ORDER == backwards ? 7 - k : k)];
  out[i] = sum;
}
)";

constexpr char adding_reference[] = R"(
extern "C" __global__ void reference(const float* in, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  out[i] = 0;
  for (int k = 0; k < 8; ++k) out[i] += in[8 * i + k];
}
)";

class CliSameBits : public testing::Test {
 protected:
  CliSameBits() {
    folder_.write("template.toml", adding_manifest);
    folder_.write("kernel.cu", adding_kernel);
    folder_.write("reference.cu", adding_reference);
  }

  ProgramRun run(const std::string& arguments) {
    return run_program(folder_, "WARPTUNE_DB=" + path("s.db") + " XDG_CACHE_HOME=" + path("cache") + " " +
                                    warptune_program() + " " + arguments);
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  ProgramRun tune(const std::string& more) {
    return run("tune " + folder_.path().string() + " --device host --strategy exhaustive " + more);
  }
  static std::string order_of(const nlohmann::json& configuration) {
    return configuration.at("ORDER").get<std::string>();
  }

  TemporaryFolder folder_;
};

TEST_F(CliSameBits, EveryOutputNamesAWinnerOfTheDefaultsClass) {
  const ProgramRun done = tune("--same-bits-as default --format json");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const nlohmann::json result = nlohmann::json::parse(done.out);
  EXPECT_EQ(result.at("run").at("trials"), 6);
  const nlohmann::json winner = result.at("winner").at("configuration");
  EXPECT_EQ(order_of(winner), "backwards");
  for (const nlohmann::json& best : result.at("best")) EXPECT_EQ(order_of(best.at("configuration")), "backwards");
  EXPECT_EQ(nlohmann::json::parse(run("best adding --format json").out).at("winners").at(0).at("configuration"),
            winner);
  EXPECT_EQ(nlohmann::json::parse(run("export adding --format json").out).at("winners").at(0).at("configuration"),
            winner);
  const nlohmann::json shown = nlohmann::json::parse(run("show 1 --format json").out);
  EXPECT_EQ(shown.at("winner").at("configuration"), winner);
  std::set<std::string> outputs;
  for (const nlohmann::json& trial : shown.at("trials")) {
    EXPECT_EQ(trial.at("outcome"), "correct");
    EXPECT_GT(trial.at("search").at("time_ms").get<double>(), 0) << "those that may not win, too";
    const std::string order = order_of(trial.at("configuration"));
    EXPECT_EQ(trial.at("bits").at("outputs").is_null(), order == "any");
    if (order != "any") outputs.insert(order + trial.at("bits").at("outputs").get<std::string>());
  }
  EXPECT_EQ(outputs.size(), 2u) << "a class for each order, whatever the block";
}

TEST_F(CliSameBits, IsAKeyOfItsOwnThatTheSameOptionContinues) {
  ASSERT_EQ(tune("--budget 2").exit_code, 0);
  EXPECT_THAT(tune("--same-bits-as default --budget 2").err, HasSubstr("session 2"));
  const ProgramRun again = tune("--same-bits-as default");
  EXPECT_THAT(again.err, HasSubstr("session 2\nresuming: 2 trials"));
  EXPECT_THAT(again.out, HasSubstr("as the default configuration: 2 of 6 correct configurations"));
}

TEST_F(CliSameBits, TakesTheClassOfAnotherSessionsWinner) {
  ASSERT_EQ(tune("--restrict 'ORDER == \"forwards\"' --name first").exit_code, 0);
  const ProgramRun done = tune("--same-bits-as first --no-workers --format json");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(order_of(nlohmann::json::parse(done.out).at("winner").at("configuration")), "forwards");
}

TEST_F(CliSameBits, ADefaultWithoutEqualsWinsAndThatIsSaid) {
  const ProgramRun done = tune("--same-bits-as default --restrict 'BLOCK == 64'");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("none of the 2 other correct configurations has them, so that it wins"));
  EXPECT_THAT(done.out, HasSubstr("the default configuration"));
}

TEST_F(CliSameBits, SaysWhatItCannotDo) {
  ASSERT_EQ(tune("--restrict 'ORDER == \"any\"' --name varying").exit_code, 0);
  EXPECT_THAT(tune("--same-bits-as varying").err, HasSubstr("declared nondeterministic"));
  EXPECT_THAT(tune("--same-bits-as 7").err, HasSubstr("there is no session 7"));
  EXPECT_THAT(tune("--same-bits-as nobody").err, HasSubstr("no session has that name"));
  EXPECT_THAT(tune("--same-bits-as default --verify never").err, HasSubstr("without verification"));
  EXPECT_THAT(tune("--same-bits-as default --restrict 'ORDER == \"any\"'").err, HasSubstr("is not in the space"));
  for (const char* wrong : {"varying", "7", "nobody", "default --verify never"})
    EXPECT_NE(tune(std::string("--same-bits-as ") + wrong).exit_code, 0) << wrong;
  EXPECT_THAT(run("history --format csv").out, Not(HasSubstr("\n2,"))) << "nothing is left of them";
  folder_.write("kernel.cu", std::string("#error broken\n") + adding_kernel);
  EXPECT_NE(tune("--name broken").exit_code, 0);
  folder_.write("kernel.cu", adding_kernel);
  EXPECT_THAT(tune("--same-bits-as broken").err, HasSubstr("--same-bits-as broken: session 2 has no winner"));
}

TEST_F(CliSameBits, BitsOfOtherInputsAreNotCompared) {
  ASSERT_EQ(tune("--restrict 'ORDER == \"forwards\"' --name first").exit_code, 0);
  const ProgramRun done = tune("--size n=500 --same-bits-as first");
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("are of other inputs"));
}

TEST_F(CliSameBits, BestShowsTheFastestOfEachClass) {
  ASSERT_EQ(tune("").exit_code, 0);
  const ProgramRun shown = run("best adding --reproducible --format json");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.err, HasSubstr("2 correct configurations are in no class"));
  const nlohmann::json classes = nlohmann::json::parse(shown.out).at("classes");
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_NE(classes.at(0).at("bits"), classes.at(1).at("bits"));
  EXPECT_EQ(classes.at(0).at("data"), classes.at(1).at("data"));
  EXPECT_LE(classes.at(0).at("time_ms"), classes.at(1).at("time_ms"));
  for (const nlohmann::json& one : classes) {
    EXPECT_EQ(one.at("configurations"), 2);
    EXPECT_EQ(one.at("default").get<bool>(), order_of(one.at("configuration")) == "backwards");
  }
  EXPECT_THAT(run("show --trial 1").out, HasSubstr("bits"));
}

TEST_F(CliSameBits, GoThroughExportImportAndMerge) {
  ASSERT_EQ(tune("--same-bits-as default").exit_code, 0);
  const std::string before = run("best adding --reproducible --format csv").out;
  ASSERT_EQ(run("export adding --format warptune-json -o " + path("all.json")).exit_code, 0);
  EXPECT_EQ(run("import " + path("all.json") + " --db " + path("copy.db")).exit_code, 0);
  EXPECT_EQ(run("best adding --reproducible --format csv --db " + path("copy.db")).out, before);
  EXPECT_EQ(run("merge " + path("s.db") + " --db " + path("merged.db")).exit_code, 0);
  EXPECT_EQ(run("best adding --reproducible --format csv --db " + path("merged.db")).out, before);
}

}  // namespace
}  // namespace warptune::tuner
