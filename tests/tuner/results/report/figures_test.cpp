// Figures as people read them.
#include "tuner/results/report/text/figures.h"

#include <gtest/gtest.h>

#include <limits>

#include "db/settled.h"
#include "tests/support/zone_of_test.h"

namespace warptune::tuner {
namespace {

TEST(Figures, HaveThreeDigits) {
  EXPECT_EQ(three_digits(0.8123), "0.812");
  EXPECT_EQ(three_digits(0.092), "0.0920");
  EXPECT_EQ(three_digits(0.0012345), "0.00123");
  EXPECT_EQ(three_digits(1.2345), "1.23");
  EXPECT_EQ(three_digits(12.345), "12.3");
  EXPECT_EQ(three_digits(9.999), "10.0");
  EXPECT_EQ(three_digits(12345.6), "12346");
  EXPECT_EQ(three_digits(0), "0");
  EXPECT_EQ(three_digits(2.5e-7), "2.50e-07");
  EXPECT_EQ(three_digits(-45.67), "-45.7");
}

TEST(Figures, TimesHaveTheirUnit) {
  EXPECT_EQ(duration_text(0.0589762), "59.0 µs");
  EXPECT_EQ(duration_text(0.99999), "1.00 ms");
  EXPECT_EQ(duration_text(1234.5), "1.23 s");
  EXPECT_EQ(duration_text(0.000812), "812 ns");
  EXPECT_EQ(time_cell(0.0589762).for_people(), "59.0 µs");
  EXPECT_EQ(time_cell(0.0589762).for_programs(), "0.0589762");
  EXPECT_EQ(objective_cell("GFLOP/s", 169.32).for_people(), "169");
}

TEST(StateText, IsSilentWhereNothingWasRecordedForLong) {
  db::SessionRecord session;
  session.updated_at = "2026-11-22T13:05:12.123Z";
  EXPECT_EQ(state_text(session), "silent");
  EXPECT_EQ(state_cell(session).for_programs(), "running");
  session.state = db::SessionState::interrupted;
  EXPECT_EQ(state_text(session), "interrupted");
  session.state = db::SessionState::running;
  session.updated_at = "9999-01-01T00:00:00.000Z";
  EXPECT_EQ(state_text(session), "running");
}

TEST(DifferenceText, GivesTheErrorOfAnEvenInterval) {
  EXPECT_EQ(difference_text(0.018, 0.012, 0.024), "1.8 % ± 0.60 %");
  EXPECT_EQ(slower_text(0.018, 0.012, 0.024), "is 1.8 % ± 0.60 % slower");
}

TEST(DifferenceText, GivesTheBoundsOfALopsidedIntervalThatStaysAboveZero) {
  EXPECT_EQ(difference_text(0.6, 0.1, 1.4), "60 % (10 to 140 %)");
}

TEST(DurationText, OfOneMeasurementHasFiveDigits) {
  EXPECT_EQ(exact_duration_text(0.86321987), "863.22 µs");
  EXPECT_EQ(exact_duration_text(43.31864), "43.319 ms");
  EXPECT_EQ(exact_duration_text(2e3), "2 s");
}

TEST(ErrorText, IsUnknownWhereOneVisitCannotTell) {
  EXPECT_EQ(error_text(0.0123), "± 1.2 %");
  EXPECT_EQ(error_text(std::numeric_limits<double>::infinity()), "± unknown");
  EXPECT_EQ(error_text(0), "± unknown");  // of a recording that does not tell it
}

TEST(DifferenceText, GivesTheDifferenceAloneWhereNoBoundIsKnown) {
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(difference_text(0.018, -unknown, unknown), "1.8 %");
}

TEST(DifferenceText, CallsADifferenceThatMayBeNoneNotSeparable) {
  EXPECT_EQ(difference_text(0.57, -0.54, 1.69), "not separable");
  EXPECT_EQ(slower_text(0.57, -0.54, 1.69), "is not separable from it");
}

TEST(DifferenceText, SaysOfWhatIsFasterHowMuchLessItTakes) {
  EXPECT_EQ(difference_text(-0.39, -0.41, -0.37), "39 % ± 2.0 % less");
  EXPECT_EQ(slower_text(-0.39, -0.41, -0.37), "takes 39 % ± 2.0 % less time");
  EXPECT_EQ(slower_text(-0.39, -0.41, -0.37, "GFLOP/s"), "is 39 % ± 2.0 % better");
  EXPECT_EQ(difference_text(-0.2, -0.5, -0.1), "20 % (10 to 50 %) less");
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(difference_text(-0.24, -unknown, unknown), "24 % less");
  EXPECT_EQ(difference_text(-0.1, -0.3, 0.1), "not separable");
}

TEST(DifferenceText, TellsFactorsInsteadOfAbsurdPercentages) {
  EXPECT_EQ(difference_text(1.2, 0.3, 2.6), "2.20 times (1.30 to 3.60)");
  EXPECT_EQ(difference_text(836.2, 800, 850), "837 times (801 to 851)");
  EXPECT_EQ(slower_text(2.53, 1.3, 3.7), "takes 3.53 times (2.30 to 4.70) as long");
  EXPECT_EQ(slower_text(2.53, 1.3, 3.7, "joules"), "is worse by a factor of 3.53 (2.30 to 4.70)");
  EXPECT_EQ(slower_text(0.018, 0.012, 0.024, "GB/s,time"), "is 1.8 % ± 0.60 % worse");
}

db::Winner winner(double ms, double default_ms) {
  db::Winner winner{.trial = 1, .objective = ms, .default_objective = default_ms, .default_trial = 2};
  winner.time_ms = ms;
  winner.default_time_ms = default_ms;
  winner.time_error = winner.default_time_error = 0.05;
  return winner;
}

db::Winner in_finals(double ms, double default_ms) {
  db::Winner settled = winner(ms, default_ms);
  settled.finalists = {{.trial = 1}, {.trial = 2}};
  return settled;
}

TEST(SpeedUp, IsAFactorOverTheDefault) {
  EXPECT_EQ(speed_up_text(in_finals(1, 2.1)), "2.10 times the default");
  EXPECT_EQ(speed_up_text(in_finals(1, 31.2)), "31 times the default");
  EXPECT_EQ(speed_up_cell(in_finals(1, 837)).for_people(), "837 times");
  EXPECT_EQ(speed_up_cell(in_finals(1, 2)).for_programs(), "2.0");
  EXPECT_EQ(speed_up_text(db::Winner{.trial = 1, .objective = 1}), "");
}

// A load that came and went between the two measurements is in neither's error.
TEST(SpeedUp, ThatNoFinalsConfirmedIsTheSearchsAlone) {
  EXPECT_EQ(speed_up_text(winner(1, 2.1)), "2.10 times the default in the search, not confirmed by finals");
  EXPECT_EQ(speed_up_cell(winner(1, 2.1)).for_people(), "2.10 times in search");
  EXPECT_EQ(speed_up_cell(winner(1, 2.1)).for_programs(), "2.1");
  db::Winner recorded = winner(1, 2.1);  // its time is known exactly
  recorded.time_error = recorded.default_time_error = 0;
  EXPECT_EQ(speed_up_text(recorded), "2.10 times the default");
}

TEST(SpeedUp, WithinTheNoiseIsNone) {
  EXPECT_EQ(speed_up_text(winner(1, 1.06)), "not separable from the default on this noisy device");
  EXPECT_EQ(speed_up_cell(winner(1, 1.06)).for_people(), "not separable");
  EXPECT_EQ(speed_up_cell(winner(1, 1.06)).for_programs(), "1.06");
}

// Two errors of 5 % hardly ever go against each other in full: of the ratio it is one of 7 %.
TEST(SpeedUp, IsJudgedByTheErrorOfTheRatioAsExplainDoes) {
  EXPECT_EQ(speed_up_text(winner(1, 1.08)), "1.08 times the default in the search, not confirmed by finals");
  db::Winner unknown = winner(1, 1.06);
  unknown.default_time_error = 0;  // a recording that does not tell it
  EXPECT_EQ(speed_up_text(unknown), "1.06 times the default");
}

TEST(SpeedUp, OfWhatOneSampleToldIsNone) {
  db::Winner one_sample = winner(1, 239);
  one_sample.default_time_error = std::numeric_limits<double>::infinity();
  EXPECT_EQ(speed_up_text(one_sample), "not separable from the default on this noisy device");
  std::swap(one_sample.time_error, one_sample.default_time_error);
  EXPECT_EQ(speed_up_cell(one_sample).for_people(), "not separable");
}

// Of 400 equal configurations whose times have errors of 5 % the best may well look 14 % faster than the default.
TEST(SpeedUp, OfTheBestOfManyIsBeyondTheLuckOfMany) {
  db::Winner lucky = winner(1, 1.12);
  EXPECT_EQ(speed_up_text(lucky), "1.12 times the default in the search, not confirmed by finals");
  lucky.chosen_from = 400;
  EXPECT_EQ(speed_up_text(lucky), "not separable from the default on this noisy device");
  lucky.default_time_ms = 1.16;
  EXPECT_EQ(speed_up_text(lucky), "1.16 times the default in the search, not confirmed by finals");
}

TEST(SpeedUp, OfATieIsNoneAndOfALoserInTheFinalsIsOne) {
  db::Winner tied = winner(1, 3);
  tied.ties = {2};
  EXPECT_FALSE(db::separable_from_default(tied));
  db::Winner beaten = winner(1, 1.02);  // side by side, a small difference can be told
  beaten.finalists = {{.trial = 1}, {.trial = 2}};
  EXPECT_TRUE(db::separable_from_default(beaten));
}

TEST(SpeedUp, OfTheDefaultItselfIsSaid) {
  db::Winner same = winner(1, 1);
  same.default_trial = same.trial;
  EXPECT_EQ(speed_up_text(same), "none: the default configuration is the best");
}

TEST(ConfigurationText, NamesWhatDiffersFromTheDefault) {
  const search::NamedValues defaults{{"BLOCK", std::int64_t{64}}, {"FAST", true}, {"MODE", std::string("a")}};
  search::NamedValues values = defaults;
  EXPECT_EQ(configuration_text(values, defaults), "default");
  values[0].second = std::int64_t{128};
  values[2].second = std::string("b");
  EXPECT_EQ(configuration_text(values, defaults), "BLOCK=128,MODE=b");
  EXPECT_EQ(configuration_cell(values, defaults).for_programs(), "BLOCK=128,FAST=true,MODE=b");
  EXPECT_EQ(configuration_text(values, {}), "BLOCK=128,FAST=true,MODE=b");
}

TEST(MomentCell, IsInLocalTimeForPeopleAndInUtcForPrograms) {
  const ZoneOfTest kolkata("IST-5:30");
  EXPECT_EQ(moment_cell("2026-11-22T13:05:12.123Z").for_people(), "2026-11-22 18:35+05:30");
  EXPECT_EQ(moment_cell("2026-11-22T13:05:12.123Z").for_programs(), "2026-11-22T13:05:12.123Z");
  EXPECT_TRUE(moment_cell("").is_empty());
}

TEST(MomentText, NamesItsZoneAlsoInSummerAndInUtc) {
  {
    const ZoneOfTest new_york("EST5EDT,M3.2.0,M11.1.0");
    EXPECT_EQ(moment_text("2026-11-24T23:30:00.000Z"), "2026-11-24 18:30-05:00");
    EXPECT_EQ(moment_text("2026-07-25T01:30:00.000Z"), "2026-07-24 21:30-04:00");
    EXPECT_EQ(moment_text("2026-11-01T05:30:00.000Z"), "2026-11-01 01:30-04:00");
    EXPECT_EQ(moment_text("2026-11-01T06:30:00.000Z"), "2026-11-01 01:30-05:00");
  }
  const ZoneOfTest utc("UTC0");
  EXPECT_EQ(moment_text("2026-11-24T23:30:00.000Z"), "2026-11-24 23:30Z");
  EXPECT_EQ(moment_text("last week, or so"), "last week, or so");  // what another program wrote
}

}  // namespace
}  // namespace warptune::tuner
