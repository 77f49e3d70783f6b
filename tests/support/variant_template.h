#pragma once

#include <string>

#include "tests/support/temporary_folder.h"

namespace warptune {

// out[i] = +-2 * in[i] or, by ORDER, from the other end, of floats or doubles: a choice of each type that variants
// have. The macros are used as they come: a type, a boolean, an enumerator's name.
inline constexpr char variant_manifest[] = R"toml(
name = "turned"
[sizes]
n = 1000
count = { default = 1, most = 8 }
[variants]
PRECISION = ["float", "double"]
NEGATED = [false, true]
ORDER = ["forward", "backward"]
[presets.reverse]
n = 100
ORDER = "backward"
[parameters.BLOCK]
values = [32, 64]
default = 64
[arguments.in]
type = "double"
shape = ["n"]
fill = { function = "numbers" }
[arguments.out]
type = "double"
shape = ["n"]
role = "output"
tolerance = { relative = "0 if PRECISION == 'double' else 1e-6" }
[arguments.size]
type = "int"
value = "n"
[fills.numbers]
source = "fill.cpp"
arguments = ["in", "size"]
[[launches]]
kernel = "turned<{PRECISION}>"
grid = "ceildiv(n, BLOCK)"
block = "BLOCK"
arguments = ["in", "out", "size"]
[reference]
source = "reference.cpp"
function = "turned_reference"
arguments = ["in", "out", "size"]
[metrics]
"GB/s" = { value = "(8 if PRECISION == 'float' else 16) * n / time / 1e9" }
)toml";

inline constexpr char variant_kernel[] = R"(
enum class Order { forward, backward };
template <class T>
__global__ void turned(const double* in, double* out, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const PRECISION x = in[Order::ORDER == Order::forward ? i : size - 1 - i];
  out[i] = T(NEGATED ? -2 * x : 2 * x);
}
)";

inline constexpr char variant_functions[] = R"(
enum class Order { forward, backward };
extern "C" void turned_reference(const double* in, double* out, int size) {
  for (int i = 0; i < size; ++i) {
    const double x = in[Order::ORDER == Order::forward ? i : size - 1 - i];
    out[i] = NEGATED ? -2 * x : 2 * x;
  }
}
extern "C" void numbers(double* in, int size) {
  for (int i = 0; i < size; ++i) in[i] = sizeof(PRECISION) + 1.0 / (i + 3);
}
)";

inline void write_variant_template(const TemporaryFolder& folder, std::string manifest = variant_manifest) {
  folder.write("template.toml", manifest);
  folder.write("kernel.cu", variant_kernel);
  folder.write("reference.cpp", variant_functions);
  folder.write("fill.cpp", variant_functions);
}

}  // namespace warptune
