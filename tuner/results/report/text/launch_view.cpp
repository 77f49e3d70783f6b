// Words residencies and attained roofs, writes them as JSON, and writes the launches of a configuration's plan line by
// line.
#include "tuner/results/report/text/launch_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/device/launch_attributes.h"
#include "tuner/kernel/plan.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner {

namespace {

std::string percent_text(double share) {
  const double percent = 100 * share;
  return fmt::format("{:.{}f} %", percent, percent < 9.5 ? 1 : 0);
}

std::string extents_text(const std::array<std::int64_t, 3>& extents) {
  if (extents[2] > 1) return fmt::format("{} x {} x {}", extents[0], extents[1], extents[2]);
  return extents[1] > 1 ? fmt::format("{} x {}", extents[0], extents[1]) : fmt::format("{}", extents[0]);
}

std::string bytes_text(std::int64_t bytes) {
  return bytes % 1024 == 0 ? fmt::format("{} KiB", bytes / 1024) : fmt::format("{} bytes", bytes);
}

bool is_host(const search::NamedValues& limits) {
  const search::Value* blocks = search::find_value(limits, "max_blocks_per_multiprocessor");
  return blocks && search::same_value(*blocks, search::Value(std::int64_t{1}));
}

std::string waves_text(const Residency& residency) {
  if (residency.waves <= 0) return {};
  const std::string text = fmt::format("{} wave{}", three_digits(residency.waves), residency.waves == 1 ? "" : "s");
  if (residency.waves <= 1) return text;
  return text + fmt::format(", the last {} full", percent_text(residency.last_wave));
}

std::string host_text(const Residency& residency, const search::NamedValues& limits) {
  const search::Value* cores = search::find_value(limits, "multiprocessors");
  std::string text = fmt::format("one at a time on each of {} cores", cores ? search::to_text(*cores) : "its");
  if (const std::string waves = waves_text(residency); !waves.empty()) text += "; " + waves;
  return text;
}

std::string blocks_text(const Residency& residency) {
  const std::int64_t blocks = residency.blocks_per_multiprocessor;
  const std::string count = fmt::format("{} block{}", blocks, blocks == 1 ? "" : "s");
  if (residency.limiters == std::vector{Limiter::blocks})
    return fmt::format("a multiprocessor takes {} at most", count);
  if (residency.limiters.empty()) return fmt::format("a multiprocessor holds {}", count);
  return fmt::format("{} limit{} a multiprocessor to {}", limiter_text(residency),
                     residency.limiters.size() == 1 && residency.limiters.front() == Limiter::shared_memory ? "s" : "",
                     count);
}

Json known(double value, bool is_known) {
  return is_known ? Json(value) : Json(nullptr);
}

}  // namespace

Json json_of(const LaunchView& view) {
  const auto& [launch, residency] = view;
  const bool geometry = residency.grid_blocks > 0;
  Json limiters = Json::array();
  for (const Limiter limiter : residency.limiters) limiters.push_back(to_string(limiter));
  return {{"kernel", json_or_null(launch.kernel)},
          {"grid", geometry ? Json(launch.grid) : Json(nullptr)},
          {"block", geometry ? Json(launch.block) : Json(nullptr)},
          {"launches", launch.launches},
          {"registers_per_thread", launch.use.registers_per_thread},
          {"local_bytes_per_thread", launch.use.local_bytes_per_thread},
          {"static_shared_bytes", launch.use.static_shared_bytes},
          {"dynamic_shared_bytes", launch.use.dynamic_shared_bytes},
          {"threads_per_block", launch.use.threads_per_block},
          {"occupancy", launch.use.occupancy},
          {"attributes", launch.attributes},
          {"blocks_per_multiprocessor",
           residency.blocks_per_multiprocessor > 0 ? Json(residency.blocks_per_multiprocessor) : Json(nullptr)},
          {"limited_by", std::move(limiters)},
          {"waves", known(residency.waves, residency.waves > 0)},
          {"last_wave", known(residency.last_wave, residency.waves > 0)},
          {"idle_multiprocessors", residency.waves > 0 ? Json(residency.idle_multiprocessors) : Json(nullptr)}};
}

Json launches_json(const search::Trial& trial, const search::NamedValues& limits) {
  Json json = Json::array();
  for (const search::LaunchUse& launch : trial.launches) json.push_back(json_of({launch, residency(launch, limits)}));
  return json;
}

Json json_of(const search::Work& work) {
  if (work == search::Work{}) return nullptr;
  return {{"flops", json_or_null(work.flops)},
          {"bytes", json_or_null(work.bytes)},
          {"arithmetic", json_or_null(work.arithmetic)}};
}

Json json_of(const std::optional<Attainment>& attainment) {
  if (!attainment) return nullptr;
  Json roofs = Json::array();
  for (const Attained& one : attainment->roofs)
    roofs.push_back({{"roof", one.roof}, {"rate", one.rate}, {"share", one.share}});
  return {{"bound", attainment->bound ? Json(*attainment->bound) : Json(nullptr)}, {"roofs", std::move(roofs)}};
}

std::string use_text(const search::LaunchUse& launch) {
  std::string text = launch.use.registers_per_thread > 0
                         ? fmt::format(", {} registers per thread", launch.use.registers_per_thread)
                         : "";
  if (const std::int64_t shared = launch.use.static_shared_bytes + launch.use.dynamic_shared_bytes; shared > 0)
    text += fmt::format(", {} of shared memory per block", bytes_text(shared));
  if (launch.use.local_bytes_per_thread > 0)
    text += fmt::format(", {} bytes of local memory per thread", launch.use.local_bytes_per_thread);
  if (const std::string attributes = attributes_text(launch.attributes); !attributes.empty()) text += ", " + attributes;
  if (launch.grid[0] == 0) return fmt::format("{} threads per block{}", launch.use.threads_per_block, text);
  const std::string often = launch.launches > 1 ? fmt::format("{} times ", launch.launches) : "";
  return fmt::format("{}{} blocks of {} threads{}", often, extents_text(launch.grid), extents_text(launch.block), text);
}

std::string residency_name(const search::NamedValues& limits) {
  return is_host(limits) ? "blocks" : "occupancy";
}

std::string residency_text(const LaunchView& launch, const search::NamedValues& limits) {
  const Residency& residency = launch.residency;
  if (is_host(limits)) return host_text(residency, limits);
  std::string text = percent_text(residency.occupancy);
  if (residency.blocks_per_multiprocessor > 0) text += ": " + blocks_text(residency);
  if (const std::string waves = waves_text(residency); !waves.empty()) text += "; " + waves;
  if (residency.idle_multiprocessors > 0)
    text += fmt::format("; {} multiprocessors get no block", residency.idle_multiprocessors);
  return text;
}

std::string rate_text(const std::string& roof, double rate) {
  const char* unit = roof_kind(roof).bytes ? "B/s" : "FLOP/s";
  return rate >= 1e12 ? fmt::format("{} T{}", three_digits(rate / 1e12), unit)
                      : fmt::format("{} G{}", three_digits(rate / 1e9), unit);
}

std::string attainment_text(const Attainment& attainment, const std::vector<db::Roof>& roofs) {
  std::vector<std::string> parts;
  for (const Attained& one : attainment.roofs) {
    const db::Roof* roof = find_roof(roofs, one.roof);
    parts.push_back(fmt::format("{} of {} ({} of {})", percent_text(one.share), roof_kind(one.roof).title,
                                rate_text(one.roof, one.rate), roof ? rate_text(one.roof, roof->value) : "?"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::pair<std::string, std::string>> standing_lines(const TrialView& trial, const search::Work& work,
                                                                const search::NamedValues& limits,
                                                                const std::vector<db::Roof>& roofs) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (!trial.launches.empty()) {
    const LaunchView& main = trial.launches.front();
    const std::string name = trial.launches.size() > 1 ? main.launch.kernel + ": " : "";
    lines.emplace_back(is_host(limits) ? "Blocks" : "Occupancy", name + residency_text(main, limits));
  }
  if (trial.attainment)
    lines.emplace_back("Roofs", attainment_text(*trial.attainment, roofs));
  else if (roofs.empty() && work != search::Work{})
    lines.emplace_back("Roofs", "not measured yet on this device; `warptune roofs` does it once");
  return lines;
}

namespace {

// Returns "16 x 8"; dimensions of 1 behind the last other one are left out.
std::string dimensions_text(const Dim3& size) {
  if (size.z > 1) return fmt::format("{} x {} x {}", size.x, size.y, size.z);
  return size.y > 1 ? fmt::format("{} x {}", size.x, size.y) : fmt::format("{}", size.x);
}

std::string launch_text(const PlannedLaunch& launch) {
  const auto& [grid, block, shared, attributes] = launch.geometry;
  const std::string memory = shared > 0 ? fmt::format("{} bytes of", shared) : "no";
  const std::string further = attributes_text(named_attributes(attributes));
  return fmt::format("{}: grid {}, block {}, {} dynamic shared memory{}{}", launch.kernel, dimensions_text(grid),
                     dimensions_text(block), memory, further.empty() ? "" : ", ", further);
}

}  // namespace

std::string launches_text(const KernelTemplate& kernel, const search::NamedValues& scope) {
  if (kernel.program) return {};
  std::string text, last;
  std::size_t equal = 0;
  const auto end_line = [&] {
    if (equal == 0) return;
    text += (text.empty() ? "" : "\n") + (equal > 1 ? fmt::format("{} × ", equal) : "") + last;
    equal = 0;
  };
  for (const PlannedLaunch& launch : make_plan(kernel, scope).launches) {
    if (launch.copy) continue;
    const std::string line = launch_text(launch);
    if (line != last) end_line();
    last = line;
    ++equal;
  }
  end_line();
  return text;
}

}  // namespace warptune::tuner
