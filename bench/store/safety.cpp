#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "bench/store/parts.h"
#include "bench/store/records.h"
#include "db/store.h"
#include "search/random.h"

namespace warptune::tuner::bench {

namespace {

db::Store open(const std::filesystem::path& file) {
  return db::Store::open(file, db::OpenMode::read_write);
}

// Runs `work` in a child that ends with status 0, or 1 if it throws.
template <class Work>
pid_t start(Work&& work) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child > 0) return child;
  try {
    work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "child: {}\n", error.what());
    _exit(1);
  }
  _exit(0);
}

bool ended_well(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Reports each number once its trial is committed, until it is killed.
void write_and_report(const std::filesystem::path& file, db::SessionId session, std::int64_t first, int report_to) {
  db::Store store = open(file);
  for (std::int64_t i = first;; ++i) {
    const db::StoredTrial trial = trial_record(i);
    store.record(session, trial.values, trial.trial);
    if (write(report_to, &i, sizeof i) != sizeof i) throw std::runtime_error("cannot report");
  }
}

// Kills a writer at a random moment; the last number that it reported, or `first - 1`.
std::int64_t kill_a_writer(const std::filesystem::path& file, db::SessionId session, std::int64_t first,
                           search::Rng& rng) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t child = start([&] { write_and_report(file, session, first, ends[1]); });
  close(ends[1]);
  std::this_thread::sleep_for(std::chrono::microseconds(5'000 + rng.below(45'000)));
  kill(child, SIGKILL);
  ended_well(child);
  std::int64_t last = first - 1;
  while (read(ends[0], &last, sizeof last) == sizeof last) {
  }
  close(ends[0]);
  return last;
}

}  // namespace

void measure_kills(const std::filesystem::path& folder, const Scale& scale, Claims& claims) {
  const auto file = folder / "killed.db";
  const db::SessionId session = open(file).create_session(session_record(0));
  search::Rng rng(2);
  std::int64_t next = 0;
  std::int64_t lost = 0;
  for (int i = 0; i < scale.kills; ++i) {
    next = kill_a_writer(file, session, next, rng) + 1;
    const auto kept = static_cast<std::int64_t>(open(file).trials(session).size());
    lost += std::max<std::int64_t>(0, next - kept);
  }
  claims.report("writers killed with SIGKILL", scale.kills, "");
  claims.report("  trials they reported as committed", static_cast<double>(next), "");
  claims.at_most("  of these lost", static_cast<double>(lost), 0, "");
}

void measure_writers(const std::filesystem::path& folder, const Scale& scale, Claims& claims) {
  constexpr std::int64_t trials = 2000;
  const auto file = folder / "shared.db";
  const auto begin = std::chrono::steady_clock::now();
  std::vector<pid_t> children;
  for (int writer = 0; writer < scale.writers; ++writer)
    children.push_back(start([&] {
      db::Store store = open(file);
      const db::SessionId session = store.create_session(session_record(0));
      for (std::int64_t i = 0; i < trials; ++i) {
        const db::StoredTrial trial = trial_record(writer * trials + i);
        store.record(session, trial.values, trial.trial);
      }
    }));
  const auto failed = std::count_if(children.begin(), children.end(), [](pid_t child) { return !ended_well(child); });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto kept = static_cast<double>(open(file).trials(1).size());
  const double wanted = static_cast<double>(trials) * scale.writers;
  claims.at_most("processes of 8 writing at once that failed", static_cast<double>(failed), 0, "");
  claims.at_most("  trials lost", wanted - kept, 0, "");
  claims.report("  trials committed one by one by all together", wanted / seconds, "trials/s");
}

}  // namespace warptune::tuner::bench
