// Reads from the source what a T1 file leaves to it. T1 has no key for macros that a tuner defines, for where a
// constant argument goes, or for a parameter that the kernel no longer uses. The tuners agree on each, and the text
// tells which is meant.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/device/compile/include_scan.h"
#include "tuner/kernel/source/macro_check.h"
#include "tuner/kernel/source/source_outline.h"
#include "tuner/kernel/t1/kernel_tuner_macros.h"
#include "tuner/kernel/t1/t1_parts.h"

namespace warptune::tuner {

namespace {

// Adds the words of declarations in constant memory. "__constant__ float a[3], b[4];" declares both.
void add_constants(const std::string& text, std::set<std::string>& names) {
  const std::vector<SourceToken> tokens = source_tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].is("__constant__"))
      for (; i < tokens.size() && !tokens[i].is(";") && !tokens[i].is("{"); ++i)
        if (tokens[i].kind == SourceToken::Kind::word) names.insert(tokens[i].text);
}

// Returns every word of declarations in constant memory, of the source and of the headers that it may include.
std::set<std::string> words_in_constant_memory(const KernelTemplate& kernel) {
  std::set<std::string> names;
  const std::string source = read_file(kernel.source).value_or("");
  add_constants(source, names);
  reachable_files({{source, kernel.source.parent_path()}}, kernel.include_directories,
                  [&](const std::filesystem::path& file) {
                    auto text = read_file(file);
                    if (text) add_constants(*text, names);
                    return text;
                  });
  return names;
}

// Returns how many parameters the kernel has, if the source itself has one kernel of that name.
std::optional<std::size_t> parameter_count(const KernelTemplate& kernel, const std::string& name) {
  const SourceOutline outline(read_file(kernel.source).value_or(""));
  const auto is_it = [&](const SourceItem& item) {
    return item.kind == SourceItem::Kind::function && item.name == name && contains_word(item.head, "__global__");
  };
  if (std::ranges::count_if(outline.items, is_it) != 1) return std::nullopt;
  return split_at_commas(std::ranges::find_if(outline.items, is_it)->parameters, true).size();
}

bool in_constant_memory(const Node& argument) {
  const Node* memory = argument.find("MemType");
  return memory && memory->string() == "Constant";
}

bool is_symbol(const Node& argument) {
  const Node* memory = argument.find("MemoryType");
  return memory && memory->string() == "Symbol";
}

}  // namespace

std::set<std::string> bind_t1_constants(const Node& specification, KernelTemplate& kernel) {
  const auto& given = specification.at("Arguments").array();
  std::set<std::string> passed;
  std::size_t parameters = 0;  // how many there would be if all were passed
  for (std::size_t i = 0; i < given.size(); ++i) {
    parameters += !is_symbol(given[i]);
    if (!is_symbol(given[i]) && in_constant_memory(given[i])) passed.insert(kernel.arguments[i].name);
  }
  if (passed.empty()) return passed;
  const auto taken = parameter_count(kernel, specification.at("KernelName").string());
  if (taken && *taken + passed.size() == parameters) return {};
  const std::set<std::string> variables = words_in_constant_memory(kernel);
  for (std::size_t i = 0; i < given.size(); ++i) {
    Argument& argument = kernel.arguments[i];
    if (!passed.contains(argument.name)) continue;
    if (!variables.contains(argument.name)) argument.symbol.clear();
    if (!argument.symbol.empty() && argument.role == Role::scalar)
      given[i].at("MemoryType").fail("expected Vector, with a Size of 1, for what is copied to a variable");
  }
  return passed;
}

void define_kernel_tuner_macros(KernelTemplate& kernel) {
  const Launch& launch = kernel.launches.front();
  NamedExpressions& defines = kernel.defines;
  const auto& names = kernel_tuner_block_names;
  defines = kernel_tuner_macros(launch.grid, launch.block, {names[0], names[1], names[2]});
  const T1Names parameters = t1_names(kernel.parameters);
  std::erase_if(defines, [&](const auto& define) { return parameters.contains(define.first); });
  const MacroUse use = macro_use(kernel);
  std::erase_if(defines, [&](const auto& define) {
    const bool asked_for = use.incomplete || use.used.contains(define.first) || define.first == "kernel_tuner";
    return !asked_for || use.replaced.contains(define.first);
  });
}

void note_unused_parameters(const Node& document, KernelTemplate& kernel) {
  const auto& given = document.at("ConfigurationSpace").at("TuningParameters").array();
  T1Names in_conditions;
  for (const std::string& text : kernel.constraints) {
    const search::Expression condition = search::Expression::parse(text);
    in_conditions.insert(condition.names().begin(), condition.names().end());
  }
  kernel.unused = unused_parameters(kernel);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const std::string& name = kernel.parameters[i].name;
    if (std::ranges::find(kernel.unused, name) == kernel.unused.end()) continue;
    kernel.notes.push_back(fmt::format(
        "{}: {} does not use {}, nor does the launch: configurations that differ in it alone are one and the same "
        "kernel{}",
        given[i].path(), kernel.source.filename().string(), name,
        in_conditions.contains(name) ? ", though the Conditions ask for it" : ""));
  }
}

}  // namespace warptune::tuner
