// Concludes what all cases and comparisons come to.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "search/plain_text.h"
#include "tuner/device/compile/compiler_log.h"
#include "tuner/results/judge/judge.h"

namespace warptune::tuner::judge {

namespace {

// Returns how much of an output's largest value may be an error.
double share_of_room(const search::ExpectedOutput& output) {
  return output.room == 0 ? 0 : output.room / std::max(output.largest(), std::numeric_limits<double>::min());
}

std::size_t counted(const Judgement& judgement) {
  return static_cast<std::size_t>(
      std::ranges::count_if(judgement.cases, [](const Case& each) { return each.set_aside.empty(); }));
}

std::string cases_text(std::size_t count) {
  return count == 1 ? "one case" : fmt::format("{} cases", count);
}

// Says how many elements were really compared, and with what room.
std::string compared_text(const Judgement& judgement) {
  std::int64_t elements = 0, compared = 0;
  const search::ExpectedOutput* laxest = nullptr;
  for (const Case& each : judgement.cases) {
    if (!each.set_aside.empty()) continue;
    elements += each.elements();
    compared += each.compared();
    const search::ExpectedOutput* lax = each.laxest();
    if (lax && (!laxest || share_of_room(*lax) > share_of_room(*laxest))) laxest = lax;
  }
  if (!laxest) return {};
  std::string text =
      compared == elements
          ? fmt::format("all {} elements compared", elements)
          : fmt::format("{} of {} elements compared (of the others a zero is right, too)", compared, elements);
  if (laxest->room == 0) return text + ", exactly";
  return text + fmt::format(", with room for errors of {} where values reach {}", search::three_digits(laxest->room),
                            search::three_digits(laxest->largest()));
}

std::string right_text(const Judgement& judgement, std::size_t count) {
  const std::string compared = compared_text(judgement);
  return fmt::format("It is right in {}{}", cases_text(count), compared.empty() ? "" : ", " + compared);
}

std::string failure_of(const Case& each) {
  return fmt::format("{} at {} with {} inputs{}{}", to_string(each.candidate.outcome), each.problem.text(),
                     to_string(each.inputs), each.candidate.message.empty() ? "" : ": ", each.candidate.message);
}

std::string failures_text(const std::vector<const Case*>& failures, std::size_t count) {
  if (failures.front()->candidate.outcome == search::Outcome::compile_error)
    return "It does not compile: " + failure_text(failures.front()->candidate);
  if (count == 1) return "It fails: " + failure_of(*failures.front());
  return fmt::format("It fails in {} of {} cases. The first: {}", failures.size(), count,
                     failure_of(*failures.front()));
}

std::string speed_text(const SpeedUp& up) {
  const std::string text = search::three_digits(up.estimate) + " times as fast";
  if (!std::isfinite(up.high) || up.low <= 0) return text + ", with too few rounds for an interval";
  return fmt::format("{} ({} to {})", text, search::three_digits(up.low), search::three_digits(up.high));
}

Verdict verdict_on(const std::vector<Comparison>& comparisons) {
  const auto any = [&](auto&& is) { return std::ranges::any_of(comparisons, is); };
  const auto slower = [](const Comparison& each) { return !each.speed_up.tied && each.speed_up.estimate < 1; };
  const auto faster = [](const Comparison& each) { return !each.speed_up.tied && each.speed_up.estimate > 1; };
  if (any([](const Comparison& each) { return !each.implausible.empty(); })) return Verdict::implausible;
  if (any(slower)) return Verdict::slower;
  return any(faster) ? Verdict::faster : Verdict::as_fast;
}

std::string times_text(const Judgement& judgement) {
  for (const Comparison& each : judgement.comparisons)
    if (!each.implausible.empty()) return fmt::format("At {} {}", each.problem.text(), each.implausible);
  const Comparison& least = *judgement.slowest();
  std::string text = judgement.verdict == Verdict::as_fast ? "It cannot be told apart from the reference: " : "It is ";
  text += speed_text(least.speed_up) + (judgement.comparisons.size() > 1 ? " at its least, " : " ") + "at " +
          least.problem.text();
  if (!judgement.fast_enough())
    text += fmt::format("; {} times were required", search::three_digits(judgement.required_speed_up));
  return text;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  static constexpr std::array<std::string_view, 7> words = {"faster",    "as_fast",     "slower",    "right",
                                                            "incorrect", "implausible", "not_judged"};
  return words.at(static_cast<std::size_t>(verdict));
}

std::int64_t Case::elements() const {
  std::int64_t all = 0;
  for (const search::ExpectedOutput& output : expected) all += output.elements;
  return all;
}

std::int64_t Case::compared() const {
  std::int64_t all = 0;
  for (const search::ExpectedOutput& output : expected) all += output.tells() ? output.told : 0;
  return all;
}

const search::ExpectedOutput* Case::laxest() const {
  const auto found = std::ranges::max_element(expected, {}, share_of_room);
  return found == expected.end() ? nullptr : &*found;
}

const Comparison* Judgement::slowest() const {
  const auto least = std::ranges::min_element(
      comparisons, {}, [](const Comparison& comparison) { return comparison.speed_up.estimate; });
  return least == comparisons.end() ? nullptr : &*least;
}

// An interval without an upper bound excludes nothing. A tie is as fast.
bool Judgement::fast_enough() const {
  return std::ranges::none_of(comparisons, [this](const Comparison& each) {
    const SpeedUp& up = each.speed_up;
    return up.high < required_speed_up && !(up.tied && required_speed_up <= 1);
  });
}

std::string implausibility(const DeviceInfo& device, double bytes, double time_ms) {
  const double peak = device.memory_bandwidth_gbs();
  const double beyond = bytes - 2 * static_cast<double>(device.l2_bytes);  // twice: its replacement is not exact
  if (peak <= 0 || time_ms <= 0 || beyond <= 0 || beyond / time_ms / 1e6 <= peak) return {};
  return fmt::format("its time means {:.0f} GB/s, and the memory of {} has {:.0f} GB/s", bytes / time_ms / 1e6,
                     device.name, peak);
}

void conclude(Judgement& judgement) {
  const std::size_t count = counted(judgement);
  std::vector<const Case*> failures;
  for (const Case& each : judgement.cases)
    if (each.set_aside.empty() && !each.candidate.correct()) failures.push_back(&each);
  if (count == 0) {
    judgement.verdict = Verdict::not_judged;
    judgement.reason = judgement.cases.empty() ? "No case was run"
                                               : "The first case was set aside: " + judgement.cases.front().set_aside;
  } else if (!failures.empty()) {
    judgement.verdict = Verdict::incorrect;
    judgement.reason = failures_text(failures, count);
  } else if (judgement.comparisons.empty()) {
    judgement.verdict = Verdict::right;
    judgement.reason = right_text(judgement, count) + "; its time was not compared";
  } else {
    judgement.verdict = verdict_on(judgement.comparisons);
    judgement.reason = fmt::format("{}. {}", right_text(judgement, count), times_text(judgement));
  }
}

void cut_short(Judgement& judgement) {
  if (judgement.verdict == Verdict::incorrect) return;
  judgement.verdict = Verdict::not_judged;
  judgement.comparisons.clear();
  judgement.reason = fmt::format("It was interrupted after {}", cases_text(judgement.cases.size()));
}

}  // namespace warptune::tuner::judge
