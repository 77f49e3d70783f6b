// Reads the variables and folders of environment.h.
#include "tuner/program/cli/grammar/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "db/server.h"
#include "tuner/program/cli/grammar/values.h"

namespace warptune::tuner::cli {

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path home_folder(const char* what, const char* remedy) {
  if (std::string home = environment("HOME"); !home.empty()) return home;
  throw std::invalid_argument(fmt::format("there is no place for {}: HOME is not set; set it, or {}", what, remedy));
}

// Splits "a:b" into a and b, and leaves out empty parts.
std::vector<fs::path> listed_folders(const std::string& text) {
  std::vector<fs::path> folders;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    if (end > begin) folders.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

// Returns the folder of the program. Templates are found beside it, in a build tree as after an installation.
fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

fs::path default_database() {
  if (const std::string chosen = environment("WARPTUNE_DB"); !chosen.empty()) return chosen;
  if (const std::string data = environment("XDG_DATA_HOME"); !data.empty())
    return fs::path(data) / "warptune/warptune.db";
  return home_folder("the store", "name a store with --db or WARPTUNE_DB") / ".local/share/warptune/warptune.db";
}

fs::path system_database() {
  return environment("WARPTUNE_SYSTEM_DB");
}

void take_reconnecting_limit() {
  const std::string given = environment("WARPTUNE_RECONNECT");
  if (given.empty()) return;
  const auto limit_s = plain_duration_s(given);
  if (!limit_s)
    throw std::invalid_argument(
        fmt::format("WARPTUNE_RECONNECT={} is no time: name seconds, or a time as 90s, 1m30s or 2h", given));
  db::set_reconnecting_limit(std::chrono::milliseconds(std::llround(*limit_s * 1e3)));
}

fs::path default_cache_folder() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "warptune";
  return home_folder("compiled configurations", "name a folder in XDG_CACHE_HOME, or keep none with --no-cache") /
         ".cache/warptune";
}

std::optional<fs::path> presence_folder() {
  std::error_code error;
  const fs::path runtime = environment("XDG_RUNTIME_DIR");
  if (!runtime.empty() && fs::is_directory(runtime, error)) return runtime / "warptune/devices";
  if (environment("XDG_CACHE_HOME").empty() && environment("HOME").empty()) return std::nullopt;
  return default_cache_folder() / "devices";
}

workers::Program worker_program() {
  // The path is the link and not its target: the link leads to the same program even if its file was replaced
  // meanwhile.
  return {"/proc/self/exe"};
}

BackendOptions backend_options() {
  BackendOptions options;
  std::vector<fs::path> toolkits;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string folder = environment(name); !folder.empty()) toolkits.emplace_back(folder);
  for (const fs::path& folder : listed_folders(environment("WARPTUNE_CUDA_PATH"))) toolkits.push_back(folder);
  toolkits.emplace_back(WARPTUNE_CUDA_ROOT);
  for (const fs::path& toolkit : toolkits) {
    if (toolkit.empty()) continue;
    for (const char* library : {"lib64", "lib"}) options.library_directories.push_back(toolkit / library);
    options.cuda_include_directories.push_back(toolkit / "include");
  }
  if (const std::string compiler = environment("CXX"); !compiler.empty()) options.host_compiler = compiler;
  return options;
}

std::vector<fs::path> data_folders() {
  const fs::path program = program_folder();
  return {program, program / WARPTUNE_DATA_FROM_PROGRAM};
}

std::vector<fs::path> template_search_path() {
  std::vector<fs::path> folders;
  if (const std::string chosen = environment("WARPTUNE_TEMPLATES"); !chosen.empty()) folders.emplace_back(chosen);
  folders.emplace_back("templates");
  for (const fs::path& folder : data_folders()) folders.push_back(folder / "templates");
  return folders;
}

}  // namespace warptune::tuner::cli
