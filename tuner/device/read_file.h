// The one way to read a whole file as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace warptune::tuner {

// The file's bytes, or nothing if it cannot be read; why is in errno. Thread-safe.
inline std::optional<std::string> read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return std::nullopt;
  return std::move(text).str();
}

}  // namespace warptune::tuner
