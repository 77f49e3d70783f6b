// Converts attributes by a table of those that are numbers; the two flags are handled one by one.
#include "tuner/device/launch_attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace warptune::tuner {

namespace {

// Lists the members that are numbers, by name.
using Members = std::vector<std::pair<const char*, std::int64_t*>>;

Members members_of(LaunchAttributes& all) {
  return {{"cluster_x", &all.cluster.x},
          {"cluster_y", &all.cluster.y},
          {"cluster_z", &all.cluster.z},
          {"preferred_cluster_x", &all.preferred_cluster.x},
          {"preferred_cluster_y", &all.preferred_cluster.y},
          {"preferred_cluster_z", &all.preferred_cluster.z},
          {"carveout", &all.carveout_percent},
          {"priority", &all.priority}};
}

std::string extents(const Dim3& size) {
  return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

}  // namespace

NamedAttributes named_attributes(const LaunchAttributes& attributes) {
  LaunchAttributes given = attributes, plain;
  const Members values = members_of(given), usual = members_of(plain);
  NamedAttributes named;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (*values[i].second != *usual[i].second) named[values[i].first] = *values[i].second;
  if (attributes.programmatic) named["programmatic"] = 1;
  if (attributes.cooperative) named["cooperative"] = 1;
  return named;
}

LaunchAttributes attributes_from(const NamedAttributes& named) {
  LaunchAttributes attributes;
  const auto take = [&](const std::string& name) {
    const auto found = named.find(name);
    return found == named.end() ? std::nullopt : std::optional(found->second);
  };
  for (const auto& [name, member] : members_of(attributes)) {
    const auto value = take(name);
    const bool dimension = std::string_view(name).find("cluster") != std::string_view::npos;
    if (value && (dimension ? 1 <= *value && *value <= most_blocks_per_cluster
                            : std::numeric_limits<std::int32_t>::min() <= *value &&
                                  *value <= std::numeric_limits<std::int32_t>::max()))
      *member = *value;
  }
  attributes.programmatic = take("programmatic").value_or(0) != 0;
  attributes.cooperative = take("cooperative").value_or(0) != 0;
  return attributes;
}

std::string attributes_text(const NamedAttributes& named) {
  const LaunchAttributes attributes = attributes_from(named);
  std::vector<std::string> parts;
  if (attributes.cluster.volume() > 1) parts.push_back("cluster of " + extents(attributes.cluster));
  if (attributes.preferred_cluster.volume() > 1)
    parts.push_back("preferred cluster of " + extents(attributes.preferred_cluster));
  if (attributes.carveout_percent >= 0) parts.push_back(fmt::format("carve-out {} %", attributes.carveout_percent));
  if (attributes.programmatic) parts.push_back("programmatic");
  if (attributes.cooperative) parts.push_back("cooperative");
  if (attributes.priority != 0) parts.push_back(fmt::format("priority {}", attributes.priority));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace warptune::tuner
