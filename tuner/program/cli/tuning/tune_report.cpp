// Reports what the store holds of a session, or what this process has seen of it.
#include "tuner/program/cli/tuning/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/measure/verification/expected_outputs.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/tuning/trial.h"
#include "tuner/results/explain/explanation.h"
#include "tuner/results/report/best_report.h"
#include "tuner/results/report/session_report.h"
#include "tuner/results/report/text/counters_report.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/launch_view.h"
#include "tuner/results/report/text/manifest_doubt.h"

namespace warptune::tuner::cli {

namespace {

// Returns the winner, its session and its device's roofs; nothing without a winner, or for a recording.
std::optional<Evidence> evidence_of_winner(const Tuning& tuning, const db::Store& store) {
  const auto winner = store.winner(tuning.id());
  if (!winner || tuning.device().backend == "replay") return std::nullopt;
  const db::SessionRecord session = store.session(tuning.id()).value();
  return Evidence{session, {store.trial(winner->trial).value()}, winner, store.roofs(session.key.device)};
}

constexpr std::size_t shown_trials = 5;

// Found holds what there is to tell of a session.
struct Found {
  db::SessionRecord session;
  std::vector<db::StoredTrial> trials;
  std::optional<db::Winner> winner;
  std::vector<db::StoredTrial> best;
};

// Returns what the store holds of the session now, so that `show` and `best` say the same of it.
Found stored(const Tuning& tuning, const SessionResult& result, const db::Store& store) {
  Found found{store.session(tuning.id()).value(), store.trials(tuning.id()), store.winner(tuning.id()), {}};
  for (const std::size_t i : result.front) found.best.push_back(store.trial(result.ids[i]).value());
  if (found.best.empty()) found.best = store.best_trials(tuning.id(), shown_trials);
  return found;
}

// Returns what this process has seen of the session. Nobody has settled on a winner.
Found remembered(const Tuning& tuning, const SessionResult& result, db::SessionRecord session) {
  Found found{std::move(session), {}, {}, {}};
  found.session.trials = static_cast<std::int64_t>(result.trials.size());
  found.session.correct_trials = std::ranges::count_if(result.trials, &search::Trial::correct);
  for (std::size_t i = 0; i < result.trials.size(); ++i)
    found.trials.push_back(
        {result.ids[i], found.session.id, tuning.space().values(result.trials[i].configuration), result.trials[i], ""});
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < result.trials.size(); ++i)
    if (may_win(result.trials[i])) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return result.trials[i].objectives; });
  if (order.size() > shown_trials) order.resize(shown_trials);
  for (const std::size_t i : order) found.best.push_back(found.trials[i]);
  return found;
}

// Returns the session's document, with how this run went.
std::string result_json(const SessionResult& result, const Found& found, const std::optional<Evidence>& evidence) {
  Json json = document("tune");
  add_findings(found.session, found.trials, found.winner, json);
  json["best"] = Json::array();
  for (const db::StoredTrial& trial : found.best) json["best"].push_back(json_of(trial, found.winner, found.session));
  json["attainment"] = evidence ? json_of(view(*evidence, evidence->trials.front()).attainment) : Json(nullptr);
  json["run"] = json_of(result);
  return text_of(json);
}

// Returns what limits the winner, to be shown beneath its figures; nothing of a recording, which has no device.
std::vector<std::pair<std::string, std::string>> winner_standing(const Tuning& tuning, const db::Store& store) {
  const auto evidence = evidence_of_winner(tuning, store);
  if (!evidence) return {};
  const db::StoredTrial& trial = evidence->trials.front();
  auto lines =
      standing_lines(view(*evidence, trial), trial.trial.work, evidence->session.key.device.limits, evidence->roofs);
  for (const search::ExpectedOutput& output : tuning.expected_outputs())
    lines.emplace_back("Expected", fmt::format("{}: {}", output.name, variety_text(output)));
  if (const std::string& wanted = tuning.request().same_bits_as; !wanted.empty())
    lines.emplace_back("Same bits", same_bits_text(wanted, store.trials(tuning.id())));
  return lines;
}

std::string counters_of_best(const SessionResult& result) {
  if (!result.best || !result.trials[*result.best].counters) return {};
  return "\nCounters of the winner\n" + counters_text(*result.trials[*result.best].counters, output_width());
}

// Says which command looks for the reason if nothing was correct. The host backend sees why results are wrong and why
// kernels crash.
void say_how_to_find_the_reason(const Tuning& tuning, const SessionResult& result) {
  const std::filesystem::path& manifest = tuning.request().manifest;
  const auto& backends = tuning.kernel().backends;
  const bool runs_on_host = backends.empty() || std::ranges::find(backends, "host") != backends.end();
  const bool has_run = std::ranges::any_of(result.trials, [](const search::Trial& trial) {
    return trial.outcome == search::Outcome::wrong_result || trial.outcome == search::Outcome::crash ||
           trial.outcome == search::Outcome::launch_error;
  });
  if (result.best || result.interrupted || manifest.empty() || !runs_on_host || !has_run) return;
  const std::filesystem::path folder = manifest.has_parent_path() ? manifest.parent_path() : ".";
  say(fmt::format("next: warptune run {} --device host --sanitize, which looks for races and accesses out of bounds",
                  shell_word((manifest.filename() == "template.toml" ? folder : manifest).string())));
}

void write_table(const Tuning& tuning, const SessionResult& result,
                 const std::vector<std::pair<std::string, std::string>>& standing) {
  write_output(
      "", session_report(result, tuning.space(), tuning.kernel(), output_width(), standing) + counters_of_best(result));
}

void write_csv(const Tuning& tuning, const SessionResult& result) {
  write_output("", result_table(result, tuning.space(), tuning.kernel()).render(Format::csv));
}

void report_without_store(const Tuning& tuning, const db::SessionRecord& begun, const SessionResult& result,
                          const Context& context) {
  if (context.output_format() == Format::table)
    write_table(tuning, result, {});
  else if (context.output_format() == Format::csv)
    write_csv(tuning, result);
  else
    write_output("", result_json(result, remembered(tuning, result, begun), std::nullopt));
  say(
      fmt::format("{} of session {} {} in the store, without a winner yet; the trials in flight are lost. The same "
                  "command goes on from there",
                  counted(result.trials.size(), "trial"), tuning.id(), result.trials.size() == 1 ? "is" : "are"));
}

}  // namespace

void report(const Tuning& tuning, const SessionResult& result, const db::Store& store, Context& context) {
  if (context.output_format() == Format::table)
    write_table(tuning, result, winner_standing(tuning, store));
  else if (context.output_format() == Format::csv)
    write_csv(tuning, result);
  else
    write_output("", result_json(result, stored(tuning, result, store), evidence_of_winner(tuning, store)));
  if (const std::string doubt = manifest_doubt(result.trials, tuning.space(), tuning.kernel()); !doubt.empty())
    say(doubt);
  say_how_to_find_the_reason(tuning, result);
  if (const auto winner = store.winner(tuning.id()))
    say_of_an_uncertain_winner(tuning.id(), *winner, tuning.request().evaluator.policy.precision);
  if (!result.best && !result.trials.empty()) say_if_header_is_missing(result.trials.front());
  if (!result.best) context.exit_code = nothing_correct;
  if (result.interrupted) context.exit_code = interrupted;
}

void report_with_or_without(const db::Store& store, const Tuning& tuning, const db::SessionRecord& begun,
                            const SessionResult& result, Context& context) {
  try {
    store.session(tuning.id());  // before anything is written
  } catch (const db::StoreError&) {
    return report_without_store(tuning, begun, result, context);
  }
  report(tuning, result, store, context);
}

}  // namespace warptune::tuner::cli
