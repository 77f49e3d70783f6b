// Templates by name or path: the user's own, and those that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner::cli {

// A template's manifest by path or by name: a folder or a file as given, else <name> below $WARPTUNE_TEMPLATES,
// ./templates and the installed ones. Throws RequestError that lists where it looked.
std::filesystem::path find_template(const std::string& name);

// The JSON Schema of manifests, which lies with the installed templates.
std::string manifest_schema();
// The folders that hold templates and are there, in the order in which a name is looked for; each once.
std::vector<std::filesystem::path> template_folders();
// What names find: the manifests below these folders, by name. Of two of one name the first found.
std::vector<std::filesystem::path> all_templates();

}  // namespace warptune::tuner::cli
