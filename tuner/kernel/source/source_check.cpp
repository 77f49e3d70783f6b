// Compares a manifest with the tokens of its sources. Rejected: leaving it to the compiler. It is asked once for each
// configuration and calls a missing kernel an undeclared identifier, and it cannot see that nobody asked for the shared
// memory.
#include "tuner/kernel/source/source_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "search/spelling.h"
#include "tuner/device/compile/include_scan.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/source/pointer_types.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner {

namespace {

namespace fs = std::filesystem;
using Tokens = std::vector<SourceToken>;

// Returns whether the word is an attribute. "__launch_bounds__(…)" behind __global__ is no name with its parameters.
bool is_attribute(const std::string& word) {
  return word.starts_with("__");
}

// Returns the place behind the parenthesis that closes the one at `at`.
std::size_t behind_parentheses(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].is("(")) ++depth;
    if (tokens[at].is(")") && --depth == 0) return at + 1;
  }
  return at;
}

// Returns the name of the function whose declaration goes on at `at`, or an empty text if that cannot be told.
std::string declared_name(const Tokens& tokens, std::size_t at) {
  while (at + 1 < tokens.size() && !tokens[at].is(";") && !tokens[at].is("{")) {
    const bool call = tokens[at].kind == SourceToken::Kind::word && tokens[at + 1].is("(");
    if (call && !is_attribute(tokens[at].text)) return tokens[at].text;
    at = call ? behind_parentheses(tokens, at + 1) : at + 1;
  }
  return {};
}

// A SourceText is a source with the headers that it may include.
struct SourceText {
  Tokens tokens;
  bool certain = true;  // whether a word that is missing here is nowhere else either

  bool has_word(const std::string& word) const {
    return std::ranges::any_of(tokens, [&](const SourceToken& token) { return token.is(word); });
  }
};

// Returns the headers that options read before a source, as lines that include them. In a session's copy they are a
// list.
std::string lines_before(const KernelTemplate& kernel) {
  std::vector<std::string> headers = kernel.first_includes;
  const auto add = [&](const std::vector<std::string>& options) {
    for (std::string& header : file_options(options).first_includes) headers.push_back(std::move(header));
  };
  add(kernel.options);
  for (const auto& [backend, options] : kernel.backend_options) add(options);
  std::string lines;
  for (const std::string& header : headers) lines += fmt::format("#include \"{}\"\n", header);
  return lines;
}

SourceText read_source(const KernelTemplate& kernel, const fs::path& source, const SourceReader& read) {
  const std::string text = lines_before(kernel) + read(source).value_or("");
  SourceText result{source_tokens(text)};
  std::vector<fs::path> folders = kernel.include_directories;
  folders.push_back(source.parent_path());
  const auto take = [&](const fs::path& file) {
    auto content = read(file);
    if (content) {
      Tokens more = source_tokens(*content);
      result.tokens.insert(result.tokens.end(), more.begin(), more.end());
    }
    return content;
  };
  const auto files = reachable_files({{text, source.parent_path()}}, folders, take);
  for (const IncludeName& include : scan_includes(text).names)
    if (include.quoted && std::ranges::none_of(files, [&](const fs::path& file) {
          return file.string().ends_with(fs::path(include.name).filename().string());
        }))
      result.certain = false;
  if (result.has_word("##")) result.certain = false;
  return result;
}

// Returns "reduce" for "sums::reduce<{TYPE}, 4>". The name is empty where a parameter is part of it.
std::string plain_name(std::string name) {
  name = name.substr(0, name.find('<'));
  if (const auto scope = name.rfind(':'); scope != std::string::npos) name = name.substr(scope + 1);
  std::erase(name, ' ');
  return name.find('{') == std::string::npos ? name : "";
}

// Returns the key's place in the file: "launches[0].kernel". A T1 file has one launch, and keys of its own.
std::string key_of(const Launch& launch, const char* key, const char* t1_key) {
  return launch.place.empty() ? fmt::format("KernelSpecification.{}", t1_key) : fmt::format("{}.{}", launch.place, key);
}

void check_names(const KernelTemplate& kernel, const std::vector<Launch>& launches, const fs::path& file,
                 const SourceText& source, std::vector<std::string>& faults) {
  const auto known = kernel_names(source.tokens);
  // A source without any function is left to the compiler: an #error says more than its lack of kernels.
  if (!source.certain || !source.has_word("void")) return;
  for (const Launch& launch : launches) {
    const std::string name = plain_name(launch.kernel);
    if (launch.copy || name.empty() || source.has_word(name)) continue;
    faults.push_back(fmt::format(
        "{}: {}: {} has no kernel '{}'{}; {}", kernel.shown(kernel.manifest).string(),
        key_of(launch, "kernel", "KernelName"), kernel.shown(file.lexically_normal()).string(), name,
        search::did_you_mean(name, known),
        known.empty() ? "it has no __global__ function at all" : fmt::format("it has {}", fmt::join(known, ", "))));
  }
}

// Returns the lines of kernels that no launch names, first and last.
std::vector<std::pair<int, int>> lines_of_others(const KernelTemplate& kernel, const SourceOutline& outline) {
  std::vector<std::pair<int, int>> lines;
  const auto may_launch = [&](const SourceItem& item) {
    return std::ranges::any_of(kernel.launches, [&](const Launch& launch) {
      const std::string name = plain_name(launch.kernel);
      return name.empty() || name == item.name;
    });
  };
  for (const SourceItem& item : outline.items)
    if (item.kind == SourceItem::Kind::function && contains_word(item.head, "__global__") && !may_launch(item))
      lines.emplace_back(outline.tokens(item).front().line, outline.tokens(item).back().line);
  return lines;
}

// Returns the line of "extern __shared__", or 0 if there is none but in other kernels. Further words may stand between
// the two.
int dynamic_shared_line(const Tokens& tokens, const std::vector<std::pair<int, int>>& others) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto is_there = [&](const auto& lines) {
      return lines.first <= tokens[i].line && tokens[i].line <= lines.second;
    };
    if (!tokens[i].is("extern") || std::ranges::any_of(others, is_there)) continue;
    for (std::size_t k = i + 1; k < tokens.size() && !tokens[k].is(";") && !tokens[k].is("{"); ++k)
      if (tokens[k].is("__shared__")) return tokens[i].line;
  }
  return 0;
}

void check_shared(const KernelTemplate& kernel, const SourceReader& read, std::vector<std::string>& faults) {
  if (std::ranges::any_of(kernel.launches, &Launch::says_shared)) return;
  const std::string source = read(kernel.source).value_or("");
  const int line = dynamic_shared_line(source_tokens(source), lines_of_others(kernel, SourceOutline(source)));
  if (line == 0) return;
  faults.push_back(fmt::format(
      "{}:{}: extern __shared__ memory has as many bytes as its launch says, and no launch in {} says any. Add to it "
      "how many, as shared = \"4 * BLOCK_X\", or shared = 0 if the kernel does not use it",
      kernel.shown(kernel.source.lexically_normal()).string(), line, kernel.shown(kernel.manifest).string()));
}

// Returns whether a parameter of a built-in type takes a real number and not an integer. Returns nothing for pointers
// and other types.
std::optional<bool> takes_real(TokenSpan parameter) {
  static const std::set<std::string, std::less<>> integers = {
      "int",    "unsigned", "signed",  "long",    "short",   "char",     "bool",     "size_t",
      "int8_t", "int16_t",  "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"};
  static const std::set<std::string, std::less<>> reals = {"float", "double"};
  std::set<std::string> words;
  for (const SourceToken& token : parameter.first(parameter.empty() ? 0 : parameter.size() - 1))
    if (!token.is("const") && !token.is("__grid_constant__")) words.insert(token.text);
  const auto all_of = [&](const auto& known) {
    return !words.empty() && std::ranges::all_of(words, [&](const auto& word) { return known.contains(word); });
  };
  if (all_of(reals)) return true;
  return all_of(integers) ? std::optional(false) : std::nullopt;
}

// Reports a launch that names a template without arguments. The name of a template alone names no kernel, and compilers
// say that in words of their own.
void check_template(const KernelTemplate& kernel, const Launch& launch, const SourceOutline& outline,
                    const SourceItem& function, const fs::path& file, std::vector<std::string>& faults) {
  if (function.template_parameters.empty() || launch.kernel.find('<') != std::string::npos) return;
  std::vector<std::string> names;
  for (const TokenSpan parameter : split_at_commas(function.template_parameters, true))
    names.push_back(text_of_tokens(parameter));
  faults.push_back(fmt::format("{}: {}: '{}' is a template ({}:{}), template <{}>: write its arguments, as {}<…>",
                               kernel.shown(kernel.manifest).string(), key_of(launch, "kernel", "KernelTypeNames"),
                               launch.kernel, kernel.shown(file.lexically_normal()).string(),
                               outline.code[function.begin].line, fmt::join(names, ", "), launch.kernel));
}

// Returns whether the source may mean something of its own by a name: a macro, `typedef float half;` or `using half =
// float;`.
bool is_redefined(const KernelTemplate& kernel, const SourceOutline& outline, const std::string& name) {
  if (outline.find_macro(name) || kernel.given_macros().contains(name)) return true;
  const auto& code = outline.code;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (code[i].is("using") && code[i + 1].is(name)) return true;
    if (!code[i].is("typedef")) continue;
    for (++i; i + 1 < code.size() && !code[i].is(";"); ++i)
      if (code[i].is(name) && code[i + 1].is(";")) return true;
  }
  return false;
}

// A LaunchedSource is one source with its launches, of the kernel or of its reference.
struct LaunchedSource {
  const KernelTemplate& kernel;
  const std::vector<Launch>& launches;
  const fs::path& file;
  bool is_reference;

  // Returns what a launch means by the name. A reference's temporaries are its own.
  const Argument* find_argument(const std::string& name) const {
    if (is_reference)
      for (const Argument& temporary : kernel.reference.temporaries)
        if (temporary.name == name) return &temporary;
    return kernel.find_argument(name);
  }
  // Returns the type that the argument has in this source. The outputs of a reference may have a type of their own.
  ElementType type_of(const Argument& argument) const {
    return is_reference && argument.is_output() ? argument.reference_type : argument.type;
  }
};

// Returns whether a kernel's parameter takes the argument. A float that a kernel takes as an int has as many bytes, so
// that no launch refuses it, and all pointers have 8 bytes.
bool takes(const LaunchedSource& launched, const Argument& argument, TokenSpan parameter,
           const SourceOutline& outline) {
  const ElementType type = launched.type_of(argument);
  if (argument.value) return takes_real(parameter).value_or(is_floating(type)) == is_floating(type);
  const auto redefined = [&](const std::string& name) { return is_redefined(launched.kernel, outline, name); };
  const auto pointed = pointed_element(parameter, redefined);
  return !pointed || fits_pointer(type, *pointed);
}

// Returns whether a parameter of a function on the host takes the argument. The function is handed the bytes
// themselves, so that a scalar of another size reads what lies beside it.
bool function_takes(const LaunchedSource& called, const Argument& argument, TokenSpan parameter,
                    const SourceOutline& outline) {
  if (!argument.value) return takes(called, argument, parameter, outline);
  const auto redefined = [&](const std::string& name) { return is_redefined(called.kernel, outline, name); };
  const auto taken = scalar_element(parameter, redefined);
  if (!taken) return takes(called, argument, parameter, outline);
  return size_bytes(*taken) == size_bytes(argument.type) &&
         (is_floating(*taken) == is_floating(argument.type) || size_bytes(*taken) == 2);
}

// Returns the text of a parameter: "const float* __restrict__ x".
std::string written(TokenSpan parameter) {
  std::string text = text_of_tokens(parameter);
  for (std::size_t at = text.find('*'); at != std::string::npos && at + 1 < text.size(); at = text.find('*', at + 1))
    if (text[at + 1] != '*') text.insert(at + 1, " ");
  return text;
}

// Compares the parameters of a function with the arguments that it gets. `takes` says whether a parameter takes an
// argument, as the two functions above do. `key` is that of the list that the arguments are in.
void check_parameters(const LaunchedSource& launched, const std::string& key, const std::vector<std::string>& arguments,
                      const SourceItem& function, const SourceOutline& outline, decltype(takes)& takes,
                      std::vector<std::string>& faults) {
  const auto parameters = split_at_commas(function.parameters, true);
  if (parameters.size() != arguments.size()) return;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Argument* argument = launched.find_argument(arguments[i]);
    if (!argument || takes(launched, *argument, parameters[i], outline)) continue;
    faults.push_back(
        fmt::format("{}: {}[{}]: {} is {}, and {} takes it as '{}' ({}:{}). Is the order wrong, or a type?",
                    launched.kernel.shown(launched.kernel.manifest).string(), key, i, argument->name,
                    to_string(launched.type_of(*argument)), function.name, written(parameters[i]),
                    launched.kernel.shown(launched.file.lexically_normal()).string(), parameters[i].front().line));
  }
}

void check_arguments(const LaunchedSource& launched, const SourceReader& read, std::vector<std::string>& faults) {
  const KernelTemplate& kernel = launched.kernel;
  const SourceOutline outline(read(launched.file).value_or(""));
  for (const Launch& launch : launched.launches) {
    const std::string name = plain_name(launch.kernel);
    const auto is_it = [&](const SourceItem& item) {
      return item.kind == SourceItem::Kind::function && item.name == name && contains_word(item.head, "__global__");
    };
    const auto found = std::ranges::find_if(outline.items, is_it);
    if (!launch.is_kernel() || std::ranges::count_if(outline.items, is_it) != 1) continue;
    check_template(kernel, launch, outline, *found, launched.file, faults);
    check_parameters(launched, key_of(launch, "arguments", "Arguments"), launch.arguments, *found, outline, takes,
                     faults);
  }
}

// Checks the reference where the source has one function of that name and it is no template.
void check_function(const KernelTemplate& kernel, const SourceReader& read, std::vector<std::string>& faults) {
  const HostFunction& function = *kernel.reference.function;
  const SourceOutline outline(read(function.source).value_or(""));
  const std::string name = plain_name(function.name);
  const auto is_it = [&](const SourceItem& item) {
    return item.kind == SourceItem::Kind::function && item.name == name && item.is_definition;
  };
  const auto found = std::ranges::find_if(outline.items, is_it);
  if (std::ranges::count_if(outline.items, is_it) != 1 || !found->template_parameters.empty()) return;
  check_parameters({kernel, kernel.reference.launches, function.source, true}, "reference.arguments",
                   function.arguments, *found, outline, function_takes, faults);
}

}  // namespace

std::vector<std::string> kernel_names(const std::vector<SourceToken>& tokens) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__global__")) continue;
    std::string name = declared_name(tokens, i + 1);
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

void check_sources(const KernelTemplate& kernel, const SourceReader& read) {
  if (kernel.program) return;
  std::vector<std::string> faults;
  check_names(kernel, kernel.launches, kernel.source, read_source(kernel, kernel.source, read), faults);
  const Reference& reference = kernel.reference;
  check_arguments({kernel, kernel.launches, kernel.source, false}, read, faults);
  if (!reference.launches.empty() && !reference.default_configuration) {
    check_names(kernel, reference.launches, reference.source, read_source(kernel, reference.source, read), faults);
    check_arguments({kernel, reference.launches, reference.source, true}, read, faults);
  }
  if (reference.function) check_function(kernel, read, faults);
  check_shared(kernel, read, faults);
  if (!faults.empty()) throw ManifestError(fmt::format("{}", fmt::join(faults, "\n")));
}

}  // namespace warptune::tuner
