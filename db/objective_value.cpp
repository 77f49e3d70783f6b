// See objective_value.h.
#include "db/objective_value.h"

#include <algorithm>

#include "db/objectives.h"

namespace warptune::db {

bool is_maximised(const SessionRecord& session, std::size_t i) {
  if (session.maximised.empty()) return false;
  const std::vector<std::string> names = objective_names(session.objective);
  return i < names.size() && std::ranges::count(objective_names(session.maximised), names[i]) > 0;
}

std::vector<double> objective_values(std::vector<double> stored, const SessionRecord& session) {
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = objective_value(stored[i], session, i);
  return stored;
}

}  // namespace warptune::db
