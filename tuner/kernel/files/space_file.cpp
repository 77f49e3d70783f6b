// Reads the two forms of JSON that space_file.h names.
#include "tuner/kernel/files/space_file.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "db/bounded_json.h"
#include "tuner/kernel/json_values.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/t1/t1.h"

namespace warptune::tuner {

namespace {

search::Value json_value(const Json& value, const std::string& where) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    throw std::invalid_argument(fmt::format("{}: {} is no integer of 64 bits with a sign", where, value.dump()));
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  throw std::invalid_argument(fmt::format("{}: expected a number, a boolean or a string, found {}", where,
                                          value.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

std::vector<search::Parameter> plain_parameters(const Json& document) {
  std::vector<search::Parameter> parameters;
  const Json& given = document.at("parameters");
  if (!given.is_object()) throw std::invalid_argument("parameters: expected an object of arrays");
  for (const auto& [name, values] : given.items()) {
    search::Parameter parameter{name, {}};
    if (!values.is_array()) throw std::invalid_argument(fmt::format("parameters.{}: expected an array", name));
    for (const Json& value : values) parameter.values.push_back(json_value(value, "parameters." + name));
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::vector<std::string> plain_constraints(const Json& document) {
  if (!document.contains("constraints")) return {};
  return document.at("constraints").get<std::vector<std::string>>();
}

search::SearchSpace space_of(const Json& document, const std::string& file) {
  const bool t1 = is_t1(document);
  if (!t1 && !document.contains("parameters"))
    throw std::invalid_argument("expected a T1 file (ConfigurationSpace) or an object with parameters and constraints");
  T1Space space = t1 ? t1_space(document, file) : T1Space{plain_parameters(document), plain_constraints(document)};
  std::vector<search::Constraint> constraints;
  for (const std::string& text : space.conditions) constraints.push_back({text, {}, {}});
  return search::SearchSpace::build(std::move(space.parameters), std::move(constraints));
}

}  // namespace

search::SearchSpace load_space_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw RequestError(fmt::format("cannot read {}", file.string()));
  try {
    return space_of(db::parse_json<Json>(stream), file.string());
  } catch (const nlohmann::json::exception& error) {
    throw RequestError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const ManifestError& error) {
    throw RequestError(error.what());
  } catch (const search::ExpressionError& error) {
    throw RequestError(fmt::format("{}: {} (column {})", file.string(), error.what(), error.column()));
  } catch (const std::invalid_argument& error) {
    throw RequestError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace warptune::tuner
