// Scales counters by their units, and lists them by launch.
#include "tuner/results/report/text/counters_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/device/counters.h"
#include "tuner/device/roofline/roofline.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner {

namespace {

// These counters tell launches apart at a glance; the rest is for programs.
constexpr std::array launch_columns = {"elapsed_cycles",     "dram_bytes",           "l2_hit_rate",
                                       "achieved_occupancy", "global_load_requests", "global_store_requests"};

std::string scaled(double value) {
  constexpr std::array<const char*, 5> prefixes = {"", " k", " M", " G", " T"};
  std::size_t power = 0;
  for (; std::abs(value) >= 1000 && power + 1 < prefixes.size(); ++power) value /= 1000;
  // A whole count below a thousand is shown as it is.
  const bool whole = power == 0 && value == std::floor(value);
  return (whole ? fmt::format("{:.0f}", value) : three_digits(value)) + prefixes[power];
}

Cell value_cell(const std::string& counter, double value) {
  return {counter_value_text(counter, value), value};
}

Table overview(const search::Counters& counters) {
  Table table({"counter", "value", "meaning"});
  for (const CounterInfo& counter : all_counters()) {
    const auto found = counters.values.find(std::string(counter.name));
    if (found != counters.values.end())
      table.add({std::string(counter.name), value_cell(found->first, found->second), std::string(counter.meaning)});
  }
  return table.less_important({"meaning"});
}

Table launches(const search::Counters& counters) {
  std::vector<std::string> shown;
  for (const char* column : launch_columns)
    if (counters.values.contains(column)) shown.emplace_back(column);
  std::vector<std::string> columns{"launch", "kernel"};
  columns.insert(columns.end(), shown.begin(), shown.end());
  Table table(columns);
  std::int64_t number = 0;
  for (const search::LaunchCounters& launch : counters.launches) {
    std::vector<Cell> row{++number, launch.kernel};
    for (const std::string& column : shown) {
      const auto found = launch.values.find(column);
      row.push_back(found == launch.values.end() ? Cell() : value_cell(column, found->second));
    }
    table.add(std::move(row));
  }
  std::ranges::reverse(shown);
  return table.less_important(shown);
}

void add_rows(Table& table, const Cell& launch, const Cell& kernel, const std::map<std::string, double>& values) {
  for (const CounterInfo& counter : all_counters()) {
    const auto found = values.find(std::string(counter.name));
    if (found != values.end()) table.add({launch, kernel, found->first, found->second, std::string(counter.unit)});
  }
}

}  // namespace

std::string busiest_text(const search::Counters& counters) {
  // As in Nsight Compute's "speed of light", each of these counters is that of the busiest of a unit's parts.
  constexpr std::array<std::pair<const char*, const char*>, 4> units = {{{"sm_throughput", "The multiprocessors were"},
                                                                         {"l1_throughput", "The L1 caches were"},
                                                                         {"l2_throughput", "The L2 cache was"},
                                                                         {"dram_throughput", "The memory was"}}};
  const char* busiest = nullptr;
  double percent = 0;
  for (const auto& [counter, words] : units) {
    const auto found = counters.values.find(counter);
    if (found != counters.values.end() && found->second > percent) busiest = words, percent = found->second;
  }
  if (!busiest) return {};
  const bool binds = percent >= 100 * least_share_that_binds;
  return fmt::format("{} busiest, at {:.0f} % of the peak: {}", busiest, percent,
                     binds ? "that is what it is bound by." : "no unit is near its limit; the run waits for latency.");
}

std::string counter_value_text(const std::string& counter, double value) {
  const CounterInfo* known = find_counter(counter);
  const std::string_view unit = known ? known->unit : "";
  if (unit != "B") return unit.empty() ? scaled(value) : fmt::format("{} {}", scaled(value), unit);
  const std::string text = scaled(value);
  return text + (text.find(' ') == std::string::npos ? " B" : "B");
}

Table counter_table(const search::Counters& counters) {
  Table table({"launch", "kernel", "counter", "value", "unit"});
  add_rows(table, {}, {}, counters.values);
  std::int64_t number = 0;
  for (const search::LaunchCounters& launch : counters.launches)
    add_rows(table, ++number, launch.kernel, launch.values);
  return table;
}

std::string counters_text(const search::Counters& counters, std::size_t width) {
  if (!counters.failure.empty()) return wrapped_text("Nothing was counted: " + counters.failure, width, 2) + '\n';
  std::string text = overview(counters).render(Format::table, width);
  if (counters.launches.size() > 1) text += '\n' + launches(counters).render(Format::table, width);
  if (!counters.lacking.empty())
    text += '\n' +
            wrapped_text(fmt::format("Not counted on this device: {}", fmt::join(counters.lacking, ", ")), width, 2) +
            '\n';
  return text;
}

Json counters_json(const std::optional<search::Counters>& counters) {
  if (!counters) return nullptr;
  Json json{{"values", counters->values}, {"launches", Json::array()}};
  for (const search::LaunchCounters& launch : counters->launches)
    json["launches"].push_back({{"kernel", launch.kernel}, {"values", launch.values}});
  json["lacking"] = counters->lacking;
  json["failure"] = json_or_null(counters->failure);
  return json;
}

}  // namespace warptune::tuner
