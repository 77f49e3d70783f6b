// Implements the checks that all evaluators share, so that each refuses with the same words.
#include "tuner/measure/evaluator.h"

#include <fmt/format.h>

#include <stdexcept>

namespace warptune::tuner {

void require_fitting(const search::SearchSpace& space, const search::Configuration& configuration) {
  const auto& parameters = space.parameters();
  if (configuration.choices.size() != parameters.size())
    throw std::invalid_argument(fmt::format("a configuration of {} choices was submitted in a space of {} parameters",
                                            configuration.choices.size(), parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (configuration.choices[i] >= parameters[i].values.size())
      throw std::invalid_argument(fmt::format("a configuration was submitted with choice {} of {}, which has {} values",
                                              configuration.choices[i], parameters[i].name,
                                              parameters[i].values.size()));
}

void require_in_flight(bool any) {
  if (!any) throw std::logic_error("an evaluator was asked for a trial with none in flight");
}

bool has_to_be_tracked(const DeviceInfo& device, Purpose purpose) {
  return device.is_host() && purpose == Purpose::counted;
}

search::Counters counters_of_run(search::Trial counted) {
  if (counted.counters) return *std::move(counted.counters);
  return {{}, {}, {}, fmt::format("counting ended with {}: {}", to_string(counted.outcome), counted.message)};
}

}  // namespace warptune::tuner
