#include "tuner/results/report/check_report.h"

#include <gmock/gmock.h>

namespace warptune::tuner {
namespace {

using testing::HasSubstr;
using testing::Not;

SessionCheck check(Verdict verdict) {
  SessionCheck check;
  check.session.id = 3;
  check.session.key.kernel = "a<b";
  check.session.key.problem_size = {{"n", std::int64_t{5}}};
  check.verdict = verdict;
  check.message = "said \"no\" & left\x01";
  return check;
}

TEST(CheckReport, JUnitTellsTheVerdictsApart) {
  const std::string xml = junit_xml({check(Verdict::ok), check(Verdict::improved), check(Verdict::no_device),
                                     check(Verdict::stale), check(Verdict::regression), check(Verdict::failure),
                                     check(Verdict::wrong), check(Verdict::slower_machine)});
  EXPECT_THAT(xml, HasSubstr("tests=\"8\" failures=\"3\" errors=\"2\" skipped=\"1\""));
  for (const char* type : {"<failure type=\"stale\">", "<failure type=\"regression\">", "<failure type=\"wrong\">",
                           "<error type=\"failure\">", "<error type=\"slower machine\">", "<skipped message="})
    EXPECT_THAT(xml, HasSubstr(type));
}

TEST(CheckReport, JUnitGivesNoDriftOfWhatWasNotMeasured) {
  SessionCheck failed = check(Verdict::failure);
  failed.configurations.push_back({.role = "winner", .verdict = Verdict::failure});
  failed.configurations.back().measured.outcome = search::Outcome::compile_error;
  const std::string xml = junit_xml({failed});
  EXPECT_THAT(xml, HasSubstr("winner : compile_error"));
  EXPECT_THAT(xml, Not(HasSubstr("%")));
}

TEST(CheckReport, JUnitTellsANoteOfWhatHoldsAndNothingElse) {
  SessionCheck noted = check(Verdict::ok);
  EXPECT_THAT(junit_xml({noted}), HasSubstr("<system-out>said "));
  noted.message.clear();
  EXPECT_THAT(junit_xml({noted}), Not(HasSubstr("system-out")));
}

TEST(CheckReport, JUnitEscapesWhatXmlForbids) {
  const std::string xml = junit_xml({check(Verdict::wrong)});
  EXPECT_THAT(xml, HasSubstr("classname=\"a&lt;b\" name=\"n=5 on  (session 3)\""));
  EXPECT_THAT(xml, HasSubstr("said &quot;no&quot; &amp; left "));
  EXPECT_THAT(xml, Not(HasSubstr("\x01")));
}

TEST(CheckReport, SourcesThatNobodyKeptAreSkippedAndNoFailure) {
  const std::string xml = junit_xml({check(Verdict::not_checkable), check(Verdict::ok)});
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<skipped message="));
  EXPECT_THAT(check_table({check(Verdict::not_checkable)}).render(Format::csv), HasSubstr(",not checkable,"));
}

// Two stores may each have a session 3.
TEST(CheckReport, OfSeveralStoresNamesThemBesideTheSessions) {
  SessionCheck ours = check(Verdict::ok), theirs = check(Verdict::ok);
  ours.origin = "/a/ours.db";
  theirs.origin = "/a/theirs.db";
  const std::string csv = check_table({ours, theirs}).render(Format::csv);
  EXPECT_THAT(csv, HasSubstr(",message,store,configuration"));
  EXPECT_THAT(csv, HasSubstr(",/a/theirs.db,"));
  EXPECT_THAT(junit_xml({ours, theirs}), HasSubstr("(session 3 of /a/theirs.db)"));
  EXPECT_THAT(check_table({check(Verdict::ok)}).render(Format::csv), Not(HasSubstr("store")));
}

TEST(CheckReport, ASessionWithoutMeasurementsHasARowAllTheSame) {
  const std::string csv = check_table({check(Verdict::no_device)}).render(Format::csv);
  EXPECT_THAT(csv, HasSubstr("3,a<b,,n=5,no device,"));
}

}  // namespace
}  // namespace warptune::tuner
