// Declares what `warptune tune` takes, for the verbs that tune now or later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/program/cli/stores/shared_cache.h"
#include "tuner/session/request.h"

namespace CLI {
class App;
}  // namespace CLI

namespace warptune::tuner::cli {

struct TuneArguments {
  std::string kernel;
  std::string size;
  std::string sizes;  // a file
  std::vector<std::string> variants;
  std::vector<std::string> budget;
  std::vector<std::string> strategy_options;
  std::vector<std::string> transfer;
  std::string verify = "always";
  std::string as = "automatic";
  std::string cache_limit = "2G";
  bool no_cache = false;
  SharedCacheArguments shared_cache;
  bool no_workers = false;
  bool keep_going = false;
  std::string cache = "warm";
  std::optional<std::string> serve;   // [ADDRESS:]PORT of a live page
  std::optional<std::string> agents;  // [ADDRESS:]PORT where agents come to
  TuneRequest request;
};

// Makes the request of a session. Throws RequestError, CLI::Error and std::invalid_argument for words that no session
// could be made of.
TuneRequest make_request(const TuneArguments& options);

// Add the options that say how a session measures and searches, and when it ends. They do not depend on the machine.
void add_measuring_options(CLI::App& verb, TuneArguments& options);
void add_search_options(CLI::App& verb, TuneArguments& options);

}  // namespace warptune::tuner::cli
