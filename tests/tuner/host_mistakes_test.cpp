// Mistakes that people make in manifests, and what of a manifest a session's key holds; on the host backend.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/host_session.h"
#include "tests/support/small_template.h"
#include "tuner/results/check/today.h"
#include "tuner/session/provenance.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

using HostMistakes = HostSession;

// One block size, one element a thread and the right mode.
std::string one_configuration() {
  std::string manifest = doubling_manifest;
  for (const auto& [from, to] : {std::pair<std::string, std::string>("values = [32, 64, 128]", "values = [64]"),
                                 {R"(["good", "wrong", "unwritten", "outside", "broken", "greedy"])", R"(["good"])"},
                                 {"powers_of_two = [1, 8]", "values = [1]"},
                                 {"constraints = [\"BLOCK * EACH <= 1024\"]", ""},
                                 {"shared = \"MODE == 'greedy' and 300000 or 0\"", ""}})
    manifest.replace(manifest.find(from), from.size(), to);
  return manifest;
}

// Two of the doubling's arguments in each other's place.
TEST_F(HostMistakes, ArgumentsInTheWrongOrderAreNamedBeforeTheLaunch) {
  std::string manifest = one_configuration();
  const std::string right = R"(arguments = ["in", "out", "count"])";
  write_doubling_template(
      folder_, manifest.replace(manifest.find(right), right.size(), R"(arguments = ["count", "out", "in"])"));
  db::Store store = this->store();
  Tuning tuning(request(), store, stop_, nullptr);
  tuning.session().run();
  const search::Trial& trial = tuning.session().result().trials.at(0);
  EXPECT_EQ(trial.outcome, search::Outcome::launch_error);
  EXPECT_THAT(trial.message, HasSubstr("argument 1, count, has 4 bytes for a parameter of 8. "));
  EXPECT_THAT(trial.message, HasSubstr("Its parameters have 8, 8, 4 bytes; launches[0].arguments gives count 4, out 8, "
                                       "in 8"));
}

TEST_F(HostMistakes, ArgumentsOfAReferenceInTheWrongOrderEndTheSession) {
  std::string manifest = one_configuration();
  const std::string right = R"(arguments = ["in", "out", "count"])";
  write_doubling_template(folder_,
                          manifest.replace(manifest.rfind(right), right.size(), R"(arguments = ["in", "out"])"));
  db::Store store = this->store();
  try {
    Tuning(request(), store, stop_, nullptr).session().run();
    FAIL() << "the reference ran";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("the arguments do not fit the kernel reference: it takes 3 and was given 2"));
    EXPECT_THAT(error.what(), HasSubstr("reference.launches[0].arguments"));
  }
}

TEST_F(HostMistakes, AFractionalGridSaysWhichFormulaItIs) {
  std::string manifest = one_configuration();
  const std::string right = "ceildiv(n, BLOCK * EACH)";
  write_doubling_template(folder_, manifest.replace(manifest.find(right), right.size(), "n / BLOCK"));
  db::Store store = this->store();
  Tuning tuning(request(), store, stop_, nullptr);
  tuning.session().run();
  const search::Trial& trial = tuning.session().result().trials.at(0);
  EXPECT_EQ(trial.outcome, search::Outcome::constraint_violation);
  EXPECT_THAT(trial.message, HasSubstr("launches[0].grid[0] = n / BLOCK gives 15.640625 for n=1001,BLOCK=64"));
}

TEST_F(HostMistakes, EditingWhatDescribesContinuesTheSession) {
  write_doubling_template(folder_, one_configuration());
  db::Store store = this->store();
  const db::SessionId first = Tuning(request(), store, stop_, nullptr).id();
  std::string manifest = one_configuration();
  write_doubling_template(
      folder_, manifest.replace(manifest.find("default = 64"), 12, "default = 64\nabout = \"threads per block\""));
  EXPECT_EQ(Tuning(request(), store, stop_, nullptr).id(), first);
}

// Its key has another hash of the same manifest.
TEST_F(HostMistakes, ASessionOfAnOlderVersionIsContinuedAndCurrent) {
  write_doubling_template(folder_, one_configuration());
  db::Store store = this->store();
  db::SessionRecord older;
  {
    const Tuning tuning(request(), store, stop_, nullptr);
    older = store.session(tuning.id()).value();
    EXPECT_NE(older.key.manifest_hash, earlier_manifest_hash(tuning.kernel()));
    older.key.manifest_hash = earlier_manifest_hash(tuning.kernel());
  }
  db::Store old_store = db::Store::open(folder_.path() / "old.db", db::OpenMode::read_write);
  older.id = old_store.create_session(older);
  EXPECT_EQ(Tuning(request(), old_store, stop_, nullptr).id(), older.id);
  Today today({}, [&](const db::SessionRecord&) { return folder_.path() / "template.toml"; });
  EXPECT_EQ(today.standing(older).parts(), "");
}

}  // namespace
}  // namespace warptune::tuner
