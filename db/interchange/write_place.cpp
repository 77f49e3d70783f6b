#include "db/interchange/write_place.h"

#include <system_error>

namespace warptune::db {

WritePlace write_place(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  // /dev/stdout leads to what has no name.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return {file, true};
  std::filesystem::path real = std::filesystem::canonical(file, error);
  if (!error) return {real, false};
  // It may be there without a name: the standard output in a file that was deleted since. Renaming would put a file in
  // the place of /dev/stdout itself.
  return {file, std::filesystem::exists(status)};
}

}  // namespace warptune::db
