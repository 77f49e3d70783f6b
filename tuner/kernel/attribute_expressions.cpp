// See attribute_expressions.h. Attributes change no result on a backend that runs launches one after the other, such as
// the host: there they are computed and checked, and nothing else.
#include "tuner/kernel/attribute_expressions.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "tuner/kernel/evaluation.h"

namespace warptune::tuner {

namespace {

using Dimensions = std::array<search::Expression, 3>;

Dim3 dimensions(const Dimensions& expressions, const search::NamedValues& scope, const std::string& place) {
  const auto one = [&](std::size_t i) { return count(expressions[i], scope, 1, fmt::format("{}[{}]", place, i)); };
  return {one(0), one(1), one(2)};
}

std::string product(const Dimensions& dimensions) {
  return fmt::format("({}) * ({}) * ({})", dimensions[0].text(), dimensions[1].text(), dimensions[2].text());
}

// "compute_capability == 0" stands for backends that ignore attributes.
search::Constraint needs(const std::string& used, int compute_capability, const std::string& called) {
  return {
      .text = fmt::format("not ({}) or compute_capability == 0 or compute_capability >= {}", used, compute_capability),
      .shown =
          fmt::format("{} needs compute capability {}.{}", called, compute_capability / 10, compute_capability % 10)};
}

// `called` is the attribute's key in the manifest.
void add_cluster(std::vector<search::Constraint>& constraints, const Dimensions& cluster, const Dimensions& grid,
                 const std::string& called, int compute_capability) {
  const std::string blocks = product(cluster);
  constraints.push_back({.text = fmt::format("1 <= {} <= {}", blocks, most_blocks_per_cluster),
                         .shown = fmt::format("1 <= blocks of {} <= {}", called, most_blocks_per_cluster)});
  constraints.push_back(needs(blocks + " > 1", compute_capability, called));
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (cluster[axis].text() != "1")
      constraints.push_back({.text = fmt::format("({}) % ({}) == 0", grid[axis].text(), cluster[axis].text()),
                             .shown = fmt::format("grid.{0} is a multiple of {1}.{0}", "xyz"[axis], called)});
}

}  // namespace

LaunchAttributes attributes_of(const LaunchAttributeTexts& texts, const search::NamedValues& scope,
                               const std::string& place) {
  const auto at = [&](const char* key) { return place.empty() ? std::string(key) : place + '.' + key; };
  LaunchAttributes attributes;
  if (texts.cluster) attributes.cluster = dimensions(*texts.cluster, scope, at("cluster"));
  if (texts.preferred_cluster)
    attributes.preferred_cluster = dimensions(*texts.preferred_cluster, scope, at("preferred_cluster"));
  if (texts.carveout) attributes.carveout_percent = count(*texts.carveout, scope, -1, at("carveout"));
  if (attributes.carveout_percent > 100)
    throw std::invalid_argument(fmt::format("{} gives {}, expected a percentage, or -1 for the driver's choice",
                                            at("carveout"), attributes.carveout_percent));
  if (texts.programmatic) attributes.programmatic = search::truth(texts.programmatic->evaluate(scope));
  if (texts.cooperative) attributes.cooperative = search::truth(texts.cooperative->evaluate(scope));
  if (texts.priority)
    attributes.priority = count(*texts.priority, scope, std::numeric_limits<std::int32_t>::min(), at("priority"));
  return attributes;
}

std::vector<search::Constraint> attribute_constraints(const Launch& launch) {
  const LaunchAttributeTexts& texts = launch.attributes;
  std::vector<search::Constraint> constraints;
  if (texts.cluster) add_cluster(constraints, *texts.cluster, launch.grid, "cluster", 90);
  if (texts.preferred_cluster) {
    add_cluster(constraints, *texts.preferred_cluster, launch.grid, "preferred_cluster", 100);
    // A preferred cluster of one block means that there is none.
    if (texts.cluster)
      for (std::size_t axis = 0; axis < 3; ++axis)
        constraints.push_back(
            {.text = fmt::format("{} == 1 or ({}) % ({}) == 0", product(*texts.preferred_cluster),
                                 (*texts.preferred_cluster)[axis].text(), (*texts.cluster)[axis].text()),
             .shown = fmt::format("preferred_cluster.{0} is a multiple of cluster.{0}", "xyz"[axis])});
  }
  if (texts.carveout)
    constraints.push_back(
        {.text = fmt::format("-1 <= ({}) <= 100", texts.carveout->text()), .shown = "-1 <= carveout <= 100"});
  if (texts.programmatic) constraints.push_back(needs(texts.programmatic->text(), 90, "programmatic"));
  return constraints;
}

std::vector<const search::Expression*> expressions_of(const LaunchAttributeTexts& texts) {
  std::vector<const search::Expression*> all;
  for (const auto* cluster : {&texts.cluster, &texts.preferred_cluster})
    if (*cluster)
      for (const search::Expression& extent : **cluster) all.push_back(&extent);
  for (const auto* one : {&texts.carveout, &texts.programmatic, &texts.cooperative, &texts.priority})
    if (*one) all.push_back(&**one);
  return all;
}

}  // namespace warptune::tuner
