// Finds what stands for a kernel's template parameters and integers at a launch: sizes, parameters and numbers.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/integers.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

// Returns the index behind the statement at `at`, which is `x;`, `{ … }` or `if (…) x;` without its `else`.
std::size_t end_of_statement(TokenSpan tokens, std::size_t at) {
  if (at < tokens.size() && tokens[at].is("{")) return std::min(closing(tokens, at) + 1, tokens.size());
  while (at < tokens.size() && !tokens[at].is(";")) {
    if (tokens[at].is("(") || tokens[at].is("[")) at = std::min(closing(tokens, at), tokens.size() - 1);
    if (tokens[at].is("{")) return std::min(closing(tokens, at) + 1, tokens.size());
    ++at;
  }
  return std::min(at + 1, tokens.size());
}

// Returns the kernel's pointers that the tokens store to, as in y[i] = …, y[i] += …, *y = …, atomicAdd(&y[i], …).
std::set<std::string> stored_buffers(TokenSpan tokens, const KernelFacts& kernel) {
  std::set<std::string> stored;
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const auto pointer = std::ranges::find_if(kernel.parameters, [&](const FunctionParameter& parameter) {
      return parameter.pointers > 0 && tokens[at].is(parameter.name);
    });
    if (pointer == kernel.parameters.end()) continue;
    std::size_t behind = at + 1;
    while (behind < tokens.size() && tokens[behind].is("[")) behind = closing(tokens, behind) + 1;
    const bool element = behind > at + 1 || (at > 0 && tokens[at - 1].is("*"));
    const auto assigns = [&](std::size_t place) { return place < tokens.size() && tokens[place].is("="); };
    static const std::set<std::string> signs = {"+", "-", "*", "/", "|", "&", "^"};
    const bool combined = behind < tokens.size() && signs.contains(tokens[behind].text) && assigns(behind + 1);
    const bool atomic = at > 2 && (tokens[at - 1].is("(") || (tokens[at - 1].is("&") && tokens[at - 2].is("("))) &&
                        tokens[at - (tokens[at - 1].is("(") ? 2 : 3)].text.starts_with("atomic");
    if ((element && (assigns(behind) || combined)) || atomic) stored.insert(pointer->name);
  }
  return stored;
}

// Returns whether `if (NAME …)` stands before a store to what one of the kernel's pointers points to, and no store of
// its `else` has the same buffer. Then the other value of NAME leaves an output unwritten.
bool guards_a_store(const KernelFacts& kernel, const std::string& name) {
  const TokenSpan body = kernel.body;
  for (std::size_t at = 0; at + 2 < body.size(); ++at) {
    if (!body[at].is("if")) continue;
    const std::size_t open = at + (body[at + 1].is("constexpr") ? 2 : 1);
    const std::size_t close = open < body.size() && body[open].is("(") ? closing(body, open) : body.size();
    if (close >= body.size() || !contains_word(body.subspan(open, close - open), name)) continue;
    const std::size_t end = end_of_statement(body, close + 1);
    const TokenSpan guarded = body.subspan(close + 1, end - close - 1);
    // if (!NAME) return; guards all that follows.
    const bool leaves = contains_word(guarded, "return");
    const bool has_else = end < body.size() && body[end].is("else");
    const TokenSpan other = has_else ? body.subspan(end, end_of_statement(body, end + 1) - end) : TokenSpan();
    const auto stored = stored_buffers(leaves ? body.subspan(end) : guarded, kernel);
    const auto stored_else = stored_buffers(other, kernel);
    if (stored != stored_else && !(leaves && stored.empty())) return true;
  }
  return false;
}

// Returns what stands for a template's value in the kernel's name.
std::string template_value(Work& work, Site& site, const TemplateParameter& parameter, const Result& given) {
  const auto as_parameter = [&](const std::string& name) {
    site.given.insert_or_assign(parameter.name, CExpression::name(name));
    return "{" + name + "}";
  };
  Result value;
  if (given) value = resolved_in_host(work, site, *given);
  if (value && value->kind == Kind::name && work.draft.find_parameter(value->text)) return as_parameter(value->text);
  std::int64_t number = value && value->is_integer() ? value->value : 0;
  if (value && value->kind == Kind::name && work.meanings.known_values.contains(value->text))
    number = work.meanings.known_values.at(value->text);
  const std::string name = fresh_name(work.facts, work.meanings, parameter.name);
  const std::string comment = "the template parameter " + parameter.name;
  if (parameter.is_flag && guards_a_store(*site.kernel, parameter.name)) {
    const bool off = value && (value->is(Kind::name, "false") || (value->is_integer() && value->value == 0));
    work.draft.guesses.push_back(
        fmt::format("launches: {} decides whether {} writes an output, so it is no parameter: it is {} here",
                    parameter.name, site.kernel->name, off ? "false" : "true"));
    return off ? "false" : "true";
  }
  if (parameter.is_flag) {
    ParameterDraft& added =
        add_parameter(work.draft, name, Use::flag, value && value->is(Kind::name, "true") ? 1 : number, comment);
    added.flag = true;
    added.about = "off or on";
    return as_parameter(name);
  }
  const Use use = is_min_blocks(work.sites, parameter.name) ? Use::min_blocks : use_of(parameter.name, number);
  if (is_tunable(use)) {
    const std::int64_t usual = use == Use::block ? 256 : use == Use::tile ? 16 : use == Use::padding ? 0 : 1;
    add_parameter(work.draft, name, use, number > 0 ? number : usual, comment);
    if (given && given->kind == Kind::name) work.meanings.block_variables.emplace(given->text, name);
    if (given && given->is_integer() && number > 1) site.template_literals.emplace(name, number);
    return as_parameter(name);
  }
  if (number > 0) {
    site.given.insert_or_assign(parameter.name, CExpression::integer(number));
    if (given && given->kind == Kind::name) work.meanings.template_numbers.emplace(given->text, number);
    return std::to_string(number);
  }
  add_size(work, name);
  return as_parameter(name);
}

// Returns the type that a kernel's T is: the type that the launch names, else that of a pointer that it passes. Where
// that is a T of the host's own function, the type is what some call or instantiation of this function says. Where
// nothing says it, the type is float.
std::string type_in_host(const SourceFacts& facts, const Site& site, const std::string& parameter,
                         const std::string& written) {
  std::string type = written;
  if (site.host && type.empty()) {
    const auto arguments = split_at_commas(site.host->arguments);
    for (std::size_t i = 0; i < std::min(arguments.size(), site.kernel->parameters.size()) && type.empty(); ++i)
      if (site.kernel->parameters[i].type == parameter && site.kernel->parameters[i].pointers == 1 &&
          arguments[i].size() == 1)
        type = pointed_to(*site.host->function, arguments[i].front().text);
  }
  if (site.host)
    if (const auto place = template_place(*site.host->function, type))
      type = template_argument(facts.outline.code, site.host->function->name, *place);
  return type.empty() ? "float" : type;
}

// Where no launch names a type, float is a guess.
void guess_type(Draft& draft, const Site& site, const std::string& parameter, const std::string& written) {
  if (!written.empty() || site.host) return;
  draft.guesses.push_back(fmt::format("launches: {} is float in {}{}: nothing in the file says it", parameter,
                                      site.kernel->scope, site.kernel->name));
}

// Returns what the launch passes for a scalar of 8 bits: the host's number, or one that a parameter gives, else a
// guess.
CExpression value_of_byte(const Draft& draft, const Meanings& meanings, Site& site, const std::string& name,
                          const CExpression& known) {
  if (known.is(CExpression::Kind::name, "true") || known.is(CExpression::Kind::name, "false"))
    return CExpression::integer(known.text == "true" ? 1 : 0);
  if (const auto number = meanings.known_values.find(known.text);
      known.kind == CExpression::Kind::name && number != meanings.known_values.end())
    return CExpression::integer(number->second);
  const auto is_parameter = [&](const std::string& part) { return draft.find_parameter(part) != nullptr; };
  if (std::ranges::all_of(names_in(known), is_parameter)) return known;
  site.guessed.insert(name);
  return CExpression::integer(1);
}

}  // namespace

void read_template_arguments(Work& work, Site& site) {
  const auto given = split_at_commas(site.host ? site.host->templates : TokenSpan(), true);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < site.kernel->templates.size(); ++i) {
    const TemplateParameter& parameter = site.kernel->templates[i];
    const std::string written = i < given.size() ? text_of_tokens(given[i]) : parameter.fallback;
    if (parameter.is_type) {
      const std::string type = work.facts.without_alias(type_in_host(work.facts, site, parameter.name, written));
      site.types[parameter.name] = type;
      guess_type(work.draft, site, parameter.name, written);
      parts.push_back(type);
    } else {
      parts.push_back(template_value(work, site, parameter, parse_c(source_tokens(written))));
    }
  }
  if (!parts.empty()) site.template_text = fmt::format("<{}>", fmt::join(parts, ", "));
}

void read_scalars(Work& work, Site& site) {
  const auto arguments = site.host ? split_at_commas(site.host->arguments) : std::vector<TokenSpan>();
  for (std::size_t i = 0; i < site.kernel->parameters.size(); ++i) {
    const FunctionParameter& parameter = site.kernel->parameters[i];
    if (parameter.pointers > 0 || !is_integer_type(parameter.type)) continue;
    CExpression value = CExpression::name(parameter.name);
    if (i < arguments.size())
      if (const auto argument = parse_c(arguments[i]))
        if (const CExpression known = resolved_in_host(work, site, *argument); manifest_text(known)) value = known;
    if (!may_be_size(parameter.type)) value = value_of_byte(work.draft, work.meanings, site, parameter.name, value);
    site.given.insert_or_assign(parameter.name, value);
  }
}

}  // namespace warptune::tuner::draft
