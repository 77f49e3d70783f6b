// What people read of a diagnosis.
#include "tuner/program/doctor/render.h"

#include <gmock/gmock.h>

#include <sstream>

namespace warptune::tuner::doctor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Diagnosis diagnosis() {
  std::string words = "libcuda.so.1 is not there";
  for (int i = 0; i < 12; ++i) words += " and so on";
  return {{{"cuda", "driver", {Health::error, words, "install the driver, and then " + words}},
           {"host", "kernel", {Health::ok, "host: right", ""}},
           {"machine", "cache", {Health::warning, "it is a \x1b[31mfile", "remove it"}}},
          {"host"}};
}

TEST(DoctorsPage, FitsItsWidth) {
  for (const std::size_t columns : {60, 80, 100}) {
    std::istringstream lines(render(diagnosis(), {columns, false}));
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    EXPECT_LE(longest, columns);
    EXPECT_GT(longest, columns - 15);
  }
}

TEST(DoctorsPage, GroupsByPartAndPutsRemediesBeneath) {
  const std::string page = render(diagnosis(), {80, false});
  EXPECT_THAT(page, HasSubstr("\nhost\n  ok       kernel     host: right\nmachine\n  warning  cache"));
  EXPECT_THAT(page, HasSubstr("\n                      -> remove it\n"));
  EXPECT_THAT(page, AllOf(HasSubstr("\\x1b[31mfile"), Not(HasSubstr("\x1b["))));
  EXPECT_THAT(render(diagnosis(), {80, true}), HasSubstr("\x1b[31merror"));
}

TEST(DoctorsPage, ConcludesWhatIsPossible) {
  Diagnosis found = diagnosis();
  EXPECT_EQ(conclusion(found), "Tuning is possible on host (1 error, 1 warning).");
  EXPECT_TRUE(found.machine_is_fit());
  found.lines.back().finding.health = Health::error;
  EXPECT_FALSE(found.machine_is_fit());
  EXPECT_THAT(conclusion(found), HasSubstr("nothing can be kept (2 errors, 0 warnings)"));
  found.usable.clear();
  EXPECT_THAT(conclusion(found), HasSubstr("not possible"));
}

TEST(DoctorsPage, IsForProgramsTheSameFindings) {
  EXPECT_THAT(table_of(diagnosis()).render(Format::csv),
              AllOf(HasSubstr("part,check,status,finding,remedy\r\n"), HasSubstr("host,kernel,ok,host: right,\r\n")));
}

}  // namespace
}  // namespace warptune::tuner::doctor
