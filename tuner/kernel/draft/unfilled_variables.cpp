// Reports such variables in sentences. Rejected: refusing them. A flag that is 0 may be what was meant, and then the
// result is right.
#include "tuner/kernel/draft/unfilled_variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/facts/device_variables.h"
#include "tuner/kernel/draft/facts/own_headers.h"
#include "tuner/kernel/draft/facts/taken_branches.h"
#include "tuner/kernel/kernel_names.h"
#include "tuner/system/files.h"

namespace warptune::tuner::draft {

namespace {

// Returns the last part of a name: "weights" of "img::weights".
std::string last_name(std::string name) {
  if (const auto scope = name.rfind(':'); scope != std::string::npos) name = name.substr(scope + 1);
  return name;
}

bool is_given(const KernelTemplate& kernel, const std::string& name) {
  return std::ranges::any_of(kernel.arguments,
                             [&](const Argument& argument) { return last_name(argument.symbol) == name; }) ||
         std::ranges::any_of(kernel.scratch_variables,
                             [&](const std::string& scratch) { return last_name(scratch) == name; });
}

std::string copy_in_program(const SourceOutline& outline, const std::string& name) {
  std::vector<const SourceItem*> functions;
  for (const SourceItem& item : outline.items)
    if (item.kind == SourceItem::Kind::function && item.is_definition) functions.push_back(&item);
  const auto copies = symbol_copies(functions);
  const auto copy = std::ranges::find(copies, name, &SymbolCopy::symbol);
  if (copy == copies.end()) return {};
  return fmt::format(" (the program's own cudaMemcpyToSymbol in line {} does not run here)", copy->line);
}

std::string sentence(const KernelTemplate& kernel, const SourceOutline& outline, const DeviceVariable& variable) {
  const std::string file = kernel.shown(kernel.source.lexically_normal()).string();
  return fmt::format(
      "{}, line {}: {} {} is 0 in every run: the kernel reaches it, it has no value, and no argument fills it{}. Add "
      "[arguments.{}] with symbol = \"{}\" and its data",
      variable.header.empty() ? file : variable.header, variable.line,
      variable.is_constant ? "__constant__" : "__device__", variable.name, copy_in_program(outline, variable.name),
      variable.name, variable.scope + variable.name);
}

}  // namespace

std::vector<std::string> unfilled_variables(const KernelTemplate& kernel) {
  if (kernel.program) return {};
  OwnHeaders headers(kernel.source);
  TakenBranches branches(headers.reader());
  const SourceOutline outline(branches.of_source(read_file(kernel.source).value_or("")), branches.reader());
  const std::set<std::string> reached = reached_words(outline, launched_kernels({&kernel.launches}));
  std::vector<std::string> sentences;
  for (const DeviceVariable& variable : device_variables(outline)) {
    if (variable.is_filled || !reached.contains(variable.name) || is_given(kernel, variable.name)) continue;
    if (!variable.is_constant && may_be_written(outline, variable.name)) continue;
    sentences.push_back(sentence(kernel, outline, variable));
  }
  return sentences;
}

}  // namespace warptune::tuner::draft
