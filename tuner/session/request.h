// Says what is to be tuned, on what, how and for how long: all that `warptune tune` takes, for programs too.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "search/budget.h"
#include "search/strategies/strategy.h"
#include "search/value.h"
#include "tuner/measure/evaluator_options.h"
#include "tuner/measure/workers/program.h"

namespace warptune::tuner {

namespace agents {
class Coordinator;
}
namespace workers {
class IdleWorkers;
class SharedPool;
}  // namespace workers

// Holds what a file tells of a session. Its record has the key and the objective; its trials have values and
// objectives.
struct EarlierSession {
  db::SessionRecord record;
  std::vector<db::StoredTrial> trials;
};
struct EarlierFile {
  std::string name;
  std::vector<EarlierSession> sessions;
};

// Names the earlier sessions of the same kernel that a search begins from. They may be on other devices, at other sizes
// or of other versions.
struct TransferRequest {
  // If true, the search takes the closest sessions of the store. Else it takes `sessions` and `files`, and none if both
  // are empty.
  bool automatic = true;
  std::vector<std::string> sessions;    // numbers or names
  std::vector<EarlierFile> files = {};  // the closest sessions of each are taken
};

struct TuneRequest {
  std::filesystem::path manifest;
  bool temporary_manifest = false;  // it goes when the caller does: the store keeps no path to it
  std::filesystem::path capture;    // an application's call to tune on: its sizes and data (tuner/kernel/capture.h)
  std::string preset;               // empty: the host's own on the host, else none
  search::NamedValues sizes;        // they override the preset's
  search::NamedValues variants;     // likewise; as values or as text
  std::vector<std::string> restrictions;  // further constraints, for this session alone (kernel/restriction.h)
  std::string device;                     // one or more (device_choice.h); empty: the best there is
  std::vector<std::filesystem::path>
      include_directories;  // searched for the kernel's headers beside the template's own
  std::string strategy = "auto";
  search::NamedValues strategy_options;
  // Makes the strategy in place of the named one, for a caller that has one of its own. search/strategies/strategy.h
  // says what a strategy promises; nothing checks that here. Returning nullptr is a std::invalid_argument.
  std::function<std::unique_ptr<search::Strategy>(const search::StrategyContext&)> make_strategy = {};
  std::uint64_t seed = 0;
  TransferRequest transfer;  // earlier sessions to begin from, for strategies that learn from them
  // Says when to stop; the first limit to be reached counts. Seconds are those that the user waits, from `started` to
  // the result, with set-up, search and finals. What cannot be cut short, as opening a device or the trial that is
  // running, may exceed them. The first trial, of the default configuration, may come later by a quarter of them or by
  // five seconds, whichever is more. Without any limit the manifest's limits hold, and without these default_budget().
  search::BudgetLimits budget;
  // Says when the user's time began. By default it begins when tuning is prepared.
  std::optional<std::chrono::steady_clock::time_point> started;
  std::string name;                // what people call the session; empty: as it is called already, if at all
  std::string objective = "time";  // several: "time,joules", the primary one first
  // Says whose output bits a winner must have (measure/sampling/same_bits.h): "default" means those of the default
  // configuration, and a session's number or name means those of that session's winner. If empty, anything may win.
  std::string same_bits_as;
  EvaluatorOptions evaluator;
  std::size_t finals = 20;  // candidates measured again side by side at the end, at most; 0: none
  // Limits the seconds of the finals. By default they take at most a tenth of a budget of time, which is set aside for
  // them in advance. They also take at most a quarter of the time that was spent until then, or 2 s if that is more,
  // and never more than 30 s.
  std::optional<double> finals_seconds;
  // If true, hardware counters are read for the finalists, after everything that is timed (device/counters.h).
  bool counters = false;
  // After so many failures in a row without anything correct, the observer is asked whether to go on; without an
  // observer the session ends. With 0 the session always goes on.
  std::size_t most_failures = 20;
  // Names the program whose processes compile and measure, so that what a kernel or a compiler does to its process
  // costs one trial. Without a program everything happens in this process, on one device.
  std::optional<workers::Program> workers;
  // With workers, this holds those of the session before, and this session leaves its own here
  // (measure/workers/process.h).
  std::shared_ptr<workers::IdleWorkers> idle_workers = {};
  // With workers, sessions of one template that run by turns all use the workers of this pool
  // (measure/workers/shared_pool.h).
  std::shared_ptr<workers::SharedPool> shared = {};
  // With workers, other machines that come to this coordinator take part, too (measure/agents/fleet.h).
  std::shared_ptr<agents::Coordinator> agents = {};
  std::size_t lookahead = 0;   // configurations in flight with workers; 0: as many as keep all of them busy
  bool deterministic = false;  // with workers: tell the strategy in the order in which it asked
};

// Returns the limits for a request that does not say when to stop, for a template that does not either: the search ends
// by itself. A strategy with a model ends when it expects no configuration to be better by a tenth of what the finals
// can tell apart (a model is too sure of itself). Any other strategy ends after long without an improvement.
// `exhaustive` has no limit, because it is asked for the whole space. All else ends after ten minutes at the latest,
// except on a recording, which costs no time.
search::BudgetLimits default_budget(const std::string& strategy, bool recording);

}  // namespace warptune::tuner
