// The potential in double precision: atoms in linked lists, one for each cube of CELL points' edge, so that no list is
// ever full. A thread per point walks the lists around it.
#define CELL 8

__device__ inline int cells_along(int points) {
  return (points + CELL - 1) / CELL;
}

// Where an atom is: the float that its share of the extent rounds to, which is the kernels' datum too.
__device__ inline float coordinate(float share, int points) {
  return __fmul_rn(share, 0.5f * static_cast<float>(points));
}

__device__ inline int cell_of(float share, int points) {
  return min(static_cast<int>(coordinate(share, points) * (2.0f / CELL)), cells_along(points) - 1);
}

// heads: one a cell, zero before; next: one for each atom. Both hold an atom's number plus one, or zero.
extern "C" __global__ void link_atoms(const float* atoms, int* heads, int* next, int nx, int ny, int nz, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float* atom = atoms + 4 * static_cast<long long>(i);
  const int cell =
      (cell_of(atom[2], nz) * cells_along(ny) + cell_of(atom[1], ny)) * cells_along(nx) + cell_of(atom[0], nx);
  next[i] = atomicExch(heads + cell, i + 1);
}

struct Sum {
  double x;
  double y;
  double z;
  double cutoff;
  double value;

  __device__ void add(double atom_x, double atom_y, double atom_z, double charge) {
    const double dx = x - atom_x;
    const double dy = y - atom_y;
    const double dz = z - atom_z;
    const double distance_squared = dx * dx + dy * dy + dz * dz;
    const double inside = 1.0 - distance_squared / (cutoff * cutoff);
    if (inside > 0.0) value += charge / sqrt(distance_squared) * inside * inside;
  }
};

extern "C" __global__ void coulomb_cutoff_reference(const float* atoms, const int* heads, const int* next,
                                                    double* potential, int nx, int ny, int nz, int cutoff) {
  const long long point = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (point >= static_cast<long long>(nx) * ny * nz) return;
  const int x = static_cast<int>(point % nx);
  const int y = static_cast<int>(point / nx % ny);
  const int z = static_cast<int>(point / nx / ny);
  const int reach = (2 * cutoff + CELL - 1) / CELL;
  Sum sum{0.5 * x, 0.5 * y, 0.5 * z, static_cast<double>(cutoff), 0.0};
  for (int cz = max(z / CELL - reach, 0); cz <= min(z / CELL + reach, cells_along(nz) - 1); ++cz)
    for (int cy = max(y / CELL - reach, 0); cy <= min(y / CELL + reach, cells_along(ny) - 1); ++cy)
      for (int cx = max(x / CELL - reach, 0); cx <= min(x / CELL + reach, cells_along(nx) - 1); ++cx)
        for (int i = heads[(cz * cells_along(ny) + cy) * cells_along(nx) + cx]; i != 0; i = next[i - 1]) {
          const float* atom = atoms + 4 * static_cast<long long>(i - 1);
          sum.add(coordinate(atom[0], nx), coordinate(atom[1], ny), coordinate(atom[2], nz), atom[3]);
        }
  potential[point] = sum.value;
}
