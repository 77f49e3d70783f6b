#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/small_template.h"

namespace warptune {

// The doubling of small_template.h for data in memory of the host's that kernels reach.
inline constexpr char managed_manifest[] = R"toml(
name = "managed"
constraints = ["not PREFETCH or MEMORY == 'managed'"]
[sizes]
n = 1000
[parameters.MEMORY]
values = ["mapped", "managed"]
default = "managed"
[parameters.PREFETCH]
values = [false, true]
default = false
[arguments.in]
type = "float"
shape = ["n"]
fill = { uniform = [1, 2], seed = 3 }
memory = "MEMORY"
[arguments.out]
type = "float"
shape = ["n"]
role = "output"
memory = "MEMORY"
[arguments.count]
type = "int"
value = "n"
[[launches]]
prefetch = { buffer = "in", offset = 10, elements = "n - 10", to = "device" }
when = "PREFETCH"
[[launches]]
kernel = "doubling"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "out", "count"]
[[launches]]
prefetch = { buffer = "out", to = "host" }
when = "PREFETCH"
[[launches]]
touch = { buffer = "out" }
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "out", "count"]
)toml";

inline constexpr char managed_kernel[] = R"(
extern "C" __global__ void doubling(float* in, float* out, int count) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < count) out[i] = 2 * in[i];
}
)";

using TextChanges = std::vector<std::pair<std::string, std::string>>;

// Each (text, replacement) is applied once, to the manifest or to the kernel.
inline void write_managed_template(const TemporaryFolder& folder, const TextChanges& changes = {}) {
  std::string manifest = managed_manifest, kernel = managed_kernel;
  for (const auto& [from, to] : changes) {
    std::string& text = manifest.find(from) != std::string::npos ? manifest : kernel;
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("no '" + from + "' to replace");
    text.replace(at, from.size(), to);
  }
  folder.write("template.toml", manifest);
  folder.write("kernel.cu", kernel);
  folder.write("reference.cu", doubling_reference);
}

}  // namespace warptune
