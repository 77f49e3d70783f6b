#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>

#include "bench/store/parts.h"
#include "bench/store/records.h"
#include "db/store.h"
#include "search/random.h"

namespace warptune::tuner::bench {

namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const auto start = SteadyClock::now();
  work();
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// Median and 99th percentile of `repeats` runs, in milliseconds.
struct Latency {
  double median_ms;
  double p99_ms;
};

Latency latency(int repeats, const std::function<void(int)>& work) {
  std::vector<double> times_ms;
  for (int i = 0; i < repeats; ++i) times_ms.push_back(1e3 * seconds_of([&] { work(i); }));
  std::sort(times_ms.begin(), times_ms.end());
  return {times_ms[times_ms.size() / 2], times_ms[times_ms.size() * 99 / 100]};
}

db::Store open_million(const std::filesystem::path& folder, db::OpenMode mode = db::OpenMode::read_write) {
  return db::Store::open(folder / "million.db", mode);
}

// Time on the clock, and of it the processor's: on a busy machine the two differ.
struct Spent {
  double seconds = 0;
  double processor_seconds = 0;
};

void fill_session(db::Store& store, std::int64_t index, const std::vector<db::StoredTrial>& trials, Spent& spent) {
  const db::SessionId session = store.create_session(session_record(index));
  std::vector<db::TrialId> ids;
  const std::clock_t begin = std::clock();
  spent.seconds += seconds_of([&] { ids = store.record_batch(session, trials); });
  spent.processor_seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  store.set_winner(session, {ids[0], trials[0].trial.objectives[0], 0.004, 2.0, {ids[1]}});
  store.set_session_state(session, db::SessionState::finished);
}

}  // namespace

void measure_batches(const std::filesystem::path& folder, const Scale& scale, Claims& claims) {
  db::Store store = open_million(folder);
  std::vector<db::StoredTrial> trials;
  for (std::int64_t i = 0; i < scale.trials / scale.sessions; ++i) trials.push_back(trial_record(i));
  Spent spent;
  for (std::int64_t index = 0; index < scale.sessions; ++index) fill_session(store, index, trials, spent);
  const auto total = static_cast<double>(trials.size()) * static_cast<double>(scale.sessions);
  claims.at_least("trials inserted in batches, one a session", total / spent.seconds, 50'000, "trials/s");
  claims.report("  for each second of processor time", total / spent.processor_seconds, "trials/s");
  store.gc();
  const auto bytes = static_cast<double>(std::filesystem::file_size(folder / "million.db"));
  claims.report("file size", bytes / (1 << 20), "MiB");
  claims.report("file size a trial", bytes / total, "bytes");
}

void measure_lookups(const std::filesystem::path& folder, Claims& claims) {
  const db::Store store = open_million(folder, db::OpenMode::read_only);
  search::Rng rng(1);
  std::size_t found = 0;
  const Latency exact = latency(2000, [&](int) {
    const db::SessionKey key = session_record(static_cast<std::int64_t>(rng.below(2000))).key;
    found += store.best({.kernel = key.kernel, .device = key.device.name, .problem_size = key.problem_size}).size();
  });
  claims.at_most("best configuration by kernel, device and size: median", exact.median_ms, 1, "ms");
  claims.report("  99th percentile", exact.p99_ms, "ms");
  claims.at_least("  lookups that found theirs, of 2,000", static_cast<double>(found), 2000, "");
  const Latency top = latency(1000, [&](int) { store.best_trials(static_cast<std::int64_t>(rng.below(2000)) + 1, 1); });
  claims.at_most("best trial of a session: median", top.median_ms, 1, "ms");
  const Latency resume =
      latency(1000, [&](int) { store.find_session(session_record(static_cast<std::int64_t>(rng.below(2000))).key); });
  claims.at_most("session by its complete key: median", resume.median_ms, 1, "ms");
  const Latency cold = latency(20, [&](int i) {
    const db::SessionKey key = session_record(i).key;
    open_million(folder, db::OpenMode::read_only).best({.kernel = key.kernel, .device = key.device.name});
  });
  claims.report("open the store and look up one kernel's ten sizes: median", cold.median_ms, "ms");
}

void measure_pages(const std::filesystem::path& folder, Claims& claims) {
  const db::Store store = open_million(folder, db::OpenMode::read_only);
  const std::vector<std::pair<std::string, db::HistoryFilter>> pages = {
      {"all, newest", {}},
      {"one kernel", {.kernel = "kernel_3"}},
      {"device by part of its name, one size", {.device = "Synthetic 7", .problem_size = {{"M", std::int64_t{66}}}}},
      {"date and driver", {.since = "2020-01-01", .until = "2099-12-31", .driver = "580.159"}},
      {"an outcome that all have, by trials", {.outcome = search::Outcome::correct, .sort = db::HistorySort::trials}},
      {"an outcome that none has", {.outcome = search::Outcome::crash}},
      {"by device, last page", {.offset = 1950, .sort = db::HistorySort::device}},
  };
  for (auto [name, filter] : pages) {
    filter.limit = 50;
    const Latency page = latency(100, [&, &wanted = filter](int) { store.history(wanted); });
    claims.at_most("history page of 50, " + name + ": median", page.median_ms, 50, "ms");
    claims.report("  99th percentile", page.p99_ms, "ms");
  }
}

void measure_commits(const std::filesystem::path& folder, Claims& claims) {
  db::Store store = open_million(folder);
  constexpr int count = 20'000;
  const db::SessionId session = store.create_session(session_record(2000));
  const double seconds = seconds_of([&] {
    for (int i = 0; i < count; ++i) {
      const db::StoredTrial trial = trial_record(i);
      store.record(session, trial.values, trial.trial);
    }
  });
  claims.at_least("trials committed one by one", count / seconds, 2000, "trials/s");
}

}  // namespace warptune::tuner::bench
