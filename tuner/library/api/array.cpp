// Finds arrays on the host by name and type.
#include "tuner/library/api/array.h"

#include <fmt/format.h>

#include <stdexcept>

namespace warptune {

HostArrays::HostArrays(const std::vector<ArraySpec>& specs, std::map<std::string, std::vector<std::byte>>& contents) {
  for (const ArraySpec& spec : specs) {
    if (spec.role == tuner::Role::temporary) continue;
    ArraySpec& array = arrays_[spec.name];
    array = {spec.name, spec.type, spec.role, std::move(contents.at(spec.name)), spec.accuracy};
  }
}

ArraySpec& HostArrays::find(const std::string& name, tuner::ElementType type) {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) throw std::invalid_argument(fmt::format("there is no array '{}'", name));
  if (found->second.type != type)
    throw std::invalid_argument(fmt::format("the array '{}' holds {}, not {}", name,
                                            tuner::to_string(found->second.type), tuner::to_string(type)));
  return found->second;
}

}  // namespace warptune
