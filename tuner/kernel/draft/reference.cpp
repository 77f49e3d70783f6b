// Drafts the reference: a second file with kernels or a C++ function, else the kernel's own default configuration.
#include "tuner/kernel/draft/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "search/plain_text.h"
#include "tuner/kernel/draft/facts/taken_branches.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner::draft {

namespace {

std::string plain(const std::string& name) {
  std::string text = search::lower_case(without_device_marks(name));
  return text;
}

// Pairs a function's parameters with the manifest's arguments: those of one name first, then those that differ by case
// or a mark of device memory ("d_x"), then the next that the types allow.
class Matching {
 public:
  Matching(const std::vector<FunctionParameter>& parameters, Draft& draft)
      : parameters_(parameters), draft_(draft), names_(parameters.size()) {
    says_const_ = std::ranges::any_of(
        parameters, [](const FunctionParameter& parameter) { return parameter.pointers > 0 && parameter.is_const; });
  }

  std::vector<std::string> run() {
    take([](const FunctionParameter& parameter, const ArgumentDraft& argument) {
      return parameter.name == argument.name;
    });
    take([](const FunctionParameter& parameter, const ArgumentDraft& argument) {
      return plain(parameter.name) == plain(argument.name) && has_kind(parameter, argument);
    });
    if (says_const_)
      take([](const FunctionParameter& parameter, const ArgumentDraft& argument) {
        return has_kind(parameter, argument) && parameter.is_const == (argument.role == "input");
      });
    take(has_type);
    take(has_kind);
    say();
    return std::move(names_);
  }

 private:
  // Returns whether both are real numbers or both are integers, as far as the parameter's type is known.
  static bool has_kind(const FunctionParameter& parameter, const ArgumentDraft& argument) {
    const auto wanted = element_of(parameter.type);
    const auto type = element_type_from_string(argument.type);
    return !wanted || !type || is_floating(wanted->type) == is_floating(*type);
  }
  static bool has_type(const FunctionParameter& parameter, const ArgumentDraft& argument) {
    const auto wanted = element_of(parameter.type);
    return wanted && to_string(wanted->type) == argument.type;
  }
  // Returns whether both have the same size and kind, or a conversion takes place. Scalars and inputs are handed over
  // as they are.
  static bool has_size(const FunctionParameter& parameter, const ArgumentDraft& argument) {
    const auto wanted = element_of(parameter.type);
    const auto type = element_type_from_string(argument.type);
    const bool converted = argument.value.empty() && argument.role != "input";
    return converted || !wanted || !type ||
           (size_bytes(wanted->type) == size_bytes(*type) && has_kind(parameter, argument));
  }

  template <class Suits>
  void take(const Suits& suits) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!names_[i].empty()) continue;
      const auto next = std::ranges::find_if(draft_.arguments, [&](const ArgumentDraft& argument) {
        return !argument.temporary && argument.symbol.empty() &&
               argument.value.empty() == (parameters_[i].pointers > 0) &&
               std::ranges::find(names_, argument.name) == names_.end() && suits(parameters_[i], argument);
      });
      if (next != draft_.arguments.end()) names_[i] = next->name;
    }
  }

  void say() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const FunctionParameter& parameter = parameters_[i];
      if (names_[i].empty()) {
        names_[i] = blank;
        draft_.blanks.push_back(fmt::format("reference: which argument its parameter '{}' is", parameter.name));
        continue;
      }
      if (names_[i] != parameter.name)
        draft_.guesses.push_back(
            fmt::format("reference: its parameter '{}' is taken for {}", parameter.name, names_[i]));
      if (const ArgumentDraft& argument = *draft_.find_argument(names_[i]); !has_size(parameter, argument))
        draft_.guesses.push_back(
            fmt::format("reference: {} is {}, and its parameter '{}' is {}: write one type for both", names_[i],
                        argument.type, parameter.name, parameter.type));
    }
  }

  const std::vector<FunctionParameter>& parameters_;
  Draft& draft_;
  std::vector<std::string> names_;
  bool says_const_ = false;
};

// Returns the manifest's argument for each of a function's parameters.
std::vector<std::string> matched(const std::vector<FunctionParameter>& parameters, Draft& draft) {
  return Matching(parameters, draft).run();
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

void add_function(const SourceFacts& facts, const SourceItem& item, Draft& draft) {
  draft.reference.function = item.scope + item.name;
  auto parameters = read_parameters(item.parameters);
  for (FunctionParameter& parameter : parameters) parameter.type = std::string(facts.without_alias(parameter.type));
  draft.reference.arguments = matched(parameters, draft);
  set_types(parameters, draft.reference.arguments, draft);
}

// Adds the launch of a reference kernel. It has a thread per element, as references mostly have, so the grid follows
// from its own indices.
void add_kernel(const SourceFacts& facts, Draft& draft) {
  Draft own = make_draft(facts, "");
  LaunchDraft launch = own.launches.front();
  const KernelFacts& kernel = *facts.find_kernel(name_without_scope(launch.kernel));
  launch.arguments = matched(kernel.parameters, draft);
  set_types(kernel.parameters, launch.arguments, draft);
  // The reference has no parameters, so each parameter in the text becomes its default.
  for (auto* list : {&launch.grid, &launch.block})
    for (std::string& text : *list)
      for (const ParameterDraft& parameter : own.parameters)
        for (std::size_t at = text.find(parameter.name); at != std::string::npos; at = text.find(parameter.name))
          text.replace(at, parameter.name.size(), std::to_string(parameter.fallback));
  // Its sizes are those of the tuned kernel, under the names of the arguments that stand for them.
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
  if (functions.empty()) throw RequestError(fmt::format("the reference {} has no void function", file));
  add_function(facts, exported != functions.end() ? **exported : *functions.back(), draft);
}

}  // namespace warptune::tuner::draft
