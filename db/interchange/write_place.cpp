// Finds out where a file's text goes, and writes it there. Rejected: always writing over a file in place. A full disk
// then leaves half a header where a whole one was. Rejected, too: always replacing it. Hard links and others' files
// would be lost.
#include "db/interchange/write_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <vector>

namespace warptune::db {

namespace {

namespace fs = std::filesystem;

std::optional<int> number_of(const std::string& name) {
  int number = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

// Returns the descriptor of this process that a path names, itself or through links. /dev/stdout leads to
// /proc/self/fd/1.
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

// Returns the file behind links, also where the last link leads to nothing yet.
fs::path behind_links(fs::path file) {
  constexpr int most_links = 40;
  std::error_code error;
  for (int links = 0; links < most_links && fs::is_symlink(file, error); ++links)
    file = file.parent_path() / fs::read_symlink(file, error);
  return file;
}

bool is_of_our_groups(gid_t group) {
  if (group == getegid()) return true;
  const int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (count <= 0 || getgroups(count, groups.data()) < 0) return false;
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

// Returns whether a new file can have all that this one has: its only name, its owner and its group. It must have no
// access list, and its folder must take new files.
bool is_replaceable(const fs::path& file, const struct stat& there) {
  if (there.st_nlink > 1 || getxattr(file.c_str(), "system.posix_acl_access", nullptr, 0) > 0) return false;
  if (geteuid() != 0 && (there.st_uid != geteuid() || !is_of_our_groups(there.st_gid))) return false;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

[[noreturn]] void throw_errno(const fs::path& file) {
  throw std::system_error(errno, std::generic_category(), file.string());
}

}  // namespace

WritePlace write_place(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (const std::optional<int> open = descriptor_of(file); open && fs::exists(status)) return {file, true, open};
  if (fs::exists(status) && !fs::is_regular_file(status)) return {file, true};
  const fs::path real = fs::canonical(file, error);
  // The file may be there without a name, because it was deleted since it was opened. Renaming would put another file
  // in its place.
  if (error) return {behind_links(file), fs::exists(status)};
  struct stat there {};
  if (stat(real.c_str(), &there) != 0) return {real};
  return {real, !is_replaceable(real, there), {}, there};
}

OutputFile::OutputFile(const fs::path& file) : place_(write_place(file)) {
  constexpr mode_t all = 0666;
  if (place_.descriptor)
    descriptor_ = dup(*place_.descriptor);
  else if (place_.in_place)
    descriptor_ = open(place_.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, all);
  else
    open_draft();
  if (descriptor_ < 0) throw_errno(file);
}

// Opens the draft. A draft that replaces a file is readable by its owner alone until it has that file's owner and mode,
// so that nobody can read it who may not read that file.
void OutputFile::open_draft() {
  std::error_code ignored;
  if (place_.path.has_parent_path()) fs::create_directories(place_.path.parent_path(), ignored);
  draft_ = fmt::format("{}.{}.part", place_.path.string(), getpid());
  fs::remove(draft_, ignored);
  const mode_t mode = place_.replaced ? 0600 : 0666;
  descriptor_ = open(draft_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor_ < 0 || !place_.replaced) return;
  const struct stat& there = *place_.replaced;
  constexpr mode_t mode_bits = 07777;
  if (fchown(descriptor_, there.st_uid, there.st_gid) == 0 && fchmod(descriptor_, there.st_mode & mode_bits) == 0)
    return;
  const int reason = errno;
  remove_draft();
  errno = reason;
}

void OutputFile::remove_draft() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  std::error_code ignored;
  if (!draft_.empty()) fs::remove(draft_, ignored);
}

OutputFile::~OutputFile() {
  remove_draft();
}

void OutputFile::commit() {
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) throw_errno(place_.path);
  if (draft_.empty()) return;
  fs::rename(draft_, place_.path);
  draft_.clear();
}

std::string advice_on_writing(const fs::path& file) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) return "name a file in this folder";
  const fs::path folder = fs::absolute(file, ignored).parent_path();
  if (!fs::exists(fs::status(folder, ignored)))
    return "the folder " + folder.string() + " is not there and could not be made; name another";
  return "check the folder's permissions and free space";
}

}  // namespace warptune::db
