// cuSPARSE: y = A x for the CSR matrices of the template spmv, made by the same function.
#include <cusparse.h>

#include "harness.h"

// templates/spmv/fill.cpp: rows * average nonzeros; pattern 1 is a band, 2 a power law, 3 a band with gaps.
extern "C" void sparse_matrix(int* starts, int* columns, float* values, int rows, int average, int pattern);

namespace vendor {

namespace {

struct Csr {
  Csr(int rows, int average, int pattern)
      : rows(rows), starts(rows + 1), columns(std::size_t(rows) * average), values(columns.size()) {
    sparse_matrix(starts.data(), columns.data(), values.data(), rows, average, pattern);
  }

  int rows;
  std::vector<int> starts, columns;
  std::vector<float> values;
};

// A matrix of cuSPARSE's and two vectors, on the device.
class Product {
 public:
  explicit Product(const Csr& csr)
      : starts_(csr.starts), columns_(csr.columns), values_(csr.values), x_(csr.rows), y_(csr.rows) {
    fill_uniform(x_, 2);
    check(cusparseCreate(&handle_), "cusparseCreate");
    check(cusparseSetStream(handle_, stream()), "cusparseSetStream");
    check(cusparseCreateCsr(&matrix_, csr.rows, csr.rows, static_cast<std::int64_t>(csr.columns.size()), starts_.get(),
                            columns_.get(), values_.get(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
          "cusparseCreateCsr");
    check(cusparseCreateDnVec(&vec_x_, csr.rows, x_.get(), CUDA_R_32F), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&vec_y_, csr.rows, y_.get(), CUDA_R_32F), "cusparseCreateDnVec");
  }
  ~Product() {
    cusparseDestroyDnVec(vec_x_);
    cusparseDestroyDnVec(vec_y_);
    cusparseDestroySpMat(matrix_);
    cusparseDestroy(handle_);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  double ms(cusparseSpMVAlg_t algorithm) {
    constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const float alpha = 1, beta = 0;
    std::size_t bytes = 0;
    check(
        cusparseSpMV_bufferSize(handle_, plain, &alpha, matrix_, vec_x_, &beta, vec_y_, CUDA_R_32F, algorithm, &bytes),
        "cusparseSpMV_bufferSize");
    Array<unsigned char> scratch(bytes);
    check(cusparseSpMV_preprocess(handle_, plain, &alpha, matrix_, vec_x_, &beta, vec_y_, CUDA_R_32F, algorithm,
                                  scratch.get()),
          "cusparseSpMV_preprocess");
    const auto work = [&] {
      check(cusparseSpMV(handle_, plain, &alpha, matrix_, vec_x_, &beta, vec_y_, CUDA_R_32F, algorithm, scratch.get()),
            "cusparseSpMV");
    };
    return median_ms(work, {y_.output()});
  }

 private:
  Array<int> starts_, columns_;
  Array<float> values_, x_, y_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t vec_x_ = nullptr, vec_y_ = nullptr;
};

Figure spmv(int pattern) {
  const Csr csr(1 << 22, 16, pattern);
  // The least that must move: every nonzero with its column, every row's offset, x and y once.
  const double bytes = 8.0 * csr.columns.size() + 12.0 * csr.rows;
  Product product(csr);
  const double first_ms = product.ms(CUSPARSE_SPMV_CSR_ALG1), second_ms = product.ms(CUSPARSE_SPMV_CSR_ALG2);
  return {bytes / std::min(first_ms, second_ms) / 1e6, "GB/s", first_ms < second_ms ? "csr_alg1" : "csr_alg2"};
}

}  // namespace

void add_sparse(Cases& cases) {
  cases.push_back({"cusparse_spmv_band", [] { return spmv(1); }});
  cases.push_back({"cusparse_spmv_scattered_band", [] { return spmv(3); }});
  cases.push_back({"cusparse_spmv_power_law", [] { return spmv(2); }});
}

}  // namespace vendor
