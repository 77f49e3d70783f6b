// Whole trials with data in the host's memory, on the host backend; and templates that are not for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/copying_template.h"
#include "tests/support/host_session.h"
#include "tests/support/places.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {
namespace {

using testing::HasSubstr;

class HostCopies : public testing::Test {
 protected:
  // All trials of the template with these changes.
  std::vector<search::Trial> trials(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    write_copying_template(folder_, copying_with(changes));
    return exhaustive_trials(folder_);
  }

  TemporaryFolder folder_;
};

TEST_F(HostCopies, InAndOutGiveWhatTheReferenceGives) {
  const auto trials = this->trials();
  EXPECT_EQ(trials.size(), 8u);
  for (const search::Trial& trial : trials) EXPECT_EQ(trial.outcome, search::Outcome::correct) << trial.message;
}

TEST_F(HostCopies, ThatLeaveOutAnElementAreWrong) {
  const auto trials =
      this->trials({{"to = \"out\", elements = \"length\"", "to = \"out\", elements = \"length - 1\""}});
  for (const search::Trial& trial : trials) {
    EXPECT_EQ(trial.outcome, search::Outcome::wrong_result);
    EXPECT_THAT(trial.message, HasSubstr("was never written"));
  }
}

TEST_F(HostCopies, ThatLeaveTheirBuffersNeverRun) {
  const auto trials =
      this->trials({{"to = \"work\", elements = \"length\"", "to = \"work\", elements = \"length + 1\""}});
  for (const search::Trial& trial : trials) {
    EXPECT_EQ(trial.outcome, search::Outcome::constraint_violation);
    EXPECT_THAT(trial.message, HasSubstr("leaves in, which has 4000 bytes"));
  }
}

TEST_F(HostCopies, OfOneConfigurationDoNotServeTheNext) {
  // The first configuration copies all of its results out; the others none.
  const auto trials = this->trials({{"to = \"out\", elements = \"length\"",
                                     "to = \"out\", elements = \"length if CHUNK == 100 and STREAMS == 1 else 0\""}});
  EXPECT_EQ(std::ranges::count(trials, search::Outcome::correct, &search::Trial::outcome), 2);
  EXPECT_EQ(std::ranges::count(trials, search::Outcome::wrong_result, &search::Trial::outcome), 6);
}

TEST(OtherBackends, AreNamedByTheRefusalOfATemplateForThem) {
  for (const char* name : {"bezier", "quadtree"}) {
    TuneRequest request;
    request.manifest = std::filesystem::path(source_folder() + "/templates") / name;
    request.device = "host";
    try {
      prepare_problem(request);
      FAIL() << name << " was accepted";
    } catch (const RequestError& error) {
      EXPECT_THAT(error.what(), testing::AllOf(HasSubstr(std::string(name) + " does not run on host"),
                                               HasSubstr("backends = [\"cuda\"]"), HasSubstr("--device")));
    }
  }
}

}  // namespace
}  // namespace warptune::tuner
