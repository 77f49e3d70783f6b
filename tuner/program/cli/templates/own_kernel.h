// Says that a name means the template that comes with the program, even where the user has a kernel of that name in
// this folder. `warptune tune saxpy` in a script must not depend on the folder, but who works on saxpy.cu is told.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::tuner::cli {

// Says on stderr that `manifest` was taken for `name`, if a source, folder or template of that name is here and is
// another one.
void say_if_not_own(const std::string& name, const std::filesystem::path& manifest);

}  // namespace warptune::tuner::cli
