// spmv where its numbers grow too large for 32 bits: no configuration is allowed that would lose them, and what makes
// the formats leaves alone what they have no place for.
#include "templates/spmv/sections.cpp"
#include "tests/support/host_trials.h"

namespace warptune::tuner {
namespace {

class SpmvSizes : public HostTrials {
 protected:
  SpmvSizes() : HostTrials("spmv") {}

  search::Count configurations(std::int64_t rows, std::int64_t average) {
    const search::NamedValues sizes = {{"ROWS", rows}, {"AVERAGE", average}, {"PATTERN", std::string("band")}};
    return build_space(kernel_, problem_constants(sizes, info_)).size();
  }
};

TEST_F(SpmvSizes, ThatNeedMoreThan32BitsHaveNoConfiguration) {
  EXPECT_GT(configurations(1 << 26, 16), 0u);
  EXPECT_EQ(configurations(1 << 27, 16), 0u);
}

TEST(SpmvSections, AreNotMadeOfMoreNonzerosThanTheyHavePlacesFor) {
  const int starts[] = {0, 1 << 30}, sorted_rows[] = {0};
  int section_rows[2] = {-7, -7}, width = -7, start = -7;
  sparse_sections(starts, nullptr, nullptr, sorted_rows, section_rows, &width, &start, nullptr, nullptr, 1, 1);
  EXPECT_EQ(section_rows[0], -7);
  EXPECT_EQ(width, -7);
}

}  // namespace
}  // namespace warptune::tuner
