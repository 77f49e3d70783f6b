#include "tuner/cli/filter.h"

#include <map>

#include "tuner/cli/limits.h"
#include "tuner/cli/numbers.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner::cli {

namespace {

const std::map<std::string, db::HistorySort> sorts = {
    {"newest", db::HistorySort::newest}, {"oldest", db::HistorySort::oldest}, {"updated", db::HistorySort::updated},
    {"kernel", db::HistorySort::kernel}, {"device", db::HistorySort::device}, {"driver", db::HistorySort::driver},
    {"size", db::HistorySort::size},     {"state", db::HistorySort::state},   {"trials", db::HistorySort::trials}};

std::vector<std::string> state_names() {
  std::vector<std::string> names;
  for (const db::SessionState state : db::all_session_states) names.emplace_back(to_string(state));
  return names;
}

std::vector<std::string> outcome_names() {
  std::vector<std::string> names;
  for (const search::Outcome outcome : search::all_outcomes()) names.emplace_back(to_string(outcome));
  return names;
}

std::vector<std::string> sort_names() {
  std::vector<std::string> names;
  for (const auto& [name, sort] : sorts) names.push_back(name);
  return names;
}

}  // namespace

db::HistoryFilter FilterOptions::resolved() const {
  db::HistoryFilter result = filter;
  result.problem_size = parse_sizes(size);
  result.variants = parse_variants(text_of_variants(variants));
  result.outcome = search::outcome_from_string(outcome);
  result.state = db::session_state_from_string(state);
  result.sort = sorts.at(sort);
  return result;
}

void add_choice_options(CLI::App& verb, FilterOptions& options) {
  verb.add_option("--device", options.filter.device, "part of the device's name, or its UUID");
  verb.add_option("--backend", options.filter.backend, "cuda, host …");
  verb.add_option("--driver", options.filter.driver, "a driver version");
  verb.add_option("--size", options.size, "problem sizes that must be equal, as M=1024,N=4k");
  add_variant_option(verb, options.variants);
}

void add_list_options(CLI::App& verb, FilterOptions& options) {
  verb.add_option("--since", options.filter.since, "started then or later: 2026-01-31, or with a time");
  verb.add_option("--until", options.filter.until, "started then or earlier");
  verb.add_option("--outcome", options.outcome, "with at least one trial that ended so")
      ->check(CLI::IsMember(outcome_names()));
  verb.add_option("--state", options.state, "sessions in this state")->check(CLI::IsMember(state_names()));
  verb.add_option("--sort", options.sort)->check(CLI::IsMember(sort_names()))->capture_default_str();
  verb.add_option("--limit", options.filter.limit, "rows at most; 0: all")
      ->check(whole(0, most_rows))
      ->capture_default_str();
  verb.add_option("--offset", options.filter.offset, "rows skipped first")
      ->check(whole(0, most_rows))
      ->capture_default_str();
}

}  // namespace warptune::tuner::cli
