// Makes the content of fills from files and formulas. A formula is evaluated on the host, element by element: it is
// T1's Python, whose integers, floors and choices the device's own fills do not have.
#include "tuner/kernel/data/fill_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tuner/kernel/data/matrix_market.h"
#include "tuner/kernel/data/npy.h"
#include "tuner/kernel/plan.h"

namespace warptune::tuner {

namespace {

std::vector<std::byte> read_raw(const std::filesystem::path& file, std::size_t bytes) {
  std::error_code error;
  const std::uintmax_t found = std::filesystem::file_size(file, error);
  if (error) throw std::runtime_error(fmt::format("cannot read {}: {}", file.string(), error.message()));
  if (found != bytes)
    throw std::runtime_error(
        fmt::format("{}: expected {} bytes of raw elements, found {}", file.string(), bytes, found));
  std::vector<std::byte> content(bytes);
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(bytes));
  if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
  return content;
}

// Python would refuse a fraction for an integer's bytes, NumPy cuts it off; T1's tuners do as NumPy.
search::Value fitting(const search::Value& value, ElementType type) {
  if (is_floating(type) || !std::holds_alternative<double>(value)) return value;
  return static_cast<std::int64_t>(std::get<double>(value));
}

std::vector<std::byte> evaluate_formula(const search::Expression& formula, ElementType type, std::size_t elements) {
  const std::size_t size = size_bytes(type);
  std::vector<std::byte> content(elements * size);
  search::NamedValues scope{{"i", std::int64_t{0}}};
  for (std::size_t i = 0; i < elements; ++i) try {
      scope.front().second = static_cast<std::int64_t>(i);
      const auto bytes = scalar_bytes(type, fitting(formula.evaluate(scope), type));
      std::copy_n(bytes.begin(), size, content.begin() + static_cast<std::ptrdiff_t>(i * size));
    } catch (const std::exception& error) {
      throw std::invalid_argument(fmt::format("the fill '{}' at i = {}: {}", formula.text(), i, error.what()));
    }
  return content;
}

std::vector<std::byte> given_content(const std::vector<std::byte>& contents, ElementType type, std::size_t elements) {
  const std::size_t given = contents.size() / size_bytes(type);
  if (given != elements)
    throw std::invalid_argument(
        fmt::format("its fill gives {} values, and its shape has {} elements", given, elements));
  return contents;
}

}  // namespace

std::optional<std::vector<std::byte>> fill_content(const Fill& fill, ElementType type, std::size_t elements) {
  switch (fill.kind) {
    case Fill::Kind::npy:
      return read_npy(fill.file, type, elements);
    case Fill::Kind::matrix_market:
      return matrix_market_part(fill.file, fill.part, type, elements);
    case Fill::Kind::given:
      return given_content(*fill.contents, type, elements);
    case Fill::Kind::raw:
      return read_raw(fill.file, elements * size_bytes(type));
    case Fill::Kind::formula:
      return evaluate_formula(fill.formula, type, elements);
    case Fill::Kind::constant:
    case Fill::Kind::range:
    case Fill::Kind::uniform:
    case Fill::Kind::normal:
    case Fill::Kind::function:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace warptune::tuner
