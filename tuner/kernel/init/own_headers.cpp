#include "tuner/kernel/init/own_headers.h"

#include <fmt/format.h>

#include <system_error>

#include "tuner/device/read_file.h"
#include "tuner/kernel/whole_program.h"

namespace warptune::tuner::init {

namespace fs = std::filesystem;

OwnHeaders::OwnHeaders(const fs::path& source) : folder_(source.parent_path()) {
  std::error_code error;
  seen_.insert(fs::weakly_canonical(source, error));
}

HeaderReader OwnHeaders::reader() {
  return [this](const IncludeLine& include, const std::string& from) { return read(include, from); };
}

std::optional<HeaderText> OwnHeaders::read(const IncludeLine& include, const std::string& from) {
  constexpr std::size_t most = 256;
  if (!include.quoted) return std::nullopt;
  for (const fs::path& beside : {fs::path(from).parent_path(), fs::path()}) {
    const fs::path name = (beside / include.name).lexically_normal();
    std::error_code error;
    const fs::path file = fs::weakly_canonical(folder_ / name, error);
    if (error || !fs::is_regular_file(file, error)) continue;
    if (seen_.size() >= most || !seen_.insert(file).second) return std::nullopt;
    auto text = read_file(file);
    if (!text) continue;
    have_host_part_ |= has_host_part(*text);
    return HeaderText{name.string(), std::move(*text)};
  }
  if (!is_host_header(include.name) && !include.name.starts_with("cuda"))
    missing_.push_back(
        fmt::format("line {}{}{} includes {}: {} was not found, so it was not read. If it is elsewhere, "
                    "include_directories = [\"…\"] says where",
                    include.line, from.empty() ? "" : " of ", from, include.name, include.name));
  return std::nullopt;
}

}  // namespace warptune::tuner::init
