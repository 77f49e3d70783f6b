// Looks for manifests in the folders of the search path. A source without a manifest is no template yet: init.h says
// what is done with one.
#include "tuner/program/cli/templates/template_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>

#include "search/spelling.h"
#include "tuner/kernel/draft/init.h"
#include "tuner/kernel/files/named_file.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/templates/init.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cli {

namespace {

namespace fs = std::filesystem;

// Returns the templates right below a folder, by name; none if it cannot be read.
std::vector<fs::path> manifests_in(const fs::path& folder) {
  std::vector<fs::path> manifests;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (const fs::path manifest = entry.path() / "template.toml"; fs::is_regular_file(manifest, error))
      manifests.push_back(manifest.lexically_normal());
  std::ranges::sort(manifests);
  return manifests;
}

// "./gemm" is a path alone, and never the template of that name that comes with the program.
bool starts_here(const std::string& name) {
  const std::string first = fs::path(name).begin()->string();
  return first == "." || first == "..";
}

}  // namespace

fs::path find_template(const std::string& name) {
  if (name.empty()) throw RequestError("expected a template: a name or the path of its folder");
  if (is_kernel_source(name) && is_file(name)) return manifest_of_source(name);
  if (is_opencl_source(name)) throw RequestError(fmt::format("{}: {}", name, draft::no_opencl));
  if (is_file(name)) return name;
  if (is_file(fs::path(name) / "template.toml")) return fs::path(name) / "template.toml";
  if (is_kernel_source(name)) text_of_named_file(name);  // says why it cannot be read
  if (starts_here(name) && is_folder(name)) return manifest_of_folder(name);
  std::string searched = "  " + (fs::path(name) / "template.toml").string();
  std::vector<std::string> known;
  for (const fs::path& folder : template_search_path()) {
    const fs::path manifest = (folder / name / "template.toml").lexically_normal();
    if (is_file(manifest)) return manifest;
    searched += "\n  " + manifest.string();
    for (const fs::path& there : manifests_in(folder)) known.push_back(there.parent_path().filename().string());
  }
  if (is_folder(name)) return manifest_of_folder(name);
  throw RequestError(
      fmt::format("there is no template '{}'{}. Looked for\n{}\n`warptune templates` lists those there are", name,
                  search::did_you_mean(name, known), searched));
}

std::vector<fs::path> template_folders() {
  std::vector<fs::path> folders, seen;
  for (const fs::path& folder : template_search_path()) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || !is_folder(real) || std::ranges::find(seen, real) != seen.end()) continue;
    seen.push_back(real);
    folders.push_back(folder.lexically_normal());
  }
  return folders;
}

std::vector<fs::path> all_templates() {
  std::vector<fs::path> manifests;
  std::set<std::string> names;
  for (const fs::path& folder : template_folders())
    for (const fs::path& manifest : manifests_in(folder))
      if (names.insert(manifest.parent_path().filename().string()).second) manifests.push_back(manifest);
  std::ranges::sort(manifests, {}, [](const fs::path& manifest) { return manifest.parent_path().filename(); });
  return manifests;
}

std::string manifest_schema() {
  for (const fs::path& folder : template_folders()) {
    std::error_code error;
    const fs::path file = fs::canonical(folder / "manifest.schema.json", error);
    if (!error && folder.is_absolute()) return file.string();
  }
  return "manifest.schema.json";
}

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
