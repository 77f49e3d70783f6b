// What a session itself costs: ask, submit, next, record, tell over a recording, whose trials cost nothing.
// Usage: session_overhead RECORDING TRIALS [STRATEGY]
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "db/interchange/formats.h"
#include "tuner/session/replay/replay_evaluator.h"
#include "tuner/session/session.h"

int main(int argc, char** argv) {
  using namespace warptune::search;
  using namespace warptune::tuner;
  namespace db = warptune::db;
  if (argc < 3) return fmt::print(stderr, "usage: session_overhead RECORDING TRIALS [STRATEGY]\n"), 2;
  const replay::Recording recording(db::read_recorded_space(argv[1]), "bench");
  const auto file = std::filesystem::temp_directory_path() / fmt::format("warptune-overhead-{}.db", std::clock());
  db::Store store = db::Store::open(file, db::OpenMode::read_write);
  db::SessionRecord record;
  record.key.kernel = recording.kernel();
  KernelTemplate kernel;
  kernel.name = recording.kernel();
  replay::ReplayEvaluator evaluator(recording);
  BudgetLimits limits;
  limits.trials = static_cast<std::size_t>(std::atol(argv[2]));
  const auto strategy = make_strategy(argc > 3 ? argv[3] : "random", {recording.space(), 0, {}, limits.trials, {}});
  const std::atomic<bool> stop{false};
  Session session({kernel,
                   recording.space(),
                   {},
                   *strategy,
                   evaluator,
                   store,
                   store.create_session(record),
                   make_objectives(kernel, "time"),
                   Budget(limits),
                   std::nullopt,
                   stop});
  const std::clock_t start = std::clock();
  session.run();
  const double us = 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const std::size_t trials = session.result().trials.size();
  fmt::print("{} trials, {:.1f} µs a trial of the program's own time\n", trials, us / static_cast<double>(trials));
  std::filesystem::remove(file);
}
