// Writes the macro and the branches of header_constants.h. Rejected: constants in the header itself. Which entry is
// meant is the program's choice, and two headers with parameters of one name could not be included together.
#include "tuner/results/exporters/header_constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "tuner/device/compile/tuned_file.h"
#include "tuner/results/exporters/source_text.h"

namespace warptune::tuner {

namespace {

bool fits_int(const search::NamedValues& values, const std::string& parameter) {
  const search::Value* value = search::find_value(values, parameter);
  const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr;
  return !number || (*number >= std::numeric_limits<int>::min() && *number <= std::numeric_limits<int>::max());
}

// Returns the type of a parameter's constant: an int where it can be, because a wider constant would make a kernel's
// indices wider.
std::string constant_type(const Wisdom& wisdom, const std::string& parameter) {
  const MemberType type = member_type(wisdom, parameter);
  const bool fits = fits_int(wisdom.defaults, parameter) && std::ranges::all_of(wisdom.entries, [&](const auto& entry) {
                      return fits_int(entry.values, parameter);
                    });
  return type == MemberType::integer && fits ? "int" : std::string(to_string(type));
}

std::string constant(const Wisdom& wisdom, const std::string& parameter, const std::string& name,
                     const std::string& value) {
  const std::string type = constant_type(wisdom, parameter);
  return fmt::format("constexpr {0} {1} = static_cast<{0}>({2})", type, name, value);
}

}  // namespace

std::string constants_macro(const Wisdom& wisdom) {
  for (const auto& [name, value] : default_values_of(wisdom))
    if (member_type(wisdom, name) == MemberType::text) return {};
  return fmt::format("WARPTUNE_{}_CONSTANTS", macro_name(wisdom.kernel));
}

std::string constants_definition(const Wisdom& wisdom) {
  const std::string macro = constants_macro(wisdom);
  if (macro.empty()) return {};
  const search::NamedValues& parameters = default_values_of(wisdom);
  const std::vector<std::string> names = identifiers(parameters);
  std::vector<std::string> declared;
  for (std::size_t i = 0; i < names.size(); ++i)
    declared.push_back(
        constant(wisdom, parameters[i].first, names[i],
                 fmt::format("::warptune_tuned::{}::detail::make_table().entries[warptune_entry].configuration.{}",
                             identifier(wisdom.kernel), names[i])));
  return fmt::format(
      "// For the kernel's source: constants with the parameters' names, of an entry by its number above. Where the\n"
      "// kernel is tuned again, they are macros, and this is nothing.\n#define {}(warptune_entry) {}\n\n",
      macro, fmt::join(declared, "; "));
}

std::string branches_when_tuning(const Wisdom& wisdom) {
  const search::NamedValues& parameters = default_values_of(wisdom);
  const std::vector<std::string> names = identifiers(parameters);
  const std::string macro = constants_macro(wisdom);
  const std::string nothing =
      macro.empty() ? "" : fmt::format("#define {}(warptune_entry) static_assert(true, \"\")\n", macro);
  std::string text = tuning_condition(names) + '\n' + nothing;
  text +=
      fmt::format("#elif defined({}) && (defined({}))\n{}", tuning_macro, fmt::join(names, ") || defined("), nothing);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const MemberType type = member_type(wisdom, parameters[i].first);
    if (type == MemberType::text) continue;
    text += fmt::format("#ifndef {0}\n{1};\n#endif\n", names[i],
                        constant(wisdom, parameters[i].first, names[i], literal(parameters[i].second, type)));
  }
  return text + "#else\n";
}

}  // namespace warptune::tuner
