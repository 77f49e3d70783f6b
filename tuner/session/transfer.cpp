// Weighs earlier sessions by their distance from the search in size, variants, device and source.
#include "tuner/session/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>

namespace warptune::tuner {

namespace {

constexpr std::size_t most_sources = 4;
constexpr std::size_t sessions_considered = 500;  // the newest
constexpr std::size_t trials_read = 2000;         // of one session; beyond, its best

// Returns how many times as large one size is as the other, as a power of two, summed over all sizes.
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

// Returns the resources that decide which configurations suit a device, as far as its limits say so. A resource that is
// not known is 0.
std::array<double, 5> resources(const db::DeviceRecord& device) {
  const auto limit = [&](const char* name) {
    const search::Value* value = search::find_value(device.limits, name);
    return value && !std::holds_alternative<std::string>(*value) ? search::to_double(*value) : 0;
  };
  return {limit("multiprocessors"), limit("memory_clock_khz") * limit("memory_bus_bits"),
          limit("max_registers_per_multiprocessor"), limit("max_shared_memory_per_multiprocessor"),
          std::exp2(limit("compute_capability") / 10)};  // a generation counts as twice of anything else
}

// Returns the distance between two devices. From an H100 it is 0.3 to an H200, 1.1 to an A100 and 2.1 to a V100. A
// device of which nothing is known, as those of other tools' recordings, is as far away as a neighbouring generation.
double device_distance(const db::DeviceRecord& here, const db::DeviceRecord& there) {
  constexpr double other_model = 0.1, twice_as_much = 1.0 / 3, unknown = 1;
  if (here.name == there.name) return 0;
  const auto ours = resources(here), theirs = resources(there);
  double sum = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] <= 0 || theirs[i] <= 0) return unknown;
    sum += std::abs(std::log2(ours[i] / theirs[i]));
  }
  return other_model + twice_as_much * sum;
}

// Returns the distance between two sessions' keys. 1 is about the distance to a neighbouring generation of GPUs.
double distance(const db::SessionKey& here, const db::SessionKey& there) {
  double sum = 0.25 * size_distance(here.problem_size, there.problem_size);
  if (search::to_text(here.variants) != search::to_text(there.variants)) sum += 2;
  sum += device_distance(here.device, there.device);
  if (here.source_hash != there.source_hash) sum += 0.25;
  return sum;
}

std::vector<db::StoredTrial> trials_of(const db::Store& store, const db::SessionRecord& session) {
  return session.trials <= static_cast<std::int64_t>(trials_read) ? store.trials(session.id)
                                                                  : store.best_trials(session.id, trials_read);
}

TransferSource source_of(std::string name, db::SessionRecord session, const std::vector<db::StoredTrial>& trials,
                         const TransferTarget& target) {
  TransferSource source{std::move(name), std::move(session), {}};
  source.trials.weight = 1 / (1 + distance(target.key, source.session.key));
  for (const db::StoredTrial& trial : trials)
    if (trial.trial.correct() && !trial.trial.objectives.empty())
      source.trials.add(target.space, trial.values, target.default_values, trial.trial.objectives.front());
  return source;
}

TransferSource source_of(const db::Store& store, db::SessionRecord session, const TransferTarget& target) {
  const std::vector<db::StoredTrial> trials = trials_of(store, session);
  std::string name = std::to_string(session.id);
  return source_of(std::move(name), std::move(session), trials, target);
}

bool tells_something(const TransferSource& source) {
  return source.trials.entries.size() >= 2;
}

}  // namespace

bool names_file(const std::string& word) {
  const bool number = std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
  std::error_code error;
  return !number && std::filesystem::is_regular_file(word, error);
}

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
      fmt::format("{}; '{}' is none of these: {}", expected, word,
                  sessions.empty() ? "no session has that name" : "several sessions have that name, so give a number"));
}

namespace {

constexpr char accepted[] = "--transfer takes auto, off, sessions by number or name, or files";

std::vector<TransferSource> named_sources(const db::Store& store, const std::vector<std::string>& words,
                                          const TransferTarget& target) {
  std::vector<TransferSource> sources;
  for (const std::string& word : words) {
    TransferSource source = source_of(store, named_session(store, word, accepted), target);
    if (source.session.id == target.own) continue;  // its own trials are told anyway
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

// Returns the closest of a file's sessions.
std::vector<TransferSource> file_sources(const EarlierFile& file, const TransferTarget& target) {
  std::vector<TransferSource> sources;
  const auto of_objective = [&](const EarlierSession& session) { return session.record.objective == target.objective; };
  if (!file.sessions.empty() && std::ranges::none_of(file.sessions, of_objective))
    throw RequestError(fmt::format("{} was tuned for {}, and this session is for {}: nothing carries over", file.name,
                                   file.sessions.front().record.objective, target.objective));
  for (const EarlierSession& session : file.sessions) {
    if (!of_objective(session)) continue;
    TransferSource source = source_of(file.name, session.record, session.trials, target);
    if (tells_something(source)) sources.push_back(std::move(source));
  }
  if (sources.empty())
    throw RequestError(fmt::format(
        "{} has no two correct trials with this kernel's parameters and values (wisdom: a winner that is better than "
        "the default): nothing carries over",
        file.name));
  std::ranges::stable_sort(sources, std::greater(), [](const TransferSource& source) { return source.trials.weight; });
  sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(std::min(sources.size(), most_sources)), sources.end());
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

TransferRequest parse_transfer(const std::vector<std::string>& words, std::vector<EarlierFile> files) {
  const auto is_setting = [](const std::string& word) { return word == "auto" || word == "off"; };
  if (words.empty() && files.empty()) return {};
  if (words.size() == 1 && files.empty() && is_setting(words.front())) return {words.front() == "auto", {}};
  if (std::ranges::any_of(words, is_setting)) throw RequestError(fmt::format("{}, and not both", accepted));
  return {false, words, std::move(files)};
}

std::vector<TransferSource> transfer_sources(const db::Store& store, const TransferRequest& request,
                                             const TransferTarget& target) {
  if (request.automatic) return closest_sources(store, target);
  std::vector<TransferSource> sources = named_sources(store, request.sessions, target);
  for (const EarlierFile& file : request.files)
    std::ranges::move(file_sources(file, target), std::back_inserter(sources));
  return sources;
}

std::string text_of(const std::vector<TransferSource>& sources) {
  std::string text = fmt::format("{} earlier session{}:", sources.size(), sources.size() == 1 ? "" : "s");
  for (const TransferSource& source : sources)
    text += fmt::format("{} {} ({}, {})", &source == &sources.front() ? "" : ",", source.name,
                        source.session.key.device.name, search::to_text(source.session.key.problem()));
  return text;
}

}  // namespace warptune::tuner
