#pragma once

#include <memory>
#include <string>

#include "db/records.h"
#include "tuner/cli/context.h"

namespace warptune::tuner::cli {

// The options by which `best`, `history` and `export` choose sessions; read into a filter once the line is parsed.
struct FilterOptions {
  db::HistoryFilter filter;
  std::string size;
  std::vector<std::string> variants;
  std::string outcome;
  std::string state;
  std::string sort = "newest";

  // Throws RequestError or std::invalid_argument for a size, variant or name that cannot be read.
  db::HistoryFilter resolved() const;
};

// --device, --backend, --size, --variant, --driver: what winners are chosen by.
void add_choice_options(CLI::App& verb, FilterOptions& options);
// And --since, --until, --outcome, --state, --sort, --limit, --offset: what lists are cut by.
void add_list_options(CLI::App& verb, FilterOptions& options);

}  // namespace warptune::tuner::cli
