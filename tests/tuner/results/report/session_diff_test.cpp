#include "tuner/results/report/session_diff.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

db::StoredTrial trial(db::TrialId id, search::NamedValues values, double median_ms) {
  db::StoredTrial stored;
  stored.id = id;
  stored.values = std::move(values);
  stored.trial.measurement = search::Measurement{{}, median_ms, 0.01, false};
  stored.trial.objectives = {median_ms};
  return stored;
}

ComparedSession session(double factor) {
  ComparedSession side;
  side.session.key.kernel = "gemm";
  side.session.key.device.driver = "580.1";
  side.session.objective = "time";
  side.trials = {trial(1, {{"A", std::int64_t{1}}, {"B", std::int64_t{1}}}, 4 * factor),
                 trial(2, {{"A", std::int64_t{2}}, {"B", std::int64_t{1}}}, 5 * factor)};
  side.winner = db::Winner{1, 4 * factor, {}, {}, {}};
  return side;
}

std::string diff(const ComparedSession& first, const ComparedSession& second) {
  return session_diff(first, second).render(Format::csv);
}

TEST(SessionDiff, EqualSessionsDifferInNothing) {
  const std::string csv = diff(session(1), session(1));
  EXPECT_THAT(csv, Not(HasSubstr("setting,")));
  EXPECT_THAT(csv, HasSubstr("winner,time,4.0,4.0,1.0"));
  EXPECT_THAT(csv, HasSubstr("trials,median ratio of times,,,1.0"));
  EXPECT_THAT(csv, Not(HasSubstr(" most")));
}

TEST(SessionDiff, SpeaksOfASpeedUpOnlyWhereSomethingIsFaster) {
  EXPECT_THAT(diff(session(1), session(2)), AllOf(HasSubstr("slowed down most"), Not(HasSubstr("sped up most"))));
  EXPECT_THAT(diff(session(2), session(1)), AllOf(HasSubstr("sped up most"), Not(HasSubstr("slowed down most"))));
}

TEST(SessionDiff, SaysWhereTimesAreOfDifferentSizes) {
  ComparedSession first = session(1), second = session(1);
  EXPECT_EQ(size_note(first, second), "");
  first.session.key.problem_size = {{"M", std::int64_t{512}}};
  second.session.key.problem_size = {{"M", std::int64_t{1024}}};
  EXPECT_THAT(size_note(first, second), HasSubstr("M=512 in the first session, M=1024 in the second"));
}

TEST(SessionDiff, NamesTheSettingThatChanged) {
  ComparedSession other = session(1);
  other.session.key.device.driver = "590.2";
  other.session.strategy = "random";
  EXPECT_THAT(diff(session(1), other), HasSubstr("setting,driver,580.1,590.2,"));
  EXPECT_THAT(diff(session(1), other), HasSubstr("setting,strategy,,random,"));
}

TEST(SessionDiff, NamesTheWinnersParametersThatChangedAndItsTime) {
  ComparedSession other = session(0.5);
  other.winner = db::Winner{2, 2.5, {}, {}, {}};
  const std::string csv = diff(session(1), other);
  EXPECT_THAT(csv, HasSubstr("winner,time,4.0,2.5,0.625"));
  EXPECT_THAT(csv, HasSubstr("winner,A,1,2,"));
  EXPECT_THAT(csv, Not(HasSubstr("winner,B")));
}

TEST(SessionDiff, GivesTimesTheirUnitsForPeople) {
  ComparedSession other = session(0.5);
  other.winner = db::Winner{2, 2.5, {}, {}, {}};
  const std::string table = session_diff(session(1), other).render(Format::table);
  EXPECT_THAT(table, HasSubstr("4.00 ms  2.50 ms"));
  EXPECT_THAT(table, HasSubstr("sped up most: A="));
  EXPECT_THAT(table, HasSubstr("SECOND / FIRST"));
}

TEST(SessionDiff, ComparesTheTrialsThatBothHave) {
  ComparedSession other = session(2);
  other.trials[1].trial = {};
  other.trials[1].trial.outcome = search::Outcome::wrong_result;
  other.trials.push_back(trial(3, {{"A", std::int64_t{9}}, {"B", std::int64_t{1}}}, 1));
  const std::string csv = diff(session(1), other);
  EXPECT_THAT(csv, HasSubstr("trials,tried,2,3,"));
  EXPECT_THAT(csv, HasSubstr("trials,tried in both,2,2,"));
  EXPECT_THAT(csv, HasSubstr("trials,outcome,correct,wrong_result,,\"A=2,B=1\""));
  EXPECT_THAT(csv, HasSubstr("trials,median ratio of times,,,2.0"));
}

TEST(SessionDiff, GivesProgramsSizesVariantsAndConfigurationsAsObjectsAndNumbersAsNumbers) {
  ComparedSession first = session(1), second = session(2);
  first.session.key.problem_size = {{"M", std::int64_t{64}}, {"K", std::int64_t{32}}};
  second.session.key.problem_size = {{"M", std::int64_t{128}}, {"K", std::int64_t{32}}};
  first.session.key.variants = {{"TURNED", false}};
  second.session.key.variants = {{"TURNED", true}};
  second.session.seed = 7;
  const auto json = nlohmann::ordered_json::parse(session_diff(first, second).render(Format::json));
  const auto row = [&](const std::string& item) {
    const auto found = std::ranges::find_if(json, [&](const auto& one) { return one["item"] == item; });
    return found == json.end() ? nlohmann::ordered_json() : *found;
  };
  EXPECT_EQ(row("size")["first"].dump(), R"({"M":64,"K":32})");
  EXPECT_EQ(row("size")["second"].dump(), R"({"M":128,"K":32})");
  EXPECT_EQ(row("variants")["second"].dump(), R"({"TURNED":true})");
  EXPECT_EQ(row("seed")["second"].dump(), "7");
  EXPECT_EQ(row("slowed down most")["configuration"].dump(), R"({"A":2,"B":1})");
  EXPECT_TRUE(row("tried")["configuration"].is_null());
  EXPECT_THAT(session_diff(first, second).render(Format::table), HasSubstr("K=32,M=64     K=32,M=128"));
}

TEST(SessionDiff, DoesWithoutWinners) {
  ComparedSession other = session(1);
  other.winner.reset();
  EXPECT_THAT(diff(session(1), other), HasSubstr("winner,time,4.0,,"));
}

}  // namespace
}  // namespace warptune::tuner
