// What is to be tuned, on what, how, for how long: all that `warptune tune` takes, for programs too.
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
class Crew;
class SharedPool;
}  // namespace workers

// What a file tells of a session: of its record the key and the objective, of its trials the values and objectives.
struct EarlierSession {
  db::SessionRecord record;
  std::vector<db::StoredTrial> trials;
};
struct EarlierFile {
  std::string name;
  std::vector<EarlierSession> sessions;
};

// Earlier sessions of the same kernel that a search begins from, on other devices, at other sizes, in other versions.
struct TransferRequest {
  // The closest sessions of the store; else `sessions` and `files`, and none if both are empty.
  bool automatic = true;
  std::vector<std::string> sessions;    // numbers or names
  std::vector<EarlierFile> files = {};  // of each the closest sessions
};

struct TuneRequest {
  std::filesystem::path manifest;
  bool temporary_manifest = false;  // it goes when the caller does: the store keeps no path to it
  std::filesystem::path capture;    // an application's call to tune on: its sizes and data (tuner/kernel/capture.h)
  std::string preset;               // empty: the host's own on the host, else none
  search::NamedValues sizes;        // over the preset's
  search::NamedValues variants;     // likewise; as values or as text
  std::vector<std::string> restrictions;  // further constraints, for this session alone (kernel/restriction.h)
  std::string device;                     // one or more (device_choice.h); empty: the best there is
  std::vector<std::filesystem::path>
      include_directories;  // searched for the kernel's headers beside the template's own
  std::string strategy = "auto";
  search::NamedValues strategy_options;
  // Makes a strategy in the named one's place, for a caller that has one of its own (search/strategies/strategy.h says
  // what it promises; nobody checks that for it). nullptr is a std::invalid_argument.
  std::function<std::unique_ptr<search::Strategy>(const search::StrategyContext&)> make_strategy = {};
  std::uint64_t seed = 0;
  TransferRequest transfer;  // earlier sessions to begin from, for strategies that learn from them
  // When to stop; the first limit to be reached counts. Seconds are the user's: from `started` to the result, with
  // set-up, search and finals. What cannot be cut short, as opening a device or the trial that is running, may exceed
  // them; the first trial, of the default configuration, may come a quarter later, or five seconds. Without any limit,
  // those of the manifest; without these, default_budget().
  search::BudgetLimits budget;
  // When the user's time began; default: when tuning is prepared.
  std::optional<std::chrono::steady_clock::time_point> started;
  std::string name;                // what people call the session; empty: as it is called already, if at all
  std::string objective = "time";  // several: "time,joules", the primary one first
  // "default", or a session by number or name: only what gives the same bits as the default configuration, or as that
  // session's winner, may win (measure/sampling/same_bits.h). Empty: anything.
  std::string same_bits_as;
  EvaluatorOptions evaluator;
  std::size_t finals = 20;  // candidates measured again side by side at the end, at most; 0: none
  // How long the finals may take, at most. Default: a tenth of a budget of time, which is set aside for them in
  // advance; and a quarter of the time that was spent until then, but 2 s if that is less, and never more than 30 s.
  std::optional<double> finals_seconds;
  // Have hardware counters read of the finalists, behind everything that is timed (device/counters.h).
  bool counters = false;
  // So many failures in a row without anything correct, and the observer is asked whether to go on; without one the
  // session ends. 0: it goes on.
  std::size_t most_failures = 20;
  // Compile and measure in processes of their own, so that what a kernel or a compiler does to its process costs one
  // trial. Without a program everything happens in this process, on one device.
  std::optional<workers::Program> workers;
  // With workers: those of the session before, and where this one leaves its own (measure/workers/crew.h).
  std::shared_ptr<workers::Crew> crew = {};
  // With workers, for sessions of one template that run by turns: all of them use these workers
  // (measure/workers/shared_pool.h).
  std::shared_ptr<workers::SharedPool> shared = {};
  // With workers: other machines that come to it take part, too (measure/agents/fleet.h).
  std::shared_ptr<agents::Coordinator> agents = {};
  std::size_t lookahead = 0;   // configurations in flight with workers; 0: as many as keep all of them busy
  bool deterministic = false;  // with workers: tell the strategy in the order in which it asked
};

// Of a request that does not say when to stop, for a template that does not either: a search that ends by itself.
// A strategy with a model ends when it expects no configuration to be better by a tenth of what the finals can tell
// apart (a model is too sure of itself), any other one after long without an improvement. `exhaustive` is asked for the
// whole space and gets it, and a recording costs no time; all else ends after ten minutes in any case.
search::BudgetLimits default_budget(const std::string& strategy, bool recording);

}  // namespace warptune::tuner
