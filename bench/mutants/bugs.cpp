#include "bench/mutants/bugs.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "tuner/kernel/manifest/document.h"
#include "tuner/system/files.h"

namespace warptune::tuner::mutants {

namespace {

std::string text_at(const Node& node, const char* key) {
  const Node* text = node.find(key);
  return text ? text->string() : "";
}

Bug read_bug(const Node& node, const std::string& kernel) {
  node.allow_only({"name", "file", "search", "replace", "configuration", "sizes", "invisible_on", "reason"});
  Bug bug;
  bug.kernel = kernel;
  bug.name = node.at("name").string();
  bug.file = node.find("file") ? text_at(node, "file") : "kernel.cu";
  bug.search = node.at("search").string();
  bug.replace = node.at("replace").string();
  bug.configuration = text_at(node, "configuration");
  bug.sizes = text_at(node, "sizes");
  if (const Node* backends = node.find("invisible_on"))
    for (const Node& backend : backends->array()) bug.invisible_on.push_back(backend.string());
  bug.reason = text_at(node, "reason");
  if (!bug.invisible_on.empty() && bug.reason.empty()) node.fail("expected a reason why it changes no result there");
  return bug;
}

}  // namespace

std::vector<Bug> read_bugs(const std::filesystem::path& templates, const std::string& kernel) {
  const std::filesystem::path file = templates / kernel / "bugs.toml";
  std::vector<Bug> bugs;
  if (!std::filesystem::exists(file)) return bugs;
  const Node list = read_toml(file);
  for (const Node& bug : list.at("bug").array()) bugs.push_back(read_bug(bug, kernel));
  return bugs;
}

std::filesystem::path plant(const Bug& bug, const std::filesystem::path& templates,
                            const std::filesystem::path& folder) {
  std::filesystem::copy(templates, folder,
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  const std::filesystem::path file = folder / bug.kernel / bug.file;
  // Of a header that all templates share, the bug's template gets a copy of its own, which goes before the built-in
  // one, and which no later bug is to see.
  std::filesystem::remove_all(folder / bug.kernel / "warptune");
  if (bug.file.starts_with("warptune/")) {
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::copy_file(folder / "include" / bug.file, file, std::filesystem::copy_options::overwrite_existing);
  }
  auto content = read_file(file);
  if (!content) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
  std::string text = std::move(*content);
  const std::size_t at = text.find(bug.search);
  if (at == std::string::npos || text.find(bug.search, at + 1) != std::string::npos)
    throw std::runtime_error(
        fmt::format("'{}' in {} is not there exactly once: the template has changed, the bug has to follow", bug.search,
                    file.string()));
  text.replace(at, bug.search.size(), bug.replace);
  std::ofstream(file) << text;
  return folder / bug.kernel / "template.toml";
}

}  // namespace warptune::tuner::mutants
