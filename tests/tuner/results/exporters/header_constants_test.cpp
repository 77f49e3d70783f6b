#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuner/results/exporters/example_wisdom.h"
#include "tests/tuner/results/exporters/header_program.h"
#include "tuner/results/exporters/header.h"
#include "tuner/results/exporters/header_parts.h"

namespace warptune::tuner {
namespace {

class HeaderConstants : public testing::TestWithParam<const char*> {};

// No text among the parameters, which could be no constant.
Wisdom numbers_wisdom() {
  Wisdom wisdom = example_wisdom();
  for (WisdomEntry& entry : wisdom.entries) entry.values.erase(entry.values.begin() + 2);
  wisdom.defaults.erase(wisdom.defaults.begin() + 2);
  return wisdom;
}

constexpr char constants[] = R"(
  WARPTUNE_MY_KERNEL_CONSTANTS(1);
  static_assert(BLOCK == 256 && FAST && SCALE == 0.5, "");
  static_assert(sizeof(BLOCK) == sizeof(int), "no wider than a kernel has it");
  int main() { return BLOCK + int(FAST) + int(SCALE) > 0 ? 0 : 1; })";

TEST_P(HeaderConstants, GivesTheSourceConstantsOfAnEntry) {
  const std::string command = GetParam();
  if (!is_here(command.substr(0, command.find(' ')))) GTEST_SKIP() << command << " is not on this machine";
  EXPECT_EQ(failure_of_header(command + build_and_run, export_header(numbers_wisdom()), constants), "");
}

TEST_P(HeaderConstants, LeavesTheParametersAloneWhereTheKernelIsTuned) {
  const std::string command = GetParam();
  if (!is_here(command.substr(0, command.find(' ')))) GTEST_SKIP() << command << " is not on this machine";
  const std::string header = export_header(numbers_wisdom());
  const std::string all = " -DWARPTUNE_TUNING=1 -DBLOCK=7 -DFAST=0 -DSCALE=2.0",
                    some = " -DWARPTUNE_TUNING=1 -DBLOCK=7";
  const std::string lines = "WARPTUNE_MY_KERNEL_CONSTANTS(1);\nint main() { return BLOCK == 7 && SCALE == ";
  EXPECT_EQ(failure_of_header(command + all + build_and_run, header, lines + "2.0 ? 0 : 1; }"), "");
  EXPECT_EQ(failure_of_header(command + some + build_and_run, header, lines + "1.0 && !FAST ? 0 : 1; }"), "");
}

TEST(HeaderConstantsForNvcc, AreOfHostAndDeviceCode) {
  const std::string beside = WARPTUNE_CUDA_ROOT "/bin/nvcc";
  const std::string nvcc = is_here(beside) ? beside : "nvcc";
  if (!is_here(nvcc)) GTEST_SKIP() << "nvcc is not on this machine";
  const char kernel[] = R"(
    WARPTUNE_MY_KERNEL_CONSTANTS(1);
    __global__ void __launch_bounds__(BLOCK) kernel(float* x) {
      __shared__ float tile[BLOCK];
      tile[threadIdx.x] = x[threadIdx.x];
      if (FAST) x[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x] * float(SCALE);
    }
    void launch(float* x) { kernel<<<1, BLOCK>>>(x); })";
  EXPECT_EQ(failure_of_header(nvcc + " -std=c++14 -arch=sm_90 -Werror all-warnings -c -o kernel.o main.cu",
                              export_header(numbers_wisdom()), kernel),
            "");
}

INSTANTIATE_TEST_SUITE_P(Compilers, HeaderConstants,
                         testing::Values("g++ -std=c++14", "g++ -std=c++20", "clang++ -std=c++14",
                                         "clang++ -std=c++20"));

}  // namespace
}  // namespace warptune::tuner
