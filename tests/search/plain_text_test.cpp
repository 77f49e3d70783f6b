#include "search/plain_text.h"

#include <gtest/gtest.h>

namespace warptune::search {
namespace {

TEST(PlainText, KeepsUtf8AndReplacesWhatIsNone) {
  for (const char* valid : {"", "plain", "µs ± 3 %", "日本", "\xf0\x9f\x98\x80", "\n\t\x1b"})
    EXPECT_EQ(valid_utf8(valid), valid);
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(valid_utf8("a\xff\xfe!"), "a" + mark + mark + "!");
  EXPECT_EQ(valid_utf8("\xc3"), mark);                                   // cut short
  EXPECT_EQ(valid_utf8("\xc0\xaf"), mark + mark);                        // an overlong '/'
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), mark + mark + mark);             // half a surrogate pair
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), mark + mark + mark + mark);  // beyond U+10FFFF
}

TEST(PlainText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[31mred\x1b]0;title\a", Lines::keep), "\\x1b[31mred\\x1b]0;title\\x07");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J \x9b"
                      "2J",
                      Lines::keep),
            "\\u009b2J \\x9b2J");  // CSI of eight bits, in UTF-8 and bare
  EXPECT_EQ(printable("a\u202e"
                      "b\x7f",
                      Lines::keep),
            "a\\u202eb\\u007f");
  EXPECT_EQ(printable("9 µs\n\tnext\r\n", Lines::keep), "9 µs\n\tnext\r\n");
  EXPECT_EQ(printable("over\rwritten", Lines::keep), "over\\rwritten");
  EXPECT_EQ(printable("one\ntwo\t", Lines::escape), "one\\ntwo\\t");
}

TEST(PlainText, WritesTheProgramsOwnSignsInAsciiAtTheSameWidth) {
  EXPECT_EQ(with_ascii_signs("843 \u00b5s  \u00b1 2.6 %"), "843 us  +-2.6 %");
  EXPECT_EQ(with_ascii_signs("2 \u00d7 3 \u2026"), "2 x 3 ...");
  EXPECT_EQ(with_ascii_signs("K\u00e4the"), "K\u00e4the");
}

}  // namespace
}  // namespace warptune::search
