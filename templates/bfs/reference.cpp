// Breadth-first search from vertex 0 with one queue, as far as `depth` edges.
extern "C" void bfs_reference(const int* starts, const int* neighbours, int* levels, int* queue, int vertices,
                              int depth) {
  for (int vertex = 0; vertex < vertices; ++vertex) levels[vertex] = -1;
  levels[0] = 0;
  queue[0] = 0;
  int end = 1;
  for (int next = 0; next < end; ++next) {
    const int vertex = queue[next];
    if (levels[vertex] == depth) return;
    for (int i = starts[vertex]; i < starts[vertex + 1]; ++i) {
      if (levels[neighbours[i]] != -1) continue;
      levels[neighbours[i]] = levels[vertex] + 1;
      queue[end++] = neighbours[i];
    }
  }
}
