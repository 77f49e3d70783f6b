// Configurations that differ from a given one in a single parameter.
#include <algorithm>
#include <stdexcept>

#include "search/search_space_impl.h"

namespace warptune {

namespace {

// Collects the choices of one parameter for which `valid`, around the current one or all of them, in domain order.
template <class Valid>
void collect(const std::vector<std::uint32_t>& domain, std::uint32_t current, Neighbourhood kind, Valid valid,
             std::vector<std::uint32_t>& found) {
  found.clear();
  if (kind == Neighbourhood::hamming) {
    for (std::uint32_t choice : domain)
      if (choice != current && valid(choice)) found.push_back(choice);
    return;
  }
  const auto here = std::ranges::lower_bound(domain, current);
  const auto down = std::find_if(std::make_reverse_iterator(here), domain.rend(), valid);
  if (down != domain.rend()) found.push_back(*down);
  const auto after = here != domain.end() && *here == current ? here + 1 : here;
  const auto up = std::find_if(after, domain.end(), valid);
  if (up != domain.end()) found.push_back(*up);
}

void append(const Configuration& configuration, std::size_t parameter, const std::vector<std::uint32_t>& choices,
            std::vector<Configuration>& neighbours) {
  for (std::uint32_t choice : choices) {
    neighbours.push_back(configuration);
    neighbours.back().choices[parameter] = choice;
  }
}

// In a space given by its rows: a look-up for every candidate.
std::vector<Configuration> neighbours_among_rows(const SearchSpace& space, Configuration configuration,
                                                 Neighbourhood kind) {
  std::vector<Configuration> neighbours;
  std::vector<std::uint32_t> found;
  for (std::size_t p = 0; p < configuration.choices.size(); ++p) {
    const std::uint32_t current = configuration.choices[p];
    const auto valid = [&](std::uint32_t choice) {
      configuration.choices[p] = choice;
      return space.contains(configuration);
    };
    collect(space.domains()[p], current, kind, valid, found);
    configuration.choices[p] = current;
    append(configuration, p, found, neighbours);
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
  neighbours.reserve(32);
  Checker::Variation variation(*impl_->checker, base.choices.data());
  std::vector<std::uint32_t> found;
  for (std::uint32_t p = 0; p < base.choices.size(); ++p) {
    if ((!outside.empty() && outside[0] != p) || !variation.may_vary(p)) continue;
    const auto valid = [&](std::uint32_t choice) { return variation.holds_with(p, choice); };
    collect(impl_->domains[p], configuration.choices[p], kind, valid, found);
    variation.restore(p);
    append(configuration, p, found, neighbours);
  }
  return neighbours;
}

}  // namespace warptune
