// Translates a trial into another space by the names of its values.
#include "search/models/earlier_trials.h"

namespace warptune::search {

bool EarlierTrials::add(const SearchSpace& space, const NamedValues& values, const NamedValues& defaults,
                        double objective) {
  NamedValues here;
  for (const Parameter& parameter : space.parameters()) {
    const Value* value = find_value(values, parameter.name);
    if (!value) value = find_value(defaults, parameter.name);
    if (!value) return false;
    here.emplace_back(parameter.name, *value);
  }
  auto configuration = space.find(here);
  if (!configuration) return false;
  entries.push_back({std::move(*configuration), objective});
  return true;
}

}  // namespace warptune::search
