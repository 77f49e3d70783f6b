// Writes and reads the launches as a JSON array of objects.
#include "db/launches.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "db/bounded_json.h"
#include "search/plain_text.h"

namespace warptune::db {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<const char*, std::int64_t search::ResourceUse::*>, 5> figures = {
    {{"registers_per_thread", &search::ResourceUse::registers_per_thread},
     {"local_bytes_per_thread", &search::ResourceUse::local_bytes_per_thread},
     {"static_shared_bytes", &search::ResourceUse::static_shared_bytes},
     {"dynamic_shared_bytes", &search::ResourceUse::dynamic_shared_bytes},
     {"threads_per_block", &search::ResourceUse::threads_per_block}}};

}  // namespace

std::string launches_to_json(const std::vector<search::LaunchUse>& launches) {
  if (launches.empty()) return {};
  Json list = Json::array();
  for (const search::LaunchUse& launch : launches) {
    Json one{{"kernel", search::valid_utf8(launch.kernel)}, {"grid", launch.grid}, {"block", launch.block}};
    if (launch.launches != 1) one["launches"] = launch.launches;
    for (const auto& [name, member] : figures)
      if (const std::int64_t figure = launch.use.*member; figure != 0) one[name] = figure;
    one["occupancy"] = launch.use.occupancy;
    if (!launch.attributes.empty()) one["attributes"] = launch.attributes;
    list.push_back(std::move(one));
  }
  return list.dump();
}

std::vector<search::LaunchUse> launches_from_json(std::string_view text) {
  std::vector<search::LaunchUse> launches;
  if (text.empty()) return launches;
  for (const Json& one : parse_json<Json>(text)) {
    search::LaunchUse launch;
    one.at("kernel").get_to(launch.kernel);
    one.at("grid").get_to(launch.grid);
    one.at("block").get_to(launch.block);
    launch.launches = one.value("launches", std::int64_t{1});
    for (const auto& [name, member] : figures) launch.use.*member = one.value(name, std::int64_t{0});
    one.at("occupancy").get_to(launch.use.occupancy);
    if (const auto found = one.find("attributes"); found != one.end()) found->get_to(launch.attributes);
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace warptune::db
