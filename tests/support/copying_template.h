#pragma once

#include <string>

#include "tests/support/small_template.h"

namespace warptune {

// The doubling of small_template.h for data in the host's memory, in chunks of CHUNK elements over STREAMS streams.
inline constexpr char copying_manifest[] = R"toml(
name = "copying"
[sizes]
n = 1000
[parameters.CHUNK]
values = [100, 300]
default = 300
[parameters.STREAMS]
values = [1, 2]
default = 2
[parameters.PINNED]
values = [false, true]
default = true
[derived]
length = "min(CHUNK, n - pass * CHUNK)"
[arguments.in]
type = "float"
shape = ["n"]
fill = { uniform = [1, 2], seed = 3 }
memory = "host"
pinned = "PINNED"
[arguments.out]
type = "float"
shape = ["n"]
role = "output"
memory = "host"
pinned = "PINNED"
[arguments.count]
type = "int"
value = "length"
[arguments.first]
type = "int"
value = "pass * CHUNK"
[arguments.all]
type = "int"
value = "n"
[temporaries.work]
type = "float"
shape = ["n"]
[[launches]]
repeat = "ceildiv(n, CHUNK)"
[[launches.steps]]
copy = { from = "in", to = "work", elements = "length", from_offset = "pass * CHUNK", to_offset = "pass * CHUNK" }
stream = "pass % STREAMS"
[[launches.steps]]
kernel = "doubling"
grid = "ceildiv(length, 128)"
block = 128
arguments = ["work", "first", "count"]
stream = 0
after = ["pass % STREAMS"]
[[launches.steps]]
copy = { from = "work", to = "out", elements = "length", from_offset = "pass * CHUNK", to_offset = "pass * CHUNK" }
stream = "pass % STREAMS"
after = [0]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "out", "all"]
)toml";

inline constexpr char copying_kernel[] = R"(
extern "C" __global__ void doubling(float* data, int first, int count) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < count) data[first + i] *= 2;
}
)";

// With each (text, replacement) applied once.
inline std::string copying_with(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string manifest = copying_manifest;
  for (const auto& [from, to] : changes) {
    const std::size_t at = manifest.find(from);
    if (at == std::string::npos) throw std::logic_error("no '" + from + "' to replace");
    manifest.replace(at, from.size(), to);
  }
  return manifest;
}

inline void write_copying_template(const TemporaryFolder& folder, const std::string& manifest = copying_manifest) {
  folder.write("template.toml", manifest);
  folder.write("kernel.cu", copying_kernel);
  folder.write("reference.cu", doubling_reference);
}

}  // namespace warptune
