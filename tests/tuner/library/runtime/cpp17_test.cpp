// Compiled as C++17: what applications include must need no later language.
#include <gtest/gtest.h>

#include "tuner/library/runtime/host.h"

static_assert(__cplusplus == 201703L);

namespace warptune::runtime {
namespace {

TEST(RuntimeHeaders, AreUsableFromCpp17) {
  const Runtime runtime = host_runtime();
  EXPECT_FALSE(runtime.device_name().empty());
  EXPECT_EQ(Argument(3u).kind(), Argument::Kind::integer);
  EXPECT_EQ(Argument(3ull).kind(), Argument::Kind::unsigned_integer);
  EXPECT_EQ(Argument(nullptr).kind(), Argument::Kind::pointer);
  EXPECT_EQ(Size("n", std::size_t{3}).value, 3);
  EXPECT_TRUE(with_data.data);
  EXPECT_EQ(Argument(-1).bits(), ~std::uint64_t{0});
}

}  // namespace
}  // namespace warptune::runtime
