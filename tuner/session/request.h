// What is to be tuned, on what, how, for how long: all that `warptune tune` takes, for programs too.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "search/budget.h"
#include "search/value.h"
#include "tuner/measure/evaluator_options.h"
#include "tuner/workers/program.h"

namespace warptune::tuner {

struct TuneRequest {
  std::filesystem::path manifest;
  std::filesystem::path capture;  // an application's call to tune on: its sizes and data (tuner/kernel/capture.h)
  std::string preset;             // empty: the host's own on the host, else none
  search::NamedValues sizes;      // over the preset's
  search::NamedValues variants;   // likewise; as values or as text
  std::vector<std::string> restrictions;  // further constraints, for this session alone (kernel/restriction.h)
  std::string device;                     // one or more (device_choice.h); empty: the best there is
  std::vector<std::filesystem::path>
      include_directories;  // searched for the kernel's headers beside the template's own
  std::string strategy = "auto";
  search::NamedValues strategy_options;
  std::uint64_t seed = 0;
  search::BudgetLimits budget;
  std::string objective = "time";  // several: "time,joules", the primary one first
  EvaluatorOptions evaluator;
  std::size_t finals = 20;  // candidates measured again side by side at the end, at most; 0: none
  // Compile and measure in processes of their own, so that what a kernel or a compiler does to its process costs one
  // trial. Without a program everything happens in this process, on one device.
  std::optional<workers::Program> workers;
  std::size_t lookahead = 0;   // configurations in flight with workers; 0: as many as keep all of them busy
  bool deterministic = false;  // with workers: tell the strategy in the order in which it asked
};

}  // namespace warptune::tuner
