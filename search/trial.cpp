// Names the outcomes of trials.
#include "search/trial.h"

#include <array>
#include <utility>

namespace warptune::search {

namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 8> names{{
    {Outcome::correct, "correct"},
    {Outcome::constraint_violation, "constraint_violation"},
    {Outcome::compile_error, "compile_error"},
    {Outcome::resource_limit, "resource_limit"},
    {Outcome::launch_error, "launch_error"},
    {Outcome::wrong_result, "wrong_result"},
    {Outcome::timeout, "timeout"},
    {Outcome::crash, "crash"},
}};

}  // namespace

std::string_view to_string(Outcome outcome) {
  for (const auto& [value, name] : names)
    if (value == outcome) return name;
  return "?";
}

std::optional<Outcome> outcome_from_string(std::string_view text) {
  for (const auto& [value, name] : names)
    if (name == text) return value;
  return std::nullopt;
}

const std::vector<Outcome>& all_outcomes() {
  static const std::vector<Outcome> outcomes = [] {
    std::vector<Outcome> all;
    for (const auto& entry : names) all.push_back(entry.first);
    return all;
  }();
  return outcomes;
}

}  // namespace warptune::search
