#include "tuner/report/check_report.h"

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
  const std::string xml =
      junit_xml({check(Verdict::ok), check(Verdict::improved), check(Verdict::no_device), check(Verdict::stale),
                 check(Verdict::regression), check(Verdict::failure), check(Verdict::wrong)});
  EXPECT_THAT(xml, HasSubstr("tests=\"7\" failures=\"3\" errors=\"1\" skipped=\"1\""));
  for (const char* type : {"<failure type=\"stale\">", "<failure type=\"regression\">", "<failure type=\"wrong\">",
                           "<error type=\"failure\">", "<skipped message="})
    EXPECT_THAT(xml, HasSubstr(type));
}

TEST(CheckReport, JUnitEscapesWhatXmlForbids) {
  const std::string xml = junit_xml({check(Verdict::wrong)});
  EXPECT_THAT(xml, HasSubstr("classname=\"a&lt;b\" name=\"n=5 on  (session 3)\""));
  EXPECT_THAT(xml, HasSubstr("said &quot;no&quot; &amp; left "));
  EXPECT_THAT(xml, Not(HasSubstr("\x01")));
}

TEST(CheckReport, ASessionWithoutMeasurementsHasARowAllTheSame) {
  const std::string csv = check_table({check(Verdict::no_device)}).render(Format::csv);
  EXPECT_THAT(csv, HasSubstr("3,a<b,,n=5,no device,"));
}

}  // namespace
}  // namespace warptune::tuner
