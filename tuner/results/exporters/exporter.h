// Declares the interface to what leaves the store: wisdom in, text out. Each exporter has a file of its own, and
// registry.cpp is the one list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

struct ExporterEntry {
  std::string_view name;
  std::string_view summary;
  // Renders wisdom that is normalized and has at least one entry, all with the same parameters and sizes. The same
  // wisdom gives the same text. Throws RequestError where the text needs the default configuration and that is not
  // known.
  std::string (*render)(const Wisdom& wisdom);
  // Does the same where names begin with a text, as "GEMM_", so that several kernels fit into one file. It is null for
  // what has no names in a program's scope.
  std::string (*render_prefixed)(const Wisdom& wisdom, const std::string& prefix) = nullptr;
};

const std::vector<ExporterEntry>& exporters();

// Returns the exporter with this name. Throws std::invalid_argument that lists the known ones.
const ExporterEntry& find_exporter(std::string_view name);

}  // namespace warptune::tuner
