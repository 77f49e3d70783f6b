// Drafts how kernels are launched: as the host's code does it, else as their own indices ask for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/expressions/plain_body.h"
#include "tuner/kernel/draft/facts/structure_arguments.h"
#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

}  // namespace

std::string Drafter::fresh_name(const std::string& name) const {
  std::string result = macro_name(name);
  const auto taken = [&] {
    return facts_.outline.find_macro(result) || contains_word(facts_.outline.code, result) ||
           known_values_.contains(result);
  };
  if (taken()) result += "_VALUE";
  return result;
}

CExpression Drafter::resolved_in_kernel(const Site& site, const CExpression& expression, int depth) const {
  const Replacement replacement = [&](const std::string& name) -> Result {
    if (const auto given = site.given.find(name); given != site.given.end()) return given->second;
    for (std::size_t i = 0; i < 3; ++i) {
      if (name == std::string("blockDim.") + axes[i]) return site.block[i];
      if (name == std::string("gridDim.") + axes[i]) return site.grid[i];
    }
    if (draft_.find_parameter(name)) return std::nullopt;
    if (fixed_.contains(name)) return CExpression::integer(facts_.find_integer(name)->value);
    const auto derived = facts_.derived.find(name);
    if (derived == facts_.derived.end() || ++replacements_ > 100'000) return std::nullopt;
    return resolved_in_kernel(site, derived->second, depth - 1);
  };
  // One replacement is enough, because what stands for a name is in the manifest's own terms.
  return depth == 0 ? expression : simplified(replaced(expression, replacement, 1));
}

bool Drafter::in_sizes(const CExpression& expression) const {
  if (!manifest_text(expression)) return false;
  return std::ranges::none_of(names_in(expression),
                              [&](const std::string& name) { return draft_.find_parameter(name) != nullptr; });
}

void Drafter::add_size(const std::string& name) {
  if (draft_.find_size(name) || draft_.find_parameter(name)) return;
  const auto value = known_values_.find(name);
  const NamedInteger* integer = facts_.find_integer(name);
  draft_.sizes.push_back({.name = name,
                          .value = value == known_values_.end() ? 0 : value->second,
                          .comment = integer ? fmt::format("{} in {}", integer->value, integer->place()) : ""});
}

std::string Drafter::text_with_sizes(const CExpression& expression) {
  const auto text = manifest_text(expression);
  if (!text) return blank;
  const auto names = names_in(expression);
  if (names.contains(blank)) return blank;
  if (std::ranges::any_of(names, [&](const std::string& name) { return leave_if_no_size(name); })) return blank;
  for (const SourceToken& token : source_tokens(*text))  // in the order of the text
    if (names.contains(token.text)) add_size(token.text);
  return *text;
}

// Returns what stands for a template's value in the kernel's name.
std::string Drafter::template_value(Site& site, const TemplateParameter& parameter, const Result& given) {
  const auto as_parameter = [&](const std::string& name) {
    site.given.insert_or_assign(parameter.name, CExpression::name(name));
    return "{" + name + "}";
  };
  Result value;
  if (given) value = resolved(site, *given);
  if (value && value->kind == Kind::name && draft_.find_parameter(value->text)) return as_parameter(value->text);
  std::int64_t number = value && value->is_integer() ? value->value : 0;
  if (value && value->kind == Kind::name && known_values_.contains(value->text)) number = known_values_.at(value->text);
  const std::string name = fresh_name(parameter.name);
  const std::string comment = "the template parameter " + parameter.name;
  if (parameter.is_flag && guards_a_store(*site.kernel, parameter.name)) {
    const bool off = value && (value->is(Kind::name, "false") || (value->is_integer() && value->value == 0));
    draft_.guesses.push_back(
        fmt::format("launches: {} decides whether {} writes an output, so it is no parameter: it is {} here",
                    parameter.name, site.kernel->name, off ? "false" : "true"));
    return off ? "false" : "true";
  }
  if (parameter.is_flag) {
    ParameterDraft& added =
        add_parameter(name, Use::flag, value && value->is(Kind::name, "true") ? 1 : number, comment);
    added.flag = true;
    added.about = "off or on";
    return as_parameter(name);
  }
  const Use use = is_min_blocks(parameter.name) ? Use::min_blocks : use_of(parameter.name, number);
  if (is_tunable(use)) {
    const std::int64_t usual = use == Use::block ? 256 : use == Use::tile ? 16 : use == Use::padding ? 0 : 1;
    add_parameter(name, use, number > 0 ? number : usual, comment);
    if (given && given->kind == Kind::name) block_variables_.emplace(given->text, name);
    if (given && given->is_integer() && number > 1) site.template_literals.emplace(name, number);
    return as_parameter(name);
  }
  if (number > 0) {
    site.given.insert_or_assign(parameter.name, CExpression::integer(number));
    if (given && given->kind == Kind::name) template_numbers_.emplace(given->text, number);
    return std::to_string(number);
  }
  add_size(name);
  return as_parameter(name);
}

// Returns the type that a kernel's T is: the type that the launch names, else that of a pointer that it passes. Where
// that is a T of the host's own function, the type is what some call or instantiation of this function says. Where
// nothing says it, the type is float.
std::string Drafter::type_in_host(const Site& site, const std::string& parameter, const std::string& written) const {
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
      type = template_argument(facts_.outline.code, site.host->function->name, *place);
  return type.empty() ? "float" : type;
}

// Where no launch names a type, float is a guess.
void Drafter::guess_type(const Site& site, const std::string& parameter, const std::string& written) {
  if (!written.empty() || site.host) return;
  draft_.guesses.push_back(fmt::format("launches: {} is float in {}{}: nothing in the file says it", parameter,
                                       site.kernel->scope, site.kernel->name));
}

void Drafter::take_templates(Site& site) {
  const auto given = split_at_commas(site.host ? site.host->templates : TokenSpan(), true);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < site.kernel->templates.size(); ++i) {
    const TemplateParameter& parameter = site.kernel->templates[i];
    const std::string written = i < given.size() ? text_of_tokens(given[i]) : parameter.fallback;
    if (parameter.is_type) {
      const std::string type = facts_.without_alias(type_in_host(site, parameter.name, written));
      site.types[parameter.name] = type;
      guess_type(site, parameter.name, written);
      parts.push_back(type);
    } else {
      parts.push_back(template_value(site, parameter, parse_c(source_tokens(written))));
    }
  }
  if (!parts.empty()) site.template_text = fmt::format("<{}>", fmt::join(parts, ", "));
}

std::vector<CExpression> Drafter::dimensions(const Site& site, TokenSpan tokens) const {
  const std::size_t brace = !tokens.empty() && tokens[0].is("dim3") ? 1 : 0;
  if (brace < tokens.size() && tokens[brace].is("{") && tokens.back().is("}")) {
    std::vector<CExpression> parts;
    for (const TokenSpan part : split_at_commas(tokens.subspan(brace + 1, tokens.size() - brace - 2)))
      parts.push_back(parse_c(part).value_or(CExpression::name("?")));
    return parts;
  }
  const auto expression = parse_c(tokens);
  if (!expression) return {CExpression::name("?")};
  if (expression->kind == Kind::call && expression->text == "dim3") return expression->parts;
  if (expression->kind == Kind::name)
    if (const auto known = site.scope.dimensions.find(expression->text); known != site.scope.dimensions.end())
      return known->second;
  return {*expression};
}

void Drafter::add_launch(Site& site) {
  LaunchDraft launch;
  launch.kernel = site.kernel->scope + site.kernel->name + site.template_text;
  const auto list = [&](const std::array<Result, 3>& given) {
    std::vector<std::string> texts;
    std::size_t count = 3;
    while (count > 1 && !given[count - 1]) --count;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(given[i] ? text_with_sizes(*given[i]) : "1");
    return texts;
  };
  launch.grid = list(site.grid);
  launch.block = list(site.block);
  for (const auto* texts : {&launch.grid, &launch.block})
    if (std::ranges::find(*texts, blank) != texts->end() && site.host)
      leave_blank(fmt::format("launches: the {} of {}, which {} computes in a way that `init` cannot follow",
                              texts == &launch.grid ? "grid" : "block", site.kernel->name, site.host->where()));
  const bool dynamic = std::ranges::any_of(site.kernel->shared, &MemoryArray::is_extern);
  if (site.shared) launch.shared = text_with_sizes(*site.shared);
  if (dynamic && !site.host && !site.shared)
    if (const Result bytes = dynamic_shared(site)) {
      site.shared = bytes;
      launch.shared = text_with_sizes(*bytes);
      draft_.guesses.push_back(
          fmt::format("launches: shared, as far as the indices of {} are understood; no host code "
                      "says it",
                      site.kernel->name));
    }
  if ((dynamic && !site.shared) || launch.shared == blank) {
    launch.shared = blank;
    leave_blank(
        fmt::format("launches: shared, the bytes of extern __shared__ memory that {} needs{}", site.kernel->name,
                    site.host ? fmt::format(". `init` cannot follow how {} computes them", site.host->where()) : ""));
  }
  launch.cooperative = (site.host && site.host->cooperative) || waits_for_the_grid(site.kernel->body);
  launch.comments.push_back(site.host ? fmt::format("as {} launches it", site.host->where())
                                      : "from the kernel's own indices: nothing in the file launches it");
  if (!site.rounded.empty()) launch.comments.push_back(site.rounded);
  if (site.host && site.host->in_loop) {
    draft_.guesses.push_back(fmt::format("{} launches {} in a loop: the manifest has it once; repeat = … makes it more",
                                         site.host->where(), site.kernel->name));
  }
  for (const FunctionParameter& parameter : site.kernel->parameters) {
    for (const StructureArgument& structure : site.kernel->structures)
      if (structure.members.front().name == parameter.name) {
        launch.arguments.emplace_back(blank);
        leave_blank(advice_on(structure, *site.kernel));
      }
    launch.arguments.push_back(site.buffers.contains(parameter.name) ? site.buffers.at(parameter.name)
                                                                     : parameter.name);
  }
  draft_.launches.push_back(std::move(launch));
}

}  // namespace warptune::tuner::draft
