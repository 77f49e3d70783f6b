#include "tuner/kernel/npy.h"

#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>

namespace warptune::tuner {

namespace {

std::string descriptor(ElementType type) {
  if (type == ElementType::bf16) return "<u2";  // NumPy has no bfloat16; its bits are kept in uint16
  const std::size_t bytes = size_bytes(type);
  const std::string_view name = to_string(type);
  const char kind = is_floating(type) ? 'f' : name[0] == 'u' ? 'u' : 'i';
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

std::string read_header(std::ifstream& stream, const std::string& name) {
  char start[12] = {};
  stream.read(start, 10);
  if (!stream || std::string(start, 6) != "\x93NUMPY") throw std::runtime_error(name + " is no .npy file");
  std::size_t length =
      static_cast<unsigned char>(start[8]) | static_cast<std::size_t>(static_cast<unsigned char>(start[9])) << 8;
  if (start[6] >= 2) {
    stream.read(start + 10, 2);
    length |= static_cast<std::size_t>(static_cast<unsigned char>(start[10])) << 16 |
              static_cast<std::size_t>(static_cast<unsigned char>(start[11])) << 24;
  }
  if (length > 1'000'000) throw std::runtime_error(name + ": the .npy header is damaged");
  std::string header(length, ' ');
  stream.read(header.data(), static_cast<std::streamsize>(length));
  if (!stream) throw std::runtime_error(name + ": the .npy header is cut short");
  return header;
}

std::size_t count_elements(const std::string& header) {
  std::smatch shape;
  if (!std::regex_search(header, shape, std::regex(R"('shape':\s*\(([^)]*)\))"))) return 0;
  std::size_t count = 1;
  const std::string extents = shape[1];
  const std::regex digits(R"(\d+)");
  for (std::sregex_iterator it(extents.begin(), extents.end(), digits), end; it != end; ++it)
    count *= std::stoull(it->str());
  return count;
}

}  // namespace

std::vector<std::byte> read_npy(const std::filesystem::path& file, ElementType type, std::size_t elements) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
  const std::string header = read_header(stream, file.string());
  if (header.find(fmt::format("'{}'", descriptor(type))) == std::string::npos)
    throw std::runtime_error(fmt::format("{}: expected elements of type {} ('{}'); its header is {}", file.string(),
                                         to_string(type), descriptor(type), header));
  if (header.find("'fortran_order': False") == std::string::npos)
    throw std::runtime_error(fmt::format("{}: expected C order; save it with numpy.ascontiguousarray", file.string()));
  if (const std::size_t found = count_elements(header); found != elements)
    throw std::runtime_error(fmt::format("{}: expected {} elements, found {}", file.string(), elements, found));
  std::vector<std::byte> data(elements * size_bytes(type));
  stream.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  if (!stream) throw std::runtime_error(fmt::format("{} is cut short", file.string()));
  return data;
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
  if (!stream) throw std::runtime_error(fmt::format("cannot write {}", file.string()));
}

}  // namespace warptune::tuner
