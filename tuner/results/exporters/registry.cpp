// Lists the exporters.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tuner/results/exporters/cub_policy.h"
#include "tuner/results/exporters/defines.h"
#include "tuner/results/exporters/exporter.h"
#include "tuner/results/exporters/header.h"
#include "tuner/results/exporters/json.h"
#include "tuner/results/wisdom/wisdom_file.h"

namespace warptune::tuner {

const std::vector<ExporterEntry>& exporters() {
  static const std::vector<ExporterEntry> all = {
      {"header", "a self-contained C++ header with a choice by GPU and problem size", export_header},
      {"defines", "macros for C, OpenCL and CUDA sources", [](const Wisdom& wisdom) { return export_defines(wisdom); },
       export_defines},
      {"wisdom", "JSON for the runtime library and for --from; one entry a line", wisdom_text},
      {"cub-policy", "CUB's own policies, of the templates cub_scan and cub_radix_sort", export_cub_policy},
      {"json", "the winners with their metrics and everything they depend on, for scripts", export_json},
  };
  return all;
}

const ExporterEntry& find_exporter(std::string_view name) {
  const auto found = std::ranges::find(exporters(), name, &ExporterEntry::name);
  if (found != exporters().end()) return *found;
  std::string known;
  for (const ExporterEntry& entry : exporters()) known += (known.empty() ? "" : ", ") + std::string(entry.name);
  throw std::invalid_argument(fmt::format("there is no export format '{}'; expected one of {}", name, known));
}

}  // namespace warptune::tuner
