// The transposes, a thread per element. No arithmetic.
template <class Element>
__device__ void transposed(const Element* input, Element* output, int batch, int rows, int columns) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(batch) * rows * columns) return;
  const long long matrix = i / (static_cast<long long>(rows) * columns);
  const long long row = i / columns % rows, column = i % columns;
  output[(matrix * columns + column) * rows + row] = input[i];
}

extern "C" __global__ void reference_of_words(const unsigned* input, unsigned* output, int batch, int rows,
                                              int columns) {
  transposed(input, output, batch, rows, columns);
}

extern "C" __global__ void reference_of_halves(const unsigned short* input, unsigned short* output, int batch, int rows,
                                               int columns) {
  transposed(input, output, batch, rows, columns);
}

extern "C" __global__ void reference_of_bytes(const unsigned char* input, unsigned char* output, int batch, int rows,
                                              int columns) {
  transposed(input, output, batch, rows, columns);
}
