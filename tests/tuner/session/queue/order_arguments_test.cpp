// What a row of the queue may have `tune` do, and that `submit` writes no more and no less.
#include "tuner/session/queue/order_arguments.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/places.h"
#include "tests/support/program.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(OrderArguments, OfAnotherMachineOrFileAreRefused) {
  EXPECT_THAT(refusal_of_arguments({"--strategy=random", "--keep-going", "--size=M=512", "--budget=100"}), IsEmpty());
  EXPECT_THAT(refusal_of_arguments({"--transfer=auto", "--transfer=7"}), IsEmpty());
  EXPECT_THAT(refusal_of_arguments({"--seed=1", "--db=/tmp/s.db"}), HasSubstr("asks for '--db=/tmp/s.db'"));
  for (const char* refused :
       {"--device=cuda:0", "--cache-limit=1", "-I=/", "other/template", "", "--transfer=/proc/cpuinfo"})
    EXPECT_THAT(refusal_of_arguments({refused}), HasSubstr("which `warptune submit` does not write")) << refused;
}

// An option that `submit` takes of the session's search, budget or measuring has to reach the node.
TEST(OrderArguments, AreAllThatSubmitTakesOfASession) {
  const TemporaryFolder folder;
  const ProgramRun help = run_program(folder, warptune_program() + " help submit --json");
  const auto document = nlohmann::json::parse(help.out);
  std::size_t known = 0;
  for (const auto& option : document["verbs"][0]["options"]) {
    const std::string group = option["group"], name = option["name"];
    const bool of_session = group == "When to stop" || group == "How to search" || group == "Measuring";
    EXPECT_TRUE(!of_session || is_ordered(name)) << name;
    known += is_ordered(name);
  }
  EXPECT_EQ(known, 25u);
}

}  // namespace
}  // namespace warptune::tuner
