#include "search/spelling.h"

#include <gtest/gtest.h>

namespace warptune::search {
namespace {

TEST(Spelling, CountsInsertedDeletedReplacedAndSwappedLetters) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("tune", "tune"), 0u);
  EXPECT_EQ(edit_distance("tnue", "tune"), 1u);  // swapped
  EXPECT_EQ(edit_distance("tun", "tune"), 1u);
  EXPECT_EQ(edit_distance("tuune", "tune"), 1u);
  EXPECT_EQ(edit_distance("tone", "tune"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // a swap's letters are not edited again
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Spelling, SuggestsTheNearestWord) {
  const std::vector<std::string> verbs{"tune", "run", "best", "history", "templates"};
  EXPECT_EQ(nearest_word("tnue", verbs), "tune");
  EXPECT_EQ(nearest_word("histroy", verbs), "history");
  EXPECT_EQ(nearest_word("templats", verbs), "templates");
  EXPECT_EQ(nearest_word("BEST", verbs), "best");
  EXPECT_EQ(nearest_word("m", {"M", "N"}), "M");
}

TEST(Spelling, SuggestsTheOnlyContinuation) {
  const std::vector<std::string> names{"vector_add", "conv_layer", "convolution2d"};
  EXPECT_EQ(nearest_word("vec", names), "vector_add");
  EXPECT_EQ(nearest_word("conv", names), "");  // two of them
  EXPECT_EQ(nearest_word("ve", names), "");    // too short to tell
}

TEST(Spelling, SuggestsNothingFarFetched) {
  EXPECT_EQ(nearest_word("frobnicate", {"tune", "run", "history"}), "");
  EXPECT_EQ(nearest_word("x", {"M", "N", "K"}), "");
  EXPECT_EQ(nearest_word("ab", {"cd", "ax"}), "");
  EXPECT_EQ(nearest_word("", {"M"}), "");
  EXPECT_EQ(did_you_mean("frobnicate", {"tune"}), "");
  EXPECT_EQ(did_you_mean("tnue", {"tune"}), " (did you mean tune?)");
}

}  // namespace
}  // namespace warptune::search
