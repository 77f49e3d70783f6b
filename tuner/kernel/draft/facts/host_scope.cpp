// Finds the variables of a function of the host that launches, for which it follows the function's callers, and reads
// types and template arguments from the tokens of declarations and calls.
#include "tuner/kernel/draft/facts/host_scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/expressions/declarations.h"
#include "tuner/kernel/draft/facts/host_writes.h"

namespace warptune::tuner::draft {

namespace {

// Returns the type of the declaration whose star is at `star`: `const double *a, *b`.
std::string declared_type(TokenSpan tokens, std::size_t star) {
  std::size_t begin = star;
  while (begin > 0 && !tokens[begin - 1].is(";") && !tokens[begin - 1].is("{") && !tokens[begin - 1].is("}") &&
         !tokens[begin - 1].is("("))
    --begin;
  // Parameters have a type each: … float *a, double *b.
  std::size_t end = star;
  const auto is_plain = [&](std::size_t at) {
    return tokens[at].kind == SourceToken::Kind::word || tokens[at].is("::");
  };
  if (star > begin && is_plain(star - 1) && !tokens[star - 1].is("const")) {
    begin = star - 1;
    while (begin > 0 && is_plain(begin - 1)) --begin;
  } else {
    end = begin;
    while (end < star && is_plain(end)) ++end;
  }
  std::vector<SourceToken> words;
  for (std::size_t at = begin; at < end; ++at)
    if (!tokens[at].is("const") && !tokens[at].is("static")) words.push_back(tokens[at]);
  return text_of_tokens(words);
}

using Result = std::optional<CExpression>;

constexpr int most_levels = 4;
constexpr std::size_t most_calls = 8;

struct HostCall {
  const SourceItem* caller = nullptr;
  std::size_t place = 0;
  int line = 0;
  std::vector<TokenSpan> arguments;
  HostScope scope;  // at the call
};

// Given is what a call passes for a parameter, expressed in numbers and names of the file.
struct Given {
  Result value;
  std::vector<CExpression> dimensions;

  bool operator==(const Given&) const = default;
  bool is_known() const { return value || !dimensions.empty(); }
};

// ScopeReader follows the calls of a function upwards. They count only where it is certain that there are no others:
// the function's name stands nowhere else, and no other function has it.
class ScopeReader {
 public:
  explicit ScopeReader(const SourceFacts& facts) : facts_(facts) {}

  HostScope at(const SourceItem& function, std::size_t place, int levels) {
    HostScope scope;
    for (const SourceItem& item : facts_.outline.items) {
      const TokenSpan tokens = facts_.outline.tokens(item);
      if (item.kind == SourceItem::Kind::variable) read_host_code(facts_, tokens, tokens.size(), scope);
    }
    const HostScope file = scope;
    std::vector<HostCall> calls = levels > 0 ? calls_of(function) : std::vector<HostCall>();
    // Where there are several calls, the callers' own callers are ignored: the reader follows one chain, no tree.
    const int above = calls.size() == 1 ? levels - 1 : 0;
    for (HostCall& call : calls) call.scope = this->at(*call.caller, call.place, above);
    mark_changes(function, calls, scope);
    if (calls.size() == 1) take_variables(file, calls.front().scope, scope);
    if (!calls.empty()) bind(function, calls, scope);
    read_host_code(facts_, function.body, place, scope);
    return scope;
  }

 private:
  // Returns the calls of the function, or none where there may be others than those that are found.
  std::vector<HostCall> calls_of(const SourceItem& function) const {
    const auto& functions = facts_.host.functions();
    if (std::ranges::count(functions, function.name, &SourceItem::name) != 1 || facts_.find_kernel(function.name))
      return {};
    std::vector<HostCall> calls;
    for (const SourceItem& caller : functions)
      for (std::size_t at = 0; at < caller.body.size(); ++at) {
        if (!caller.body[at].is(function.name)) continue;
        const std::size_t open = at + 1 + template_list(caller.body, at + 1);
        const bool is_call = open < caller.body.size() && caller.body[open].is("(") && &caller != &function;
        const std::size_t close = is_call ? closing(caller.body, open) : caller.body.size();
        if (close >= caller.body.size() || calls.size() == most_calls) return {};
        calls.push_back(
            {&caller, at, caller.body[at].line, split_arguments(caller.body.subspan(open + 1, close - open - 1)), {}});
      }
    // A type's own functions and initial values may call it, too.
    const bool elsewhere = std::ranges::any_of(facts_.outline.items, [&](const SourceItem& item) {
      return item.kind != SourceItem::Kind::function && contains_word(facts_.outline.tokens(item), function.name);
    });
    return elsewhere ? std::vector<HostCall>() : calls;
  }

  // Marks the variables of the file that other functions write to as changed: their values are not known.
  void mark_changes(const SourceItem& function, const std::vector<HostCall>& calls, HostScope& scope) const {
    for (const SourceItem& other : facts_.host.functions()) {
      const bool is_caller = calls.size() == 1 && calls.front().caller == &other;
      if (&other == &function || is_caller) continue;
      const std::set<std::string> own = declared_names(other.parameters, other.body);
      for (const std::string& name : assigned_names(other.body))
        if (scope.values.contains(name) && !own.contains(name)) {
          scope.values.erase(name);
          scope.changed.insert_or_assign(name, HostScope::Change{line_of(other, name), 0});
        }
    }
  }

  static int line_of(const SourceItem& function, const std::string& name) {
    const auto found = std::ranges::find(function.body, name, &SourceToken::text);
    return found == function.body.end() ? 0 : found->line;
  }

  // Sets the variables of the file to what they are in the caller at the call.
  static void take_variables(const HostScope& file, const HostScope& caller, HostScope& scope) {
    for (const auto& [name, value] : file.values) {
      scope.values.erase(name);
      scope.changed.erase(name);
      if (const auto known = caller.values.find(name); known != caller.values.end())
        scope.values.insert_or_assign(name, known->second);
      if (const auto changed = caller.changed.find(name); changed != caller.changed.end())
        scope.changed.insert_or_assign(name, changed->second);
    }
  }

  bool is_of_file(const std::string& name) const {
    return name == "true" || name == "false" || facts_.find_integer(name) || facts_.derived.contains(name) ||
           facts_.outline.find_macro(name);
  }

  Result in_terms_of_file(const CExpression& argument, const HostScope& scope) const {
    int replacements = 0;
    const Replacement replacement = [&](const std::string& name) -> Result {
      if (++replacements > 1000) return std::nullopt;
      if (const auto value = scope.values.find(name); value != scope.values.end()) return value->second;
      const std::size_t dot = name.find('.');
      const auto known = dot == std::string::npos ? scope.dimensions.end() : scope.dimensions.find(name.substr(0, dot));
      const std::size_t axis = std::string_view("xyz").find(name.substr(dot + 1));
      if (known == scope.dimensions.end() || axis > 2) return std::nullopt;
      return axis < known->second.size() ? known->second[axis] : CExpression::integer(1);
    };
    const CExpression known = simplified(replaced(argument, replacement, 12));
    const bool is_closed =
        std::ranges::all_of(names_in(known), [&](const std::string& name) { return is_of_file(name); });
    return is_closed && manifest_text(known) ? Result(known) : std::nullopt;
  }

  Given given_by(TokenSpan argument, const HostScope& scope) const {
    const Result written = parse_c(argument);
    if (!written) return {};
    std::vector<CExpression> dimensions;
    if (written->kind == CExpression::Kind::call && written->text == "dim3") dimensions = written->parts;
    if (const auto known = scope.dimensions.find(written->text);
        written->kind == CExpression::Kind::name && known != scope.dimensions.end())
      dimensions = known->second;
    if (dimensions.empty()) return {in_terms_of_file(*written, scope), {}};
    Given given;
    for (const CExpression& dimension : dimensions)
      given.dimensions.push_back(in_terms_of_file(dimension, scope).value_or(CExpression::name("?")));
    return given;
  }

  // Returns the default value of a parameter, as in int n = 5. It stands in the definition or in a declaration before
  // it.
  TokenSpan default_of(const SourceItem& function, std::size_t which) const {
    for (const SourceItem& item : facts_.outline.items) {
      if (item.kind != SourceItem::Kind::function || item.name != function.name) continue;
      const auto parts = split_at_commas(item.parameters, true);
      if (which >= parts.size()) continue;
      const auto equals = std::ranges::find(parts[which], "=", &SourceToken::text);
      if (equals != parts[which].end())
        return parts[which].subspan(static_cast<std::size_t>(equals - parts[which].begin()) + 1);
    }
    return {};
  }

  void bind(const SourceItem& function, const std::vector<HostCall>& calls, HostScope& scope) const {
    const std::vector<FunctionParameter> parameters = read_parameters(function.parameters);
    const auto written = split_at_commas(function.parameters, true);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (contains_word(written[i], "*") || contains_word(written[i], "[")) continue;
      scope.values.erase(parameters[i].name);  // a parameter hides the file's variable of that name
      scope.changed.erase(parameters[i].name);
      std::vector<Given> given;
      for (const HostCall& call : calls)
        given.push_back(i < call.arguments.size() ? given_by(call.arguments[i], call.scope)
                                                  : given_by(default_of(function, i), call.scope));
      take(function, parameters[i].name, calls, given, scope);
      inherit(i, parameters[i].name, calls, scope);
    }
  }

  // Takes the value of the first call. Where other calls give other values, it is a guess, and `several` says so. Where
  // the value of one call is not known, the parameter gets no value.
  static void take(const SourceItem& function, const std::string& name, const std::vector<HostCall>& calls,
                   const std::vector<Given>& given, HostScope& scope) {
    if (std::ranges::none_of(given, &Given::is_known)) return;
    const Given& first = given.front();
    if (std::ranges::all_of(given, &Given::is_known)) {
      if (first.value) scope.values.insert_or_assign(name, *first.value);
      if (!first.dimensions.empty()) scope.dimensions[name] = first.dimensions;
    }
    if (std::ranges::all_of(given, [&](const Given& other) { return other == first; })) return;
    std::string text;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::string value = given[i].value ? manifest_text(*given[i].value).value_or("?") : "another value";
      text += fmt::format("{}line {} with {}",
                          i == 0                 ? ""
                          : i + 1 < calls.size() ? ", "
                                                 : " and ",
                          calls[i].line, value);
    }
    scope.several[name] = fmt::format("{} is called in {}", function.name, text);
  }

  // Where an argument is made of a variable of the caller that has several values, the parameter has several values,
  // too.
  static void inherit(std::size_t which, const std::string& name, const std::vector<HostCall>& calls,
                      HostScope& scope) {
    for (const HostCall& call : calls) {
      const auto argument = which < call.arguments.size() ? parse_c(call.arguments[which]) : Result();
      if (!argument) continue;
      for (const std::string& other : names_in(*argument))
        if (const auto several = call.scope.several.find(other); several != call.scope.several.end())
          scope.several.emplace(name, several->second);
    }
  }

  const SourceFacts& facts_;
};

// Returns the variables as they are at a place in a function's body: those of the file, the function's parameters as
// its callers give them, and its own.
HostScope scope_at(const SourceFacts& facts, const SourceItem& function, std::size_t place) {
  return ScopeReader(facts).at(function, place, most_levels);
}

}  // namespace

std::string pointed_to(const SourceItem& function, const std::string& name) {
  for (const TokenSpan tokens : {function.parameters, function.body})
    for (std::size_t at = 1; at < tokens.size(); ++at) {
      if (!tokens[at].is(name)) continue;
      std::size_t star = at - 1;
      while (star > 0 && (tokens[star].is("__restrict__") || tokens[star].is("const"))) --star;
      if (!tokens[star].is("*")) continue;
      if (std::string type = declared_type(tokens, star); element_of(type) || template_place(function, type))
        return type;
    }
  return "";
}

std::optional<std::size_t> template_place(const SourceItem& function, const std::string& name) {
  const auto parts = split_at_commas(function.template_parameters, true);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].size() > 1 && parts[i][1].is(name)) return i;
  return std::nullopt;
}

std::string template_argument(TokenSpan code, const std::string& function, std::size_t place) {
  for (std::size_t at = 0; at + 2 < code.size(); ++at) {
    if (!code[at].is(function) || !code[at + 1].is("<")) continue;
    std::size_t end = at + 2;
    while (end < code.size() && !code[end].is(">") && !code[end].is(";")) ++end;
    const auto parts = split_at_commas(code.subspan(at + 2, end - at - 2));
    if (place >= parts.size()) continue;
    if (std::string type = text_of_tokens(parts[place]); element_of(type)) return type;
  }
  return "";
}

HostScope read_host_scope(const SourceFacts& facts, const HostLaunch& launch) {
  HostScope scope = scope_at(facts, *launch.function, launch.place);
  for (const HostLaunch::Member& member : launch.members) {
    scope.values.insert_or_assign(member.written, CExpression::name(member.name));
    if (const auto value = parse_c(member.value)) scope.values.insert_or_assign(member.name, *value);
  }
  return scope;
}

}  // namespace warptune::tuner::draft
