// Looks in the working folder for a manifest, source or folder of the template's name.
#include "tuner/program/cli/templates/own_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tuner/kernel/manifest/manifest.h"
#include "tuner/program/cli/templates/init.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cli {

namespace {

namespace fs = std::filesystem;

struct OwnKernel {
  std::string file;
  std::string command;  // what tunes it
};

bool holds_a_source(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return !error && std::ranges::any_of(entries, [](const fs::directory_entry& entry) {
    return entry.path().extension() == ".cu" || entry.path().extension() == ".cuh";
  });
}

// Returns whether the manifest of this folder is of a kernel of that name, or of a source of that name.
bool is_described_here(const std::string& name) {
  if (!is_file("template.toml")) return false;
  try {
    const KernelTemplate kernel = load_manifest("template.toml");
    return kernel.name == name || fs::path(kernel.source).stem() == name;
  } catch (const std::exception&) {
    return false;  // it is not asked for, so it may be broken
  }
}

std::optional<OwnKernel> own_kernel(const std::string& name) {
  const std::string source = name + ".cu", folder = "./" + name;
  const bool has_source = is_file(source);
  if (is_described_here(name)) return OwnKernel{has_source ? source : "template.toml", "warptune tune ."};
  if (has_source) return OwnKernel{source, fmt::format("warptune init {}` and then `warptune tune .", source)};
  if (holds_a_source(folder)) return OwnKernel{folder, "warptune tune " + folder};
  return std::nullopt;
}

// Returns whether the user may have meant another kernel. A path says which one is meant, and a folder with a manifest
// is taken before any other template.
bool may_be_mistaken(const std::string& name, const fs::path& manifest) {
  std::error_code error;
  return !name.empty() && fs::path(name).filename() == name && !is_file(name) &&
         !is_file(fs::path(name) / "template.toml") && !fs::equivalent(manifest, "template.toml", error);
}

}  // namespace

void say_if_not_own(const std::string& name, const fs::path& manifest) {
  if (!may_be_mistaken(name, manifest)) return;
  const std::optional<OwnKernel> own = own_kernel(name);
  if (!own) return;
  say(fmt::format("note: '{}' is the template in {}, not {} in this folder; for your own: `{}`", name,
                  manifest.parent_path().string(), own->file, own->command));
}

}  // namespace warptune::tuner::cli
