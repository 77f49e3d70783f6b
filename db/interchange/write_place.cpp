#include "db/interchange/write_place.h"

#include <charconv>
#include <system_error>

namespace warptune::db {

namespace {

namespace fs = std::filesystem;

std::optional<int> number_of(const std::string& name) {
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

// The descriptor of this process that a path names, itself or through links: /dev/stdout leads to /proc/self/fd/1.
std::optional<int> descriptor_of(fs::path file) {
  constexpr int most_links = 40;  // as many as Linux follows
  std::error_code error;
  const fs::path descriptors = fs::canonical("/proc/self/fd", error);
  for (int links = 0; !error && links < most_links; ++links) {
    const fs::path folder = fs::canonical(fs::absolute(file).parent_path(), error);
    if (!error && folder == descriptors) return number_of(file.filename());
    const fs::path next = fs::read_symlink(file, error);
    file = folder / next;
  }
  return std::nullopt;
}

}  // namespace

WritePlace write_place(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (const std::optional<int> open = descriptor_of(file); open && fs::exists(status)) return {file, true, open};
  if (fs::exists(status) && !fs::is_regular_file(status)) return {file, true};
  fs::path real = fs::canonical(file, error);
  if (!error) return {real, false};
  // It may be there without a name, as a file that was deleted since. Renaming would put another in its place.
  return {file, fs::exists(status)};
}

std::string advice_on_writing(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return "name a file in this folder";
  const fs::path folder = fs::absolute(file, ignored).parent_path();
  if (!fs::exists(fs::status(folder, ignored)))
    return "there is no folder " + folder.string() + "; make it first, or name another";
  return "check the folder's permissions and free space";
}

}  // namespace warptune::db
