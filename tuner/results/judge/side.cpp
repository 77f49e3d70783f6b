// Reads a kernel's manifest, or finds the kernel in a source alone and checks that it fits the reference's launch.
#include "tuner/results/judge/side.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "search/spelling.h"
#include "tuner/device/compile/source_tokens.h"
#include "tuner/kernel/draft/expressions/naming.h"
#include "tuner/kernel/draft/facts/source_facts.h"
#include "tuner/kernel/files/named_file.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/whole_program.h"
#include "tuner/results/judge/manifest_json.h"

namespace warptune::tuner::judge {

namespace {

namespace fs = std::filesystem;

// Returns the default values with the user's over them.
search::NamedValues values_of(const KernelTemplate& kernel, const search::NamedValues& given) {
  search::NamedValues values;
  std::vector<std::string> names;
  for (const auto& [name, fallback] : kernel.default_values) {
    const search::Value* chosen = search::find_value(given, name);
    values.emplace_back(name, chosen ? *chosen : fallback);
    names.push_back(name);
  }
  for (const auto& [name, value] : given)
    if (!search::find_value(values, name))
      throw RequestError(
          fmt::format("{} is no parameter of {}{}", name, kernel.name, search::did_you_mean(name, names)));
  return values;
}

void add_kernels(const Json& launches, std::vector<std::string>& names) {
  for (const Json& launch : launches) {
    if (launch.contains("kernel")) names.push_back(launch["kernel"].get<std::string>());
    if (launch.contains("steps")) add_kernels(launch["steps"], names);
  }
}

// {NAME} in names of kernels becomes the parameter's value.
void put_values(Json& launch, const search::NamedValues& values) {
  if (launch.contains("steps"))
    for (Json& step : launch["steps"]) put_values(step, values);
  if (!launch.contains("kernel")) return;
  std::string name = launch["kernel"].get<std::string>();
  for (const auto& [parameter, value] : values) {
    const std::string marked = "{" + parameter + "}";
    for (std::size_t at = name.find(marked); at != std::string::npos; at = name.find(marked, at))
      name.replace(at, marked.size(), search::to_text(value));
  }
  launch["kernel"] = name;
}

std::string macro_text(const search::Value& value) {
  const auto* flag = std::get_if<bool>(&value);
  return flag ? (*flag ? "1" : "0") : search::to_text(value);
}

// Returns the name to launch, with its namespaces whether or not the user says them. Template arguments are the user's,
// or those of the reference's kernel.
std::string launched_name(const Kernel& kernel, const draft::KernelFacts& chosen, const std::string& reference) {
  const std::size_t taken = chosen.templates.empty() ? std::string::npos : reference.find('<');
  if (kernel.name.empty())
    return chosen.scope + chosen.name + (taken == std::string::npos ? "" : reference.substr(taken));
  const bool has_scope = kernel.name.substr(0, kernel.name.find('<')).find("::") != std::string::npos;
  return has_scope ? kernel.name : chosen.scope + kernel.name;
}

std::string signature(const draft::KernelFacts& kernel) {
  std::vector<std::string> parameters;
  for (const auto& each : kernel.parameters)
    parameters.push_back(fmt::format("{}{}{} {}", each.is_const ? "const " : "", each.type,
                                     std::string(static_cast<std::size_t>(each.pointers), '*'), each.name));
  return fmt::format("{}({})", kernel.name, fmt::join(parameters, ", "));
}

std::string names_of(const std::vector<draft::KernelFacts>& kernels) {
  std::vector<std::string> names;
  for (const auto& kernel : kernels) names.push_back(kernel.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Returns whether both kernels take the same parameters. What is passed by value must be of one type: other types have
// other sizes, and nothing converts them.
bool takes_the_same(const draft::KernelFacts& one, const draft::KernelFacts& other) {
  if (one.parameters.size() != other.parameters.size()) return false;
  const bool known = one.templates.empty() && other.templates.empty();
  return std::ranges::equal(one.parameters, other.parameters, [&](const auto& a, const auto& b) {
    return a.pointers == b.pointers && (a.pointers > 0 || !known || a.type == b.type);
  });
}

const draft::KernelFacts& chosen_kernel(const draft::SourceFacts& facts, const Kernel& kernel,
                                        const draft::KernelFacts* reference, std::size_t arguments) {
  const std::string file = kernel.source.string();
  if (facts.kernels.empty()) throw RequestError(fmt::format("{} has no __global__ function", file));
  if (!kernel.name.empty()) {
    const auto* found = facts.find_kernel(draft::name_without_scope(kernel.name));
    if (found) return *found;
    throw RequestError(fmt::format("{} has no kernel {}; it has {}", file, kernel.name, names_of(facts.kernels)));
  }
  std::vector<const draft::KernelFacts*> fitting;
  for (const auto& each : facts.kernels)
    if (reference ? takes_the_same(each, *reference) : each.parameters.size() == arguments) fitting.push_back(&each);
  if (fitting.size() == 1) return *fitting.front();
  if (facts.kernels.size() == 1) return facts.kernels.front();
  throw RequestError(
      fmt::format("{} has the kernels {}; say with --kernel which is meant", file, names_of(facts.kernels)));
}

Json expressions(const std::vector<std::string>& texts) {
  return texts.size() == 1 ? Json(texts.front()) : Json(texts);
}

// Returns whether the source itself defines the name, which a definition from outside would contradict.
bool defines(const draft::SourceFacts& facts, const std::string& name) {
  if (const auto* macro = facts.outline.find_macro(name)) return !macro->guarded;
  return facts.find_integer(name) || facts.derived.contains(name);
}

// Takes what the user says of the launch, over what its manifest does.
void take_launch(const Kernel& kernel, Json& launches) {
  if (kernel.grid.empty() && kernel.block.empty() && kernel.shared.empty()) return;
  if (launches.size() != 1 || !launches.front().contains("kernel"))
    throw RequestError(fmt::format("a grid and a block are for one launch, and {} says of {}; change it there",
                                   kernel.file.string(), launches.size()));
  Json& launch = launches.front();
  if (!kernel.grid.empty()) launch["grid"] = expressions(kernel.grid);
  if (!kernel.block.empty()) launch["block"] = expressions(kernel.block);
  if (!kernel.shared.empty()) launch["shared"] = kernel.shared;
}

}  // namespace

Side::Side(const Kernel& kernel) : manifest(manifest_json(kernel.manifest, kernel.file)) {
  take_launch(kernel, manifest.at("launches"));  // first, for a draft may leave it blank
  const KernelTemplate read = parse_manifest(toml_text(manifest), kernel.file);
  source = fs::absolute(read.source).lexically_normal();
  values = values_of(read, kernel.parameters);
  for (Json& launch : manifest.at("launches")) put_values(launch, values);
  add_kernels(launches(), kernels);
}

Side::Side(const Kernel& kernel, const Side& reference) : manifest(reference.manifest) {
  source = fs::absolute(kernel.source).lexically_normal();
  if (launches().size() != 1 || !launches().front().contains("kernel"))
    throw RequestError(
        fmt::format("the reference makes {} launches, and {} says nothing of its own; `warptune init` writes "
                    "a manifest for it",
                    launches().size(), source.string()));
  const std::string reference_text = text_of_named_file(reference.source), text = text_of_named_file(source);
  const draft::SourceFacts facts(text), known(reference_text);
  const std::string replaced = draft::name_without_scope(reference.kernels.front());
  const draft::KernelFacts* other = known.find_kernel(replaced);
  Json& launch = manifest.at("launches").front();
  const draft::KernelFacts& chosen = chosen_kernel(facts, kernel, other, launch.at("arguments").size());
  if (other ? !takes_the_same(chosen, *other) : chosen.parameters.size() != launch.at("arguments").size())
    throw RequestError(fmt::format("{} cannot take the place of the reference: it is {}, the reference {}", chosen.name,
                                   signature(chosen), other ? signature(*other) : replaced));
  launch["kernel"] = launched_name(kernel, chosen, reference.kernels.front());
  kernels = {launch["kernel"].get<std::string>()};
  take_launch(kernel, manifest.at("launches"));
  take_defines(facts, known);
  for (const char* key : {"derived", "defines", "scratch_variables", "temporaries", "tensor_maps", "constraints"})
    manifest.erase(key);
  manifest["whole_program"] = is_whole_program(text, given);
  for (const auto& [name, value] : kernel.parameters)
    if (defines(facts, name))
      throw RequestError(
          fmt::format("{} defines {} itself; take that out, or guard it by #ifndef", source.string(), name));
  values = kernel.parameters;
  for (const auto& [name, value] : reference.values)
    if (!defines(facts, name) && !search::find_value(values, name)) values.emplace_back(name, value);
}

// Divides the reference's defines into `given` and `kept`. The reference's definitions have become defines, and a copy
// of it has the same ones, which give way as well.
void Side::take_defines(const draft::SourceFacts& facts, const draft::SourceFacts& reference) {
  const auto definition = [](const draft::SourceFacts& all, const std::string& name) {
    std::string text;
    if (const auto* macro = all.outline.find_macro(name))
      for (const SourceToken& token : macro->value) text += std::string(token.text) + ' ';
    const auto* integer = all.find_integer(name);
    return std::pair(text, integer ? integer->value : 0);
  };
  const Json table = manifest.value("defines", Json::object());
  for (const auto& [name, value] : table.items())
    if (!defines(facts, name) || definition(facts, name) == definition(reference, name))
      given.insert(name);
    else
      kept.insert(name);
}

std::string alias_of(const std::string& define) {
  return "WARPTUNE_DEFINE_" + define;
}

std::string Side::text() const {
  std::set<std::string> own = given;
  std::string text;
  for (const auto& [name, value] : values) {
    own.insert(name);
    text += fmt::format("#define {} {}\n", name, macro_text(value));
  }
  for (const char* key : {"defines", "variants"}) {
    const Json table = manifest.value(key, Json::object());
    for (const auto& [name, value] : table.items()) own.insert(name);
  }
  const std::string content = text_of_named_file(source), name = source.filename().string();
  if (manifest.value("whole_program", false)) return text + compilable_device_part(content, own, name);
  return text + fmt::format("#line 1 \"{}\"\n{}", name, content);
}

void rename_arguments(Json& launch, const std::map<std::string, std::string>& names) {
  const auto rename = [&](Json& name) {
    if (const auto found = names.find(name.get<std::string>()); found != names.end()) name = found->second;
  };
  for (const char* list : {"arguments", "clear"})
    if (launch.contains(list))
      for (Json& name : launch[list]) rename(name);
  for (const auto& [step, key] :
       {std::pair("copy", "from"), {"copy", "to"}, {"prefetch", "buffer"}, {"touch", "buffer"}})
    if (launch.contains(step) && launch[step].contains(key)) rename(launch[step][key]);
  if (launch.contains("set")) {
    Json renamed = Json::object();
    for (const auto& [name, value] : launch["set"].items()) {
      const auto found = names.find(name);
      renamed[found == names.end() ? name : found->second] = value;
    }
    launch["set"] = renamed;
  }
  if (launch.contains("steps"))
    for (Json& step : launch["steps"]) rename_arguments(step, names);
}

}  // namespace warptune::tuner::judge
