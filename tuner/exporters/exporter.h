// The seam to what leaves the store: winners in, text out. One file each, and registry.cpp, the one list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace warptune {

struct ExportInput {
  std::string kernel;
  std::vector<db::BestRecord> winners;  // one for each device and problem size, at least one
  NamedValues fallback;  // the template's default configuration; may be empty if the template is not at hand
};

struct ExporterEntry {
  std::string_view name;
  std::string_view summary;
  std::string (*render)(const ExportInput& input);
};

const std::vector<ExporterEntry>& exporters();

// Throws std::invalid_argument that lists the known ones.
const ExporterEntry& find_exporter(std::string_view name);

}  // namespace warptune
