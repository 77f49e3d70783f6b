// Lays out cases and comparisons; figures that are not finite are null.
#include "tuner/results/report/judge_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/device/compile/compiler_log.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner {

namespace {

Json finite(double number) {
  return std::isfinite(number) ? Json(number) : Json(nullptr);
}

Json json_of(const judge::SpeedUp& up) {
  const bool bounded = std::isfinite(up.high) && up.low > 0;
  return {{"estimate", finite(up.estimate)},
          {"low", bounded ? Json(up.low) : Json(nullptr)},
          {"high", bounded ? Json(up.high) : Json(nullptr)},
          {"tied", up.tied}};
}

Json json_of(const judge::Case& each) {
  const auto& measured = each.candidate.measurement;
  const auto error = measured ? measured->error : std::nullopt;
  const bool ran = each.set_aside.empty();
  return {{"problem_size", json_from_values(each.problem.values())},
          {"inputs", std::string(to_string(each.inputs))},
          {"seed", each.seed},
          {"asked_for", each.asked_for},
          {"counts", ran},
          {"set_aside", json_or_null(each.set_aside)},
          {"elements", each.expected.empty() ? Json(nullptr) : Json(each.elements())},
          {"compared", each.expected.empty() ? Json(nullptr) : Json(each.compared())},
          {"room", each.expected.empty() ? Json(nullptr) : finite(each.laxest()->room)},
          {"outcome", ran ? Json(std::string(to_string(each.candidate.outcome))) : Json(nullptr)},
          {"message", ran ? json_or_null(each.candidate.message) : Json(nullptr)},
          {"max_error", error ? finite(error->max) : Json(nullptr)},
          {"rms_error", error ? finite(error->rms) : Json(nullptr)}};
}

Json json_of(const judge::Comparison& each) {
  return {{"problem_size", json_from_values(each.problem.values())},
          {"candidate_ms", each.candidate_ms},
          {"reference_ms", each.reference_ms},
          {"rounds", each.rounds},
          {"speed_up", json_of(each.speed_up)},
          {"implausible", json_or_null(each.implausible)}};
}

std::string outcome_text(const judge::Case& each) {
  return each.set_aside.empty() ? std::string(to_string(each.candidate.outcome)) : "set aside";
}

// Returns the message of a case. `last` is the message that was shown last in the rows before: many inputs fail alike,
// and people read the message once.
Cell message_cell(const judge::Case& each, std::string& last) {
  const bool ran = each.set_aside.empty();
  const std::string& message = ran ? each.candidate.message : each.set_aside;
  if (message.empty()) return {};
  const std::string shown = ran ? failure_text(each.candidate) : message;
  if (shown == last) return Cell("as above", message);
  last = shown;
  return Cell(shown, message);
}

// Returns the whole log of the first case that was not compiled, of which the table shows only the reason; it is empty
// if there is none.
std::string log_text(const judge::Judgement& judgement) {
  const auto failed = std::ranges::find_if(judgement.cases, [](const judge::Case& each) {
    return each.set_aside.empty() && each.candidate.outcome == search::Outcome::compile_error;
  });
  if (failed == judgement.cases.end()) return {};
  return fmt::format("\nThe compiler's log:\n{}\n", without_last_newlines(failed->candidate.message));
}

}  // namespace

Table case_table(const judge::Judgement& judgement) {
  Table table({"problem_size", "inputs", "seed", "outcome", "message"});
  table.heading("problem_size", "PROBLEM").less_important({"message"}).only_for_programs({"seed"});
  std::string last;
  for (const judge::Case& each : judgement.cases) {
    table.add({each.problem.values(), std::string(to_string(each.inputs)), std::to_string(each.seed),
               outcome_text(each), message_cell(each, last)});
  }
  return table;
}

std::string judgement_text(const judge::Judgement& judgement, std::size_t width) {
  std::string text = case_table(judgement).render(Format::table, width);
  for (const judge::Comparison& each : judgement.comparisons)
    text += fmt::format("\n{}: {}, the reference {}\n", each.problem.text(), duration_text(each.candidate_ms),
                        duration_text(each.reference_ms));
  return text + '\n' + wrapped_text(fmt::format("{}: {}.", to_string(judgement.verdict), judgement.reason), width, 0) +
         fmt::format("\n\nDrawn from the seed {0}; --seed {0} draws it again.\n", judgement.seed) + log_text(judgement);
}

Json json_of(const judge::Judgement& judgement) {
  const judge::Comparison* slowest = judgement.slowest();
  Json json = document("judge");
  json["verdict"] = std::string(to_string(judgement.verdict));
  json["reason"] = judgement.reason;
  json["candidate"] = judgement.candidate;
  json["reference"] = json_or_null(judgement.reference);
  json["device"] = judgement.device.name;
  json["speed_up"] = slowest ? json_of(slowest->speed_up) : Json(nullptr);
  json["required_speed_up"] = judgement.required_speed_up;
  json["fast_enough"] = slowest ? Json(judgement.fast_enough()) : Json(nullptr);
  json["seed"] = judgement.seed;
  json["cases"] = Json::array();
  for (const judge::Case& each : judgement.cases) json["cases"].push_back(json_of(each));
  json["comparisons"] = Json::array();
  for (const judge::Comparison& each : judgement.comparisons) json["comparisons"].push_back(json_of(each));
  json["notes"] = judgement.notes;
  return json;
}

}  // namespace warptune::tuner
