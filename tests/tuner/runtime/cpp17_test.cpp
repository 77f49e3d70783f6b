// Compiled as C++17: what applications include must need no later language.
#include <gtest/gtest.h>

#include "tuner/runtime/host.h"

static_assert(__cplusplus == 201703L);

namespace warptune::runtime {
namespace {

TEST(RuntimeHeaders, AreUsableFromCpp17) {
  const Runtime runtime = host_runtime();
  EXPECT_FALSE(runtime.device_name().empty());
  EXPECT_EQ(Argument(3u).kind(), Argument::Kind::unsigned_integer);
  EXPECT_EQ(Argument(-1).bits(), ~std::uint64_t{0});
}

}  // namespace
}  // namespace warptune::runtime
