// Walks over tokens as a preprocessor does, with "maybe" where only values could decide. Headers of the system and of
// CUDA are not followed: they know none of the template's names.
#include "tuner/kernel/source/macro_scan.h"

#include <algorithm>
#include <span>

#include "tuner/device/compile/tuned_file.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

using Kind = SourceToken::Kind;

Certainty both(Certainty a, Certainty b) {
  return std::min(a, b);
}

Certainty either(Certainty a, Certainty b) {
  return std::max(a, b);
}

Certainty opposite(Certainty a) {
  return a == Certainty::yes ? Certainty::no : a == Certainty::no ? Certainty::yes : Certainty::maybe;
}

bool among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Returns whether an expression follows after the word, so that a value makes sense there.
bool before_expression(std::string_view word) {
  return among(word, {"return", "case", "sizeof", "alignof", "throw", "goto", "else", "do", "new", "delete", "and",
                      "or", "not", "co_return", "co_yield", "operator", "xor", "bitand", "bitor"});
}

// Returns whether the word is a type whose name no variable can have. Variables may be called half or uint.
bool is_type_word(std::string_view word) {
  return among(word, {"int", "float", "double", "char", "bool", "void", "short", "long", "unsigned", "signed", "auto",
                      "wchar_t", "__half", "__int128"});
}

bool is_qualifier(std::string_view word) {
  return among(word, {"const", "volatile", "constexpr", "static", "extern", "typedef", "register", "thread_local",
                      "__shared__", "__device__", "__constant__", "struct", "class", "enum", "union"});
}

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; });
}

}  // namespace

MacroScan::MacroScan(std::set<std::string> macros, std::set<std::string> numeric, std::set<std::string> other_macros,
                     std::vector<std::filesystem::path> include_directories, const SourceReader& read)
    : macros_(std::move(macros)),
      numeric_(std::move(numeric)),
      include_directories_(std::move(include_directories)),
      read_(read) {
  for (const std::string& name : macros_) defined_[name] = Certainty::yes;
  for (const std::string& name : other_macros) defined_[name] = Certainty::yes;
}

void MacroScan::file(const std::filesystem::path& path) {
  if (!seen_.insert(path.lexically_normal()).second) return;  // as an include guard would have it
  const std::optional<std::string> text = read_(path);
  if (!text) {
    incomplete_ = true;
    return;
  }
  const Tokens tokens = source_tokens(*text);
  const std::size_t depth = branches_.size();
  for (std::size_t at = 0; at < tokens.size();) {
    if (!tokens[at].first || !tokens[at].is("#")) {
      code(tokens, at++, path);
      continue;
    }
    std::size_t end = at + 1;
    while (end < tokens.size() && !tokens[end].first) ++end;
    if (end > at + 1) directive(tokens, at + 1, end, path);
    at = end;
  }
  branches_.resize(std::min(depth, branches_.size()));
}

void MacroScan::directive(const Tokens& tokens, std::size_t begin, std::size_t end, const std::filesystem::path& path) {
  const std::string& name = tokens[begin].text;
  if (among(name, {"if", "ifdef", "ifndef", "elif", "else", "endif"})) return condition(name, tokens, begin + 1, end);
  if (name == "include") {
    if (live() == Certainty::no || begin + 1 == end) return;
    if (const auto included = include_name(std::span(tokens).subspan(begin + 1, end - begin - 1)))
      include(*included, path);
    else
      incomplete_ = true;  // a macro says what is included
    return;
  }
  if ((name == "define" || name == "undef") && end > begin + 1) {
    const SourceToken& macro = tokens[begin + 1];
    note_uses(tokens, begin + 2, end);
    if (live() == Certainty::no) return;
    // An #undef that comes after a use hides the macro from others' headers, in which the name may mean something else.
    if (name == "undef" && used_.contains(macro.text)) return;
    if (macros_.contains(macro.text)) {
      std::string text;
      for (std::size_t at = begin + 2; at < end; ++at) text += tokens[at].text;
      const auto what = name == "define" ? Place::What::defined : Place::What::undefined;
      places_.push_back({macro.text, path, macro.line, what, std::move(text)});
      return;
    }
    defined_[macro.text] = name == "define"           ? either(live(), is_defined(macro.text))
                           : live() == Certainty::yes ? Certainty::no
                                                      : Certainty::maybe;
    return;
  }
  note_uses(tokens, begin + 1, end);
}

void MacroScan::condition(const std::string& name, const Tokens& tokens, std::size_t begin, std::size_t end) {
  if (name == "endif") {
    if (!branches_.empty()) branches_.pop_back();
    return;
  }
  Certainty holds = Certainty::yes;
  if (name == "ifdef" || name == "ifndef") {
    holds = begin < end ? is_defined(tokens[begin].text) : Certainty::maybe;
    if (name == "ifndef") holds = opposite(holds);
  } else if (name != "else") {
    // "defined X" is no use of X, because a parameter is always defined.
    for (std::size_t at = begin; at < end; ++at)
      if (!tokens[at - 1].is("defined") && !(at >= begin + 2 && tokens[at - 1].is("(") && tokens[at - 2].is("defined")))
        note_uses(tokens, at, at + 1);
    std::size_t at = begin;
    holds = evaluate(tokens, at, end);
  }
  if (name.substr(0, 2) == "if") {
    branches_.push_back({live(), holds, both(live(), holds)});
    return;
  }
  if (branches_.empty()) return;
  Branch& branch = branches_.back();
  branch.now = both(branch.outer, both(opposite(branch.taken), holds));
  branch.taken = either(branch.taken, holds);
}

void MacroScan::include(const IncludeName& included, const std::filesystem::path& path) {
  const auto& [name, quoted] = included;
  std::vector<std::filesystem::path> folders = include_directories_;
  if (quoted) folders.insert(folders.begin(), path.parent_path());
  for (const auto& folder : folders)
    if (is_file(folder / name)) return file(folder / name);
  // CUDA's own headers are often quoted; their names are known by their beginnings.
  if (quoted && !begins_with_any(name, {"cuda", "cooperative_groups", "cub/", "mma", "sm_", "math", "std", "device_",
                                        "vector_", "helper_", "curand", "assert", "float.h", "limits"}))
    incomplete_ = true;
}

void MacroScan::code(const Tokens& tokens, std::size_t at, const std::filesystem::path& path) {
  const SourceToken& token = tokens[at];
  if (token.is("##")) incomplete_ = true;
  if (token.kind != Kind::word || !macros_.contains(token.text)) return;
  used_.insert(token.text);
  if (live() != Certainty::no && declares(tokens, at))
    places_.push_back({token.text, path, token.line, Place::What::declared, tokens[at - 1].text});
}

// "int NAME" and "typename NAME" declare, and "x.NAME" names a member. Two words in a row are no expression, unless the
// first is a macro's name, which may stand for anything. "half * NAME" is a product where half is a variable. Only what
// is certain to be a declaration is one.
bool MacroScan::declares(const Tokens& tokens, std::size_t at) const {
  if (at == 0) return false;
  const SourceToken& before = tokens[at - 1];
  if (before.is("typename") || before.is("class")) return true;
  if (!numeric_.contains(tokens[at].text)) return false;
  if (before.is(".") || before.is("->")) return true;
  const auto is_type = [&](std::size_t index) {
    const SourceToken& token = tokens[index];
    return token.kind == Kind::word && !token.first;
  };
  if (before.kind == Kind::word)
    return !before_expression(before.text) && !defined_.contains(before.text) && !tokens[at].first;
  if ((!before.is("*") && !before.is("&")) || at < 2 || !is_type(at - 2)) return false;
  return is_type_word(tokens[at - 2].text) || (at >= 3 && is_qualifier(tokens[at - 3].text));
}

void MacroScan::note_uses(const Tokens& tokens, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    if (tokens[at].is("##")) incomplete_ = true;
    if (tokens[at].kind == Kind::word && macros_.contains(tokens[at].text)) used_.insert(tokens[at].text);
  }
}

// A name that nothing defined is undefined, unless a compiler may define it. Such names begin with an underscore.
Certainty MacroScan::is_defined(const std::string& name) const {
  if (const auto known = defined_.find(name); known != defined_.end()) return known->second;
  if (name == "__cplusplus" || name == "__CUDACC__" || name == tuning_macro) return Certainty::yes;
  if (begins_with_any(name, {"__HIP", "__OPENCL", "_WIN", "_MSC", "__APPLE__"})) return Certainty::no;
  return name.empty() || name[0] != '_' ? Certainty::no : Certainty::maybe;
}

Certainty MacroScan::evaluate(const Tokens& tokens, std::size_t& at, std::size_t end) const {
  Certainty result = evaluate_all(tokens, at, end);
  while (at < end && tokens[at].is("||")) result = either(result, evaluate_all(tokens, ++at, end));
  return result;
}

Certainty MacroScan::evaluate_all(const Tokens& tokens, std::size_t& at, std::size_t end) const {
  Certainty result = evaluate_one(tokens, at, end);
  while (at < end && tokens[at].is("&&")) result = both(result, evaluate_one(tokens, ++at, end));
  return result;
}

// Evaluates one operand of && and ||. An operand that has an operator of its own is "maybe", up to the next && or || or
// the parenthesis that closes.
Certainty MacroScan::evaluate_one(const Tokens& tokens, std::size_t& at, std::size_t end) const {
  Certainty result = Certainty::maybe;
  if (at >= end) return result;
  const SourceToken& token = tokens[at++];
  if (token.is("!")) return opposite(evaluate_one(tokens, at, end));
  if (token.is("(")) {
    result = evaluate(tokens, at, end);
    if (at < end) ++at;
  } else if (token.is("defined") && at < end) {
    const bool open = tokens[at].is("(");
    at += open;
    if (at < end) result = is_defined(tokens[at++].text);
    if (open && at < end) ++at;
  } else if (token.kind == Kind::number) {
    result = token.is("0") ? Certainty::no : Certainty::yes;
  } else if (token.kind == Kind::word && is_defined(token.text) == Certainty::no) {
    result = Certainty::no;
  }
  for (int depth = 0; at < end && !(depth == 0 && (tokens[at].is("&&") || tokens[at].is("||") || tokens[at].is(")")));
       ++at) {
    depth += tokens[at].is("(") ? 1 : tokens[at].is(")") ? -1 : 0;
    result = Certainty::maybe;
  }
  return result;
}

}  // namespace warptune::tuner
