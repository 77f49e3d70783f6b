// Asks for the machine's name, and reads the affinity of this process, /proc/meminfo and the files of its control
// group.
#include "tuner/system/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace warptune::tuner {

namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// Returns the number in a file. "max" and an absent file have none.
std::optional<std::int64_t> number_in(const char* file) {
  std::int64_t number = 0;
  if (std::ifstream(file) >> number) return number;
  return std::nullopt;
}

std::int64_t machine_bytes() {
  std::ifstream stream("/proc/meminfo");
  std::string name, rest;
  for (std::int64_t kilobytes = 0; stream >> name >> kilobytes && std::getline(stream, rest);)
    if (name == "MemAvailable:") return kilobytes * 1024;
  return 0;
}

std::int64_t control_group_bytes() {
  const auto most = number_in("/sys/fs/cgroup/memory.max");
  if (!most) return no_limit;
  return std::max<std::int64_t>(1, *most - number_in("/sys/fs/cgroup/memory.current").value_or(0));
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string process_name() {
  const std::string host = host_name();
  return fmt::format("{}:{}", host.empty() ? "?" : host, getpid());
}

int permitted_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));  // more cores than the set has room for
}

double cores_of_quota(const std::string& text) {
  std::istringstream stream(text);
  double quota_us = 0, period_us = 0;
  if (!(stream >> quota_us >> period_us) || period_us <= 0) return 0;
  return quota_us / period_us;
}

double core_quota() {
  std::ifstream stream("/sys/fs/cgroup/cpu.max");
  std::string line;
  std::getline(stream, line);
  return cores_of_quota(line);
}

int available_cores() {
  const double quota = core_quota();
  const int permitted = permitted_cores();
  return quota > 0 ? std::min(permitted, std::max(1, static_cast<int>(std::ceil(quota)))) : permitted;
}

std::int64_t available_memory_bytes() {
  const std::int64_t machine = machine_bytes();
  return machine > 0 ? std::min(machine, control_group_bytes()) : 0;
}

std::int64_t total_memory_bytes() {
  const std::int64_t physical = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::min(physical, number_in("/sys/fs/cgroup/memory.max").value_or(no_limit));
}

}  // namespace warptune::tuner
