#pragma once

#include <string>

#include "tests/support/temporary_folder.h"

namespace warptune {

// out = 2 * in for matrices of floats, box by box through a tensor map. Elsewhere than on the host the kernel copies
// nothing: there only its arguments are of interest.
inline constexpr char boxes_manifest[] = R"toml(
name = "boxes"
[sizes]
ROWS = 50
COLUMNS = 36
[parameters.BOX]
values = [4, 8, 32, 512]
default = 8
[parameters.SWIZZLE]
values = [0, 128]
default = 128
[arguments.in]
type = "float"
shape = ["ROWS", "COLUMNS"]
fill = { uniform = [1, 2], seed = 3 }
[arguments.out]
type = "float"
shape = ["ROWS", "COLUMNS"]
role = "output"
[arguments.rows]
type = "int"
value = "ROWS"
[arguments.columns]
type = "int"
value = "COLUMNS"
[arguments.count]
type = "int"
value = "ROWS * COLUMNS"
[tensor_maps.in_map]
of = "in"
box = ["BOX", 32]
swizzle = "SWIZZLE"
l2_promotion = 256
[[launches]]
kernel = "boxes"
grid = ["ceildiv(COLUMNS, 32)", "ceildiv(ROWS, BOX)"]
block = 32
arguments = ["in_map", "out", "rows", "columns"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(ROWS * COLUMNS, 128)"
block = 128
arguments = ["in", "out", "count"]
)toml";

inline constexpr char boxes_kernel[] = R"(
#ifdef WARPTUNE_HOST
using Map = CUtensorMap;
#else
struct alignas(64) Map { unsigned char bytes[128]; };
#endif
extern "C" __global__ void boxes(const __grid_constant__ Map map, float* out, int rows, int columns) {
  __shared__ __align__(1024) float box[(BOX < 64 ? BOX : 64) * 32];
  const int column = blockIdx.x * 32, row = blockIdx.y * BOX, lane = threadIdx.x;
#ifdef WARPTUNE_HOST
  const int at[] = {column, row};
  if (lane == 0) warptune_host::load_box(box, map, at);
#endif
  __syncthreads();
  for (int r = 0; r < BOX; ++r) {
    const int place = SWIZZLE == 128 ? lane ^ (r % 8 * 4) : lane;
    if (row + r < rows && column + lane < columns) out[(row + r) * columns + column + lane] = 2 * box[r * 32 + place];
  }
}
)";

inline constexpr char boxes_reference[] = R"(
extern "C" __global__ void reference(const float* in, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2.0 * in[i];
}
)";

// With each (text, replacement) applied once.
inline void write_boxes_template(const TemporaryFolder& folder,
                                 const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  std::string manifest = boxes_manifest;
  for (const auto& [from, to] : changes) {
    const std::size_t at = manifest.find(from);
    if (at == std::string::npos) throw std::logic_error("no '" + from + "' to replace");
    manifest.replace(at, from.size(), to);
  }
  folder.write("template.toml", manifest);
  folder.write("kernel.cu", boxes_kernel);
  folder.write("reference.cu", boxes_reference);
}

}  // namespace warptune
