// Knows the options of GCC, Clang and NVRTC that name files.
#include "tuner/device/compile/file_options.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace warptune::tuner {

namespace {

// Returns the value of an option of one of these names, in one word ("-Ifolder", "--include-path=folder") or in the
// next.
std::optional<std::string> value_of(const std::vector<std::string>& options, std::size_t& at,
                                    std::initializer_list<std::string_view> names) {
  const std::string& option = options[at];
  for (const std::string_view name : names) {
    if (!option.starts_with(name)) continue;
    std::string_view rest = std::string_view(option).substr(name.size());
    if (rest.empty() && at + 1 < options.size()) return options[++at];
    if (rest.starts_with('=')) rest.remove_prefix(1);
    const bool is_letter = name == "-I";  // the others' values do not follow without a sign
    if (!rest.empty() && (is_letter || option[name.size()] == '=')) return std::string(rest);
  }
  return std::nullopt;
}

}  // namespace

FileOptions file_options(const std::vector<std::string>& options) {
  FileOptions result;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (const auto header = value_of(options, i, {"-include", "--pre-include"}))
      result.first_includes.push_back(*header);
    else if (const auto folder = value_of(options, i, {"--include-path", "-isystem", "-iquote", "-idirafter", "-I"}))
      result.include_directories.push_back(*folder);
    else
      result.others.push_back(options[i]);
  }
  return result;
}

}  // namespace warptune::tuner
