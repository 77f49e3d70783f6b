// Reads sparse matrices in Matrix Market files (Boisvert, Pozo & Remington, "The Matrix Market Exchange Formats:
// Initial Design", NISTIR 5935, 1996). It takes the coordinate format with real, integer or pattern fields, general or
// symmetric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// A SparseMatrix has the nonzeros in the order of their rows, and within a row in the order of their columns. A
// symmetric file's other half is there too, and an entry that the file names twice is there twice. Row and column
// numbers count from 0.
struct SparseMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::int32_t> row_numbers;     // of each nonzero
  std::vector<std::int32_t> column_numbers;  // of each nonzero
  std::vector<double> values;                // of each nonzero; 1 in a pattern

  std::int64_t nonzeros() const { return static_cast<std::int64_t>(values.size()); }
  // Returns where each row begins among the nonzeros, and at last their number: rows + 1 values. They are computed when
  // asked for, because a short file may name two billion rows.
  std::vector<std::int64_t> row_starts() const;
  std::int64_t longest_row() const;
};

// Throws search::DataError that names the file, the line and what was expected there.
SparseMatrix read_matrix_market(const std::filesystem::path& file);
// Does the same for a file's content. `name` is for messages.
SparseMatrix parse_matrix_market(std::string_view text, const std::string& name);

std::optional<MatrixPart> matrix_part_from_string(std::string_view name);

// Returns the part as a buffer's elements. Throws search::DataError naming the file if there are not `elements` of
// them, or if one does not fit the type.
std::vector<std::byte> matrix_market_part(const std::filesystem::path& file, MatrixPart part, ElementType type,
                                          std::size_t elements);
std::vector<std::byte> matrix_market_part(const SparseMatrix& matrix, const std::string& name, MatrixPart part,
                                          ElementType type, std::size_t elements);

}  // namespace warptune::tuner
