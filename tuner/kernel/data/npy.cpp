// The header is read by a parser of its own for the few forms that NumPy writes. Rejected: std::regex, which recurses
// once a character and crashed on long headers, and searching for the type's name anywhere, which took a structured
// type for its first field.
#include "tuner/kernel/data/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>

#include "search/error.h"
#include "tuner/kernel/data/data_file.h"

namespace warptune::tuner {

namespace {

std::string descriptor(ElementType type) {
  if (type == ElementType::bf16) return "<u2";  // NumPy has no bfloat16; its bits are kept in uint16
  const std::size_t bytes = size_bytes(type);
  const std::string_view name = to_string(type);
  const char kind = is_floating(type) ? 'f' : name[0] == 'u' ? 'u' : 'i';
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

struct NpyHeader {
  std::string type;
  bool fortran_order = false;
  std::size_t elements = 1;
};

// Reads a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } with the keys in any order.
class NpyHeaderReader {
 public:
  NpyHeaderReader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  NpyHeader read() {
    expect("{");
    while (!accept("}")) {
      read_member();
      if (accept(",")) continue;
      expect("}");
      break;
    }
    if (skip_blanks(); !rest_.empty()) fail("the end");
    for (const bool seen : {has_type_, has_order_, has_shape_})
      if (!seen) fail("'descr', 'fortran_order' and 'shape'");
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw search::DataError(
        fmt::format("{}: the .npy header is damaged: expected {} before '{}'", name_, expected, rest_.substr(0, 30)));
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t\r"), rest_.size())); }

  bool accept(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}'", token));
  }

  std::string quoted() {
    expect("'");
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) fail("a closing quote");
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  void read_member() {
    const std::string key = quoted();
    expect(":");
    if (key == "descr") {
      skip_blanks();
      if (rest_.starts_with('['))
        throw search::DataError(
            fmt::format("{}: a structured type is not supported; save one field as an array of its own", name_));
      header_.type = quoted();
      has_type_ = true;
    } else if (key == "fortran_order") {
      header_.fortran_order = accept("True");
      if (!header_.fortran_order) expect("False");
      has_order_ = true;
    } else if (key == "shape") {
      read_shape();
      has_shape_ = true;
    } else {
      fail("'descr', 'fortran_order' or 'shape'");
    }
  }

  void read_shape() {
    header_.elements = 1;
    for (expect("("); !accept(")");) {
      skip_blanks();
      std::size_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc()) fail("an extent of the shape");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (__builtin_mul_overflow(header_.elements, extent, &header_.elements))
        throw search::DataError(fmt::format("{}: its shape has more than 2^64 elements", name_));
      if (accept(",")) continue;
      expect(")");
      return;
    }
  }

  std::string_view rest_;
  const std::string& name_;
  NpyHeader header_;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

// Returns the header's text, and what follows it.
std::pair<std::string_view, std::string_view> split_npy(std::string_view bytes, const std::string& name) {
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY") || bytes[6] < 1 || bytes[6] > 3)
    throw search::DataError(name + " is no .npy file of version 1, 2 or 3");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  std::size_t length = byte(8) | byte(9) << 8, begin = 10;
  if (bytes[6] >= 2) {
    length |= byte(10) << 16 | byte(11) << 24;
    begin = 12;
  }
  constexpr std::size_t most = 64 << 10;  // NumPy itself refuses more than 10,000 unless told otherwise
  if (length > most)
    throw search::DataError(fmt::format("{}: a .npy header of {} bytes; expected at most {}", name, length, most));
  if (bytes.size() - begin < length) throw search::DataError(name + ": the .npy header is cut short");
  return {bytes.substr(begin, length), bytes.substr(begin + length)};
}

}  // namespace

std::span<const std::byte> npy_elements(std::string_view bytes, const std::string& name, ElementType type,
                                        std::size_t elements) {
  const auto [text, data] = split_npy(bytes, name);
  const NpyHeader header = NpyHeaderReader(text, name).read();
  if (header.type != descriptor(type))
    throw search::DataError(fmt::format("{}: expected elements of type {} ('{}'), found '{}'", name, to_string(type),
                                        descriptor(type), header.type));
  if (header.fortran_order)
    throw search::DataError(fmt::format("{}: expected C order; save it with numpy.ascontiguousarray", name));
  if (header.elements != elements)
    throw search::DataError(fmt::format("{}: expected {} elements, found {}", name, elements, header.elements));
  // The sizes are compared by division, because the product may overflow.
  if (data.size() / size_bytes(type) < elements) throw search::DataError(name + " is cut short");
  return std::as_bytes(std::span(data.data(), elements * size_bytes(type)));
}

std::vector<std::byte> read_npy(const std::filesystem::path& file, ElementType type, std::size_t elements) {
  const std::string content = read_data_file(file);
  const auto data = npy_elements(content, file.string(), type, elements);
  return {data.begin(), data.end()};
}

void write_npy(const std::filesystem::path& file, ElementType type, const std::vector<std::int64_t>& shape,
               std::span<const std::byte> data) {
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{},", extent);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descriptor(type), extents);
  // The data begins at a multiple of 64 bytes, behind the 10 bytes before the header and its line end (NEP 1).
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  const char start[10] = {'\x93',
                          'N',
                          'U',
                          'M',
                          'P',
                          'Y',
                          1,
                          0,
                          static_cast<char>(header.size() & 0xff),
                          static_cast<char>(header.size() >> 8)};
  std::ofstream stream(file, std::ios::binary);
  stream.write(start, sizeof start) << header;
  stream.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  stream.close();
  if (!stream) throw search::DataError(fmt::format("cannot write {}", file.string()));
}

}  // namespace warptune::tuner
