#include "search/assignments.h"

#include <gmock/gmock.h>

namespace warptune::search {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Assignments, ACommaPartsOnlyWhereANameFollows) {
  EXPECT_THAT(split_assignments("A=1,B=2"), ElementsAre("A=1", "B=2"));
  EXPECT_THAT(split_assignments("BX=32,TYPE=Shape<8, 4>,C=x"), ElementsAre("BX=32", "TYPE=Shape<8, 4>", "C=x"));
  EXPECT_THAT(split_assignments("ORDER=0,1,2, B=3"), ElementsAre("ORDER=0,1,2", "B=3"));
  EXPECT_THAT(split_assignments("T=f(1,b=2),C=3"), ElementsAre("T=f(1,b=2)", "C=3"));
  EXPECT_THAT(split_assignments("T=a,b==c"), ElementsAre("T=a,b==c"));
  EXPECT_THAT(split_assignments("A=1,"), ElementsAre("A=1"));
  EXPECT_THAT(split_assignments("EACH"), ElementsAre("EACH"));
  EXPECT_THAT(split_assignments(""), IsEmpty());
}

}  // namespace
}  // namespace warptune::search
