// Parses Matrix Market files line by line.
#include "tuner/kernel/data/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "search/error.h"
#include "search/plain_text.h"
#include "tuner/kernel/data/data_file.h"
#include "tuner/kernel/plan.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

constexpr std::array<std::string_view, 4> kPartNames = {"row_starts", "rows", "columns", "values"};

// Words gives a line's words, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  // Returns the next word. It is empty behind the last one.
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(kBlanks));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  static constexpr std::string_view kBlanks = " \t\r";
  std::string_view rest_;
};

template <class T>
bool parse(std::string_view word, T& number) {
  if (word.starts_with('+')) word.remove_prefix(1);  // Fortran writes it, from_chars refuses it
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

struct Entry {
  std::int32_t row;
  std::int32_t column;
  double value;
};

// Reads a file line by line, so that errors name the line.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name)
      : name_(name), rest_(without_byte_order_mark(text)), bytes_(text.size()) {}

  SparseMatrix matrix() {
    read_banner();
    read_size();
    std::vector<Entry> entries;
    // The file's own count may be wrong, so the file's size limits what is reserved. A nonzero takes four characters at
    // least.
    entries.reserve(std::min(static_cast<std::size_t>(count_), bytes_ / 4) * (symmetric_ ? 2 : 1));
    for (std::int64_t i = 0; i < count_; ++i) {
      if (!next_line()) fail(fmt::format("the file ends after {} of {} nonzeros", i, count_));
      const Entry entry = read_entry();
      entries.push_back(entry);
      if (symmetric_ && entry.row != entry.column) entries.push_back({entry.column, entry.row, entry.value});
    }
    if (next_line()) fail(fmt::format("expected the end: the size line names {} nonzeros", count_));
    return sorted(entries);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw search::DataError(fmt::format("{}:{}: {}", name_, line_number_, what));
  }

  bool take_line() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_.assign(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return true;
  }

  // Moves to the next line that is neither blank nor a comment. Returns false if there is none.
  bool next_line() {
    while (take_line()) {
      ++line_number_;
      const std::string_view word = Words(line_).next();
      if (!word.empty() && word.front() != '%') return true;
    }
    return false;
  }

  void read_banner() {
    take_line();
    line_number_ = 1;
    line_ = search::lower_case(std::move(line_));
    Words words(line_);
    if (words.next() != "%%matrixmarket" || words.next() != "matrix")
      fail("expected a line that begins with '%%MatrixMarket matrix'");
    expect(words.next(), {"coordinate"}, "format");
    const std::string_view field = expect(words.next(), {"real", "integer", "pattern"}, "field");
    pattern_ = field == "pattern";
    integer_ = field == "integer";
    symmetric_ = expect(words.next(), {"general", "symmetric"}, "symmetry") == "symmetric";
  }

  std::string_view expect(std::string_view word, std::initializer_list<std::string_view> known,
                          std::string_view what) const {
    if (std::ranges::find(known, word) == known.end())
      fail(fmt::format("the {} '{}' is not supported; expected {}", what, word, fmt::join(known, " or ")));
    return word;
  }

  void read_size() {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (!next_line()) fail("the file ends before its size line");
    Words words(line_);
    if (!parse(words.next(), rows_) || !parse(words.next(), columns_) || !parse(words.next(), count_) ||
        !words.next().empty())
      fail("expected the numbers of rows, columns and nonzeros");
    if (rows_ < 1 || columns_ < 1 || count_ < 0 || rows_ > most || columns_ > most)
      fail(fmt::format("expected from 1 to {} rows and columns, and no negative number of nonzeros", most));
    if (symmetric_ && rows_ != columns_) fail("expected as many columns as rows in a symmetric matrix");
  }

  Entry read_entry() const {
    Words words(line_);
    const std::int32_t row = read_index(words.next(), rows_, "row");
    const std::int32_t column = read_index(words.next(), columns_, "column");
    if (symmetric_ && column > row) fail("expected nonzeros on or below the diagonal only in a symmetric matrix");
    double value = 1.0;
    std::int64_t integer = 0;
    if (integer_) {
      if (!parse(words.next(), integer)) fail("expected an integer behind the row and the column");
      value = static_cast<double>(integer);
    } else if (!pattern_ && !parse(words.next(), value)) {
      fail("expected a number behind the row and the column");
    }
    if (const std::string_view more = words.next(); !more.empty()) fail(fmt::format("unexpected '{}'", more));
    return {row, column, value};
  }

  std::int32_t read_index(std::string_view word, std::int64_t most, std::string_view what) const {
    std::int64_t index = 0;
    if (!parse(word, index) || index < 1 || index > most)
      fail(fmt::format("expected a {} from 1 to {}, found '{}'", what, most, word));
    return static_cast<std::int32_t>(index - 1);
  }

  SparseMatrix sorted(std::vector<Entry>& entries) const {
    std::ranges::stable_sort(
        entries, [](const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
    SparseMatrix result;
    result.rows = rows_;
    result.columns = columns_;
    for (const Entry& entry : entries) {
      result.row_numbers.push_back(entry.row);
      result.column_numbers.push_back(entry.column);
      result.values.push_back(entry.value);
    }
    return result;
  }

  const std::string& name_;
  std::string_view rest_;
  std::size_t bytes_;
  std::string line_;
  std::int64_t line_number_ = 0;
  bool pattern_ = false, integer_ = false, symmetric_ = false;
  std::int64_t rows_ = 0, columns_ = 0, count_ = 0;
};

// Returns numbers as a buffer's elements. An integer type takes whole numbers only.
template <class T>
std::vector<std::byte> elements_of(const std::vector<T>& numbers, ElementType type) {
  const std::size_t size = size_bytes(type);
  std::vector<std::byte> bytes(numbers.size() * size);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<double>(numbers[i]);
    if (!is_floating(type) && (std::trunc(number) != number || std::abs(number) >= 0x1p63))
      throw std::invalid_argument(fmt::format("{} does not fit the argument's type", number));
    const search::Value value =
        is_floating(type) ? search::Value(number) : search::Value(static_cast<std::int64_t>(numbers[i]));
    std::memcpy(bytes.data() + i * size, scalar_bytes(type, value).data(), size);
  }
  return bytes;
}

std::vector<std::byte> part_of(const SparseMatrix& matrix, MatrixPart part, ElementType type) {
  switch (part) {
    case MatrixPart::row_starts:
      return elements_of(matrix.row_starts(), type);
    case MatrixPart::rows:
      return elements_of(matrix.row_numbers, type);
    case MatrixPart::columns:
      return elements_of(matrix.column_numbers, type);
    case MatrixPart::values:
      return elements_of(matrix.values, type);
  }
  throw std::logic_error("no such part of a matrix");
}

}  // namespace

std::vector<std::int64_t> SparseMatrix::row_starts() const {
  std::vector<std::int64_t> starts(static_cast<std::size_t>(rows) + 1, 0);
  for (const std::int32_t row : row_numbers) ++starts[static_cast<std::size_t>(row) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  return starts;
}

std::int64_t SparseMatrix::longest_row() const {
  std::int64_t longest = 0;
  for (std::size_t begin = 0, end = 0; begin < row_numbers.size(); begin = end) {
    while (end < row_numbers.size() && row_numbers[end] == row_numbers[begin]) ++end;
    longest = std::max(longest, static_cast<std::int64_t>(end - begin));
  }
  return longest;
}

SparseMatrix parse_matrix_market(std::string_view text, const std::string& name) {
  return Reader(text, name).matrix();
}

SparseMatrix read_matrix_market(const std::filesystem::path& file) {
  return parse_matrix_market(read_data_file(file), file.string());
}

std::optional<MatrixPart> matrix_part_from_string(std::string_view name) {
  const auto found = std::ranges::find(kPartNames, name);
  if (found == kPartNames.end()) return std::nullopt;
  return static_cast<MatrixPart>(found - kPartNames.begin());
}

std::vector<std::byte> matrix_market_part(const std::filesystem::path& file, MatrixPart part, ElementType type,
                                          std::size_t elements) {
  return matrix_market_part(read_matrix_market(file), file.string(), part, type, elements);
}

std::vector<std::byte> matrix_market_part(const SparseMatrix& matrix, const std::string& name, MatrixPart part,
                                          ElementType type, std::size_t elements) {
  const auto what = kPartNames[static_cast<std::size_t>(part)];
  const std::size_t found =
      part == MatrixPart::row_starts ? static_cast<std::size_t>(matrix.rows) + 1 : matrix.values.size();
  if (found != elements)
    throw search::DataError(fmt::format(
        "{}: the buffer has {} elements, but there are {} {} ({} x {}, {} nonzeros); take its sizes from the file",
        name, elements, found, what, matrix.rows, matrix.columns, matrix.nonzeros()));
  try {
    return part_of(matrix, part, type);
  } catch (const std::invalid_argument& error) {
    throw search::DataError(fmt::format("the {} of {} cannot be {}: {}", what, name, to_string(type), error.what()));
  }
}

}  // namespace warptune::tuner
