#include "db/interchange/write_place.h"

#include <system_error>

namespace warptune::db {

WritePlace write_place(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  // /dev/stdout leads to what has no name.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return {file, true};
  std::filesystem::path real = std::filesystem::canonical(file, error);
  return {error ? file : real, false};
}

}  // namespace warptune::db
