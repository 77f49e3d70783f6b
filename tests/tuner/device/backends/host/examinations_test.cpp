// What the doctor says about the compiler and the cores.
#include "tuner/device/backends/host/examinations.h"

#include <gmock/gmock.h>

namespace warptune::tuner::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(HostExaminations, NameTheCompilerOrHowToGetOne) {
  BackendOptions options;
  const Examination compiler = examinations().front();
  EXPECT_EQ(compiler.examine(options).at(0).health, Health::ok);
  options.host_compiler = "/nonexistent";
  const Finding finding = compiler.examine(options).at(0);
  EXPECT_EQ(finding.health, Health::error);
  EXPECT_THAT(finding.what, HasSubstr("/nonexistent"));
  EXPECT_THAT(finding.remedy, AllOf(HasSubstr(install_command({"g++", "gcc-c++", "gcc"})), HasSubstr("CXX")));
}

}  // namespace
}  // namespace warptune::tuner::host
