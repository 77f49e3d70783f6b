// cuSPARSE: y = A x for CSR matrices, a band and one whose row lengths follow a power law.
#include <cusparse.h>

#include <cmath>
#include <cstdint>

#include "harness.h"

namespace vendor {

namespace {

struct Csr {
  std::vector<std::int32_t> offsets, columns;
};

// 8 to 24 nonzeros a row, next to the diagonal.
Csr band(int rows) {
  Csr matrix{{0}, {}};
  for (int row = 0; row < rows; ++row) {
    const int length = 8 + static_cast<int>(mixed(row) % 17);
    const int first = std::clamp(row - length / 2, 0, rows - length);
    for (int i = 0; i < length; ++i) matrix.columns.push_back(first + i);
    matrix.offsets.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  return matrix;
}

// Row lengths 4 / u, u uniform in (0, 1], at most 4096; columns anywhere, ascending.
Csr power_law(int rows) {
  Csr matrix{{0}, {}};
  for (int row = 0; row < rows; ++row) {
    const double u = (mixed(row * 2654435761u) + 1.0) / 4294967296.0;
    const int length = static_cast<int>(std::min(4096.0, std::ceil(4 / u)));
    const std::int64_t stride = rows / length;
    for (int i = 0; i < length; ++i)
      matrix.columns.push_back(static_cast<std::int32_t>(i * stride + mixed(row + i * 40503u) % stride));
    matrix.offsets.push_back(static_cast<std::int32_t>(matrix.columns.size()));
  }
  return matrix;
}

void spmv(const char* name, const Csr& matrix, int rows) {
  const std::int64_t nonzeros = static_cast<std::int64_t>(matrix.columns.size());
  Array<std::int32_t> offsets(matrix.offsets), columns(matrix.columns);
  Array<float> values(nonzeros), x(rows), y(rows);
  fill_uniform(values, 1), fill_uniform(x, 2);
  cusparseHandle_t handle;
  check(cusparseCreate(&handle), "cusparseCreate");
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vec_x, vec_y;
  check(cusparseCreateCsr(&a, rows, rows, nonzeros, offsets.get(), columns.get(), values.get(), CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
        "cusparseCreateCsr");
  cusparseCreateDnVec(&vec_x, rows, x.get(), CUDA_R_32F);
  cusparseCreateDnVec(&vec_y, rows, y.get(), CUDA_R_32F);
  const float alpha = 1, beta = 0;
  double best_ms = 1e30;
  for (const auto algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, vec_x, &beta, vec_y, CUDA_R_32F,
                                  algorithm, &bytes),
          "cusparseSpMV_bufferSize");
    Array<unsigned char> scratch(bytes);
    check(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, vec_x, &beta, vec_y, CUDA_R_32F,
                                  algorithm, scratch.get()),
          "cusparseSpMV_preprocess");
    best_ms = std::min(best_ms, median_ms([&] {
                         check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, vec_x, &beta, vec_y,
                                            CUDA_R_32F, algorithm, scratch.get()),
                               "cusparseSpMV");
                       }));
  }
  // The least that must move: every nonzero with its column, every row's offset, x and y once.
  const double bytes = 8.0 * nonzeros + 4.0 * (rows + 1) + 8.0 * rows;
  report(std::string("cusparse_spmv_") + name, bytes / best_ms / 1e6, "GB/s");
  cusparseDestroyDnVec(vec_x);
  cusparseDestroyDnVec(vec_y);
  cusparseDestroySpMat(a);
  cusparseDestroy(handle);
}

}  // namespace

void run_sparse() {
  spmv("band", band(1 << 22), 1 << 22);
  spmv("power_law", power_law(1 << 20), 1 << 20);
}

}  // namespace vendor
