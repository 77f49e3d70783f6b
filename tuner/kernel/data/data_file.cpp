// Reads data files whole; what they hold is checked by whoever asked.
#include "tuner/kernel/data/data_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "search/error.h"

namespace warptune::tuner {

std::string read_data_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw search::DataError(
        fmt::format("cannot read {}: it is no regular file; copy its content to one", file.string()));
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  std::string content(error ? 0 : bytes, '\0');
  if (stream) stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (error || !stream)
    throw search::DataError(fmt::format("cannot read {}: {}; check the path and its permissions", file.string(),
                                        error ? error.message() : std::strerror(errno)));
  return content;
}

}  // namespace warptune::tuner
