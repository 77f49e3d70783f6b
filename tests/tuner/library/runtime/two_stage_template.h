#pragma once

#include <string>

#include "tests/support/temporary_folder.h"
#include "tuner/results/wisdom/wisdom_file.h"

namespace warptune::tuner {

// out[i] = factor * in[i] + offset[0], in two launches through scratch memory that must be zero before; used[0] =
// BLOCK.
inline constexpr char two_stage_manifest[] = R"toml(
name = "two_stage"
constraints = ["n % EACH == 0"]
[sizes]
n = 1000
[parameters.BLOCK]
values = [32, 64, 128]
default = 32
[parameters.EACH]
values = [1, 2, 4]
default = 1
[arguments.in]
type = "float"
shape = ["n"]
fill = { uniform = [1, 2] }
[arguments.offset]
type = "float"
shape = [1]
symbol = "offset"
fill = { constant = 10 }
[arguments.out]
type = "float"
shape = ["n"]
role = "output"
tolerance = { relative = 1e-6 }
[arguments.used]
type = "int"
shape = [1]
role = "inout"
fill = { constant = 0 }
tolerance = { absolute = 1000 }
[arguments.count]
type = "int"
value = "n"
[arguments.factor]
type = "float"
value = 2
[temporaries.staged]
type = "float"
shape = ["n"]
zero = true
[[launches]]
kernel = "stage"
grid = "ceildiv(n, BLOCK * EACH)"
block = "BLOCK"
arguments = ["in", "staged", "count"]
[[launches]]
kernel = "finish"
grid = "ceildiv(n, BLOCK * EACH)"
block = "BLOCK"
arguments = ["staged", "out", "used", "count", "factor"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "offset", "out", "count", "factor"]
)toml";

inline constexpr char two_stage_kernel[] = R"(
__constant__ float offset[1];
extern "C" __global__ void stage(const float* in, float* staged, int count) {
  for (int e = 0; e < EACH; ++e) {
    const int i = (blockIdx.x * EACH + e) * BLOCK + threadIdx.x;
    if (i < count) staged[i] += in[i];
  }
}
extern "C" __global__ void finish(const float* staged, float* out, int* used, int count, float factor) {
  if (blockIdx.x == 0 && threadIdx.x == 0) used[0] = BLOCK;
  for (int e = 0; e < EACH; ++e) {
    const int i = (blockIdx.x * EACH + e) * BLOCK + threadIdx.x;
    if (i < count) out[i] = factor * staged[i] + offset[0];
  }
}
)";

inline constexpr char two_stage_reference[] = R"(
extern "C" __global__ void reference(const float* in, const float* offset, double* out, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = double(factor) * in[i] + offset[0];
}
)";

inline void write_two_stage_template(const TemporaryFolder& folder) {
  folder.write("template.toml", two_stage_manifest);
  folder.write("kernel.cu", two_stage_kernel);
  folder.write("reference.cu", two_stage_reference);
}

inline WisdomEntry two_stage_entry(const std::string& device, std::int64_t capability, std::int64_t n,
                                   std::int64_t block, std::int64_t each = 1) {
  WisdomEntry entry;
  entry.device = device;
  entry.compute_capability = capability;
  entry.sizes = {{"n", n}};
  entry.values = {{"BLOCK", block}, {"EACH", each}};
  entry.time_ms = 1;
  return entry;
}

inline std::filesystem::path write_two_stage_wisdom(const TemporaryFolder& folder, std::vector<WisdomEntry> entries) {
  Wisdom wisdom{"two_stage", {{"BLOCK", std::int64_t{32}}, {"EACH", std::int64_t{1}}}, std::move(entries)};
  normalize(wisdom);
  return folder.write("wisdom.json", wisdom_text(wisdom));
}

}  // namespace warptune::tuner
