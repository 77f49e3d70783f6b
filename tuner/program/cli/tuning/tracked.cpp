// Writes tracked runs as text, JSON or CSV.
#include "tuner/program/cli/tuning/tracked.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/kernel/json_values.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner::cli {

namespace {

std::string heading(const TrackedRun& run) {
  std::string text = fact("configuration", search::to_text(run.configuration));
  text += fact("outcome", std::string(to_string(run.outcome)));
  if (!run.message.empty()) text += fact("message", run.message);
  return text;
}

// OfKernel adds up the counts of all launches of one kernel.
struct OfKernel {
  std::string kernel;
  int launches = 0;
  AccessCounts counts;
};

std::vector<OfKernel> by_kernel(const AccessLog& log) {
  std::vector<OfKernel> kernels;
  for (const LaunchCounts& launch : log.launches) {
    auto known = std::ranges::find(kernels, launch.kernel, &OfKernel::kernel);
    if (known == kernels.end()) known = kernels.insert(known, {launch.kernel, 0, {}});
    ++known->launches;
    known->counts.add(launch.counts);
  }
  return kernels;
}

Cell ratio(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return {};
  const double value = static_cast<double>(part) / static_cast<double>(whole);
  return {fmt::format("{:.2f}", value), value};
}

Table access_table(const AccessCounts& counts) {
  Table table({"access", "by threads", "by warps", "bytes", "sectors per request", "conflicts per request"});
  const auto global = [&](const char* name, Count threads, Count requests, Count bytes, Count sectors) {
    if (counts[threads] == 0) return;
    table.add({name, counts[threads], counts[requests], counts[bytes], ratio(counts[sectors], counts[requests]), {}});
  };
  const auto shared = [&](const char* name, Count threads, Count requests, Count conflicts) {
    if (counts[threads] == 0) return;
    table.add({name, counts[threads], counts[requests], {}, {}, ratio(counts[conflicts], counts[requests])});
  };
  const auto plain = [&](const char* name, Count threads) {
    if (counts[threads] > 0) table.add({name, counts[threads], {}, {}, {}, {}});
  };
  global("global loads", Count::global_loads, Count::global_load_requests, Count::global_load_bytes,
         Count::global_load_sectors);
  global("global stores", Count::global_stores, Count::global_store_requests, Count::global_store_bytes,
         Count::global_store_sectors);
  plain("global atomics", Count::global_atomics);
  shared("shared loads", Count::shared_loads, Count::shared_load_requests, Count::shared_load_conflicts);
  shared("shared stores", Count::shared_stores, Count::shared_store_requests, Count::shared_store_conflicts);
  plain("shared atomics", Count::shared_atomics);
  plain("constant loads", Count::constant_loads);
  return table;
}

Table buffer_table(const AccessCounts& counts) {
  Table table({"buffer", "loads", "stores", "atomics"});
  for (const auto& [name, of] : counts.buffers)
    if (of.loads + of.stores + of.atomics > 0) table.add({name, of.loads, of.stores, of.atomics});
  return table;
}

std::string text_of_kernel(const OfKernel& of) {
  const AccessCounts& counts = of.counts;
  const auto many = [](std::int64_t count, const char* what) { return counted(static_cast<std::size_t>(count), what); };
  std::string text = fmt::format(
      "\n{}: {}{}, {}, {}\n", of.kernel, of.launches > 1 ? fmt::format("{} launches, ", of.launches) : "",
      many(counts[Count::blocks], "block"), many(counts[Count::warps], "warp"), many(counts[Count::threads], "thread"));
  const Table accesses = access_table(counts), buffers = buffer_table(counts);
  if (!accesses.empty()) text += accesses.render(Format::table, output_width());
  if (!buffers.empty()) text += buffers.render(Format::table, output_width());
  const std::int64_t lanes = 32 * counts[Count::warp_steps];
  text += fact("barriers",
               fmt::format("{} of blocks, {} of warps", counts[Count::block_barriers], counts[Count::warp_barriers]));
  text += fact("branches", fmt::format("{} divergent", counts[Count::divergent_branches]));
  if (lanes > 0)
    text += fact("active lanes", fmt::format("{:.1f} %", 100.0 * static_cast<double>(counts[Count::lane_steps]) /
                                                             static_cast<double>(lanes)));
  return text;
}

Json counts_json(const AccessCounts& counts) {
  Json json = Json::object();
  for (std::size_t i = 0; i < count_kinds; ++i) json[std::string(name_of(static_cast<Count>(i)))] = counts.values[i];
  json["buffers"] = Json::object();
  for (const auto& [name, of] : counts.buffers)
    json["buffers"][name] = {{"loads", of.loads}, {"stores", of.stores}, {"atomics", of.atomics}};
  return json;
}

Json run_json(const TrackedRun& run) {
  Json json = document("run");
  json["configuration"] = json_from_values(run.configuration);
  json["outcome"] = std::string(to_string(run.outcome));
  json["message"] = json_or_null(run.message);
  json["findings"] = Json::array();
  for (const AccessFinding& finding : run.log.findings)
    json["findings"].push_back({{"kernel", finding.kernel}, {"message", finding.message}, {"times", finding.times}});
  json["launches"] = Json::array();
  for (const LaunchCounts& launch : run.log.launches) {
    const LaunchGeometry& geometry = launch.geometry;
    json["launches"].push_back({{"kernel", launch.kernel},
                                {"grid", {geometry.grid.x, geometry.grid.y, geometry.grid.z}},
                                {"block", {geometry.block.x, geometry.block.y, geometry.block.z}},
                                {"counts", counts_json(launch.counts)}});
  }
  return json;
}

// Returns a row for each launch and count.
Table long_table(const AccessLog& log) {
  Table table({"launch", "kernel", "count", "value"});
  std::int64_t number = 0;
  for (const LaunchCounts& launch : log.launches) {
    ++number;
    for (std::size_t i = 0; i < count_kinds; ++i)
      table.add({number, launch.kernel, std::string(name_of(static_cast<Count>(i))), launch.counts.values[i]});
    for (const auto& [name, of] : launch.counts.buffers) {
      table.add({number, launch.kernel, name + "_loads", of.loads});
      table.add({number, launch.kernel, name + "_stores", of.stores});
      table.add({number, launch.kernel, name + "_atomics", of.atomics});
    }
  }
  return table;
}

Table finding_table(const AccessLog& log) {
  Table table({"kernel", "finding", "times"});
  for (const AccessFinding& finding : log.findings) table.add({finding.kernel, finding.message, finding.times});
  return table;
}

std::string findings_text(const TrackedRun& run) {
  std::string text;
  for (const AccessFinding& finding : run.log.findings)
    text += fact("finding", fmt::format("{}: {}{}", finding.kernel, finding.message,
                                        finding.times > 1 ? fmt::format("; {} times", finding.times) : ""));
  if (run.log.findings.empty() && run.outcome == search::Outcome::correct)
    text += fact("findings", run.log.neighbours
                                 ? "none: no race in shared memory, no access out of bounds. An access beyond one "
                                   "shared array that hits another one is not seen"
                                 : "none: no race in shared memory, no access out of bounds");
  return text;
}

}  // namespace

void show_findings(const TrackedRun& run, Context& context) {
  if (!run.clean()) context.exit_code = nothing_correct;
  switch (context.output_format()) {
    case Format::json:
      return write_output("", text_of(run_json(run)));
    case Format::csv:
      return write_output("", finding_table(run.log).render(Format::csv));
    case Format::table:
      return write_output("", heading(run) + findings_text(run));
  }
}

void show_counts(const TrackedRun& run, Context& context) {
  if (run.outcome != search::Outcome::correct) context.exit_code = nothing_correct;
  switch (context.output_format()) {
    case Format::json:
      return write_output("", text_of(run_json(run)));
    case Format::csv:
      return write_output("", long_table(run.log).render(Format::csv));
    case Format::table:
      break;
  }
  std::string text = heading(run);
  for (const OfKernel& of : by_kernel(run.log)) text += text_of_kernel(of);
  write_output("", text);
}

}  // namespace warptune::tuner::cli
