// Reads the text of files that a user names.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "tuner/kernel/problem.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

// Returns the whole file. Throws RequestError that says why it cannot be read. The function is thread-safe.
inline std::string text_of_named_file(const std::filesystem::path& file) {
  errno = 0;
  if (auto text = read_file(file)) return std::move(*text);
  // A folder can be opened, and reading it fails without an error number.
  std::error_code error;
  const std::string reason =
      std::filesystem::is_directory(file, error) ? "it is a folder" : std::generic_category().message(errno);
  throw RequestError(fmt::format("cannot read {}: {}", file.string(), reason));
}

}  // namespace warptune::tuner
