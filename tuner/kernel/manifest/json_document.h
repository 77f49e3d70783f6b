// Converts a JSON document to the tree that manifests are read from, so that errors in T1 files also name the file and
// the key. nlohmann's own accessors say what type was found, but not where.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tuner/kernel/manifest/document.h"

namespace warptune::tuner {

// Members that are null are left out: T1 writes them for what is not there. Errors name `file` and the key; JSON's
// parser does not tell lines. Throws ManifestError for an integer beyond 64 bits.
Node json_node(const nlohmann::ordered_json& json, std::string file);

}  // namespace warptune::tuner
