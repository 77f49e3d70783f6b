// How many compiles run at once.
#include "tuner/measure/compile_jobs.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace warptune::tuner {

namespace {

constexpr std::uint64_t bytes_a_compile = std::uint64_t{400} << 20;
constexpr std::size_t most_a_core = 4;

std::optional<std::uint64_t> number_in(const char* file) {
  std::uint64_t number = 0;
  if (std::ifstream(file) >> number) return number;
  return std::nullopt;  // "max", or there is none
}

std::uint64_t available_bytes() {
  std::ifstream stream("/proc/meminfo");
  std::string name, unit;
  std::uint64_t kilobytes = 0;
  while (stream >> name >> kilobytes && std::getline(stream, unit))
    if (name == "MemAvailable:") return kilobytes << 10;
  return 0;
}

}  // namespace

std::size_t default_jobs() {
  return std::max(1u, std::thread::hardware_concurrency());
}

CompileRoom compile_room() {
  CompileRoom room{default_jobs(), available_bytes()};
  const auto most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (most && used && room.available_bytes > 0)
    room.available_bytes = std::min(room.available_bytes, std::max(*most, *used + 1) - *used);
  return room;
}

std::size_t compile_jobs(std::size_t wanted, const CompileRoom& room) {
  std::size_t most = most_a_core * room.cores;
  if (room.available_bytes > 0)
    most = std::min<std::size_t>(most, static_cast<std::size_t>(room.available_bytes / bytes_a_compile));
  return std::max<std::size_t>(1, std::min(wanted > 0 ? wanted : room.cores, most));
}

}  // namespace warptune::tuner
