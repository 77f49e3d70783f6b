// Asks the file system for free space and its kind, makes files to see whether it takes them, and checks the limits of
// this process that sessions run into (`ulimit`): files, processes, address space.
#include "tuner/program/doctor/disk.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>

#include "tuner/program/doctor/diagnosis.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::doctor {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t least_bytes = std::uint64_t{16} << 20;  // with less, a session does not fit
constexpr std::uint64_t wanted_bytes = std::uint64_t{1} << 30;  // half of the cache's default limit

}  // namespace

fs::path nearest_folder(const fs::path& folder) {
  std::error_code ignored;
  // The folder of a bare file name is empty, and means the current one.
  fs::path found = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
  while (!fs::exists(found, ignored) && found.has_relative_path()) found = found.parent_path();
  return found;
}

// Really makes a file: permissions, a read-only disk, a quota and a disk without free i-nodes all show so. access(2)
// misses most of them.
std::string why_not_writable(const fs::path& folder) {
  const fs::path existing = nearest_folder(folder);
  std::error_code ignored;
  if (!fs::is_directory(existing, ignored)) return fmt::format("{} is a file", existing.string());
  std::string name = (existing / ".warptune-doctor-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) return fmt::format("{}: {}", existing.string(), std::strerror(errno));
  const bool written = ::write(file, "x", 1) == 1;
  const int error = errno;
  ::close(file);
  ::unlink(name.c_str());
  return written ? "" : fmt::format("{}: {}", existing.string(), std::strerror(error));
}

std::string network_file_system(const fs::path& folder) {
  struct statfs about {};
  if (::statfs(nearest_folder(folder).c_str(), &about) != 0) return {};
  // The numbers are those of linux/magic.h, and of file systems that are not in it.
  static const std::map<std::uint32_t, const char*> kinds = {
      {0x6969, "NFS"},      {0x517B, "SMB"},      {0xFF534D42, "SMB"},    {0xFE534D42, "SMB"}, {0x0BD00BD0, "Lustre"},
      {0x47504653, "GPFS"}, {0x00C36400, "Ceph"}, {0x19830326, "BeeGFS"}, {0x5346414F, "AFS"}, {0x01021997, "9p"},
  };
  const auto kind = kinds.find(static_cast<std::uint32_t>(about.f_type));
  return kind == kinds.end() ? "" : kind->second;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.3g} {}", amount, units[unit]);
}

std::vector<Finding> look_at_disk(const Surroundings& surroundings) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  fs::path where;
  for (const fs::path& place : {surroundings.store, surroundings.cache, fs::path(P_tmpdir)}) {
    if (place.empty()) continue;
    std::error_code error;
    const fs::space_info space = fs::space(nearest_folder(place), error);
    if (error || space.available >= least) continue;
    least = space.available;
    where = nearest_folder(place);
  }
  if (where.empty()) return {{Health::warning, "the free space cannot be found out", "look at `df`"}};
  const std::string what = fmt::format("{} free at {}", bytes_text(least), where.string());
  if (least >= wanted_bytes) return {{Health::ok, what, ""}};
  return {{least < least_bytes ? Health::error : Health::warning, what,
           "free space: `warptune cache clear` and `warptune gc` give back what is Warptune's"}};
}

std::string why_ignored(const std::string& temporary) {
  std::error_code error;
  if (temporary.empty()) return {};
  const std::string why_not =
      fs::is_directory(temporary, error) ? why_not_writable(temporary) : "there is no such folder";
  if (why_not.empty()) return {};
  return fmt::format("TMPDIR={} is ignored ({}): temporary files are in {}", temporary, why_not, P_tmpdir);
}

std::vector<Finding> look_at_temporary_files(const Surroundings& surroundings) {
  const ScratchFolder folder;  // throws with its reason
  const std::string ignored = why_ignored(surroundings.temporary);
  if (!ignored.empty()) return {{Health::warning, ignored, "unset TMPDIR, or create that folder"}};
  return {{Health::ok, fmt::format("{} takes folders to compile in", folder.path().parent_path().string()), ""}};
}

namespace {

struct Limit {
  decltype(RLIMIT_NOFILE) resource;
  const char* shell;  // `ulimit -f`
  const char* meaning;
  rlim_t wanted;  // less of it is worth a warning
  bool bytes;
  const char* remedy;
};

// RLIMIT_MEMLOCK is not among them: the driver's page-locked memory does not count against it.
constexpr std::array limits{
    Limit{RLIMIT_FSIZE, "-f", "a file may grow to", rlim_t{1} << 30, true,
          "the store or the code of a kernel may hit it"},
    Limit{RLIMIT_NPROC, "-u", "processes and threads of this user", 256, false,
          "workers and compilers are processes: some of them will not start"},
    Limit{RLIMIT_NOFILE, "-n", "open files", 256, false, "workers need some files each"},
    // The driver reserves address space for the memory of all devices together.
    Limit{RLIMIT_AS, "-v", "address space", rlim_t{1} << 40, true,
          "the CUDA driver reserves more than that when it starts"},
};

}  // namespace

std::vector<Finding> look_at_process_limits(const Surroundings&) {
  std::vector<Finding> findings;
  for (const Limit& limit : limits) {
    rlimit now{};
    if (::getrlimit(limit.resource, &now) != 0 || now.rlim_cur == RLIM_INFINITY || now.rlim_cur >= limit.wanted)
      continue;
    const std::string amount = limit.bytes ? bytes_text(now.rlim_cur) : fmt::format("{}", now.rlim_cur);
    findings.push_back({Health::warning, fmt::format("{} {} (`ulimit {}`)", limit.meaning, amount, limit.shell),
                        fmt::format("{}: raise it with `ulimit -S {} {}`", limit.remedy, limit.shell,
                                    now.rlim_max == RLIM_INFINITY ? "unlimited" : "hard")});
  }
  if (findings.empty()) findings.push_back({Health::ok, "files, processes and address space suffice", ""});
  return findings;
}

}  // namespace warptune::tuner::doctor
