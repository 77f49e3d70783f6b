// Runs addr2line on a copy of the shared object in a scratch folder.
#include "tuner/device/backends/host/compile/source_lines.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "tuner/system/child.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::host {

namespace {

constexpr double kTimeout_s = 60;

// Returns a line such as "/where/it/was/compiled/matmul/kernel.cu:41 (discriminator 2)" as the user knows it. Returns
// nothing for a line that addr2line does not know.
std::string shown(std::string line) {
  line = line.substr(0, line.find(" ("));
  if (line.rfind("??", 0) == 0 || line.ends_with(":?") || line.ends_with(":0")) return {};
  const std::string here = std::filesystem::current_path().string() + "/";
  if (line.rfind(here, 0) == 0) line.erase(0, here.size());
  return line;
}

std::string ask(const std::filesystem::path& library, const std::set<std::uint64_t>& offsets) {
  std::string addresses;
  for (const std::uint64_t offset : offsets) addresses += fmt::format("{:#x}\n", offset - 1);
  const ChildResult child =
      run_child({"addr2line", "-e", library.string()}, addresses, {.deadline = Deadline::in_s(kTimeout_s)});
  return child.exit_status == 0 && !child.timed_out ? child.output : "";
}

}  // namespace

std::map<std::uint64_t, std::string> source_lines(std::span<const std::byte> library,
                                                  const std::set<std::uint64_t>& offsets) {
  std::map<std::uint64_t, std::string> lines;
  if (offsets.empty()) return lines;
  try {
    const ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "kernel.so";
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(library.data()), static_cast<std::streamsize>(library.size()));
    std::istringstream answers(ask(file, offsets));
    std::string line;
    for (const std::uint64_t offset : offsets)
      if (std::getline(answers, line) && !(line = shown(line)).empty()) lines[offset] = line;
  } catch (const std::system_error&) {  // no addr2line, no disk space: a finding without its line is still one
  }
  return lines;
}

bool is_of_shim(const std::string& line) {
  constexpr std::string_view folder = "warptune/";
  const std::size_t at = line.rfind('/');
  return at != line.npos && line.rfind(folder, 0) == 0 && at == folder.size() - 1;
}

}  // namespace warptune::tuner::host
