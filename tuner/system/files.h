// Reads whole files, and tells whether a name is a file's or a folder's. It is the one way to do either.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace warptune::tuner {

// Returns the file's bytes, or nothing if it cannot be read; errno says why. Thread-safe.
inline std::optional<std::string> read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return std::nullopt;
  return std::move(text).str();
}

// Editors on Windows put this before UTF-8. Compilers and parsers take it only as the very first bytes, if at all.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
inline std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

// Returns the file's text without a byte order mark; otherwise as `read_bytes`.
inline std::optional<std::string> read_file(const std::filesystem::path& file) {
  std::optional<std::string> text = read_bytes(file);
  if (text && text->starts_with(byte_order_mark)) text->erase(0, byte_order_mark.size());
  return text;
}

// Tells what lies under a name that comes from a store, a manifest or a command line. The standard library's own
// functions throw for a name that is too long for any file, or that leads through a folder that may not be read; one
// such name in a store stopped every verb that asks for its sessions' templates.
// Returns whether a regular file can be found under the name, links followed. Thread-safe.
inline bool is_file(const std::filesystem::path& name) {
  std::error_code none;
  return std::filesystem::is_regular_file(name, none);
}

// Returns the same for a folder.
inline bool is_folder(const std::filesystem::path& name) {
  std::error_code none;
  return std::filesystem::is_directory(name, none);
}

}  // namespace warptune::tuner
