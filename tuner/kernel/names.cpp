// Checks names against those of measured values and of device limits.
#include "tuner/kernel/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tuner/device/counters.h"
#include "tuner/device/device_info.h"

namespace warptune::tuner {

std::set<std::string> measured_names() {
  std::set<std::string> names{"time", "joules", "max_error", "rms_error", "memory_bandwidth_gbs"};
  for (const CounterInfo& counter : all_counters()) names.insert(name_in_expressions(counter.name));
  return names;
}

std::string wrong_name(const std::string& name) {
  static const std::set<std::string> measured = measured_names();
  static const search::NamedValues limits = DeviceInfo{}.limits();
  if (search::find_value(limits, name)) return "a device limit has the same name; expected another name";
  if (measured.contains(name)) return "metrics mean by this name what was measured; expected another name";
  return "";
}

std::string wrong_metric_name(const std::string& name) {
  return name == "time" || name == "joules" ? "this is measured anyway; expected another name" : "";
}

std::string wrong_variant_name(const std::string& name) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) || c == '_'; };
  const auto word = [&](unsigned char c) { return letter(c) || std::isdigit(c); };
  const bool macro = !name.empty() && letter(name.front()) && std::ranges::all_of(name, word);
  return macro ? "" : "expected a variant's name of letters, digits and '_', for it is a macro";
}

std::string wrong_variant_value(const search::Value& value) {
  if (std::holds_alternative<double>(value)) return "expected strings, integers or booleans";
  const auto* text = std::get_if<std::string>(&value);
  if (!text) return "";
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':' || c == ' ' || c == '*'; };
  if (text->empty() || !std::ranges::all_of(*text, allowed) || text->front() == ' ' || text->back() == ' ')
    return fmt::format("expected a name or a type, of letters, digits, '_' and ':', not '{}'", *text);
  return "";
}

}  // namespace warptune::tuner
