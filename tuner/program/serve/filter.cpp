// Makes the fields by which lists of sessions are cut, and reads what a query says in them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "search/error.h"
#include "tuner/program/serve/pages.h"

namespace warptune::tuner::serve {

namespace {

using Choices = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& expected) {
  throw search::Error(search::ErrorKind::usage,
                      fmt::format("{}={} cannot be read: expected {}", name, value, expected));
}

// Returns a date of the query, as "2026", "2026-11", "2026-11-22" or with a time behind it. Refuses what is no date.
std::string date_of(const Request& request, const std::string& name) {
  const std::string text = request.parameter(name);
  const bool plain = std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == ':' || c == 'T' || c == 'Z' || c == '.'; });
  if (!plain || text.size() > 30 || (!text.empty() && text.size() < 4)) refuse(name, text, "a date as 2026-11-22");
  return text;
}

Choices outcome_names() {
  Choices names;
  for (const search::Outcome outcome : search::all_outcomes()) names.emplace_back(to_string(outcome));
  return names;
}

Choices state_names() {
  Choices names;
  for (const db::SessionState state : db::all_session_states) names.emplace_back(to_string(state));
  return names;
}

const std::vector<std::pair<std::string, db::HistorySort>>& sorts() {
  static const std::vector<std::pair<std::string, db::HistorySort>> all = {
      {"newest", db::HistorySort::newest}, {"oldest", db::HistorySort::oldest}, {"updated", db::HistorySort::updated},
      {"kernel", db::HistorySort::kernel}, {"device", db::HistorySort::device}, {"driver", db::HistorySort::driver},
      {"size", db::HistorySort::size},     {"state", db::HistorySort::state},   {"trials", db::HistorySort::trials}};
  return all;
}

Choices sort_names() {
  Choices names;
  for (const auto& [name, sort] : sorts()) names.push_back(name);
  return names;
}

db::HistorySort sort_of(const std::string& name) {
  for (const auto& [known, sort] : sorts())
    if (known == name) return sort;
  return refuse("sort", name, fmt::format("one of {}", fmt::join(sort_names(), ", "))), db::HistorySort::newest;
}

std::size_t count_of(const Request& request, const std::string& name, std::size_t usual, std::size_t most) {
  const std::string text = request.parameter(name);
  if (text.empty()) return usual;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most)
    refuse(name, text, fmt::format("a number up to {}", most));
  return number;
}

Html field(const std::string& name, const std::string& label, const Html& input) {
  return element("div", {{"class", "field"}}, element("label", {{"for", name}}, label) + input);
}

Html text_field(const Visit& visit, const std::string& name, const std::string& label, const std::string& type,
                const std::string& hint = "") {
  Attributes attributes{{"id", name}, {"name", name}, {"type", type}, {"value", visit.request.parameter(name)}};
  if (!hint.empty()) attributes.emplace_back("placeholder", hint);
  return field(name, label, element("input", attributes, {}));
}

Html choice_field(const Visit& visit, const std::string& name, const std::string& label, const Choices& choices,
                  const std::string& usual = "any") {
  Html options = element("option", {{"value", ""}}, usual);
  for (const std::string& choice : choices) {
    Attributes attributes{{"value", choice}};
    if (visit.request.parameter(name) == choice) attributes.emplace_back("selected", "");
    options += element("option", attributes, choice);
  }
  return field(name, label, element("select", {{"id", name}, {"name", name}}, options));
}

// Returns the names in all stores, sorted, each once.
Choices names_in(const db::StoreSet& stores, std::vector<std::string> db::StoreSummary::*part) {
  Choices names;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    const db::StoreSummary summary = stores.store(i).summary();
    names.insert(names.end(), (summary.*part).begin(), (summary.*part).end());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Returns the field of the device. Part of a name is enough, so it is a field with suggestions.
Html device_field(const Visit& visit) {
  Html options;
  for (const std::string& name : names_in(visit.stores, &db::StoreSummary::devices))
    options += element("option", {{"value", name}}, "");
  return field("device", "Device",
               element("input",
                       {{"id", "device"},
                        {"name", "device"},
                        {"type", "search"},
                        {"list", "devices"},
                        {"value", visit.request.parameter("device")}},
                       {}) +
                   element("datalist", {{"id", "devices"}}, options));
}

Html one_field(const Visit& visit, const std::string& name) {
  if (name == "q") return text_field(visit, name, "Search", "search", "name, note, kernel, device");
  if (name == "kernel") return choice_field(visit, name, "Kernel", names_in(visit.stores, &db::StoreSummary::kernels));
  if (name == "device") return device_field(visit);
  if (name == "since") return text_field(visit, name, "From", "date");
  if (name == "until") return text_field(visit, name, "To", "date");
  if (name == "outcome") return choice_field(visit, name, "With a trial", outcome_names());
  if (name == "state") return choice_field(visit, name, "State", state_names());
  Choices others = sort_names();
  const std::string usual = others.front();
  others.erase(others.begin());
  return choice_field(visit, "sort", "Order", others, usual);
}

}  // namespace

db::HistoryFilter filter_of(const Request& request) {
  constexpr std::size_t page = 50, most_rows = 1000, far = 1'000'000'000;
  db::HistoryFilter filter;
  filter.text = request.parameter("q");
  filter.kernel = request.parameter("kernel");
  filter.device = request.parameter("device");
  filter.since = date_of(request, "since");
  filter.until = date_of(request, "until");
  const std::string outcome = request.parameter("outcome"), state = request.parameter("state");
  filter.outcome = search::outcome_from_string(outcome);
  if (!outcome.empty() && !filter.outcome)
    refuse("outcome", outcome, fmt::format("one of {}", fmt::join(outcome_names(), ", ")));
  filter.state = db::session_state_from_string(state);
  if (!state.empty() && !filter.state) refuse("state", state, fmt::format("one of {}", fmt::join(state_names(), ", ")));
  if (const std::string sort = request.parameter("sort"); !sort.empty()) filter.sort = sort_of(sort);
  filter.limit = count_of(request, "limit", page, most_rows);
  if (filter.limit == 0) filter.limit = page;
  filter.offset = count_of(request, "offset", 0, far);
  return filter;
}

Html filter_form(const Visit& visit, const std::string& action, const std::vector<std::string>& with) {
  Html fields;
  for (const std::string& name : with) fields += one_field(visit, name);
  fields += element("div", {{"class", "field buttons"}},
                    element("button", {{"type", "submit"}}, "Show") + link(action, "Clear"));
  return element("form", {{"action", action}, {"method", "get"}, {"role", "search"}, {"class", "filter"}}, fields);
}

std::string with_parameter(const Request& request, const std::string& name, const std::string& value) {
  std::string query;
  const auto add = [&](const std::string& key, const std::string& text) {
    query += (query.empty() ? "?" : "&") + url_encoded(key) + '=' + url_encoded(text);
  };
  for (const auto& [key, text] : request.query)
    if (key != name && key != "token" && !text.empty()) add(key, text);
  if (!value.empty()) add(name, value);
  return query.empty() ? request.path : query;
}

}  // namespace warptune::tuner::serve
