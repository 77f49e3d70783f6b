// Lists the valid configurations that differ from a given one in a single parameter.
#include <stdexcept>

#include "search/space/search_space_impl.h"

namespace warptune::search {

namespace {

// Appends the neighbours that differ in one parameter. `valid` holds its valid choices, ascending; the current one may
// be among them.
void append(const Configuration& configuration, std::size_t parameter, Neighbourhood kind,
            const std::vector<std::uint32_t>& valid, std::vector<Configuration>& neighbours) {
  const std::uint32_t current = configuration.choices[parameter];
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (valid[i] == current) continue;
    const bool next_below = valid[i] < current && (i + 1 == valid.size() || valid[i + 1] >= current);
    const bool next_above = valid[i] > current && (i == 0 || valid[i - 1] <= current);
    if (kind == Neighbourhood::adjacent && !next_below && !next_above) continue;
    neighbours.push_back(configuration);
    neighbours.back().choices[parameter] = valid[i];
  }
}

// Lists the neighbours in a space given by its rows, with a look-up for every candidate.
std::vector<Configuration> neighbours_among_rows(const SearchSpace& space, Configuration configuration,
                                                 Neighbourhood kind) {
  std::vector<Configuration> neighbours;
  std::vector<std::uint32_t> valid;
  for (std::size_t p = 0; p < configuration.choices.size(); ++p) {
    const std::uint32_t current = configuration.choices[p];
    valid.clear();
    for (std::uint32_t choice : space.domains()[p]) {
      configuration.choices[p] = choice;
      if (choice != current && space.contains(configuration)) valid.push_back(choice);
    }
    configuration.choices[p] = current;
    append(configuration, p, kind, valid, neighbours);
  }
  return neighbours;
}

}  // namespace

std::vector<Configuration> SearchSpace::neighbours(const Configuration& configuration, Neighbourhood kind) const {
  if (configuration.choices.size() != impl_->parameters.size())
    throw std::invalid_argument("the configuration is not of this search space: it has another number of parameters");
  if (!impl_->checker) return neighbours_among_rows(*this, configuration, kind);
  // Choices outside the domains have no value to compute with; only changing them can help.
  Configuration base = configuration;
  std::vector<std::size_t> outside;
  for (std::size_t p = 0; p < base.choices.size(); ++p) {
    const std::vector<bool>& allowed = impl_->in_domain[p];
    if (base.choices[p] < allowed.size() && allowed[base.choices[p]]) continue;
    outside.push_back(p);
    base.choices[p] = 0;
  }
  std::vector<Configuration> neighbours;
  if (outside.size() > 1 || empty()) return neighbours;
  neighbours.reserve(40);  // just under a kilobyte, above which malloc turns slow
  Checker::Variation variation(*impl_->checker, base.choices.data());
  std::vector<std::uint32_t> valid;
  for (std::uint32_t p = 0; p < base.choices.size(); ++p) {
    if (impl_->domains[p].size() == 1 && outside.empty()) continue;
    if (!outside.empty() && outside[0] != p) continue;
    variation.find_valid(p, impl_->domains[p], valid);
    append(configuration, p, kind, valid, neighbours);
  }
  return neighbours;
}

}  // namespace warptune::search
