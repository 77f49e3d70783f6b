// Puts into words what is wrong with a template's macros.
#include "tuner/kernel/source/macro_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tuner/device/compile/include_scan.h"
#include "tuner/kernel/attribute_expressions.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/source/macro_scan.h"
#include "tuner/kernel/source/whole_program.h"

namespace warptune::tuner {

namespace {

using WordSet = std::set<std::string>;

void add_words(const std::string& text, WordSet& words) {
  for (const SourceToken& token : source_tokens(text))
    if (token.kind == SourceToken::Kind::word) words.insert(token.text);
}

void add_names(const search::Expression& expression, WordSet& words) {
  words.insert(expression.names().begin(), expression.names().end());
}

void add_launch(const Launch& launch, WordSet& words) {
  add_words(launch.kernel, words);  // for {PARAMETER}
  for (std::size_t axis = 0; axis < 3; ++axis) {
    add_names(launch.grid[axis], words);
    add_names(launch.block[axis], words);
  }
  for (const search::Expression* expression : {&launch.shared_bytes, &launch.repeat, &launch.stream})
    add_names(*expression, words);
  for (const search::Expression* expression : expressions_of(launch.attributes)) add_names(*expression, words);
  if (launch.when) add_names(*launch.when, words);
  for (const search::Expression& other : launch.after) add_names(other, words);
  for (const auto& [name, value] : launch.set) add_names(value, words);
  if (launch.pages) {
    add_names(launch.pages->offset, words);
    if (launch.pages->elements) add_names(*launch.pages->elements, words);
  }
  if (!launch.copy) return;
  for (const search::Expression* expression :
       {&launch.copy->elements, &launch.copy->from_offset, &launch.copy->to_offset})
    add_names(*expression, words);
}

// Returns the words of all that changes what is compiled or launched. A constraint changes neither.
WordSet used_by_manifest(const KernelTemplate& kernel) {
  WordSet words;
  for (const Launch& launch : kernel.launches) add_launch(launch, words);
  for (const auto& [name, value] : kernel.defines) add_names(value, words);
  for (const std::string& option : kernel.options) add_words(option, words);
  for (const auto& [backend, options] : kernel.backend_options)
    for (const std::string& option : options) add_words(option, words);
  for (const auto* list : {&kernel.arguments, &kernel.temporaries})
    for (const Argument& argument : *list) {
      if (argument.value) add_names(*argument.value, words);
      add_names(argument.pinned, words);
      if (argument.memory) add_names(*argument.memory, words);
      for (const search::Expression& extent : argument.shape) add_names(extent, words);
    }
  for (const TensorMapArgument& map : kernel.tensor_maps) {
    for (const auto* list : {&map.shape, &map.strides, &map.box})
      for (const search::Expression& extent : *list) add_names(extent, words);
    add_names(map.swizzle_bytes, words);
    add_names(map.l2_promotion_bytes, words);
  }
  return words;
}

struct Options {
  WordSet macros;
  std::vector<std::filesystem::path> folders;
  std::vector<std::string> first_includes;
};

// Reads -DNAME, -D NAME=1, and what options say of files. In a session's copy the latter are lists already.
Options options_of(const KernelTemplate& kernel) {
  Options result{{}, kernel.include_directories, kernel.first_includes};
  const auto read = [&](const std::vector<std::string>& options) {
    const FileOptions files = file_options(options);
    result.folders.insert(result.folders.end(), files.include_directories.begin(), files.include_directories.end());
    result.first_includes.insert(result.first_includes.end(), files.first_includes.begin(), files.first_includes.end());
    for (std::size_t i = 0; i < files.others.size(); ++i) {
      if (!files.others[i].starts_with("-D")) continue;
      const bool apart = files.others[i].size() == 2 && i + 1 < files.others.size();
      const std::string value = apart ? files.others[++i] : files.others[i].substr(2);
      result.macros.insert(value.substr(0, value.find('=')));
    }
  };
  read(kernel.options);
  for (const auto& [backend, options] : kernel.backend_options) read(options);
  return result;
}

bool is_numeric(const search::Parameter& parameter) {
  return std::ranges::none_of(parameter.values,
                              [](const search::Value& value) { return std::holds_alternative<std::string>(value); });
}

// Scans the kernel's source. `numbers` says whether the defines are numbers.
MacroScan scan(const KernelTemplate& kernel, const SourceReader& read, bool numbers = false) {
  WordSet macros, numeric;
  for (const search::Parameter& parameter : kernel.parameters) {
    macros.insert(parameter.name);
    if (is_numeric(parameter)) numeric.insert(parameter.name);
  }
  for (const auto& [name, value] : kernel.defines) {
    macros.insert(name);
    if (numbers) numeric.insert(name);
  }
  for (const search::Parameter& variant : kernel.variants) macros.insert(variant.name);
  const Options options = options_of(kernel);
  // A whole program's own definitions give way to the template's (whole_program.h).
  const SourceReader read_device_part = [&](const std::filesystem::path& file) {
    std::optional<std::string> text = read(file);
    if (text && kernel.whole_program && file.lexically_normal() == kernel.source.lexically_normal())
      text = device_part(*text, kernel.given_macros());
    return text;
  };
  MacroScan scan(macros, numeric, options.macros, options.folders, read_device_part);
  for (const std::string& header : options.first_includes) scan.include({header, true}, kernel.source);
  scan.file(kernel.source);
  return scan;
}

std::string describe(const KernelTemplate& kernel, const MacroScan::Place& place) {
  const bool parameter =
      std::ranges::find(kernel.parameters, place.macro, &search::Parameter::name) != kernel.parameters.end();
  const bool variant =
      std::ranges::find(kernel.variants, place.macro, &search::Parameter::name) != kernel.variants.end();
  const std::string kind = parameter ? "parameter" : variant ? "variant" : "define";
  const std::string where = fmt::format("{}:{}: ", kernel.shown(place.file.lexically_normal()).string(), place.line);
  switch (place.what) {
    case MacroScan::Place::What::defined:
      return where + fmt::format(
                         "#define {0} replaces the {1} {0}, whose value would have no effect; delete the line, "
                         "or put it between #ifndef {0} and #endif",
                         place.macro, kind);
    case MacroScan::Place::What::undefined:
      return where + fmt::format("#undef {0} takes the {1} {0} away, whose value would have no effect; delete the line",
                                 place.macro, kind);
    case MacroScan::Place::What::declared:
      return where + fmt::format(
                         "'{1} {0}' declares what the {2} {0} is called, and the compiler sees the {2}'s value "
                         "in its place; rename one of them, or put the line between #ifndef {0} and #endif",
                         place.macro, place.text, kind);
  }
  return where;
}

// Returns whether a definition changes nothing: "#define P 1" where P has no value but 1.
bool is_harmless(const KernelTemplate& kernel, const MacroScan::Place& place) {
  if (place.what != MacroScan::Place::What::defined) return false;
  const auto parameter = std::ranges::find(kernel.parameters, place.macro, &search::Parameter::name);
  return parameter != kernel.parameters.end() && parameter->values.size() == 1 &&
         search::to_text(parameter->values.front()) == place.text;
}

std::vector<std::string> unused_among(const KernelTemplate& kernel, const MacroScan& found) {
  std::vector<std::string> unused;
  const WordSet used = used_by_manifest(kernel);
  for (const search::Parameter& parameter : kernel.parameters)
    if (parameter.values.size() > 1 && !found.incomplete() && !found.uses(parameter.name) &&
        !used.contains(parameter.name))
      unused.push_back(parameter.name);
  return unused;
}

}  // namespace

MacroUse macro_use(const KernelTemplate& kernel, const SourceReader& read) {
  const MacroScan found = scan(kernel, read, true);
  MacroUse use{.used = {}, .replaced = {}, .incomplete = found.incomplete()};
  for (const auto& [name, value] : kernel.defines)
    if (found.uses(name)) use.used.insert(name);
  for (const MacroScan::Place& place : found.places()) use.replaced.insert(place.macro);
  return use;
}

std::vector<std::string> unused_parameters(const KernelTemplate& kernel, const SourceReader& read) {
  return unused_among(kernel, scan(kernel, read));
}

void check_macros(const KernelTemplate& kernel, const SourceReader& read) {
  const MacroScan found = scan(kernel, read);
  std::vector<std::string> faults;
  for (const MacroScan::Place& place : found.places())
    if (!is_harmless(kernel, place)) faults.push_back(describe(kernel, place));
  for (const std::string& name : unused_among(kernel, found))
    if (std::ranges::find(kernel.unused, name) == kernel.unused.end())
      faults.push_back(fmt::format(
          "{}: parameters.{}: {} does not use it, nor does any launch, define or option: all its values "
          "are one and the "
          "same kernel. Use it, remove it, or say unused = true",
          kernel.shown(kernel.manifest).string(), name, kernel.shown(kernel.source.lexically_normal()).string()));
  if (!faults.empty()) throw ManifestError(fmt::format("{}", fmt::join(faults, "\n")));
}

}  // namespace warptune::tuner
