// What is said of a session in which most configurations are wrong.
#include "tuner/results/report/text/manifest_doubt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ManifestDoubt : public testing::Test {
 protected:
  ManifestDoubt() {
    kernel_.parameters = parameters();
    kernel_.default_values = {{"GRID", std::int64_t{32}}, {"BLOCK", std::int64_t{64}}};
    Argument sums;
    sums.name = "sums";
    sums.role = Role::output;
    kernel_.arguments = {sums};
    kernel_.reference.default_configuration = true;
  }

  static std::vector<search::Parameter> parameters() {
    return {{"GRID", {std::int64_t{16}, std::int64_t{32}, std::int64_t{64}}},
            {"BLOCK", {std::int64_t{64}, std::int64_t{128}}}};
  }

  void add(std::uint32_t grid, std::uint32_t block, const std::string& fault = "") {
    search::Trial trial;
    trial.configuration.choices = {grid, block};
    trial.outcome = fault.empty() ? search::Outcome::correct : search::Outcome::wrong_result;
    trial.message = fault;
    trials_.push_back(trial);
  }

  std::string doubt() const {
    std::vector<search::Configuration> rows;
    for (std::uint32_t grid = 0; grid < 3; ++grid)
      for (std::uint32_t block = 0; block < 2; ++block)
        rows.push_back(search::Configuration{std::vector<std::uint32_t>{grid, block}});
    return manifest_doubt(trials_, search::SearchSpace::from_rows(parameters(), rows), kernel_);
  }

  KernelTemplate kernel_;
  std::vector<search::Trial> trials_;
};

TEST_F(ManifestDoubt, NamesTheParameterThatChangesTheResult) {
  add(1, 0);
  add(1, 1);
  add(0, 0, "sums[16] (element 16): expected 3, was never written; 16 of 32 elements differ");
  add(2, 0, "out of bounds: sums was written 4 bytes past its end, where element 32 would be: it has 32");
  add(2, 1, "out of bounds: sums was written 4 bytes past its end, where element 32 would be: it has 32");
  EXPECT_THAT(doubt(), AllOf(HasSubstr("3 of 5 verified configurations are wrong: this looks like the manifest"),
                             HasSubstr("another GRID than its default, 32"),
                             HasSubstr("In 2 of them, sums is written out of its bounds: its shape in "
                                       "[arguments.sums]"),
                             HasSubstr("compare = \"sum\"")));
}

TEST_F(ManifestDoubt, BlamesNoParameterWhereRightOnesHaveOtherValuesToo) {
  add(0, 0);
  for (std::uint32_t grid = 0; grid < 3; ++grid) add(grid, 1, "sums[0] (element 0): expected 3, got 4; 1 of 32");
  EXPECT_THAT(doubt(), AllOf(HasSubstr("another BLOCK than its default, 64"), Not(HasSubstr("another GRID"))));
  add(1, 0, "sums[0] (element 0): expected 3, got 4; 1 of 32 elements differ");
  EXPECT_THAT(doubt(), AllOf(Not(HasSubstr("than its default")), HasSubstr("In all of them, sums differs")));
}

TEST_F(ManifestDoubt, AsksForATolerance) {
  kernel_.reference.default_configuration = false;
  kernel_.arguments[0].tolerance.said = false;
  for (std::uint32_t grid = 0; grid < 3; ++grid) add(grid, 0, "sums[0] (element 0): expected 3, got 3.0001; 1 of 32");
  EXPECT_THAT(doubt(), HasSubstr("[arguments.sums] has no tolerance"));
}

TEST_F(ManifestDoubt, IsSilentWhereNoMoreThanHalfAreWrongOrOnlyOneIs) {
  EXPECT_THAT(doubt(), IsEmpty());
  add(0, 0, "sums[0] (element 0): expected 3, got 4; 1 of 32 elements differ");
  EXPECT_THAT(doubt(), IsEmpty());
  add(0, 1, "sums[0] (element 0): expected 3, got 4; 1 of 32 elements differ");
  add(1, 0);
  add(1, 1);
  EXPECT_THAT(doubt(), IsEmpty());
}

}  // namespace
}  // namespace warptune::tuner
