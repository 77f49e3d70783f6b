// Joins the tables of two manifests by expressions that ask which kernel runs, and writes the sources.
#include "tuner/results/judge/combination.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tuner/device/element_type.h"
#include "tuner/kernel/files/named_file.h"
#include "tuner/kernel/manifest/derived.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/source_outline.h"
#include "tuner/kernel/source/whole_program.h"
#include "tuner/results/judge/manifest_json.h"
#include "tuner/results/judge/side.h"
#include "tuner/system/files.h"

namespace warptune::tuner::judge {

namespace {

namespace fs = std::filesystem;

std::string only_for(int side) {
  return fmt::format("{} == {}", who, side);
}

// Returns an expression that has the value of the text whose side runs.
std::string either(const std::string& candidate, const std::string& reference) {
  if (candidate == reference) return candidate;
  return fmt::format("({}) if {} else ({})", candidate, only_for(1), reference);
}

// Adds the members of a table of expressions, of both sides, in order.
void add_expressions(const Json& reference, const Json& candidate, Json& to) {
  for (const auto& [name, value] : reference.items())
    to[name] = candidate.contains(name) ? either(expression_text(candidate[name]), expression_text(value))
                                        : expression_text(value);
  for (const auto& [name, value] : candidate.items())
    if (!reference.contains(name)) to[name] = expression_text(value);
}

Json values_as_expressions(const Side& side) {
  Json table = Json::object();
  for (const auto& [name, value] : side.values) table[name] = expression_text(value);
  return table;
}

Json table_of(const Side& side, const char* key) {
  return side.manifest.value(key, Json::object());
}

void restrict_to(int side, Json& launch) {
  launch["when"] = launch.contains("when") ? fmt::format("{} and ({})", only_for(side), expression_text(launch["when"]))
                                           : only_for(side);
}

// Returns which of the reference's arguments each of the candidate's is: by name where all names agree, else by place.
std::map<std::string, std::string> matching_arguments(const Side& reference, const Side& candidate) {
  const Json known = table_of(reference, "arguments"), own = table_of(candidate, "arguments");
  std::map<std::string, std::string> matches;
  const bool by_name =
      std::ranges::all_of(own.items(), [&](const auto& argument) { return known.contains(argument.key()); });
  if (!by_name && own.size() != known.size())
    throw RequestError(
        fmt::format("the manifest of {} has {} arguments, the reference's has {}; expected the same ones",
                    candidate.source.string(), own.size(), known.size()));
  auto place = known.begin();
  for (const auto& [name, argument] : own.items()) {
    const std::string match = by_name ? name : (place++).key();
    const Json& other = known[match];
    const auto type = [](const Json& one) { return element_type_from_string(one.at("type").get<std::string>()); };
    if (type(argument) != type(other) || argument.contains("value") != other.contains("value"))
      throw RequestError(fmt::format("{} of {} is not what {} of the reference is: types differ", name,
                                     candidate.source.string(), match));
    matches[name] = match;
  }
  return matches;
}

// Adds the candidate's temporaries or tensor maps. Those of one name that are alike are one; any other gets a name of
// its own.
void add_named(const char* key, const Side& candidate, Json& to, std::map<std::string, std::string>& names) {
  const Json table = table_of(candidate, key);
  for (const auto& [name, member] : table.items()) {
    Json own = member;
    if (own.contains("of"))
      if (const auto renamed = names.find(own["of"].get<std::string>()); renamed != names.end())
        own["of"] = renamed->second;
    const bool taken = to.contains(key) && to[key].contains(name) && to[key][name] != own;
    const std::string chosen = taken ? name + "_of_candidate" : name;
    to[key][chosen] = own;
    names[name] = chosen;
  }
}

void add_launches(const Side& reference, const Side& candidate, Json& to) {
  auto names = matching_arguments(reference, candidate);
  for (const char* key : {"temporaries", "tensor_maps"}) add_named(key, candidate, to, names);
  to["launches"] = reference.launches();
  for (Json& launch : to["launches"]) restrict_to(0, launch);
  for (Json launch : candidate.launches()) {
    rename_arguments(launch, names);
    restrict_to(1, launch);
    to["launches"].push_back(launch);
  }
}

void add_constraints(const Side& side, int number, bool both, Json& to) {
  for (const Json& constraint : side.manifest.value("constraints", Json::array()))
    to.push_back(both ? fmt::format("not ({}) or ({})", only_for(number), expression_text(constraint))
                      : expression_text(constraint));
}

std::vector<std::string> strings(const Json& manifest, const char* key) {
  return manifest.value(key, std::vector<std::string>());
}

bool mentions(const std::string& text, const std::string& name) {
  return std::ranges::any_of(source_tokens(text), [&](const SourceToken& token) { return token.is(name); });
}

// Returns the source with declarations of the variables that it lacks. A variable that only one of the two sources has
// is one that the other does not use.
std::string with_variables(std::string text, const std::vector<std::string>& names) {
  std::string missing;
  for (const std::string& name : names)
    if (!mentions(text, name)) missing += fmt::format("__device__ unsigned {};\n", name);
  return missing + text;
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw RequestError(fmt::format("cannot write {}", file.string()));
}

// Throws RequestError if both sides have a header of one name and these differ. Both folders are searched for headers,
// and a name finds one file.
void require_own_headers(const Side& reference, const Side& candidate) {
  const fs::path here = candidate.source.parent_path(), there = reference.source.parent_path();
  if (here == there) return;
  const SourceOutline outline(candidate.text());
  for (const IncludeLine& include : outline.includes) {
    const auto own = read_file(here / include.name), other = read_file(there / include.name);
    if (include.quoted && own && other && *own != *other)
      throw RequestError(fmt::format("both {} and {} have a header {}, and they differ; give one another name",
                                     here.string(), there.string(), include.name));
  }
}

void note_options(const Side& reference, const Side& candidate, std::vector<std::string>& notes) {
  for (const char* key : {"options", "options_cuda", "options_host"}) {
    const auto known = strings(reference.manifest, key);
    for (const std::string& option : strings(candidate.manifest, key))
      if (std::ranges::find(known, option) == known.end() && option != "-std=c++17" && option != "-default-device")
        notes.push_back(fmt::format("both kernels are compiled with the reference's options, without {}", option));
  }
}

// Returns the expression with numbers in place of the names that have one: a parameter that `init` made up is in no
// file of the user's.
std::string with_numbers(const std::string& expression, const search::NamedValues& values) {
  std::string number;
  return replace_names(expression, [&](std::string_view name) -> const std::string* {
    const search::Value* value = search::find_value(values, name);
    if (!value || !std::holds_alternative<std::int64_t>(*value)) return nullptr;
    number = search::to_text(*value);
    return &number;
  });
}

void note_launch(const Side& reference, const Side& candidate, std::vector<std::string>& notes) {
  const Json& launch = candidate.launches().front();
  const auto text = [&](const Json& extents) {
    const std::string written = extents.is_array() ? extents.dump() : expression_text(extents);
    return with_numbers(with_numbers(written, candidate.values), reference.values);
  };
  notes.push_back(fmt::format("{} is launched with grid {} and block {}", candidate.kernels.front(),
                              text(launch.at("grid")), text(launch.at("block"))));
}

// Returns macros by which the reference gets, from their aliases, the defines that the candidate defines otherwise.
std::string aliases(const std::set<std::string>& defines) {
  std::string text;
  for (const std::string& name : defines) text += fmt::format("#define {} {}\n", name, alias_of(name));
  return text;
}

// Returns the sizes that are macros or constants of the reference's source: a candidate without a manifest may have
// them as numbers.
std::vector<std::string> constant_sizes(const Side& reference) {
  const Json sizes = table_of(reference, "sizes"), defines = table_of(reference, "defines");
  std::vector<std::string> found;
  std::set<std::string> names;
  for (const auto& [name, value] : sizes.items()) {
    names.insert(name);
    for (const Json& define : defines)
      if (mentions(expression_text(define), name)) found.push_back(name);
  }
  for (const OwnDefinition& own : own_definitions(text_of_named_file(reference.source), names))
    found.push_back(own.name);
  return found;
}

void add_source(const Side& reference, const Side* candidate, const fs::path& folder, Json& to) {
  std::vector<std::string> variables = strings(reference.manifest, "scratch_variables");
  if (candidate)
    for (const std::string& name : strings(candidate->manifest, "scratch_variables"))
      if (std::ranges::find(variables, name) == variables.end()) variables.push_back(name);
  if (!variables.empty()) to["scratch_variables"] = variables;
  const std::string prefix = candidate ? aliases(candidate->kept) : "";
  write_file(folder / "warptune_reference.cu", with_variables(prefix + reference.text(), variables));
  std::string text = "#include \"warptune_reference.cu\"\n";
  if (candidate) {
    write_file(folder / "warptune_candidate.cu", with_variables(candidate->text(), variables));
    text = fmt::format("#if {}\n#include \"warptune_candidate.cu\"\n#else\n{}#endif\n", who, text);
  }
  write_file(folder / "warptune_judged.cu", text);
  to["source"] = (folder / "warptune_judged.cu").string();
  Json directories = Json::array();
  const auto has = [](const Json& list, const std::string& wanted) {
    return std::ranges::find(list, Json(wanted)) != list.end();
  };
  const auto add = [&](const std::string& directory) {
    if (!has(directories, directory)) directories.push_back(directory);
  };
  for (const Side* side : {&reference, candidate}) {
    if (!side) continue;
    add(side->source.parent_path().string());
    for (const std::string& directory : strings(side->manifest, "include_directories")) add(directory);
    if (side->manifest.value("whole_program", false) && !has(to["options_cuda"], "-default-device"))
      to["options_cuda"].push_back("-default-device");
  }
  to["include_directories"] = directories;
}

Json parameter(std::vector<int> values) {
  return {{who, {{"values", values}, {"default", values.front()}, {"unused", true}}}};
}

void require_other_reference(const Json& manifest) {
  const Json& reference = manifest.at("reference");
  if (reference.value("default_configuration", false) && !reference.contains("data"))
    throw RequestError(
        "nothing says what is right: the manifest's reference is the kernel itself. Name another kernel or a function "
        "with --against");
}

}  // namespace

Combination combine(const Kernel& reference, const std::optional<Kernel>& candidate, const fs::path& folder) {
  const Side first(reference);
  std::optional<Side> second;
  if (candidate) second = candidate->manifest.empty() ? Side(*candidate, first) : Side(*candidate);
  Combination result{first.manifest, {}, {}};
  Json& to = result.manifest;
  for (const char* key : {"parameters", "constraints", "metrics", "techniques", "whole_program", "derived", "defines",
                          "scratch_variables"})
    to.erase(key);
  if (second) {
    require_own_headers(first, *second);
    note_options(first, *second, result.notes);
    if (candidate->manifest.empty()) {
      note_launch(first, *second, result.notes);
      result.fixed_sizes = constant_sizes(first);
    }
    add_launches(first, *second, to);
  } else {
    require_other_reference(to);
  }
  to["parameters"] = parameter(second ? std::vector{0, 1} : std::vector{1});
  Json derived = Json::object(), defines = Json::object(), constraints = Json::array();
  const auto both = [&](const auto& tables, Json& into) {
    add_expressions(tables(first), second ? tables(*second) : Json::object(), into);
  };
  both([](const Side& side) { return values_as_expressions(side); }, derived);
  both([](const Side& side) { return table_of(side, "derived"); }, derived);
  both([](const Side& side) { return table_of(side, "defines"); }, defines);
  if (second)
    for (const std::string& name : second->kept) defines[alias_of(name)] = defines[name], defines.erase(name);
  add_constraints(first, 0, second.has_value(), constraints);
  if (second) add_constraints(*second, 1, true, constraints);
  if (!derived.empty()) to["derived"] = derived;
  if (!defines.empty()) to["defines"] = defines;
  if (!constraints.empty()) to["constraints"] = constraints;
  add_source(first, second ? &*second : nullptr, folder, to);
  return result;
}

}  // namespace warptune::tuner::judge
