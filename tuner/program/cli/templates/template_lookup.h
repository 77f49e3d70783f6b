// Finds templates by name or path: the user's own, and those that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warptune::tuner::cli {

// Returns a template's manifest by path or by name: a folder or a file as given, else <name> below $WARPTUNE_TEMPLATES,
// ./templates and the installed ones. Throws RequestError that lists where it looked.
std::filesystem::path find_template(const std::string& name);

// Returns the file of the JSON Schema of manifests, which lies with the installed templates.
std::string manifest_schema();
// Returns the folders that hold templates and exist, in the order in which a name is looked for; each once.
std::vector<std::filesystem::path> template_folders();
// Returns the manifests below these folders, which names find, sorted by name. Of two with one name it returns the
// first that is found.
std::vector<std::filesystem::path> all_templates();

// Says on stderr that `manifest` was taken for `name`, if a source, folder or template of that name is here and is
// another one. A name means the template that comes with the program even then: `warptune tune saxpy` in a script must
// not depend on the folder, but who works on saxpy.cu is told.
void say_if_not_own(const std::string& name, const std::filesystem::path& manifest);

}  // namespace warptune::tuner::cli
