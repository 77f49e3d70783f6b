// Turns a manifest into a tree that can be changed, and such a tree into the text of a manifest: what is judged is a
// template made of two others. Paths in the tree are absolute, so that the text may lie in any folder.
#pragma once

#include <filesystem>
#include <string>

#include "tuner/kernel/json_values.h"

namespace warptune::tuner::judge {

// Returns the tree of a manifest's text; `file` says where it is or would be. Throws ManifestError; RequestError for a
// T1 file, which is no manifest.
Json manifest_json(const std::string& text, const std::filesystem::path& file);

// Returns the text of a manifest, with one line for each member of the top level.
std::string toml_text(const Json& manifest);
// Writes that text to a file. Throws RequestError.
void write_manifest(const Json& manifest, const std::filesystem::path& file);

// Return a value or an expression of a manifest as an expression's text.
std::string expression_text(const Json& value);
std::string expression_text(const search::Value& value);

}  // namespace warptune::tuner::judge
