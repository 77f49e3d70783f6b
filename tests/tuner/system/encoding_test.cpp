#include "tuner/system/encoding.h"

#include <gtest/gtest.h>

namespace warptune::tuner {
namespace {

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Hexadecimal, GoesToDigitsAndBack) {
  const std::string bytes("\0\x7f\xff", 3);
  EXPECT_EQ(to_hexadecimal(bytes), "007fff");
  EXPECT_EQ(from_hexadecimal("007fff"), bytes);
  EXPECT_EQ(from_hexadecimal("007FFf"), bytes);
  EXPECT_EQ(from_hexadecimal("41f"), "A") << "half a byte is none";
}

}  // namespace
}  // namespace warptune::tuner
