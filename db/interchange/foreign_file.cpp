// Tells what a file is that was given for a recording. It goes by the first bytes, and by the name only where these
// could be anything. It is asked only after reading has failed, so that a pipe is read once.
#include "db/interchange/foreign_file.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "db/interchange/text_file.h"

namespace warptune::db {

namespace {

// Returns the first 512 bytes; nothing if the file cannot be opened or read again.
std::optional<std::string> beginning_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
  try {
    InputText text(file);
    return std::string(text.beginning().substr(0, 512));
  } catch (const InterchangeError&) {
    return std::nullopt;
  }
}

std::string kind_by_name(const std::string& name, const std::string& extension) {
  if (extension == ".toml") return fmt::format("a manifest: `warptune tune {}` tunes its kernel", name);
  if (extension == ".cu" || extension == ".cuh" || extension == ".cpp")
    return fmt::format("a source: `warptune init {}` writes a manifest for its kernel", name);
  if (extension == ".csv")
    return "a table, which does not say what was tuned: `warptune export --format warptune-json` writes sessions that "
           "can be imported";
  return {};
}

}  // namespace

std::string foreign_kind(const std::filesystem::path& file) {
  using namespace std::string_view_literals;
  const std::optional<std::string> start = beginning_of(file);
  const std::string name = file.string();
  if (!start) return {};
  if (start->empty()) return "an empty file";
  if (start->starts_with("SQLite format 3\0"sv))
    return fmt::format("a store (SQLite): `--db {}` reads it in place, `warptune merge {}` takes its sessions over",
                       name, name);
  if (start->starts_with("\177ELF")) return "a program";
  if (start->find("\"warptune-wisdom/") != std::string::npos)
    return fmt::format(
        "wisdom, which holds winners alone: `warptune export --from {}` and `tune --transfer {}` read it", name, name);
  if (start->find("\"warptune/") != std::string::npos)
    return "what `--format json` prints for scripts: `warptune export --format warptune-json` writes sessions that can "
           "be imported";
  if (start->find("\"KttVersion\"") != std::string::npos)
    return "KTT's own output: its Scripts/ConvertJsonOutput.py makes T4 of it, which can be imported";
  return start->front() == '{' ? "" : kind_by_name(name, file.extension().string());
}

}  // namespace warptune::db
