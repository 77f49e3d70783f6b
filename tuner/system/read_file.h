// Reads a whole file; it is the one way to do so.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

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

}  // namespace warptune::tuner
