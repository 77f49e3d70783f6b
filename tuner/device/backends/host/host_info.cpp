// Reads /proc, /sys and /etc/machine-id, asks the C library, and has the table of the architectures' limits.
#include "tuner/device/backends/host/host_info.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/device/backends/host/compile/limits.h"
#include "tuner/system/machine.h"

namespace warptune::tuner::host {

namespace {

std::string first_line_of(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<std::int64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_of("0123456789")));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return number;
}

// Returns the text after the colon of the first line that begins with `key`.
std::string field(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (line.rfind(key, 0) != 0 || colon == std::string::npos) continue;
    return line.substr(std::min(line.size(), line.find_first_not_of(" \t", colon + 1)));
  }
  return {};
}

std::string processor_name() {
  for (const char* key : {"model name", "Model", "Hardware"}) {
    if (auto name = field("/proc/cpuinfo", key); !name.empty()) return name;
  }
  return "CPU";
}

// Returns the instruction sets, by whichever name the architecture has for them.
std::string instruction_sets() {
  for (const char* key : {"flags", "Features", "isa"}) {
    if (auto sets = field("/proc/cpuinfo", key); !sets.empty()) return sets;
  }
  return {};
}

std::string architecture() {
  utsname names{};
  uname(&names);
  return names.machine;
}

// Hashes by FNV-1a. The hash is the same for one machine and processor for ever, and the machine's own id stays secret.
std::uint64_t hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// A GPU's L2 is the cache nearest to its memory; a processor's counterpart is the last one that it has.
std::int64_t last_level_cache_bytes() {
  return std::max({sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE), 0L});
}

std::int64_t clock_khz() {
  const auto highest = leading_number(first_line_of("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"));
  if (highest) return *highest;
  return leading_number(field("/proc/cpuinfo", "cpu MHz")).value_or(0) * 1000;
}

}  // namespace

DeviceInfo host_info(int threads) {
  DeviceInfo info;
  info.id = info.backend = "host";
  info.name = processor_name();
  info.architecture = architecture();
  info.code_traits = fmt::format("{:016x} libc {}", hash(instruction_sets()), gnu_get_libc_version());
  info.uuid = fmt::format("HOST-{:016x}", hash(first_line_of("/etc/machine-id") + info.name));
  info.max_threads_per_block = info.max_block_x = info.max_block_y = kMaxThreads;
  info.max_block_z = 64;
  info.max_grid_x = std::numeric_limits<std::int32_t>::max();
  info.max_grid_y = info.max_grid_z = 65535;
  info.max_shared_memory_per_block = kMaxStaticSharedBytes;
  info.max_shared_memory_per_block_optin = info.max_shared_memory_per_multiprocessor = kMaxSharedBytes;
  info.max_constant_memory = kMaxConstantBytes;
  info.max_threads_per_multiprocessor = kMaxThreads;
  info.max_blocks_per_multiprocessor = 1;  // a core runs a block from beginning to end
  info.multiprocessors = threads > 0 ? threads : available_cores();
  info.clock_khz = clock_khz();
  info.l2_bytes = last_level_cache_bytes();
  info.total_memory_bytes = total_memory_bytes();
  return info;
}

namespace {

// Holds an architecture's limits (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"). What
// all of them share is not here: 1024 threads and 65536 registers a block, 48 KiB of static shared memory, the grid's
// and the block's extents.
struct Architecture {
  const char* name;
  std::int64_t shared_kib;  // a block's, after opting in
  std::int64_t multiprocessor_shared_kib;
  std::int64_t multiprocessor_threads;
  std::int64_t multiprocessor_blocks;
};

constexpr Architecture architectures[] = {
    {"sm_75", 64, 64, 1024, 16},   {"sm_80", 163, 164, 2048, 32}, {"sm_86", 99, 100, 1536, 16},
    {"sm_89", 99, 100, 1536, 24},  {"sm_90", 227, 228, 2048, 32}, {"sm_100", 227, 228, 2048, 32},
    {"sm_120", 99, 100, 1536, 24},
};

constexpr std::int64_t registers = 65536;

// compute_capability stays 0: kernels run here whatever an architecture's instructions are, and a GPU must not be given
// what was tuned on a processor.
DeviceInfo limited(DeviceInfo info, const Architecture& architecture) {
  info.id += fmt::format(":{}", architecture.name);
  info.name += fmt::format(" as {}", architecture.name);
  info.max_shared_memory_per_block_optin = architecture.shared_kib * 1024;
  info.max_shared_memory_per_multiprocessor = architecture.multiprocessor_shared_kib * 1024;
  info.max_threads_per_multiprocessor = architecture.multiprocessor_threads;
  info.max_blocks_per_multiprocessor = architecture.multiprocessor_blocks;
  info.max_registers_per_block = info.max_registers_per_multiprocessor = registers;
  return info;
}

}  // namespace

std::vector<DeviceInfo> as_architectures(const DeviceInfo& host) {
  std::vector<DeviceInfo> all;
  for (const Architecture& architecture : architectures) all.push_back(limited(host, architecture));
  return all;
}

}  // namespace warptune::tuner::host
