#include "tuner/exporters/defines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string_view>

#include "search/error.h"
#include "search/plain_text.h"
#include "tuner/exporters/source_text.h"

namespace warptune::tuner {

namespace {

// A compiler's macros tell the architecture, and not which variant of the problem is meant.
bool of_one_variant(const Wisdom& wisdom) {
  return std::ranges::all_of(
      wisdom.entries, [&](const WisdomEntry& entry) { return entry.variants == wisdom.entries.front().variants; });
}

std::string provenance(const Wisdom& wisdom) {
  std::string text = fmt::format(
      "/* Tuned macros of {0}, written by warptune. Do not edit: export again instead.\n\n"
      "   Which entry holds is chosen by -D WARPTUNE_{1}_ENTRY=number; 0 is the template's default. Otherwise it is "
      "the only\n"
      "   entry, or in CUDA device code the first of its architecture if all are of one variant, else the default. "
      "Host\n"
      "   code then has the default: choose an entry by number where it launches the kernel with these macros.\n\n",
      identifier(wisdom.kernel), macro_name(wisdom.kernel));
  for (const std::string& line : provenance_lines(wisdom, 1)) text += "   " + line + "\n";
  return text + "*/\n";
}

// By architecture, the first entry of each.
std::string choice(const Wisdom& wisdom, const std::string& macro) {
  if (wisdom.entries.size() == 1) return fmt::format("#ifndef {0}\n#define {0} 1\n#endif\n", macro);
  if (!of_one_variant(wisdom)) return fmt::format("#ifndef {0}\n#define {0} 0\n#endif\n", macro);
  std::string text = fmt::format("#ifndef {0}\n#if !defined(__CUDA_ARCH__)\n#define {0} 0\n", macro);
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < wisdom.entries.size(); ++i) {
    const std::int64_t capability = wisdom.entries[i].compute_capability;
    if (capability > 0 && seen.insert(capability).second)
      text += fmt::format("#elif __CUDA_ARCH__ / 10 == {}\n#define {} {}\n", capability, macro, i + 1);
  }
  return text + fmt::format("#else\n#define {0} 0\n#endif\n#endif\n", macro);
}

// Names, numbers, types: nothing that could call, assign, end a line or begin a comment. A macro is code, and its text
// may come from anybody's store or wisdom file.
bool is_word(const std::string& text) {
  const auto harmless = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) || std::string_view("_:<>,.+-* ").find(static_cast<char>(c)) < 10);
  };
  return std::ranges::all_of(text, harmless);
}

// As templates get them: a boolean as 0 or 1, a string as it stands.
std::string macro_text(const std::string& name, const search::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  const auto* text = std::get_if<std::string>(&value);
  const auto* number = std::get_if<double>(&value);
  if ((!text || is_word(*text)) && (!number || std::isfinite(*number)))
    return text ? *text : literal(value, number ? MemberType::real : MemberType::integer);
  throw search::DataError(fmt::format("the value of {} cannot be a macro: {}; export it with --format header or json",
                                      name, search::printable(search::to_text(value), search::Lines::escape)));
}

std::string define(const std::string& name, const search::Value& value) {
  return fmt::format("#define {} {}\n", name, macro_text(name, value));
}

std::string defines(const Wisdom& wisdom, const search::NamedValues& values) {
  std::string text;
  const search::NamedValues ordered = in_order_of(default_values_of(wisdom), values);
  const std::vector<std::string> names = identifiers(ordered);
  for (std::size_t i = 0; i < ordered.size(); ++i) text += define(names[i], ordered[i].second);
  return text;
}

}  // namespace

std::string export_defines(const Wisdom& wisdom) {
  const std::string name = macro_name(wisdom.kernel), macro = "WARPTUNE_" + name + "_ENTRY";
  const std::size_t count = wisdom.entries.size();
  std::string text = provenance(wisdom);
  text += fmt::format("#ifndef WARPTUNE_{0}_DEFINES\n#define WARPTUNE_{0}_DEFINES\n\n", name) + choice(wisdom, macro);
  text += fmt::format("\n#define WARPTUNE_{}_ENTRIES {}\n\n#if {} == 0\n", name, count, macro);
  text += defines(wisdom, default_values_of(wisdom));
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("#elif {} == {}\n", macro, i + 1) + defines(wisdom, wisdom.entries[i].values);
  return text + fmt::format("#else\n#error \"{}: there are the entries 0 to {}\"\n#endif\n\n#endif\n", macro, count);
}

}  // namespace warptune::tuner
