#include "tuner/session/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace warptune::tuner {

namespace {

constexpr std::size_t most_sources = 4;
constexpr std::size_t sessions_considered = 500;  // the newest
constexpr std::size_t trials_read = 2000;         // of one session; beyond, its best

// How many times as large one size is as the other, as a power of two; the sum over all sizes.
double size_distance(const search::NamedValues& a, const search::NamedValues& b) {
  double sum = 0;
  for (const auto& [name, value] : a) {
    const search::Value* other = search::find_value(b, name);
    if (!other || std::holds_alternative<std::string>(value) || std::holds_alternative<std::string>(*other)) continue;
    const double x = search::to_double(value), y = search::to_double(*other);
    if (x > 0 && y > 0) sum += std::abs(std::log2(x / y));
  }
  return sum;
}

// 1 is about what a neighbouring generation of GPUs is worth.
double distance(const db::SessionKey& here, const db::SessionKey& there) {
  double sum = 0.25 * size_distance(here.problem_size, there.problem_size);
  if (search::to_text(here.variants) != search::to_text(there.variants)) sum += 2;
  if (here.device.name != there.device.name) sum += 1;
  if (here.source_hash != there.source_hash) sum += 0.25;
  return sum;
}

std::vector<db::StoredTrial> trials_of(const db::Store& store, const db::SessionRecord& session) {
  return session.trials <= static_cast<std::int64_t>(trials_read) ? store.trials(session.id)
                                                                  : store.best_trials(session.id, trials_read);
}

TransferSource source_of(const db::Store& store, db::SessionRecord session, const TransferTarget& target) {
  TransferSource source{std::move(session), {}};
  source.trials.weight = 1 / (1 + distance(target.key, source.session.key));
  for (const db::StoredTrial& trial : trials_of(store, source.session))
    if (trial.trial.correct() && !trial.trial.objectives.empty())
      source.trials.add(target.space, trial.values, target.default_values, trial.trial.objectives.front());
  return source;
}

bool tells_something(const TransferSource& source) {
  return source.trials.entries.size() >= 2;
}

}  // namespace

db::SessionRecord named_session(const db::Store& store, const std::string& word, const std::string& expected) {
  db::SessionId id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (error == std::errc() && end == word.data() + word.size()) {
    if (auto session = store.session(id)) return std::move(*session);
    throw RequestError(
        fmt::format("{}: there is no session {}; `warptune history` lists those there are", expected, id));
  }
  db::HistoryFilter filter;
  filter.name = word;
  auto sessions = store.history(filter);
  if (sessions.size() == 1) return std::move(sessions.front());
  throw RequestError(
      fmt::format("{}; '{}' is neither: {}", expected, word,
                  sessions.empty() ? "no session has that name" : "several sessions have that name, so give a number"));
}

namespace {

std::vector<TransferSource> named_sources(const db::Store& store, const std::vector<std::string>& words,
                                          const TransferTarget& target) {
  std::vector<TransferSource> sources;
  for (const std::string& word : words) {
    TransferSource source = source_of(
        store, named_session(store, word, "--transfer takes auto, off, or sessions by number or name"), target);
    if (source.session.id == target.own) continue;  // what it knows is told anyway
    if (source.session.objective != target.objective)
      throw RequestError(fmt::format("session {} was tuned for {}, and this one is for {}: nothing carries over",
                                     source.session.id, source.session.objective, target.objective));
    if (!tells_something(source))
      throw RequestError(fmt::format(
          "session {} ({}) has no two correct trials with this kernel's parameters and values: nothing carries over",
          source.session.id, source.session.key.kernel));
    sources.push_back(std::move(source));
  }
  return sources;
}

bool comparable(const db::SessionRecord& session, const TransferTarget& target) {
  return session.id != target.own && session.correct_trials >= 2 && session.objective == target.objective &&
         session.key.device.backend == target.key.device.backend;
}

std::vector<TransferSource> closest_sources(const db::Store& store, const TransferTarget& target) {
  db::HistoryFilter filter;
  filter.kernel = target.key.kernel;
  filter.limit = sessions_considered;
  auto sessions = store.history(filter);
  std::erase_if(sessions, [&](const db::SessionRecord& session) { return !comparable(session, target); });
  std::ranges::stable_sort(sessions, {},
                           [&](const db::SessionRecord& session) { return distance(target.key, session.key); });
  std::vector<TransferSource> sources;
  for (db::SessionRecord& session : sessions) {
    if (sources.size() == most_sources) break;
    TransferSource source = source_of(store, std::move(session), target);
    if (tells_something(source)) sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace

TransferRequest parse_transfer(const std::vector<std::string>& words) {
  const auto is_setting = [](const std::string& word) { return word == "auto" || word == "off"; };
  if (words.empty()) return {};
  if (words.size() == 1 && is_setting(words.front())) return {words.front() == "auto", {}};
  if (std::ranges::any_of(words, is_setting))
    throw RequestError("--transfer takes auto, off, or sessions by number or name, and not both");
  return {false, words};
}

std::vector<TransferSource> transfer_sources(const db::Store& store, const TransferRequest& request,
                                             const TransferTarget& target) {
  return request.automatic ? closest_sources(store, target) : named_sources(store, request.sessions, target);
}

std::string text_of(const std::vector<TransferSource>& sources) {
  std::string text = fmt::format("{} earlier session{}:", sources.size(), sources.size() == 1 ? "" : "s");
  for (const TransferSource& source : sources)
    text += fmt::format("{} {} ({}, {})", &source == &sources.front() ? "" : ",", source.session.id,
                        source.session.key.device.name, search::to_text(source.session.key.problem()));
  return text;
}

}  // namespace warptune::tuner
