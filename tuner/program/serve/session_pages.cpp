// Makes the pages of one session: its key, its winner and what failed; its trials, in several pages; one trial; and the
// report of `warptune report`, made when it is asked for.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "db/objective_value.h"
#include "db/settled.h"
#include "search/error.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/serve/pages.h"
#include "tuner/results/report/page/page_data.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner::serve {

namespace {

std::string address_of(const Found& found) {
  return "/session/" + reference_of(found.store, found.record.id);
}

std::string title_of(const Found& found) {
  const std::string size = search::to_text(found.record.key.problem());
  return fmt::format("{}{}{}", found.record.key.kernel, size.empty() ? "" : " for ", size);
}

Html key_facts(const Found& found) {
  const db::SessionRecord& session = found.record;
  const db::SessionKey& key = session.key;
  return facts(
      {{"Session", fmt::format("{} ({})", reference_of(found.store, session.id), state_text(session))},
       {"Name", session.name},
       {"Note", session.note},
       {"Device", fmt::format("{}, {}", key.device.name, key.device.architecture)},
       {"Driver", key.device.driver},
       {"Compiler", key.compiler},
       {"Options", key.options},
       {"Restrictions", fmt::format("{}", fmt::join(key.restrictions, "; "))},
       {"Strategy", fmt::format("{}, seed {}, objective {}", session.strategy, session.seed, session.objective)},
       {"Space", session.space_size.empty() ? "" : session.space_size + " valid configurations"},
       {"Trials", fmt::format("{}, {} correct", session.trials, session.correct_trials)},
       {"Started", moment_text(session.started_at)},
       {"Updated", moment_text(session.updated_at)},
       {"Origin", session.origin},
       {"Merged from", session.merged_from},
       {"Kind", kind_of(session) == db::SessionKind::measured ? "" : std::string(to_string(kind_of(session)))}});
}

search::NamedValues default_values(const db::Store& store, const std::optional<db::Winner>& winner) {
  if (!winner || !winner->default_trial) return {};
  const auto trial = store.trial(*winner->default_trial);
  return trial ? trial->values : search::NamedValues{};
}

Html winner_section(const Found& found, const db::Store& store, const std::optional<db::Winner>& winner) {
  const auto trial = winner ? store.trial(winner->trial) : std::nullopt;
  if (!trial) return paragraph("No winner: no trial was correct until now.");
  const std::string time =
      winner->time_ms ? duration_text(*winner->time_ms) + ' ' + error_text(winner->time_error.value_or(0)) : "";
  const std::string ties = winner->ties.empty() ? "" : fmt::format("{} more", winner->ties.size());
  return facts({{"Time", time},
                {"Speed-up", speed_up_text(*winner)},
                {"Configuration", element("code", search::to_text(trial->values))},
                {"Not told apart from it", ties},
                {"Trial", link(fmt::format("{}/trial/{}", address_of(found), trial->id), std::to_string(trial->id))}});
}

Html finals_section(const Found& found, const db::Store& store, const db::Winner& winner) {
  Table table({"trial", "time_ms", "relative_error", "slower_by", "visits", "configuration"});
  table.heading("time_ms", "TIME").heading("relative_error", "ERROR").heading("slower_by", "SLOWER BY");
  const search::NamedValues defaults = default_values(store, winner);
  for (const db::WinnerFinalist& one : winner.finalists) {
    const auto trial = store.trial(one.trial);
    table.add({one.trial, time_cell(one.time_ms), error_cell(one.relative_error),
               one.trial == winner.trial
                   ? Cell("winner")
                   : Cell(difference_text(one.slower_by, one.slower_low, one.slower_high), one.slower_by),
               one.visits, trial ? configuration_cell(trial->values, defaults) : Cell()});
  }
  return heading("Finals") +
         html_table(table, "Measured again side by side, best first", [&](std::size_t row, const std::string& column) {
           return column == "trial" ? fmt::format("{}/trial/{}", address_of(found), winner.finalists[row].trial) : "";
         });
}

// Shows how trials ended, with one message of each kind of failure.
Html outcome_section(const Found& found, const db::Store& store) {
  Table table({"outcome", "trials", "example", "message"});
  std::vector<std::string> targets;
  for (const auto& [outcome, count] : store.outcome_counts(found.record.id)) {
    db::TrialPageRequest first;
    first.outcome = outcome;
    first.limit = 1;
    const db::TrialPage page = store.trial_page(found.record.id, first);
    const std::string name(to_string(outcome));
    const bool failed = outcome != search::Outcome::correct && !page.trials.empty();
    const std::string message = failed ? page.trials.front().trial.message : "";
    table.add({name, count, failed ? Cell(page.trials.front().id) : Cell(),
               message.empty() ? Cell() : Cell(message.substr(0, message.find('\n')))});
    targets.push_back(address_of(found) + "/trials?outcome=" + name);
  }
  if (targets.empty()) return paragraph("No trial yet.");
  return heading("Outcomes") + html_table(table, "How trials ended", [&](std::size_t row, const std::string& column) {
           if (column == "example")
             return fmt::format("{}/trial/{}", address_of(found), table.rows()[row][2].for_people());
           return column == "outcome" ? targets[row] : std::string();
         });
}

Html checks_section(const Found& found, const db::Store& store) {
  const auto checks = store.checks(found.record.id);
  if (checks.empty()) return {};
  return element("h2", {{"id", "checks"}}, "Checks") +
         html_table(check_history(checks, found.record), "Measured again, oldest first");
}

Html session_links(const Found& found) {
  const std::string base = address_of(found), reference = reference_of(found.store, found.record.id);
  const Html links = element("li", link(base + "/report", "Report with charts")) +
                     element("li", link(base + "/trials", "Trials as they were recorded")) +
                     element("li", link(base + "/trials?order=best", "Best trials first")) +
                     element("li", link("/api/session/" + reference, "JSON"));
  return element("ul", {{"class", "links"}}, links);
}

Table trial_table(const std::vector<db::StoredTrial>& trials, const std::optional<db::Winner>& winner,
                  const search::NamedValues& defaults) {
  Table table({"trial", "outcome", "time_ms", "relative_error", "search_ms", "registers", "occupancy", "configuration",
               "message"});
  table.heading("time_ms", "TIME").heading("relative_error", "ERROR").heading("search_ms", "IN SEARCH");
  const bool held_finals = winner && !winner->finalists.empty();
  for (const db::StoredTrial& stored : trials) {
    const search::Trial& trial = stored.trial;
    const bool rated = trial.correct() && !trial.objectives.empty();
    const db::Settled settled = rated ? db::settled(winner, stored) : db::Settled{};
    const std::string first_line = trial.message.substr(0, trial.message.find('\n'));
    const bool timed = settled.time_ms && (settled.finals || !held_finals);
    table.add({stored.id, std::string(to_string(trial.outcome)), timed ? time_cell(settled.time_ms) : Cell(),
               timed ? error_cell(settled.time_error) : Cell(),
               trial.measurement ? time_cell(trial.measurement->median_ms) : Cell(),
               trial.resources ? Cell(trial.resources->registers_per_thread) : Cell(),
               trial.resources ? Cell(three_digits(trial.resources->occupancy), trial.resources->occupancy) : Cell(),
               configuration_cell(stored.values, defaults), first_line.empty() ? Cell() : Cell(first_line)});
  }
  return table;
}

Html trial_pages(const Visit& visit, const db::TrialPage& page) {
  if (page.trials.empty()) return {};
  Request base = visit.request;
  base.query.erase("after");
  base.query.erase("before");
  Html links;
  const auto add = [&](const char* relation, const char* text, const std::string& target) {
    links += element("a", {{"rel", relation}, {"href", target}}, text);
  };
  if (page.more_before) {
    add("first", "First", with_parameter(base, "after", ""));
    add("prev", "Previous", with_parameter(base, "before", std::to_string(page.trials.front().id)));
  }
  if (page.more_after) add("next", "Next", with_parameter(base, "after", std::to_string(page.trials.back().id)));
  return links.empty() ? Html() : element("nav", {{"class", "pages"}, {"aria-label", "Further trials"}}, links);
}

// Returns links to the trials of each outcome that there is, with their count. Links take fewer steps than a form.
Html outcome_choice(const Found& found, const db::Store& store, const db::TrialPageRequest& request) {
  const std::string base = address_of(found) + "/trials";
  Html items;
  const auto add = [&](const std::string& text, const std::string& target, bool here) {
    Attributes attributes{{"href", target}};
    if (here) attributes.emplace_back("aria-current", "true");
    items += element("li", element("a", attributes, text));
  };
  const bool best = request.order == db::TrialOrder::best;
  add(fmt::format("all ({})", found.record.trials), base, !best && !request.outcome);
  add("best first", base + "?order=best", best);
  for (const auto& [outcome, count] : store.outcome_counts(found.record.id))
    add(fmt::format("{} ({})", to_string(outcome), count), base + "?outcome=" + std::string(to_string(outcome)),
        request.outcome == outcome);
  return element("nav", {{"class", "choice"}, {"aria-label", "Which trials"}}, element("ul", items));
}

Html resource_facts(const search::ResourceUse& use) {
  return facts({{"Registers per thread", std::to_string(use.registers_per_thread)},
                {"Local bytes per thread", std::to_string(use.local_bytes_per_thread)},
                {"Shared bytes per block",
                 fmt::format("{} static, {} dynamic", use.static_shared_bytes, use.dynamic_shared_bytes)},
                {"Threads per block", std::to_string(use.threads_per_block)},
                {"Occupancy", fmt::format("{:.2f}", use.occupancy)}});
}

std::optional<std::int64_t> number_in(const Request& request, const std::string& name, const char* expected) {
  const std::string text = request.parameter(name);
  if (text.empty()) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1)
    throw search::Error(search::ErrorKind::usage,
                        fmt::format("{}={} cannot be read: expected {}", name, text, expected));
  return number;
}

}  // namespace

db::TrialPageRequest trial_request(const Request& request) {
  constexpr std::size_t most = 1000;
  db::TrialPageRequest result;
  result.after = number_in(request, "after", "a trial's number");
  result.before = number_in(request, "before", "a trial's number");
  result.limit = std::min(
      most, static_cast<std::size_t>(number_in(request, "limit", "how many trials, at least 1").value_or(100)));
  const std::string outcome = request.parameter("outcome"), order = request.parameter("order");
  result.outcome = search::outcome_from_string(outcome);
  if (!outcome.empty() && !result.outcome)
    throw search::Error(search::ErrorKind::usage, fmt::format("outcome={}: there is no such outcome", outcome));
  if (order == "best") result.order = db::TrialOrder::best;
  if (!order.empty() && order != "best" && order != "recorded")
    throw search::Error(search::ErrorKind::usage, fmt::format("order={}: expected recorded or best", order));
  return result;
}

std::string session_page(const Visit& visit, const Found& found) {
  const db::Store& store = visit.stores.store(found.store);
  const auto winner = store.winner(found.record.id);
  Html content = key_facts(found) + session_links(found) + heading("Winner") + winner_section(found, store, winner);
  if (winner && !winner->finalists.empty()) content += finals_section(found, store, *winner);
  content += outcome_section(found, store) + checks_section(found, store);
  return page(visit.frame(title_of(found), "Sessions"), content);
}

std::string trials_page(const Visit& visit, const Found& found) {
  const db::Store& store = visit.stores.store(found.store);
  const auto winner = store.winner(found.record.id);
  const db::TrialPageRequest request = trial_request(visit.request);
  const db::TrialPage trials = store.trial_page(found.record.id, request);
  const auto linked = [&](std::size_t row, const std::string& column) {
    return column == "trial" ? fmt::format("{}/trial/{}", address_of(found), trials.trials[row].id) : "";
  };
  const Html list = trials.trials.empty()
                        ? element("p", {{"role", "status"}}, "No trial here.")
                        : html_table(trial_table(trials.trials, winner, default_values(store, winner)),
                                     "Configurations are what differs from the default", linked);
  return page(visit.frame("Trials of " + title_of(found), "Sessions"),
              paragraph(link(address_of(found), "Session " + reference_of(found.store, found.record.id))) +
                  outcome_choice(found, store, request) + list + trial_pages(visit, trials));
}

std::string trial_page(const Visit& visit, const Found& found, const db::StoredTrial& stored) {
  const search::Trial& trial = stored.trial;
  const auto winner = visit.stores.store(found.store).winner(found.record.id);
  const bool rated = trial.correct() && !trial.objectives.empty();
  const db::Settled settled = rated ? db::settled(winner, stored) : db::Settled{};
  std::vector<std::pair<std::string, Html>> rows = {
      {"Session", link(address_of(found), title_of(found))},
      {"Configuration", element("code", search::to_text(stored.values))},
      {"Outcome", std::string(to_string(trial.outcome))},
      {"Time", settled.time_ms ? duration_text(*settled.time_ms) + ' ' + error_text(settled.time_error) : ""},
      {"Recorded", moment_text(stored.recorded_at)},
      {"Device", trial.device_uuid},
      {"Compiling", fmt::format("{:.1f} ms", trial.phases.compile_ms)},
      {"Verifying", fmt::format("{:.1f} ms", trial.phases.verify_ms)},
      {"Measuring", fmt::format("{:.1f} ms", trial.phases.measure_ms)}};
  for (const auto& [name, value] : settled.metrics) rows.emplace_back(name, three_digits(value));
  Html content = facts(rows);
  if (trial.resources) content += heading("Resources") + resource_facts(*trial.resources);
  if (!trial.message.empty()) content += heading("Message") + element("pre", {{"tabindex", "0"}}, trial.message);
  content +=
      paragraph(Html("Once more: ") + element("code", fmt::format("warptune show --trial {} --replay", stored.id)));
  return page(visit.frame(fmt::format("Trial {}", stored.id), "Sessions"), content);
}

namespace {

PageSession load(const db::StoreSet& stores, const Found& found) {
  const db::Store& store = stores.store(found.store);
  PageSession session;
  session.reference = reference_of(found.store, found.record.id);
  session.session = found.record;
  session.trials = store.trials(found.record.id);
  session.winner = store.winner(found.record.id);
  session.checks = store.checks(found.record.id);
  return session;
}

std::string title_of(std::span<const Found> sessions) {
  const db::SessionKey& key = sessions.front().record.key;
  if (sessions.size() > 1) return fmt::format("{}, {} sessions - Warptune", key.kernel, sessions.size());
  return fmt::format("{} {} on {} - Warptune", key.kernel, search::to_text(key.problem()), key.device.name);
}

}  // namespace

std::optional<std::vector<Found>> find_sessions(const db::StoreSet& stores, const std::string& references) {
  std::vector<Found> sessions;
  for (std::size_t begin = 0; begin <= references.size();) {
    const std::size_t end = std::min(references.find(',', begin), references.size());
    auto found = find_session(stores, references.substr(begin, end - begin));
    if (!found) return std::nullopt;
    sessions.push_back(std::move(*found));
    begin = end + 1;
  }
  return sessions;
}

std::string report_data(const Visit& visit, std::span<const Found> sessions) {
  std::vector<PageSession> loaded;
  for (const Found& found : sessions) loaded.push_back(load(visit.stores, found));
  return page_data_text(loaded);
}

// The page brings its own policy, by which only its own scripts run. Only pages of this site may embed it, as the live
// page does.
Response report_page(const Visit& visit, std::span<const Found> sessions, const ChartLibrary& charts) {
  PageOptions options;
  options.title = title_of(sessions);
  options.charts = charts;
  Response response;
  response.body = page_html(report_data(visit, sessions), options);
  response.headers = {{"Content-Security-Policy", "frame-ancestors 'self'; base-uri 'none'; form-action 'none'"},
                      {"X-Frame-Options", "SAMEORIGIN"}};
  return response;
}

}  // namespace warptune::tuner::serve
