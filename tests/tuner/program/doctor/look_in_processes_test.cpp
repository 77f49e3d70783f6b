// A check that goes wrong costs its own lines only.
#include "tuner/program/doctor/look_in_processes.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace warptune::tuner::doctor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Finding> all_is_well() {
  return {{Health::ok, "first", ""}, {Health::warning, "second \x01\xff", "do that"}};
}

std::vector<Finding> crash() {
  std::signal(SIGABRT, SIG_DFL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::abort();
}

std::vector<Finding> hang() {
  for (;;) ::pause();
}

TEST(LookApart, FindingsComeBackInTheirOrder) {
  const auto answers = look_in_processes({all_is_well, [] { return std::vector<Finding>(); }, all_is_well}, 60);
  ASSERT_THAT(answers, SizeIs(3));
  ASSERT_THAT(answers[0], SizeIs(2));
  EXPECT_EQ(answers[0][0].what, "first");
  EXPECT_EQ(answers[0][1].health, Health::warning);
  EXPECT_THAT(answers[0][1].what, HasSubstr("second"));
  EXPECT_EQ(answers[0][1].remedy, "do that");
  EXPECT_THAT(answers[1], IsEmpty());
  EXPECT_THAT(answers[2], SizeIs(2));
}

TEST(LookApart, ACrashAndAnExceptionAreErrorsOfTheirOwnChecks) {
  const auto fail = []() -> std::vector<Finding> { throw std::runtime_error("it is broken; mend it"); };
  const auto answers = look_in_processes({crash, all_is_well, fail}, 60);
  EXPECT_EQ(answers[0].at(0).health, Health::error);
  EXPECT_THAT(answers[0].at(0).what, HasSubstr("crashed"));
  EXPECT_THAT(answers[1], SizeIs(2));
  EXPECT_EQ(answers[2].at(0).what, "it is broken");
  EXPECT_EQ(answers[2].at(0).remedy, "mend it");
}

TEST(LookApart, WhatNeverEndsIsEnded) {
  const auto answers = look_in_processes({hang, all_is_well}, 2);
  EXPECT_EQ(answers[0].at(0).health, Health::error);
  EXPECT_THAT(answers[0].at(0).what, HasSubstr("did not end"));
  EXPECT_THAT(answers[1], SizeIs(2));
}

// As a compiler would that its driver leaves behind: neither the doctor waits for it, nor who reads the doctor's
// output.
TEST(LookApart, AProcessThatACheckLeavesBehindIsEnded) {
  std::array<int, 2> held{};
  ASSERT_EQ(::pipe(held.data()), 0);
  const auto leave_one = []() -> std::vector<Finding> {
    EXPECT_EQ(std::system("sleep 500 & exit 0"), 0);
    return {{Health::ok, "done", ""}};
  };
  const auto answers = look_in_processes({leave_one}, 40);
  EXPECT_EQ(answers[0].at(0).what, "done");
  ::close(held[1]);
  char none = 0;
  EXPECT_EQ(::read(held[0], &none, 1), 0);  // its end, once no process holds the other side
  ::close(held[0]);
}

TEST(FindingOf, DividesAMessageIntoWhatIsWrongAndWhatToDo) {
  const Finding both = finding_of("cannot read x (a: b); ask y", Health::error);
  EXPECT_EQ(both.what, "cannot read x (a: b)");
  EXPECT_EQ(both.remedy, "ask y");
  EXPECT_EQ(finding_of("no x; ask y; or z", Health::error).remedy, "ask y; or z");
  EXPECT_EQ(finding_of("it lacks a symbol: install a newer one", Health::error).remedy, "install a newer one");
  EXPECT_EQ(finding_of("nothing to divide", Health::error).remedy, "");
}

}  // namespace
}  // namespace warptune::tuner::doctor
