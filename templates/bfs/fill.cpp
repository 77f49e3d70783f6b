// A directed graph in CSR with exactly `vertices * average` edges: vertices of average / 2 to average * 3 /
// 2 edges that lead anywhere, or (power_law) out-degrees that follow a power law (the r-th largest is about average / 2
// * sqrt(vertices / r)), and edges that lead to a vertex the more often the more edges it has (Chung & Lu 2002; as in
// an R-MAT graph hubs know hubs, but edges are made in their order, without a sort). The random numbers are
// splitmix64's (Steele et al. 2014), a hash of a counter.
#include <cmath>

static unsigned hashed(long long i) {
  unsigned long long x = static_cast<unsigned long long>(i) + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return static_cast<unsigned>((x ^ (x >> 31)) >> 32);
}

// A random number from 0 to below n.
static long long share(unsigned long long bits, long long n) {
  return static_cast<long long>(bits * static_cast<unsigned long long>(n) >> 32);
}

// Two vertices together have twice the average; a last one without a partner has the average itself.
static long long even_degree(int vertex, int vertices, int average) {
  if (vertex % 2 == 0 && vertex == vertices - 1) return average;
  const long long more = share(hashed(~static_cast<long long>(vertex / 2)), average / 2 + 1);
  return vertex % 2 == 0 ? average + more : average - more;
}

// Edges of the `rank` largest vertices together: total * sqrt(rank / vertices). Division and root are
// rounded as IEEE 754 says, the same everywhere.
static long long edges_of_largest(long long rank, long long vertices, long long total) {
  const double part = static_cast<double>(rank) / static_cast<double>(vertices);
  return static_cast<long long>(static_cast<double>(total) * std::sqrt(part));
}

static long long common_divisor(long long a, long long b) {
  return b == 0 ? a : common_divisor(b, a % b);
}

// The vertex of rank r is r * stride modulo the number of vertices: in no visible order, and vertex 0 is the largest.
static long long stride_through(int vertices) {
  long long stride = static_cast<long long>(vertices * 0.618) + 1;
  while (common_divisor(stride, vertices) != 1) ++stride;
  return stride;
}

// The number whose product with `stride` is 1 modulo `vertices` (Euclid).
static long long inverse(long long stride, long long vertices) {
  long long a = stride % vertices, b = vertices, x = 1, y = 0;
  while (b != 0) {
    const long long quotient = a / b, rest = a % b, next = x - quotient * y;
    a = b, b = rest, x = y, y = next;
  }
  return (x % vertices + vertices) % vertices;
}

// starts: vertices + 1; neighbours: vertices * average.
extern "C" void random_graph(int* starts, int* neighbours, int vertices, int average, int power_law) {
  const long long total = static_cast<long long>(vertices) * average;
  const long long stride = stride_through(vertices);
  const long long unstride = inverse(stride, vertices);
  long long next = 0;
  for (int vertex = 0; vertex < vertices; ++vertex) {
    starts[vertex] = static_cast<int>(next);
    const long long rank = vertex * unstride % vertices;
    const long long degree = power_law
                                 ? edges_of_largest(rank + 1, vertices, total) - edges_of_largest(rank, vertices, total)
                                 : even_degree(vertex, vertices, average);
    for (long long i = 0; i < degree; ++i, ++next) {
      const unsigned long long bits = hashed(next);
      neighbours[next] =
          static_cast<int>(power_law ? share(bits * bits >> 32, vertices) * stride % vertices : share(bits, vertices));
    }
  }
  starts[vertices] = static_cast<int>(next);
}
