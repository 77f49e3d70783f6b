// Rewrites the tokens of kernels and launches, and advises on what remains for a person to change.
#include "tuner/kernel/draft/facts/structure_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/kernel/draft/facts/structures.h"

namespace warptune::tuner::draft {

namespace {

using Structures = std::map<std::string, std::vector<FunctionParameter>>;
using Word = SourceToken::Kind;

std::vector<FunctionParameter> members_of(const Structures& structures, const std::string& type) {
  const auto known = structures.find(type);
  return known != structures.end() ? known->second : members_of_vector(type);
}

// MemberNames maps the name of a structure's variable and that of a member to the name of what holds the member.
using MemberNames = std::map<std::pair<std::string, std::string>, std::string>;

// Variable is a structure's variable in the body that is made of names alone, with the place of its declaration.
struct Variable {
  StructureArgument structure;
  std::size_t begin = 0, end = 0;
};

// Reads the variables that are declared as `Params p = {a, b};` or `Params p{a, b};`.
std::vector<Variable> read_variables(TokenSpan body, const Structures& structures, MemberNames& names) {
  std::vector<Variable> variables;
  for (std::size_t at = 0; at + 3 < body.size(); ++at) {
    const std::size_t open = body[at + 2].is("=") ? at + 3 : at + 2;
    if (body[at].kind != Word::word || body[at + 1].kind != Word::word || !body[open].is("{")) continue;
    Variable variable{
        {body[at + 1].text, body[at].text, members_of(structures, body[at].text)}, at, closing(body, open)};
    std::vector<FunctionParameter>& members = variable.structure.members;
    if (members.empty() || variable.end >= body.size()) continue;
    const auto values = split_at_commas(body.subspan(open + 1, variable.end - open - 1));
    const auto is_name = [](TokenSpan value) { return value.size() == 1 && value[0].kind == Word::word; };
    if (values.size() != members.size() || !std::ranges::all_of(values, is_name)) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      names[{variable.structure.name, members[i].name}] = values[i][0].text;
      members[i].name = values[i][0].text;
    }
    variables.push_back(std::move(variable));
  }
  return variables;
}

// Returns the names of a structure's pointers, with commas between them: a structure that is handed on whole hands on
// its pointers.
std::vector<SourceToken> pointers_of(const std::vector<StructureArgument>& structures, const std::string& name) {
  std::vector<SourceToken> tokens;
  for (const StructureArgument& structure : structures)
    for (const FunctionParameter& member : structure.members)
      if (structure.name == name && member.pointers > 0) {
        if (!tokens.empty()) tokens.push_back({Word::sign, ","});
        tokens.push_back({Word::word, member.name});
      }
  return tokens;
}

std::vector<SourceToken> with_names(TokenSpan body, const MemberNames& names, const std::vector<Variable>& variables,
                                    std::vector<StructureArgument> whole) {
  for (const Variable& variable : variables) whole.push_back(variable.structure);
  std::vector<SourceToken> tokens;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (const auto declared = std::ranges::find(variables, at, &Variable::begin); declared != variables.end()) {
      at = declared->end;
      continue;
    }
    const bool begins = at == 0 || (!body[at - 1].is(".") && !body[at - 1].is("->"));
    const bool member = at + 2 < body.size() && body[at + 1].is(".");
    const auto known = member ? names.find({body[at].text, body[at + 2].text}) : names.end();
    const auto pointers = begins && !member ? pointers_of(whole, body[at].text) : std::vector<SourceToken>();
    if (!pointers.empty()) {
      tokens.insert(tokens.end(), pointers.begin(), pointers.end());
      continue;
    }
    tokens.push_back(body[at]);
    if (!begins || known == names.end()) continue;
    tokens.back().text = known->second;
    at += 2;
  }
  return tokens;
}

// Returns what follows the last `p.width =` before the launch, or stands in its place in the last `p = {…}` or `p{…}`.
TokenSpan value_in_host(TokenSpan body, const std::string& variable, const std::string& member, std::size_t place) {
  for (std::size_t at = body.size(); at-- > 0;) {
    if (!body[at].is(variable) || at + 2 >= body.size()) continue;
    const bool sets = at + 4 < body.size() && body[at + 1].is(".") && body[at + 2].is(member) && body[at + 3].is("=");
    std::size_t end = at + 4;
    while (sets && end < body.size() && !body[end].is(";")) ++end;
    if (sets) return body.subspan(at + 4, std::min(end, body.size()) - at - 4);
    const std::size_t open = body[at + 1].is("=") ? at + 2 : at + 1;
    const std::size_t close = body[open].is("{") ? closing(body, open) : body.size();
    if (close >= body.size()) continue;
    const auto values = split_at_commas(body.subspan(open + 1, close - open - 1));
    if (place < values.size() && !values[place].empty() && !values[place][0].is(".")) return values[place];
  }
  return {};
}

// Returns the values of the members, with commas between them. Those of a variable are the kernel's names for them;
// those of Params{a, b} and make_float4(a, b, c, d) are what stands there.
std::vector<SourceToken> member_values(const StructureArgument& structure, TokenSpan argument, HostLaunch& launch) {
  std::vector<TokenSpan> written;
  if (argument.size() > 3 && (argument[1].is("{") || argument[1].is("(")))
    written = split_at_commas(argument.subspan(2, argument.size() - 3));
  std::vector<SourceToken> tokens;
  for (std::size_t i = 0; i < structure.members.size(); ++i) {
    const std::string& name = structure.members[i].name;
    const std::string member = name.substr(structure.name.size() + 1);
    if (i > 0) tokens.push_back({Word::sign, ","});
    const bool here = i < written.size() && !written[i].empty();
    if (here)
      tokens.insert(tokens.end(), written[i].begin(), written[i].end());
    else
      tokens.push_back({Word::word, name});
    if (argument.size() != 1) continue;
    const TokenSpan body = launch.function->body.subspan(0, launch.place);
    launch.members.push_back({argument[0].text + "." + member, name, value_in_host(body, argument[0].text, member, i)});
  }
  return tokens;
}

std::string declaration_of(const FunctionParameter& member) {
  return fmt::format("{}{}{} {}", member.is_const ? "const " : "", member.type, member.pointers > 0 ? "*" : "",
                     member.name);
}

// Returns whether the source declares the type as an enumeration: `enum Mode {`, `enum class Mode : char {`.
bool is_enumeration(TokenSpan source, const std::string& type) {
  for (std::size_t at = 0; at + 2 < source.size(); ++at) {
    if (!source[at].is("enum")) continue;
    const bool scoped = source[at + 1].is("class") || source[at + 1].is("struct");
    if (source[at + (scoped ? 2 : 1)].is(type)) return true;
  }
  return false;
}

}  // namespace

void pass_members(const Structures& structures, KernelFacts& kernel) {
  std::vector<FunctionParameter> parameters;
  MemberNames names;
  for (const FunctionParameter& parameter : kernel.parameters) {
    StructureArgument structure{parameter.name, parameter.type, {}};
    if (parameter.pointers == 0) structure.members = members_of(structures, parameter.type);
    if (structure.members.empty()) parameters.push_back(parameter);
    for (FunctionParameter& member : structure.members) {
      const std::string own = parameter.name + "_" + member.name;
      names[{parameter.name, member.name}] = own;
      member.name = own;
      parameters.push_back(member);
    }
    if (!structure.members.empty()) kernel.structures.push_back(std::move(structure));
  }
  const std::vector<Variable> variables = read_variables(kernel.body, structures, names);
  if (names.empty()) return;
  kernel.parameters = std::move(parameters);
  kernel.own_tokens =
      std::make_shared<const std::vector<SourceToken>>(with_names(kernel.body, names, variables, kernel.structures));
  kernel.body = *kernel.own_tokens;
}

void pass_members(const KernelFacts& kernel, HostLaunch& launch) {
  if (kernel.structures.empty()) return;
  auto tokens = std::make_shared<std::vector<SourceToken>>();
  std::size_t parameter = 0;
  for (const TokenSpan argument : split_at_commas(launch.arguments)) {
    if (parameter > 0) tokens->push_back({Word::sign, ","});
    const auto structure = std::ranges::find_if(kernel.structures, [&](const StructureArgument& candidate) {
      return parameter < kernel.parameters.size() && candidate.members[0].name == kernel.parameters[parameter].name;
    });
    const bool found = structure != kernel.structures.end();
    const std::vector<SourceToken> values = found ? member_values(*structure, argument, launch)
                                                  : std::vector<SourceToken>(argument.begin(), argument.end());
    tokens->insert(tokens->end(), values.begin(), values.end());
    parameter += found ? structure->members.size() : 1;
  }
  launch.arguments = *tokens;
  launch.own_tokens = std::move(tokens);
}

std::string advice_on(const StructureArgument& structure, const KernelFacts& kernel) {
  std::vector<std::string> declarations, names;
  for (const FunctionParameter& member : structure.members) {
    declarations.push_back(declaration_of(member));
    names.push_back(member.name);
  }
  return fmt::format(
      "launches: {0} takes the {2} `{1}` by value, and a manifest passes numbers and pointers alone. Write `{4}` for "
      "the parameter `{1}` in line {3}, and let the body begin with `{2} {1} = {{{5}}};`. Callers then pass the "
      "members. The manifest does so already: take the TODO out of `arguments`",
      kernel.name, structure.name, structure.type, kernel.line, fmt::join(declarations, ", "), fmt::join(names, ", "));
}

bool is_called(const KernelFacts& kernel, const std::string& parameter) {
  const TokenSpan body = kernel.body;
  for (std::size_t at = 0; at + 1 < body.size(); ++at)
    if (body[at].is(parameter) && body[at + 1].is("(") && (at == 0 || !body[at - 1].is("."))) return true;
  return false;
}

std::string advice_on(const FunctionParameter& parameter, const KernelFacts& kernel, TokenSpan source) {
  if (is_called(kernel, parameter.name))
    return fmt::format(
        "arguments.{0}: {1} calls it as a function, and a manifest passes numbers and pointers alone. Write `{2} {0};` "
        "in the body instead of the parameter, and name its type in the template arguments of the launch's kernel",
        parameter.name, kernel.name, parameter.type);
  if (is_enumeration(source, parameter.type))
    return fmt::format(
        "arguments.{}: {} is an enumeration, which a manifest passes as a number: write int32, or the type behind its "
        "colon, for the type, and an enumerator's number for the value",
        parameter.name, parameter.type);
  const bool texture = parameter.type == "cudaTextureObject_t" || parameter.type == "cudaSurfaceObject_t";
  return fmt::format("arguments.{}: its type {} is none that a manifest can pass. Let the kernel take {}",
                     parameter.name, parameter.type,
                     texture ? "a pointer, and read elements with __ldg"
                             : "the members one by one, pointers and numbers, and build it from them");
}

}  // namespace warptune::tuner::draft
