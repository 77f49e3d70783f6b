// Writes preprocessor text that chooses an entry and defines the macros of its values.
#include "tuner/results/exporters/defines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string_view>

#include "search/error.h"
#include "search/plain_text.h"
#include "tuner/device/compile/tuned_file.h"
#include "tuner/results/exporters/source_text.h"

namespace warptune::tuner {

namespace {

// Returns whether all entries are of one variant. A compiler's macros tell the architecture, and not which variant of
// the problem is meant.
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

// Returns the choice of an entry where the program makes none: by architecture, the first entry of each.
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

// Returns whether the text is harmless as code: it has names, numbers and types, and nothing that could call, assign,
// end a line or begin a comment. A macro is code, and its text may come from anybody's store or wisdom file.
bool is_word(const std::string& text) {
  const auto harmless = [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) || std::string_view("_:<>,.+-* ").find(static_cast<char>(c)) < 10);
  };
  return std::ranges::all_of(text, harmless);
}

// Returns a value as templates get it: a boolean as 0 or 1, a string as it stands.
std::string macro_text(const std::string& name, const search::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  const auto* text = std::get_if<std::string>(&value);
  const auto* number = std::get_if<double>(&value);
  if ((!text || is_word(*text)) && (!number || std::isfinite(*number)))
    return text ? *text : literal(value, number ? MemberType::real : MemberType::integer);
  throw search::DataError(fmt::format("the value of {} cannot be a macro: {}; export it with --format header or json",
                                      name, search::printable(search::to_text(value), search::Lines::escape)));
}

// Returns the macro of one parameter, in all entries. Another kernel's macro of this name is an error, since each would
// have to have its own value; one that the program defines is not replaced, and compilers say so.
std::string define(const std::string& macro, const std::string& kernel, const std::vector<std::string>& values) {
  std::string text = fmt::format("\n#ifndef {0}\n#define WARPTUNE_TUNED_{0}\n", macro);
  for (std::size_t i = 1; i < values.size(); ++i)
    text += fmt::format("#{} WARPTUNE_{}_ENTRY == {}\n#define {} {}\n", i == 1 ? "if" : "elif", kernel, i, macro,
                        values[i]);
  text += fmt::format("#else\n#define {} {}\n#endif\n", macro, values.front());
  text += fmt::format(
      "#elif defined(WARPTUNE_TUNED_{0})\n#error \"{0} is a macro of another tuned kernel as well: export one of the "
      "two "
      "again with --prefix {1}_\"\n",
      macro, kernel);
  return text + fmt::format(
                    "#elif !defined({})\n#pragma message(\"{} keeps the value that it had before the tuned macros of "
                    "{}\")\n#endif\n",
                    tuning_macro, macro, kernel);
}

// Returns the value of each parameter in the default, which is entry 0, and in the entries.
std::vector<std::vector<std::string>> macro_texts(const Wisdom& wisdom) {
  const search::NamedValues& defaults = default_values_of(wisdom);
  std::vector<std::vector<std::string>> texts;
  for (const auto& [name, value] : defaults) {
    texts.push_back({macro_text(name, value)});
    for (const WisdomEntry& entry : wisdom.entries) {
      const search::Value* own = search::find_value(entry.values, name);
      texts.back().push_back(own ? macro_text(name, *own) : texts.back().front());
    }
  }
  return texts;
}

// Returns macros with the prefix for where Warptune gives the parameters: each stands for the parameter that is given.
std::string aliases(const std::vector<std::string>& names, const std::string& prefix) {
  std::string text;
  if (!prefix.empty())
    for (const std::string& name : names) text += fmt::format("#define {0}{1} {1}\n", prefix, name);
  return text;
}

}  // namespace

std::string export_defines(const Wisdom& wisdom, const std::string& prefix) {
  const std::string kernel = macro_name(wisdom.kernel), macro = "WARPTUNE_" + kernel + "_ENTRY";
  const std::size_t count = wisdom.entries.size();
  const std::vector<std::string> names = identifiers(default_values_of(wisdom));
  const auto texts = macro_texts(wisdom);
  std::string text = provenance(wisdom);
  text += fmt::format("#ifndef WARPTUNE_{0}_DEFINES\n#define WARPTUNE_{0}_DEFINES\n\n", kernel);
  text += tuning_condition(names) + "\n" + aliases(names, prefix) + "#else\n\n" + choice(wisdom, macro);
  text += fmt::format(
      "#define WARPTUNE_{0}_ENTRIES {1}\n#if {2} < 0 || {2} > {1}\n#error \"{2}: there are the entries 0 to {1}\"\n"
      "#endif\n",
      kernel, count, macro);
  for (std::size_t i = 0; i < names.size(); ++i) text += define(prefix + names[i], kernel, texts[i]);
  return text + "\n#endif\n\n#endif\n";
}

}  // namespace warptune::tuner
