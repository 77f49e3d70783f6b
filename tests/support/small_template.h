#pragma once

#include <string>

#include "tests/support/temporary_folder.h"

namespace warptune {

// A whole kernel template in a few lines: out[i] = 2 * in[i], with a parameter that breaks it in various ways.
inline constexpr char doubling_manifest[] = R"toml(
name = "doubling"
constraints = ["BLOCK * EACH <= 1024"]
[sizes]
n = 1000
[parameters.BLOCK]
values = [32, 64, 128]
default = 64
[parameters.EACH]
powers_of_two = [1, 8]
default = 1
[parameters.MODE]
values = ["good", "wrong", "unwritten", "outside", "broken", "greedy"]
default = "good"
[arguments.in]
type = "float"
shape = ["n"]
fill = { uniform = [1, 2], seed = 3 }
[arguments.out]
type = "float"
shape = ["n"]
role = "output"
[arguments.count]
type = "int"
value = "n"
[[launches]]
kernel = "doubling"
grid = "ceildiv(n, BLOCK * EACH)"
block = "BLOCK"
shared = "MODE == 'greedy' and 300000 or 0"
arguments = ["in", "out", "count"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "out", "count"]
[metrics]
"GB/s" = { value = "8 * n / time / 1e9" }
)toml";

inline constexpr char doubling_kernel[] = R"(
#define good 0
#define wrong 1
#define unwritten 2
#define outside 3
#define broken 4
#define greedy 5
#if MODE == broken
#error "this configuration does not compile"
#endif
extern "C" __global__ void doubling(const float* in, float* out, int count) {
  for (int e = 0; e < EACH; ++e) {
    const int i = (blockIdx.x * EACH + e) * BLOCK + threadIdx.x;
    if (i >= count) {
#if MODE == outside
      if (i == count) out[i] = 7;
#endif
      continue;
    }
    if (MODE == unwritten && i == 517) continue;
    out[i] = MODE == wrong && i >= 700 ? 3 * in[i] : 2 * in[i];
  }
}
)";

inline constexpr char doubling_reference[] = R"(
extern "C" __global__ void reference(const float* in, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2.0 * in[i];
}
)";

inline void write_doubling_template(const TemporaryFolder& folder, const std::string& manifest = doubling_manifest) {
  folder.write("template.toml", manifest);
  folder.write("kernel.cu", doubling_kernel);
  folder.write("reference.cu", doubling_reference);
}

}  // namespace warptune
