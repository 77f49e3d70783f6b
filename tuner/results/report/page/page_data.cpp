// Turns sessions into the columns of the page's document.
#include "tuner/results/report/page/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "db/objective_value.h"
#include "tuner/results/report/page/page_hardware.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner {

namespace {

using search::Trial;

// A compiler's log can be megabytes; `show --trial` has all of it.
constexpr std::size_t longest_message = 600;
// Two trials that are further apart than this, beyond what the later one took itself, were not of one run.
constexpr double longest_wait_s = 60;

// Rounds to as many digits as a chart can show, so that 100,000 trials stay small.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

Json rounded(std::optional<double> value) {
  return value ? rounded(*value) : Json(nullptr);
}

// Returns a value of each trial; null as a whole if no trial has one.
template <class Range, class Get>
Json column(const Range& range, Get&& get) {
  Json values = Json::array();
  bool any = false;
  for (const auto& one : range) {
    values.push_back(get(one));
    any = any || !values.back().is_null();
  }
  return any ? values : Json(nullptr);
}

// Keeps texts that many trials share, each once; the index -1 stands for an empty one.
class Texts {
 public:
  std::int64_t index(std::string text) {
    if (text.empty()) return -1;
    const auto [found, added] = places_.try_emplace(std::move(text), static_cast<std::int64_t>(places_.size()));
    if (added) list_.push_back(found->first);
    return found->second;
  }
  const Json& list() const { return list_; }

 private:
  std::unordered_map<std::string, std::int64_t> places_;
  Json list_ = Json::array();
};

std::string shortened(const std::string& message) {
  if (message.size() <= longest_message) return message;
  std::size_t end = longest_message;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0) == 0x80) --end;  // not within a character
  return message.substr(0, end) + " …";
}

bool comes_before(const search::Value& a, const search::Value& b) {
  const auto number = [](const search::Value& value) -> std::optional<double> {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
    return std::nullopt;
  };
  const auto x = number(a), y = number(b);
  return x && y ? *x < *y : x || y ? x.has_value() : search::to_text(a) < search::to_text(b);
}

Json json_of_value(const search::Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

// Returns a parameter: its name, the values that were tried, in order, and which of them each trial has (-1: none).
Json parameter(const std::string& name, std::span<const db::StoredTrial> trials) {
  std::map<std::string, const search::Value*> by_text;
  std::vector<const search::Value*> of_trial;
  for (const db::StoredTrial& trial : trials) {
    of_trial.push_back(search::find_value(trial.values, name));
    if (of_trial.back()) by_text.try_emplace(search::to_text(*of_trial.back()), of_trial.back());
  }
  std::vector<std::pair<std::string, const search::Value*>> values(by_text.begin(), by_text.end());
  std::ranges::sort(values, [](const auto& a, const auto& b) { return comes_before(*a.second, *b.second); });
  std::unordered_map<std::string, std::int64_t> places;
  Json listed = Json::array();
  for (const auto& [text, value] : values) {
    places[text] = static_cast<std::int64_t>(places.size());
    listed.push_back(json_of_value(*value));
  }
  const Json indices = column(
      of_trial, [&](const search::Value* value) { return Json(value ? places.at(search::to_text(*value)) : -1); });
  return {{"name", name}, {"values", listed}, {"trials", indices}};
}

Json parameters(std::span<const db::StoredTrial> trials) {
  Json list = Json::array();
  if (trials.empty()) return list;
  for (const auto& [name, value] : trials.front().values) list.push_back(parameter(name, trials));
  return list;
}

// Returns what the search measured of all trials, finalists too: the finals' figures are of another time, and stand
// apart.
std::vector<std::optional<db::Settled>> search_figures(std::span<const db::StoredTrial> trials) {
  std::vector<std::optional<db::Settled>> figures;
  for (const db::StoredTrial& stored : trials) {
    const bool rated = stored.trial.correct() && !stored.trial.objectives.empty();
    figures.push_back(rated ? std::optional(db::settled(std::nullopt, stored)) : std::nullopt);
  }
  return figures;
}

void add_figures(const std::vector<std::optional<db::Settled>>& measured, bool maximised, Json& columns) {
  const auto of = [&](auto get) {
    return column(measured, [&](const auto& figures) { return figures ? rounded(get(*figures)) : Json(nullptr); });
  };
  columns["time_ms"] = of([](const db::Settled& figures) { return figures.time_ms; });
  columns["time_error"] = of(
      [](const db::Settled& figures) { return figures.time_ms ? db::known_error(figures.time_error) : std::nullopt; });
  columns["value"] = of([maximised](const db::Settled& figures) {
    return std::optional(db::objective_value(figures.objective, maximised));
  });
  std::map<std::string, bool> names;
  for (const auto& figures : measured)
    if (figures)
      for (const auto& [name, value] : figures->metrics) names[name] = true;
  columns["metrics"] = Json::object();
  for (const auto& [name, present] : names)
    columns["metrics"][name] = of([&name = name](const db::Settled& figures) {
      const auto found = figures.metrics.find(name);
      return found == figures.metrics.end() ? std::nullopt : std::optional(found->second);
    });
}

void add_resources(std::span<const db::StoredTrial> trials, Json& columns) {
  const auto of = [&](auto get) {
    return column(trials, [&](const db::StoredTrial& stored) {
      return stored.trial.resources ? Json(get(*stored.trial.resources)) : Json(nullptr);
    });
  };
  columns["registers"] = of([](const search::ResourceUse& use) { return use.registers_per_thread; });
  columns["spilled_bytes"] = of([](const search::ResourceUse& use) { return use.local_bytes_per_thread; });
  columns["shared_bytes"] =
      of([](const search::ResourceUse& use) { return use.static_shared_bytes + use.dynamic_shared_bytes; });
  columns["threads_per_block"] = of([](const search::ResourceUse& use) { return use.threads_per_block; });
  columns["occupancy"] = of([](const search::ResourceUse& use) { return rounded(use.occupancy); });
}

void add_phases(std::span<const db::StoredTrial> trials, Json& columns) {
  const auto of = [&](double search::PhaseTimes::*phase) {
    return column(trials, [&](const db::StoredTrial& stored) { return rounded(stored.trial.phases.*phase); });
  };
  columns["phases_ms"] = {{"compile", of(&search::PhaseTimes::compile_ms)},
                          {"verify", of(&search::PhaseTimes::verify_ms)},
                          {"measure", of(&search::PhaseTimes::measure_ms)},
                          {"framework", of(&search::PhaseTimes::framework_ms)}};
}

Json trial_columns(const PageSession& page, bool maximised, Texts& messages) {
  const std::span<const db::StoredTrial> trials = page.trials;
  Json columns;
  columns["id"] = column(trials, [](const db::StoredTrial& stored) { return Json(stored.id); });
  columns["seconds"] = column(tuning_seconds(page.session, trials), [](double value) { return rounded(value); });
  columns["outcome"] =
      column(trials, [](const db::StoredTrial& stored) { return Json(static_cast<int>(stored.trial.outcome)); });
  add_figures(search_figures(trials), maximised, columns);
  add_resources(trials, columns);
  add_residency(page, columns);
  add_phases(trials, columns);
  columns["clock_mhz"] = column(trials, [](const db::StoredTrial& stored) {
    return stored.trial.measurement ? rounded(stored.trial.measurement->state.clock_mhz) : Json(nullptr);
  });
  columns["message"] = column(
      trials, [&](const db::StoredTrial& stored) { return Json(messages.index(shortened(stored.trial.message))); });
  return columns;
}

Json checks_json(const std::vector<db::TrialCheck>& checks, bool maximised) {
  const auto value_of = [&](const std::optional<double>& stored) {
    return stored ? Json(db::objective_value(*stored, maximised)) : Json(nullptr);
  };
  Json list = Json::array();
  for (const db::TrialCheck& check : checks)
    list.push_back({{"trial", check.trial},
                    {"checked_at", check.checked_at},
                    {"outcome", search::to_string(check.outcome)},
                    {"recorded", value_of(check.recorded_objective)},
                    {"measured", value_of(check.objective)},
                    {"differs", check.differs},
                    {"message", shortened(check.message)}});
  return list;
}

Json session_data(const PageSession& page) {
  const bool maximised = db::is_maximised(page.session);
  Json json{{"reference", page.reference}};
  add_findings(page.session, page.trials, page.winner, json);
  for (Json& failure : json["failures"])
    if (failure["message"].is_string()) failure["message"] = shortened(failure["message"].get<std::string>());
  json["speed_up_text"] = page.winner ? json_or_null(speed_up_text(*page.winner)) : Json(nullptr);
  json["limits"] = json_from_values(page.session.key.device.limits);
  json["maximised"] = maximised;
  json["ended_at"] = page.winner ? json_or_null(page.winner->decided_at) : Json(nullptr);
  json["roofline"] = roofline_json(page);
  json["parameters"] = parameters(page.trials);
  Texts messages;
  json["trials"] = trial_columns(page, maximised, messages);
  json["messages"] = messages.list();
  json["checks"] = checks_json(page.checks, maximised);
  json["explained"] = page.explained;
  return json;
}

// Returns the seconds since 1970 of a moment in the store's own form "2026-03-14T15:09:26.535Z"; nothing for any other
// form.
std::optional<double> seconds_of(const std::string& moment) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  if (std::sscanf(moment.c_str(), "%d-%d-%dT%d:%d:%lfZ", &year, &month, &day, &hour, &minute, &second) != 6)
    return std::nullopt;
  const std::chrono::sys_days date = std::chrono::year(year) / month / day;
  return static_cast<double>(date.time_since_epoch().count()) * 86400 + hour * 3600 + minute * 60 + second;
}

double own_seconds(const search::PhaseTimes& phases) {
  return (phases.compile_ms + phases.verify_ms + phases.measure_ms + phases.framework_ms) / 1000;
}

}  // namespace

std::vector<double> tuning_seconds(const db::SessionRecord& session, std::span<const db::StoredTrial> trials) {
  const bool answered = session.key.device.backend == "replay";
  std::optional<double> before = seconds_of(session.started_at);
  std::vector<double> seconds;
  double sum = 0;
  for (const db::StoredTrial& stored : trials) {
    const double own = own_seconds(stored.trial.phases);
    const std::optional<double> now = seconds_of(stored.recorded_at);
    const double passed = before && now ? *now - *before : own;
    // A trial that was measured again later keeps its place in the order, so the next one may seem to lie before it.
    sum += answered || passed > own + longest_wait_s ? own : std::max(0.0, passed);
    if (now) before = now;
    seconds.push_back(sum);
  }
  return seconds;
}

Json page_data(std::span<const PageSession> sessions) {
  Json outcomes = Json::array();
  for (const search::Outcome outcome : search::all_outcomes()) outcomes.push_back(search::to_string(outcome));
  Json json{{"schema", page_schema}, {"tool_version", WARPTUNE_VERSION}, {"outcomes", outcomes}};
  json["sessions"] = Json::array();
  for (const PageSession& session : sessions) json["sessions"].push_back(session_data(session));
  return json;
}

std::string page_data_text(std::span<const PageSession> sessions) {
  const std::string plain = page_data(sessions).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size() + plain.size() / 50);
  // All of these can only stand within JSON's strings, where their escapes mean the same.
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string_view three = std::string_view(plain).substr(i, 3);
    if (plain[i] == '<' || plain[i] == '>' || plain[i] == '&')
      text += fmt::format("\\u{:04x}", static_cast<unsigned>(plain[i]));
    else if (three == "\u2028" || three == "\u2029")
      text += three == "\u2028" ? "\\u2028" : "\\u2029", i += 2;
    else
      text += plain[i];
  }
  return text;
}

}  // namespace warptune::tuner
