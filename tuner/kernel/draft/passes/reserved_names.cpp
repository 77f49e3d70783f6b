// Replaces whole words in the draft's expressions, and in the expressions that its sentences quote.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tuner/device/device_info.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/names.h"

namespace warptune::tuner::draft {

namespace {

using Names = std::map<std::string, std::string>;  // the manifest's name by the source's name

// Returns what a manifest takes the name for; empty if it takes it for nothing.
std::string meaning_of(const std::string& name) {
  static const std::set<std::string> measured = measured_names();
  static const std::set<std::string> functions = {"min",  "max",     "abs",     "ceil",    "floor",
                                                  "log2", "ceildiv", "is_pow2", "round_up"};
  static const std::set<std::string> words = {"and", "or", "not", "in", "if", "else", "True", "False", "pass", blank};
  if (measured.contains(name)) return "what a run measures";
  if (functions.contains(name)) return "a function";
  if (words.contains(name)) return "a word of its expressions";
  for (const auto& [limit, value] : DeviceInfo{}.limits())
    if (limit == name) return "a limit of the device";
  return "";
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Calls of functions keep their names: max(max_, 1).
void rename(std::string& text, const Names& names) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(begin, end - begin);
    const auto other = names.find(word);
    const bool is_call = end < text.size() && text[end] == '(';
    result += other != names.end() && !is_call ? other->second : word;
    if (end < text.size()) result += text[end];
    begin = end + 1;
  }
  text = std::move(result);
}

// Renames the words in the expressions that stand between ` and ` in a sentence.
void rename_in_sentence(std::string& sentence, const Names& names) {
  std::string result;
  bool inside = false;
  for (std::size_t begin = 0; begin <= sentence.size(); inside = !inside) {
    const std::size_t end = std::min(sentence.find('`', begin), sentence.size());
    std::string part = sentence.substr(begin, end - begin);
    if (inside && !part.starts_with("warptune")) rename(part, names);
    result += (begin > 0 ? "`" : "") + part;
    begin = end + 1;
  }
  sentence = std::move(result);
}

void rename_expressions(Draft& draft, const Names& names) {
  for (std::string& constraint : draft.constraints) rename(constraint, names);
  for (ArgumentDraft& argument : draft.arguments) {
    rename(argument.value, names);
    rename(argument.shape, names);
  }
  for (LaunchDraft& launch : draft.launches) {
    for (auto* texts : {&launch.grid, &launch.block})
      for (std::string& text : *texts) rename(text, names);
    rename(launch.shared, names);
    if (const std::size_t values = launch.kernel.find('<'); values != std::string::npos) {
      std::string given = launch.kernel.substr(values);
      rename(given, names);
      launch.kernel = launch.kernel.substr(0, values) + given;
    }
  }
  for (auto* sentences : {&draft.guesses, &draft.blanks})
    for (std::string& sentence : *sentences) rename_in_sentence(sentence, names);
}

}  // namespace

std::string evaluable(const Draft& draft, std::string expression) {
  Names names;
  const auto take = [&](const std::string& name) {
    if (!meaning_of(name).empty()) names.emplace(name, name + "_");
  };
  for (const SizeDraft& size : draft.sizes) take(size.name);
  for (const ParameterDraft& parameter : draft.parameters) take(parameter.name);
  rename(expression, names);
  return expression;
}

void rename_reserved(Draft& draft) {
  Names names;
  std::vector<std::string> notes;
  const auto take = [&](const char* table, std::string& name) {
    const std::string meaning = meaning_of(name);
    if (meaning.empty()) return false;
    std::string other = name + "_";
    while (draft.find_size(other) || draft.find_parameter(other)) other += '_';
    notes.push_back(
        fmt::format("{0} {1} is what the source calls {2}. In a manifest {2} is {3}, so it has another name", table,
                    other, name, meaning));
    names.emplace(name, other);
    name = other;
    return true;
  };
  for (SizeDraft& size : draft.sizes) {
    if (size.define) size.macro = size.name;
    take("[sizes]", size.name);
  }
  for (ParameterDraft& parameter : draft.parameters) {
    const std::string macro = parameter.name;
    if (take("[parameters]", parameter.name)) parameter.macro = macro;
  }
  if (names.empty()) return;
  rename_expressions(draft, names);
  draft.guesses.insert(draft.guesses.end(), notes.begin(), notes.end());
}

}  // namespace warptune::tuner::draft
