// Writes JSON text directly, and reads it with the JSON library, which also writes launches, an array of objects.
#include "db/tables/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "db/bounded_json.h"
#include "search/plain_text.h"

namespace warptune::db {

namespace {

using Json = nlohmann::ordered_json;

bool is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

// Text is written directly and not through a Json tree. Trials come by the million, and the tree took a fifth of the
// time that inserting one takes. The library still does what needs escaping or checking.
void append(std::string& text, const std::string& string) {
  if (std::all_of(string.begin(), string.end(), is_plain))
    text += '"' + string + '"';
  else
    text += Json(string).dump();
}

void append(std::string& text, double number) {
  const std::string plain = search::to_text(search::Value(number));
  text += std::isfinite(number) ? plain : "{\"double\":\"" + plain + "\"}";
}

void append(std::string& text, const search::Value& value) {
  if (const double* number = std::get_if<double>(&value)) return append(text, *number);
  if (const auto* string = std::get_if<std::string>(&value)) return append(text, *string);
  text += search::to_text(value);
}

template <class Members>
std::string object_text(const Members& members) {
  std::string text = "{";
  for (const auto& [name, value] : members) {
    if (text.size() > 1) text += ',';
    append(text, name);
    text += ':';
    append(text, value);
  }
  return text + "}";
}

double decode_number(const Json& json) {
  if (!json.is_object()) return json.get<double>();
  const auto& text = json.at("double").get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "-inf" ? -infinity : infinity;
}

search::Value decode(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return decode_number(json);
}

std::map<std::string, double> numbers_of(const Json& json) {
  std::map<std::string, double> numbers;
  for (const auto& [name, number] : json.items()) numbers.emplace(name, decode_number(number));
  return numbers;
}

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<const char*, std::int64_t search::ResourceUse::*>, 5> figures = {
    {{"registers_per_thread", &search::ResourceUse::registers_per_thread},
     {"local_bytes_per_thread", &search::ResourceUse::local_bytes_per_thread},
     {"static_shared_bytes", &search::ResourceUse::static_shared_bytes},
     {"dynamic_shared_bytes", &search::ResourceUse::dynamic_shared_bytes},
     {"threads_per_block", &search::ResourceUse::threads_per_block}}};

}  // namespace

std::string json_value(const search::Value& value) {
  std::string text;
  append(text, value);
  return text;
}

std::string to_json(const search::NamedValues& values) {
  return object_text(values);
}

std::string to_json(const std::map<std::string, double>& numbers) {
  return object_text(numbers);
}

std::string to_json(const std::vector<double>& numbers) {
  std::string text = "[";
  for (const double number : numbers) {
    if (text.size() > 1) text += ',';
    append(text, number);
  }
  return text + "]";
}

std::string to_json(const std::vector<std::string>& texts) {
  std::string text = "[";
  for (const std::string& one : texts) {
    if (text.size() > 1) text += ',';
    append(text, one);
  }
  return text + "]";
}

std::string to_json(const search::Counters& counters) {
  std::string launches;
  for (const search::LaunchCounters& launch : counters.launches) {
    launches += launches.empty() ? "{\"kernel\":" : ",{\"kernel\":";
    append(launches, search::valid_utf8(launch.kernel));
    launches += ",\"values\":" + to_json(launch.values) + "}";
  }
  std::string text = "{\"values\":" + to_json(counters.values) + ",\"launches\":[" + launches +
                     "],\"lacking\":" + to_json(counters.lacking) + ",\"failure\":";
  append(text, search::valid_utf8(counters.failure));
  return text + "}";
}

search::NamedValues values_from_json(std::string_view text) {
  search::NamedValues values;
  const Json json = parse_json<Json>(text);
  if (!json.is_object()) throw std::runtime_error("expected values by name, found " + std::string(text.substr(0, 40)));
  for (const auto& [name, value] : json.items()) values.emplace_back(name, decode(value));
  return values;
}

std::map<std::string, double> number_map_from_json(std::string_view text) {
  return numbers_of(parse_json<Json>(text));
}

std::vector<double> numbers_from_json(std::string_view text) {
  std::vector<double> numbers;
  for (const auto& number : parse_json<Json>(text)) numbers.push_back(decode_number(number));
  return numbers;
}

std::vector<std::string> texts_from_json(std::string_view text) {
  return parse_json<Json>(text).get<std::vector<std::string>>();
}

search::Counters counters_from_json(std::string_view text) {
  const Json json = parse_json<Json>(text);
  search::Counters counters;
  counters.values = numbers_of(json.at("values"));
  for (const Json& launch : json.at("launches"))
    counters.launches.push_back({launch.at("kernel").get<std::string>(), numbers_of(launch.at("values"))});
  json.at("lacking").get_to(counters.lacking);
  json.at("failure").get_to(counters.failure);
  return counters;
}

std::string to_sorted_json(search::NamedValues values) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return to_json(values);
}

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
