// Drafts what kernels are called with: types and roles from the signature and the body, lengths from allocations or
// indices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/facts/structure_arguments.h"
#include "tuner/kernel/draft/facts/symbol_values.h"
#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

std::string fill_of(ElementType type, int seed) {
  if (is_floating(type)) return fmt::format("{{ uniform = [-1.0, 1.0], seed = {} }}", seed);
  return fmt::format("{{ uniform = [0, {}], seed = {} }}", type == ElementType::u8 ? 255 : 100, seed);
}

// Returns the text of the scalar that the host hands over, if it is a number.
std::optional<std::string> number_in(const HostScope& scope, TokenSpan argument) {
  auto expression = parse_c(argument);
  for (int depth = 0; expression && expression->kind == Kind::name && depth < 4; ++depth) {
    const auto value = scope.values.find(expression->text);
    if (value == scope.values.end()) return std::nullopt;
    expression = value->second;
  }
  if (!expression) return std::nullopt;
  const CExpression known = simplified(*expression);
  if (known.is(Kind::unary, "-") && known.parts.front().kind == Kind::real) return "-" + known.parts.front().text;
  return names_in(known).empty() ? manifest_text(known) : std::nullopt;
}

}  // namespace

// Returns the text of an argument that is made of sizes alone: "3.0 / w" for 3.0f / w. Returns an empty text for any
// other argument.
std::string Drafter::value_in_sizes(const Site& site, TokenSpan argument) {
  const auto written = parse_c(argument);
  if (!written) return "";
  const CExpression known = resolved(site, *written);
  const auto is_size = [&](const std::string& name) {
    return draft_.find_size(name) || known_values_.contains(name) ||
           std::ranges::any_of(site.given, [&](const auto& given) { return given.second.is(Kind::name, name); });
  };
  const std::set<std::string> names = names_in(known);
  if (names.empty() || !std::ranges::all_of(names, is_size) || !in_sizes(known)) return "";
  return text_with_sizes(known);
}

void Drafter::add_scalar(const Site& site, const FunctionParameter& parameter) {
  ArgumentDraft argument{.name = parameter.name};
  const auto type = site.types.find(parameter.type);
  const auto element = element_of(type != site.types.end() ? type->second : parameter.type);
  if (!element || element->count != 1 || is_called(*site.kernel, parameter.name)) {
    argument.type = blank;
    argument.value = "0";
    leave_blank(advice_on(parameter, *site.kernel, facts_.outline.code));
  } else {
    argument.type = std::string(to_string(element->type));
  }
  constexpr char guess[] = "a guess: the source does not say its value";
  if (const auto given = site.given.find(parameter.name); given != site.given.end()) {
    argument.value = text_with_sizes(given->second);
    if (site.guessed.contains(parameter.name)) argument.comments.emplace_back(guess);
  } else if (argument.value.empty()) {
    const auto arguments = site.host ? split_at_commas(site.host->arguments) : std::vector<TokenSpan>();
    for (std::size_t i = 0; i < std::min(arguments.size(), site.kernel->parameters.size()); ++i) {
      if (site.kernel->parameters[i].name != parameter.name) continue;
      const auto number = number_in(site.scope, arguments[i]);
      argument.value = number ? *number : value_in_sizes(site, arguments[i]);
    }
    if (argument.value.empty()) {
      argument.value = "1.5";
      argument.comments.emplace_back(guess);
    }
  }
  if (ArgumentDraft* known = draft_.find_argument(argument.name)) {
    if (known->value == argument.value) return;
    argument.name = site.kernel->name + "_" + parameter.name;
    if (draft_.find_argument(argument.name)) argument.name += fmt::format("_{}", draft_.arguments.size());
  }
  draft_.arguments.push_back(argument);
}

// Returns the host's variable that the launch hands over for the parameter. The name is empty if none is known.
std::string Drafter::host_variable(const Site& site, const FunctionParameter& parameter) {
  if (!site.host) return "";
  const auto arguments = split_at_commas(site.host->arguments);
  for (std::size_t i = 0; i < std::min(arguments.size(), site.kernel->parameters.size()); ++i)
    if (site.kernel->parameters[i].name == parameter.name && arguments[i].size() == 1) return arguments[i].front().text;
  return "";
}

// A buffer that an earlier launch only reads becomes "inout" if this launch writes it.
void Drafter::share_buffer(Site& site, const FunctionParameter& parameter, ArgumentDraft& known) {
  ArgumentDraft here{.name = known.name, .type = known.type};
  set_role(site, parameter, here);
  if (known.role != "input" || here.role == "input") return;
  known.role = "inout";
  known.tolerance = here.tolerance;
}

// Returns whether a buffer lives between two launches, because the host neither fills it before nor fetches it after.
// If the host fetches nothing at all, this holds only for a buffer whose length varies with the configuration and that
// several launches take.
bool Drafter::is_between_launches(const Site& site, const ArgumentDraft& argument, const std::string& host_name,
                                  bool varies) const {
  if (argument.role == "input" || host_name.empty() || site.scope.uploaded.contains(host_name)) return false;
  if (!site.scope.downloaded.empty()) return sites_.size() > 1 && !site.scope.downloaded.contains(host_name);
  const auto takes_it = [&](const Site& other) {
    return other.host && std::ranges::any_of(split_at_commas(other.host->arguments), [&](const auto& given) {
             return given.size() == 1 && given.front().text == host_name;
           });
  };
  return varies && std::ranges::count_if(sites_, takes_it) > 1;
}

// Returns whether an index of the buffer is the block's own: partial[blockIdx.x].
bool Drafter::is_of_blocks(const Site& site, const std::string& buffer) {
  const auto accesses = site.body.accesses.find(buffer);
  if (accesses == site.body.accesses.end()) return false;
  return std::ranges::any_of(accesses->second, [&](const Access& access) {
    if (!access.index || access.index->kind != Kind::name) return false;
    const auto definition = site.body.definitions.find(access.index->text);
    const CExpression& index = definition == site.body.definitions.end() ? *access.index : definition->second;
    return index.kind == Kind::name && index.text.starts_with("blockIdx.");
  });
}

// Says why the shape is a blank.
void Drafter::leave_shape_blank(const Site& site, const std::string& buffer, ArgumentDraft& argument, bool varies) {
  argument.shape = blank;
  const std::string& name = argument.name;
  if (varies)
    return leave_blank(fmt::format(
        "arguments.{0}: one element per block, so it is another array for each configuration and cannot be compared. "
        "Make it a [temporaries.{0}] (whose shape may use parameters), and add a kernel and a [[launches]] that reduce "
        "it to what the host computes from it",
        name));
  if (argument.role != "output" || !site.grid[0] || in_sizes(*site.grid[0]) || !is_of_blocks(site, buffer))
    return leave_blank(fmt::format("arguments.{}.shape: how many elements it has", name));
  leave_blank(fmt::format(
      "arguments.{0}: it seems to hold one element per block ({1}), and then it is another array for each "
      "configuration: make it a [temporaries.{0}] with this shape, and add a kernel and a [[launches]] that reduce it "
      "to one result",
      name, manifest_text(*site.grid[0]).value_or("?")));
}

void Drafter::add_buffer(Site& site, const FunctionParameter& parameter) {
  const std::string host_name = host_variable(site, parameter);
  ArgumentDraft argument{.name = host_name.empty() ? parameter.name : without_device_marks(host_name)};
  site.buffers[parameter.name] = argument.name;
  if (ArgumentDraft* known = draft_.find_argument(argument.name)) return share_buffer(site, parameter, *known);
  const auto type = site.types.find(parameter.type);
  const std::string written = type != site.types.end() ? type->second : parameter.type;
  const auto structure = facts_.structures.find(written);
  const auto element = structure != facts_.structures.end() ? std::optional(structure->second) : element_of(written);
  if (!element || parameter.pointers != 1) {
    argument.type = argument.shape = blank;
    argument.fill = "{ constant = 0 }";
    leave_blank(
        fmt::format("arguments.{}: {}{} is no buffer of numbers of one type; a manifest knows float, double, half, "
                    "bfloat16 and integers",
                    argument.name, written, std::string(static_cast<std::size_t>(parameter.pointers), '*')));
    draft_.arguments.push_back(argument);
    return;
  }
  argument.type = std::string(to_string(element->type));
  if (element->count > 1) argument.comments.push_back(fmt::format("{}: {} numbers each", written, element->count));
  argument.fill = fill_of(element->type, static_cast<int>(draft_.arguments.size()) + 1);
  if (written == "bool") argument.fill = fmt::format("{{ uniform = [0, 1], seed = {} }}", draft_.arguments.size() + 1);
  set_role(site, parameter, argument);
  bool varies = false;
  auto shape = shape_of(site, parameter, *element, varies);
  if (!shape) shape = shape_by_indices(site, parameter, argument);
  if (!shape && !varies && !contains_word(site.kernel->body, parameter.name)) {
    shape = "1";
    argument.comments.emplace_back("the kernel does not use it");
  }
  take_segments(site, parameter, argument, shape);
  if (site.scope.cleared.contains(host_name) && argument.role == "inout") argument.fill = "{ constant = 0 }";
  argument.temporary = is_between_launches(site, argument, host_name, varies);
  if (!argument.temporary && take_partial_sums(site, parameter, host_name, argument)) {
    draft_.arguments.push_back(argument);
    return;
  }
  varies = varies && !argument.temporary;
  if (shape && !varies) argument.shape = *shape;
  if (!leave_if_from_within(site, parameter, argument) && argument.shape.empty())
    leave_shape_blank(site, parameter.name, argument, varies);
  draft_.arguments.push_back(argument);
}

// Returns a fill such as { values = [1, 2, 3, 4] }, where the program copies numbers that the source has. C fills a
// short list up with zeros.
std::optional<std::string> Drafter::fill_by_program(const MemoryArray& array, const std::string& shape) const {
  const auto copy = std::ranges::find(facts_.symbol_copies, array.name, &SymbolCopy::symbol);
  auto values = copy == facts_.symbol_copies.end() ? std::nullopt : copied_values(facts_, *copy);
  if (!values) return std::nullopt;
  const bool is_number = shape.find_first_not_of("0123456789") == std::string::npos && shape.size() < 5;
  if (const std::size_t elements = is_number ? std::stoul(shape) : values->size(); elements > values->size())
    values->resize(elements, "0");
  else if (elements < values->size())
    return std::nullopt;
  return fmt::format("{{ values = [{}] }}", fmt::join(*values, ", "));
}

// __constant__ arrays that the kernel reads, itself or by what it calls, are filled by name.
void Drafter::add_constant_arrays(const Site& site) {
  const std::set<std::string> reached = reached_words(facts_.outline, {site.kernel->name});
  for (const MemoryArray& array : facts_.constant_arrays) {
    if (array.is_filled || !reached.contains(array.name) || draft_.find_argument(array.name)) continue;
    const auto element = element_of(array.type);
    if (!element) continue;
    ArgumentDraft argument{.name = array.name, .type = std::string(to_string(element->type))};
    argument.symbol = array.scope + array.name;
    argument.fill = fill_of(element->type, static_cast<int>(draft_.arguments.size()) + 1);
    std::vector<CExpression> factors = array.extents;
    if (element->count > 1) factors.push_back(CExpression::integer(element->count));
    const CExpression count = resolved_in_kernel(site, product_of(factors));
    argument.shape = in_sizes(count) ? text_with_sizes(count) : blank;
    if (argument.shape == blank) leave_blank(fmt::format("arguments.{}.shape: how many elements it has", array.name));
    argument.comments.push_back("__constant__ memory");
    if (const auto fill = fill_by_program(array, argument.shape)) {
      argument.fill = *fill;
      argument.comments.back() = "__constant__ memory, filled as the program does";
    }
    draft_.arguments.push_back(argument);
  }
}

void Drafter::add_arguments(Site& site) {
  for (const FunctionParameter& parameter : site.kernel->parameters) {
    if (parameter.pointers > 0) {
      add_buffer(site, parameter);
      continue;
    }
    const std::size_t before = draft_.arguments.size();
    add_scalar(site, parameter);
    if (draft_.arguments.size() > before) site.buffers[parameter.name] = draft_.arguments.back().name;
  }
  add_constant_arrays(site);
}

void Drafter::require_output() {
  const bool any = std::ranges::any_of(draft_.arguments, [](const ArgumentDraft& argument) {
    return !argument.temporary && (argument.role == "output" || argument.role == "inout");
  });
  if (!any)
    leave_blank("arguments: which buffer is the output (role = \"output\", with a tolerance); `init` saw none written");
  for (const Site& site : sites_)
    for (const std::string& buffer : site.body.indices) {
      const auto name = site.buffers.find(buffer);
      const ArgumentDraft* argument = name == site.buffers.end() ? nullptr : draft_.find_argument(name->second);
      if (!argument || argument->temporary || argument->role != "input" ||
          is_floating(element_type_from_string(argument->type).value_or(ElementType::f32)) ||
          argument->fill.find("uniform") == std::string::npos)
        continue;
      draft_.guesses.push_back(
          fmt::format("arguments.{}.fill: random integers that the kernel takes as indices. They must stay below the "
                      "length of what they index",
                      argument->name));
    }
}

}  // namespace warptune::tuner::draft
