// Finds headers by name, and reads the names of missing ones from compilers' logs.
#include "tuner/device/compile/device_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace warptune::tuner {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_name = "warptune/device/";

// Looks for the words of NVRTC, GCC and Clang, in this order.
bool tells_of_a_missing_file(std::string_view line) {
  return std::ranges::any_of(
      std::to_array<std::string_view>({"open source file", "No such file or directory", "file not found"}),
      [&](std::string_view words) { return line.find(words) != std::string_view::npos; });
}

// Returns the name below warptune/device/ that the line speaks of, or nothing.
std::string_view name_in(std::string_view line) {
  const auto begin = line.find(folder_name);
  if (begin == std::string_view::npos) return {};
  const auto end = line.find_first_of("\"'>: \r", begin);
  return line.substr(begin, end == std::string_view::npos ? end : end - begin);
}

}  // namespace

const DeviceHeader* find_device_header(std::string_view name) {
  const auto headers = device_headers();
  const auto found = std::ranges::find(headers, name, &DeviceHeader::name);
  return found == headers.end() ? nullptr : &*found;
}

void write_device_headers(const fs::path& folder) {
  for (const DeviceHeader& header : device_headers()) {
    const fs::path file = folder / header.name;
    fs::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream << header.text;
    stream.close();
    if (!stream) throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
  }
}

std::string no_such_device_header(std::string_view name) {
  std::string text = fmt::format("Warptune has no header <{}>; there are", name);
  for (const DeviceHeader& header : device_headers()) text += fmt::format(" <{}>", header.name);
  return text;
}

std::string hint_about_device_headers(std::string_view log) {
  while (!log.empty()) {
    const auto end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    const std::string_view name = name_in(line);
    if (!name.empty() && tells_of_a_missing_file(line) && !find_device_header(name))
      return no_such_device_header(name) + "\n";
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return {};
}

}  // namespace warptune::tuner
