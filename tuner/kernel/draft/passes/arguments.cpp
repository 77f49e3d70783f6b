// Drafts what kernels are called with: types and roles from the signature and the body, lengths from allocations or
// indices.
#include "tuner/kernel/draft/passes/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/facts/structure_arguments.h"
#include "tuner/kernel/draft/facts/symbol_values.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"

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

// Returns the text of an argument that is made of sizes alone: "3.0 / w" for 3.0f / w. Returns an empty text for any
// other argument.
std::string value_in_sizes(Work& work, const Site& site, TokenSpan argument) {
  const auto written = parse_c(argument);
  if (!written) return "";
  const CExpression known = resolved_in_host(work, site, *written);
  const auto is_size = [&](const std::string& name) {
    return work.draft.find_size(name) || work.meanings.known_values.contains(name) ||
           std::ranges::any_of(site.given, [&](const auto& given) { return given.second.is(Kind::name, name); });
  };
  const std::set<std::string> names = names_in(known);
  if (names.empty() || !std::ranges::all_of(names, is_size) || !in_sizes(work.draft, known)) return "";
  return text_with_sizes(work, known);
}

void add_scalar(Work& work, const Site& site, const FunctionParameter& parameter) {
  ArgumentDraft argument{.name = parameter.name};
  const auto type = site.types.find(parameter.type);
  const auto element = element_of(type != site.types.end() ? type->second : parameter.type);
  if (!element || element->count != 1 || is_called(*site.kernel, parameter.name)) {
    argument.type = blank;
    argument.value = "0";
    work.draft.blanks.push_back(advice_on(parameter, *site.kernel, work.facts.outline.code));
  } else {
    argument.type = std::string(to_string(element->type));
  }
  constexpr char guess[] = "a guess: the source does not say its value";
  if (const auto given = site.given.find(parameter.name); given != site.given.end()) {
    argument.value = text_with_sizes(work, given->second);
    if (site.guessed.contains(parameter.name)) argument.comments.emplace_back(guess);
  } else if (argument.value.empty()) {
    const auto arguments = site.host ? split_at_commas(site.host->arguments) : std::vector<TokenSpan>();
    for (std::size_t i = 0; i < std::min(arguments.size(), site.kernel->parameters.size()); ++i) {
      if (site.kernel->parameters[i].name != parameter.name) continue;
      const auto number = number_in(site.scope, arguments[i]);
      argument.value = number ? *number : value_in_sizes(work, site, arguments[i]);
    }
    if (argument.value.empty()) {
      argument.value = "1.5";
      argument.comments.emplace_back(guess);
    }
  }
  if (ArgumentDraft* known = work.draft.find_argument(argument.name)) {
    if (known->value == argument.value) return;
    argument.name = site.kernel->name + "_" + parameter.name;
    if (work.draft.find_argument(argument.name)) argument.name += fmt::format("_{}", work.draft.arguments.size());
  }
  work.draft.arguments.push_back(argument);
}

// Returns the host's variable that the launch hands over for the parameter. The name is empty if none is known.
std::string host_variable(const Site& site, const FunctionParameter& parameter) {
  if (!site.host) return "";
  const auto arguments = split_at_commas(site.host->arguments);
  for (std::size_t i = 0; i < std::min(arguments.size(), site.kernel->parameters.size()); ++i)
    if (site.kernel->parameters[i].name == parameter.name && arguments[i].size() == 1) return arguments[i].front().text;
  return "";
}

// A buffer that an earlier launch only reads becomes "inout" if this launch writes it.
void share_buffer(Site& site, const FunctionParameter& parameter, ArgumentDraft& known) {
  ArgumentDraft here{.name = known.name, .type = known.type};
  set_role(site, parameter, here);
  if (known.role != "input" || here.role == "input") return;
  known.role = "inout";
  known.tolerance = here.tolerance;
}

// Returns whether a buffer lives between two launches, because the host neither fills it before nor fetches it after.
// If the host fetches nothing at all, this holds only for a buffer whose length varies with the configuration and that
// several launches take.
bool is_between_launches(const std::vector<Site>& sites, const Site& site, const ArgumentDraft& argument,
                         const std::string& host_name, bool varies) {
  if (argument.role == "input" || host_name.empty() || site.scope.uploaded.contains(host_name)) return false;
  if (!site.scope.downloaded.empty()) return sites.size() > 1 && !site.scope.downloaded.contains(host_name);
  const auto takes_it = [&](const Site& other) {
    return other.host && std::ranges::any_of(split_at_commas(other.host->arguments), [&](const auto& given) {
             return given.size() == 1 && given.front().text == host_name;
           });
  };
  return varies && std::ranges::count_if(sites, takes_it) > 1;
}

// Says why the shape is a blank.
void leave_shape_blank(Draft& draft, const Site& site, const std::string& buffer, ArgumentDraft& argument,
                       bool varies) {
  argument.shape = blank;
  const std::string& name = argument.name;
  if (varies)
    return draft.blanks.push_back(fmt::format(
        "arguments.{0}: one element per block, so it is another array for each configuration and cannot be compared. "
        "Make it a [temporaries.{0}] (whose shape may use parameters), and add a kernel and a [[launches]] that reduce "
        "it to what the host computes from it",
        name));
  if (argument.role != "output" || !site.grid[0] || in_sizes(draft, *site.grid[0]) || !is_of_blocks(site, buffer))
    return draft.blanks.push_back(fmt::format("arguments.{}.shape: how many elements it has", name));
  draft.blanks.push_back(fmt::format(
      "arguments.{0}: it seems to hold one element per block ({1}), and then it is another array for each "
      "configuration: make it a [temporaries.{0}] with this shape, and add a kernel and a [[launches]] that reduce it "
      "to one result",
      name, manifest_text(*site.grid[0]).value_or("?")));
}

// Returns what the launch passes, such as "d_in + RADIUS". Returns an empty text where it passes the buffer itself, or
// what is no known buffer.
std::string offset_argument(const Site& site, const FunctionParameter& parameter) {
  if (!site.host) return "";
  const auto given = split_at_commas(site.host->arguments);
  for (std::size_t i = 0; i < std::min(given.size(), site.kernel->parameters.size()); ++i) {
    if (site.kernel->parameters[i].name != parameter.name || given[i].size() < 3) continue;
    const bool address = given[i][0].is("&") && given[i][2].is("[");
    const bool sum = given[i][1].is("+") || given[i][1].is("-");
    const std::string& buffer = given[i][address ? 1 : 0].text;
    if ((address || sum) && site.scope.allocated_bytes.contains(buffer)) return text_of_tokens(given[i]);
  }
  return "";
}

bool leave_blank_if_offset(Draft& draft, const Site& site, const FunctionParameter& parameter,
                           ArgumentDraft& argument) {
  const std::string passed = offset_argument(site, parameter);
  if (passed.empty()) return false;
  argument.shape = blank;
  draft.blanks.push_back(
      fmt::format("arguments.{}: {} passes {}, and a manifest passes buffers from their first element. Let {} add "
                  "the offset to its index, and write here how many elements the whole buffer has",
                  argument.name, site.host->where(), passed, site.kernel->name));
  return true;
}

void add_buffer(Work& work, Site& site, const FunctionParameter& parameter) {
  const std::string host_name = host_variable(site, parameter);
  ArgumentDraft argument{.name = host_name.empty() ? parameter.name : without_device_marks(host_name)};
  site.buffers[parameter.name] = argument.name;
  if (ArgumentDraft* known = work.draft.find_argument(argument.name)) return share_buffer(site, parameter, *known);
  const auto type = site.types.find(parameter.type);
  const std::string written = type != site.types.end() ? type->second : parameter.type;
  const auto structure = work.facts.structures.find(written);
  const auto element =
      structure != work.facts.structures.end() ? std::optional(structure->second) : element_of(written);
  if (!element || parameter.pointers != 1) {
    argument.type = argument.shape = blank;
    argument.fill = "{ constant = 0 }";
    work.draft.blanks.push_back(
        fmt::format("arguments.{}: {}{} is no buffer of numbers of one type; a manifest knows float, double, half, "
                    "bfloat16 and integers",
                    argument.name, written, std::string(static_cast<std::size_t>(parameter.pointers), '*')));
    work.draft.arguments.push_back(argument);
    return;
  }
  argument.type = std::string(to_string(element->type));
  if (element->count > 1) argument.comments.push_back(fmt::format("{}: {} numbers each", written, element->count));
  argument.fill = fill_of(element->type, static_cast<int>(work.draft.arguments.size()) + 1);
  if (written == "bool")
    argument.fill = fmt::format("{{ uniform = [0, 1], seed = {} }}", work.draft.arguments.size() + 1);
  set_role(site, parameter, argument);
  bool varies = false;
  auto shape = shape_of(work, site, parameter, *element, varies);
  if (!shape) shape = shape_by_indices(work, site, parameter, argument);
  if (!shape && !varies && !contains_word(site.kernel->body, parameter.name)) {
    shape = "1";
    argument.comments.emplace_back("the kernel does not use it");
  }
  describe_segments(site, parameter, argument, shape);
  if (site.scope.cleared.contains(host_name) && argument.role == "inout") argument.fill = "{ constant = 0 }";
  argument.temporary = is_between_launches(work.sites, site, argument, host_name, varies);
  if (!argument.temporary && draft_partial_sums(work, site, parameter, host_name, argument)) {
    work.draft.arguments.push_back(argument);
    return;
  }
  varies = varies && !argument.temporary;
  if (shape && !varies) argument.shape = *shape;
  if (!leave_blank_if_offset(work.draft, site, parameter, argument) && argument.shape.empty())
    leave_shape_blank(work.draft, site, parameter.name, argument, varies);
  work.draft.arguments.push_back(argument);
}

// Returns a fill such as { values = [1, 2, 3, 4] }, where the program copies numbers that the source has. C fills a
// short list up with zeros.
std::optional<std::string> fill_by_program(const SourceFacts& facts, const MemoryArray& array,
                                           const std::string& shape) {
  const auto copy = std::ranges::find(facts.symbol_copies, array.name, &SymbolCopy::symbol);
  auto values = copy == facts.symbol_copies.end() ? std::nullopt : copied_values(facts, *copy);
  if (!values) return std::nullopt;
  const bool is_number = shape.find_first_not_of("0123456789") == std::string::npos && shape.size() < 5;
  if (const std::size_t elements = is_number ? std::stoul(shape) : values->size(); elements > values->size())
    values->resize(elements, "0");
  else if (elements < values->size())
    return std::nullopt;
  return fmt::format("{{ values = [{}] }}", fmt::join(*values, ", "));
}

// __constant__ arrays that the kernel reads, itself or by what it calls, are filled by name.
void add_constant_arrays(Work& work, const Site& site) {
  const std::set<std::string> reached = reached_words(work.facts.outline, {site.kernel->name});
  for (const MemoryArray& array : work.facts.constant_arrays) {
    if (array.is_filled || !reached.contains(array.name) || work.draft.find_argument(array.name)) continue;
    const auto element = element_of(array.type);
    if (!element) continue;
    ArgumentDraft argument{.name = array.name, .type = std::string(to_string(element->type))};
    argument.symbol = array.scope + array.name;
    argument.fill = fill_of(element->type, static_cast<int>(work.draft.arguments.size()) + 1);
    std::vector<CExpression> factors = array.extents;
    if (element->count > 1) factors.push_back(CExpression::integer(element->count));
    const CExpression count = resolved_in_kernel(work, site, product_of(factors));
    argument.shape = in_sizes(work.draft, count) ? text_with_sizes(work, count) : blank;
    if (argument.shape == blank)
      work.draft.blanks.push_back(fmt::format("arguments.{}.shape: how many elements it has", array.name));
    argument.comments.push_back("__constant__ memory");
    if (const auto fill = fill_by_program(work.facts, array, argument.shape)) {
      argument.fill = *fill;
      argument.comments.back() = "__constant__ memory, filled as the program does";
    }
    work.draft.arguments.push_back(argument);
  }
}

}  // namespace

bool is_of_blocks(const Site& site, const std::string& buffer) {
  const auto accesses = site.body.accesses.find(buffer);
  if (accesses == site.body.accesses.end()) return false;
  return std::ranges::any_of(accesses->second, [&](const Access& access) {
    if (!access.index || access.index->kind != Kind::name) return false;
    const auto definition = site.body.definitions.find(access.index->text);
    const CExpression& index = definition == site.body.definitions.end() ? *access.index : definition->second;
    return index.kind == Kind::name && index.text.starts_with("blockIdx.");
  });
}

void add_arguments(Work& work, Site& site) {
  for (const FunctionParameter& parameter : site.kernel->parameters) {
    if (parameter.pointers > 0) {
      add_buffer(work, site, parameter);
      continue;
    }
    const std::size_t before = work.draft.arguments.size();
    add_scalar(work, site, parameter);
    if (work.draft.arguments.size() > before) site.buffers[parameter.name] = work.draft.arguments.back().name;
  }
  add_constant_arrays(work, site);
}

void require_output(const std::vector<Site>& sites, Draft& draft) {
  const bool any = std::ranges::any_of(draft.arguments, [](const ArgumentDraft& argument) {
    return !argument.temporary && (argument.role == "output" || argument.role == "inout");
  });
  if (!any)
    draft.blanks.push_back(
        "arguments: which buffer is the output (role = \"output\", with a tolerance); `init` saw none written");
  for (const Site& site : sites)
    for (const std::string& buffer : site.body.indices) {
      const auto name = site.buffers.find(buffer);
      const ArgumentDraft* argument = name == site.buffers.end() ? nullptr : draft.find_argument(name->second);
      if (!argument || argument->temporary || argument->role != "input" ||
          is_floating(element_type_from_string(argument->type).value_or(ElementType::f32)) ||
          argument->fill.find("uniform") == std::string::npos)
        continue;
      draft.guesses.push_back(
          fmt::format("arguments.{}.fill: random integers that the kernel takes as indices. They must stay below the "
                      "length of what they index",
                      argument->name));
    }
}

}  // namespace warptune::tuner::draft
