// The reference: a second file with kernels or a C++ function, else the kernel's own default configuration.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "tuner/kernel/init/drafter.h"
#include "tuner/kernel/init/taken_branches.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner::init {

namespace {

// The manifest's argument for each of a function's parameters: of the same name, else the next of the same kind.
std::vector<std::string> matched(const std::vector<FunctionParameter>& parameters, Draft& draft) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  const auto suits = [&](const ArgumentDraft& argument, const FunctionParameter& parameter) {
    return !argument.temporary && argument.symbol.empty() && taken.find(argument.name) == taken.end() &&
           argument.value.empty() == (parameter.pointers > 0);
  };
  for (const FunctionParameter& parameter : parameters)
    if (draft.find_argument(parameter.name)) taken.insert(parameter.name);
  for (const FunctionParameter& parameter : parameters) {
    if (draft.find_argument(parameter.name)) {
      names.push_back(parameter.name);
      continue;
    }
    const auto next = std::ranges::find_if(draft.arguments,
                                           [&](const ArgumentDraft& argument) { return suits(argument, parameter); });
    names.push_back(next == draft.arguments.end() ? blank : next->name);
    taken.insert(names.back());
    if (names.back() == blank)
      draft.blanks.push_back(fmt::format("reference: which argument its parameter '{}' is", parameter.name));
    else
      draft.guesses.push_back(
          fmt::format("reference: its parameter '{}' is taken for {}", parameter.name, names.back()));
  }
  return names;
}

// The reference computes outputs in double precision, unless it says otherwise.
void set_types(const std::vector<FunctionParameter>& parameters, const std::vector<std::string>& names, Draft& draft) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ArgumentDraft* argument = draft.find_argument(names[i]);
    const auto element = element_of(parameters[i].type);
    if (!argument || !element || argument->role == "input" || parameters[i].pointers == 0) continue;
    const std::string type(to_string(element->type));
    if (is_floating(element->type) && type != "double") argument->reference_type = type;
  }
}

void add_function(const SourceItem& item, Draft& draft) {
  draft.reference.function = item.name;
  const auto parameters = read_parameters(item.parameters);
  draft.reference.arguments = matched(parameters, draft);
  set_types(parameters, draft.reference.arguments, draft);
  if (!item.extern_c)
    draft.blanks.push_back(
        fmt::format("reference: write extern \"C\" before {}, or it is not found by its name", item.name));
}

// A thread per element, as references mostly are: the grid follows from its own indices.
void add_kernel(const SourceFacts& facts, Draft& draft) {
  Draft own = Drafter(facts, "").run();
  LaunchDraft launch = own.launches.front();
  const KernelFacts& kernel = *facts.find_kernel(name_without_scope(launch.kernel));
  launch.arguments = matched(kernel.parameters, draft);
  set_types(kernel.parameters, launch.arguments, draft);
  // It has no parameters: what was made one is its default.
  for (auto* list : {&launch.grid, &launch.block})
    for (std::string& text : *list)
      for (const ParameterDraft& parameter : own.parameters)
        for (std::size_t at = text.find(parameter.name); at != std::string::npos; at = text.find(parameter.name))
          text.replace(at, parameter.name.size(), std::to_string(parameter.fallback));
  // Its sizes are the kernel's, under the names of the arguments that stand for them.
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ArgumentDraft* argument = draft.find_argument(launch.arguments[i]);
    const std::string& name = kernel.parameters[i].name;
    if (!argument || argument->value.empty() || argument->value == name) continue;
    for (auto* list : {&launch.grid, &launch.block})
      for (std::string& text : *list) {
        const std::string whole = text;
        text.clear();
        for (const SourceToken& token : source_tokens(whole))
          text += (text.empty() || token.is(")") || token.is(",") || text.ends_with('(') || token.is("(") ? "" : " ") +
                  (token.is(name) ? "(" + argument->value + ")" : token.text);
      }
  }
  for (const auto* list : {&launch.grid, &launch.block})
    for (const std::string& text : *list)
      for (const SourceToken& token : source_tokens(text))
        if (token.kind == SourceToken::Kind::word && !draft.find_size(token.text) && token.text != "ceildiv" &&
            token.text != "max" && token.text != "min" && token.text != blank)
          draft.blanks.push_back(fmt::format("reference.launches: '{}' is no size of the kernel's", token.text));
  for (const std::string& sentence : own.blanks)
    if (sentence.starts_with("launches")) draft.blanks.push_back("reference." + sentence);
  launch.comments = {"a thread or block for what its own indices cover"};
  draft.reference.launches.push_back(launch);
}

}  // namespace

void add_reference(const std::string& file, const std::string& text, const HeaderReader& read, Draft& draft) {
  draft.reference.source = file;
  TakenBranches branches(read);
  const SourceFacts facts(branches.of_source(text), branches.reader());
  for (const std::string& note : branches.notes()) draft.guesses.push_back("reference: " + note);
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension == ".cu") {
    if (facts.kernels.empty()) throw RequestError(fmt::format("the reference {} has no __global__ function", file));
    add_kernel(facts, draft);
    return;
  }
  if (extension != ".cpp" && extension != ".cc" && extension != ".cxx" && extension != ".c")
    throw RequestError(
        fmt::format("the reference {} is neither CUDA (.cu) nor C++ (.cpp); a manifest takes kernels, or an "
                    "extern \"C\" void function",
                    file));
  std::vector<const SourceItem*> functions;
  for (const SourceItem& item : facts.outline.items)
    if (item.kind == SourceItem::Kind::function && item.is_definition && contains_word(item.head, "void") &&
        item.name != "main")
      functions.push_back(&item);
  const auto exported = std::ranges::find_if(functions, [](const SourceItem* item) { return item->extern_c; });
  if (functions.empty()) throw RequestError(fmt::format("the reference {} has no extern \"C\" void function", file));
  add_function(exported != functions.end() ? **exported : *functions.back(), draft);
}

}  // namespace warptune::tuner::init
