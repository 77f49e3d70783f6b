// Handles the objectives that a session's trials are rated by: names with commas between, as "GFLOP/s,joules", the
// primary one first. They are a part of its policy and so of its key: trials that were rated by one objective have no
// rank by another. The time, which most sessions are rated by, is not said there, so that their keys stay as they are.
// All functions are thread-safe.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace warptune::db {

inline std::vector<std::string> objective_names(const std::string& objectives) {
  std::vector<std::string> names;
  std::istringstream text(objectives);
  for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  return names;
}

// The objectives are the last part of a policy, since an objective's name may have spaces.
inline constexpr char objective_part[] = " objective=";

// Returns the policy without the objectives.
inline std::string without_objective(const std::string& policy) {
  return policy.substr(0, policy.find(objective_part));
}

// Returns the policy with the objectives: "verify=once …" and "GFLOP/s" give "verify=once … objective=GFLOP/s". They
// are not added twice, and not for recordings that were imported or replayed, which have one objective anyway.
inline std::string with_objective(const std::string& policy, const std::string& objective) {
  if (policy == "imported" || policy.starts_with("replayed ")) return policy;
  const std::string plain = without_objective(policy);
  return objective == "time" ? plain : plain + objective_part + objective;
}

}  // namespace warptune::db
