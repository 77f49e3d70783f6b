// What a batch system or a container leaves to this process.
#include "tuner/system/machine.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace warptune::tuner {
namespace {

// In a thread of its own, whose affinity nobody else has.
TEST(Machine, CountsOnlyTheCoresThatThisProcessMayRunOn) {
  int permitted = 0, available = 0;
  std::thread([&] {
    cpu_set_t allowed, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    int core = 0;
    while (!CPU_ISSET(core, &allowed)) ++core;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    permitted = permitted_cores();
    available = available_cores();
  }).join();
  EXPECT_EQ(permitted, 1);
  EXPECT_EQ(available, 1);
}

TEST(Machine, ReadsTheControlGroupsQuota) {
  EXPECT_EQ(cores_of_quota("150000 100000"), 1.5);
  EXPECT_EQ(cores_of_quota("max 100000"), 0);
  EXPECT_EQ(cores_of_quota(""), 0);
}

TEST(Machine, HasMemory) {
  EXPECT_GT(available_memory_bytes(), 0);
  EXPECT_GE(total_memory_bytes(), available_memory_bytes());
}

}  // namespace
}  // namespace warptune::tuner
