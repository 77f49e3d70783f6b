// Checks the limits of this process that sessions run into (`ulimit`): files, processes, address space.
#include <fmt/format.h>
#include <sys/resource.h>

#include <array>

#include "tuner/program/doctor/checks.h"
#include "tuner/program/doctor/disk.h"

namespace warptune::tuner::doctor {

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
