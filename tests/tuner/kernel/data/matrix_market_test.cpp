#include "tuner/kernel/data/matrix_market.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/temporary_folder.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SparseMatrix matrix_of(const std::string& text) {
  const TemporaryFolder folder;
  return read_matrix_market(folder.write("a.mtx", text));
}

std::string matrix_market_error(const std::string& text) {
  try {
    matrix_of(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

template <class T>
std::vector<T> part_of(const std::string& text, MatrixPart part, ElementType type, std::size_t elements) {
  const TemporaryFolder folder;
  const auto bytes = matrix_market_part(folder.write("a.mtx", text), part, type, elements);
  std::vector<T> numbers(bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

const std::string kReal =
    "%%MatrixMarket matrix coordinate real general\n"
    "% a comment\n"
    "\n"
    "3 4 4\n"
    "3 2 -1.5e1\n"
    "1 4 +2\n"
    "% another\n"
    "1 1 0.5\r\n"
    "3\t1\t4\n";

TEST(MatrixMarket, OrdersNonzerosByRowsAndColumns) {
  const SparseMatrix matrix = matrix_of(kReal);
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.columns, 4);
  EXPECT_THAT(matrix.row_starts(), ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(matrix.row_numbers, ElementsAre(0, 0, 2, 2));
  EXPECT_THAT(matrix.column_numbers, ElementsAre(0, 3, 0, 1));
  EXPECT_THAT(matrix.values, ElementsAre(0.5, 2.0, 4.0, -15.0));
  EXPECT_EQ(matrix.longest_row(), 2);
}

TEST(MatrixMarket, MirrorsSymmetricMatricesButNotTheirDiagonal) {
  const SparseMatrix matrix = matrix_of(
      "%%matrixmarket MATRIX Coordinate Integer Symmetric\n"
      "3 3 3\n"
      "1 1 7\n"
      "3 1 -8\n"
      "3 2 9\n");
  EXPECT_THAT(matrix.row_starts(), ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(matrix.column_numbers, ElementsAre(0, 2, 2, 0, 1));
  EXPECT_THAT(matrix.values, ElementsAre(7, -8, 9, -8, 9));
}

TEST(MatrixMarket, GivesPatternsOnes) {
  EXPECT_THAT(matrix_of("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n1 2\n").values,
              ElementsAre(1.0, 1.0));
}

TEST(MatrixMarket, TakesAMatrixWithoutNonzeros) {
  const SparseMatrix matrix = matrix_of("%%MatrixMarket matrix coordinate real general\n2 5 0\n");
  EXPECT_EQ(matrix.nonzeros(), 0);
  EXPECT_THAT(matrix.row_starts(), ElementsAre(0, 0, 0));
}

TEST(MatrixMarket, NamesTheLineOfWhatIsDamaged) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  const std::vector<std::array<std::string, 2>> damaged = {
      {"", "a.mtx:1: expected a line that begins with"},
      {"1 1 1\n1 1 1\n", "a.mtx:1: expected a line that begins with"},
      {"%%MatrixMarket matrix array real general\n1 1\n1\n", "a.mtx:1: the format 'array' is not supported"},
      {"%%MatrixMarket matrix coordinate complex general\n", "a.mtx:1: the field 'complex' is not supported"},
      {"%%MatrixMarket matrix coordinate real hermitian\n", "a.mtx:1: the symmetry 'hermitian' is not supported"},
      {banner + "% only a comment\n", "a.mtx:2: the file ends before its size line"},
      {banner + "2 2\n", "a.mtx:2: expected the numbers of rows, columns and nonzeros"},
      {banner + "2 2 1 1\n", "a.mtx:2: expected the numbers of rows, columns and nonzeros"},
      {banner + "2 0 1\n", "a.mtx:2: expected from 1 to 2147483647 rows and columns"},
      {banner + "2 2 -1\n", "a.mtx:2: expected from 1 to 2147483647 rows and columns"},
      {symmetric + "2 3 1\n", "a.mtx:2: expected as many columns as rows"},
      {symmetric + "2 2 1\n1 2 5\n", "a.mtx:3: expected nonzeros on or below the diagonal"},
      {banner + "2 2 1\n\n3 1 1.0\n", "a.mtx:4: expected a row from 1 to 2, found '3'"},
      {banner + "2 2 1\n1 0 1.0\n", "a.mtx:3: expected a column from 1 to 2, found '0'"},
      {banner + "2 2 1\n1.5 1 1.0\n", "a.mtx:3: expected a row from 1 to 2, found '1.5'"},
      {banner + "2 2 1\n1 1\n", "a.mtx:3: expected a number behind the row and the column"},
      {banner + "2 2 1\n1 1 one\n", "a.mtx:3: expected a number behind the row and the column"},
      {banner + "2 2 1\n1 1 1 1\n", "a.mtx:3: unexpected '1'"},
      {banner + "2 2 2\n1 1 1\n", "a.mtx:3: the file ends after 1 of 2 nonzeros"},
      {banner + "2 2 1\n1 1 1\n2 2 1\n", "a.mtx:4: expected the end: the size line names 1 nonzeros"},
      {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 0.5\n", "a.mtx:3: expected an integer"},
      {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", "a.mtx:3: unexpected '1'"},
  };
  for (const auto& [text, error] : damaged) EXPECT_THAT(matrix_market_error(text), HasSubstr(error)) << text;
  EXPECT_THROW(read_matrix_market("/nowhere/a.mtx"), std::runtime_error);
}

TEST(MatrixMarket, FillsBuffersOfTheArgumentsTypes) {
  EXPECT_THAT(part_of<int>(kReal, MatrixPart::row_starts, ElementType::i32, 4), ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(part_of<std::uint64_t>(kReal, MatrixPart::rows, ElementType::u64, 4), ElementsAre(0, 0, 2, 2));
  EXPECT_THAT(part_of<std::int64_t>(kReal, MatrixPart::columns, ElementType::i64, 4), ElementsAre(0, 3, 0, 1));
  EXPECT_THAT(part_of<float>(kReal, MatrixPart::values, ElementType::f32, 4), ElementsAre(0.5f, 2.0f, 4.0f, -15.0f));
  EXPECT_THAT(part_of<double>(kReal, MatrixPart::values, ElementType::f64, 4), ElementsAre(0.5, 2.0, 4.0, -15.0));
}

TEST(MatrixMarket, RefusesBuffersThatItDoesNotFit) {
  EXPECT_THROW(part_of<float>(kReal, MatrixPart::values, ElementType::f32, 5), std::runtime_error);
  EXPECT_THROW(part_of<int>(kReal, MatrixPart::row_starts, ElementType::i32, 3), std::runtime_error);
  EXPECT_THROW(part_of<int>(kReal, MatrixPart::values, ElementType::i32, 4), std::runtime_error);  // 0.5
  const std::string large = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 300\n";
  EXPECT_THROW(part_of<std::int8_t>(large, MatrixPart::values, ElementType::i8, 1), std::runtime_error);
  EXPECT_THAT(part_of<std::int16_t>(large, MatrixPart::values, ElementType::i16, 1), ElementsAre(300));
}

}  // namespace
}  // namespace warptune::tuner
