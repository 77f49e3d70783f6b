// Reads a manifest, except the parts that describe calls (manifest_parts.h).
#include "tuner/kernel/manifest/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "search/spelling.h"
#include "tuner/kernel/data/matrix_market.h"
#include "tuner/kernel/manifest/document.h"
#include "tuner/kernel/manifest/domain.h"
#include "tuner/kernel/manifest/keys.h"
#include "tuner/kernel/manifest/manifest_parts.h"
#include "tuner/kernel/manifest/techniques.h"
#include "tuner/kernel/names.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

std::string valid_name(const Node& node) {
  const std::string& name = node.string();
  const bool valid = !name.empty() &&
                     std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
  if (!valid) node.fail(fmt::format("expected letters, digits, '_' and '-', not '{}'", name));
  return name;
}

std::vector<std::string> read_backends(const Node& node) {
  for (const Node& name : node.array()) read_word(name, keys::manifest["backends"]);
  if (node.array().empty()) node.fail("expected at least one backend");
  return node.strings();
}

std::int64_t positive_integer(const Node& node) {
  if (node.integer() < 1) node.fail("expected a positive integer");
  return node.integer();
}

SparseMatrix read_matrix(const Node& file, const std::filesystem::path& folder) {
  const auto path = folder / file.string();
  try {
    return read_matrix_market(path);
  } catch (const std::runtime_error& error) {
    file.fail(error.what());
  }
}

// Returns a size that a Matrix Market file says.
std::int64_t size_in_file(const Node& node, const std::filesystem::path& folder) {
  check_keys(node, keys::size, "matrix_market");
  const Node& count = node.at("count");
  const SparseMatrix matrix = read_matrix(node.at("matrix_market"), folder);
  if (matrix.nonzeros() == 0) node.at("matrix_market").fail("the matrix has no nonzeros");
  const std::string& word = read_word(count, keys::size["count"]);
  if (word == "rows") return matrix.rows;
  if (word == "columns") return matrix.columns;
  return word == "nonzeros" ? matrix.nonzeros() : matrix.longest_row();
}

void read_sizes(const Node& node, const std::filesystem::path& folder, KernelTemplate& result) {
  for (const auto& [name, size] : node.table()) {
    if (!size.is_table()) {
      result.sizes.emplace_back(name, positive_integer(size));
      continue;
    }
    if (size.find("matrix_market")) {
      result.sizes.emplace_back(name, size_in_file(size, folder));
      result.size_files.push_back(folder / size.at("matrix_market").string());
      continue;
    }
    check_keys(size, keys::size, "most");
    const std::int64_t default_value = positive_integer(size.at("default"));
    const std::int64_t most = positive_integer(size.at("most"));
    if (default_value > most) size.fail("expected a default of at most 'most'");
    result.sizes.emplace_back(name, default_value);
    result.size_limits[name] = most;
  }
}

// Returns the values of a list. Fails if a value is there twice.
std::vector<search::Value> read_values(const Node& list) {
  std::vector<search::Value> values;
  for (const Node& item : list.array()) {
    if (std::ranges::any_of(values, [&](const search::Value& seen) { return search::same_value(seen, item.value()); }))
      item.fail(fmt::format("the value {} is there twice", search::to_text(item.value())));
    values.push_back(item.value());
  }
  if (values.empty()) list.fail("expected at least one value");
  return values;
}

void require(const std::string& wrong, const Node& node) {
  if (!wrong.empty()) node.fail(wrong);
}

void read_variants(const Node& node, KernelTemplate& result) {
  for (const auto& [name, list] : node.table()) {
    require(wrong_variant_name(name), list);
    if (search::find_value(result.sizes, name)) list.fail("a problem size has the same name");
    for (const Node& item : list.array()) {
      require(wrong_variant_value(item.value()), item);
      if (item.value().index() != list.array().front().value().index()) item.fail("expected values of one type");
    }
    result.variants.push_back({name, read_values(list)});
  }
}

// Returns the value that a preset gives a size or a variant.
search::Value preset_value(const std::string& name, const Node& node, const KernelTemplate& kernel) {
  if (search::find_value(kernel.sizes, name)) return positive_integer(node);
  const auto variant = std::ranges::find(kernel.variants, name, &search::Parameter::name);
  if (variant == kernel.variants.end()) {
    std::vector<std::string> known;
    for (const auto& size : kernel.sizes) known.push_back(size.first);
    for (const search::Parameter& any : kernel.variants) known.push_back(any.name);
    node.fail(fmt::format("'{}' is not among [sizes] and [variants]{}: {}", name, search::did_you_mean(name, known),
                          fmt::join(known, ", ")));
  }
  if (std::ranges::find(variant->values, node.value()) == variant->values.end())
    node.fail(fmt::format("{} is not a value of the variant {}", search::to_text(node.value()), name));
  return node.value();
}

std::map<std::string, search::NamedValues> read_presets(const Node& node, const KernelTemplate& kernel) {
  std::map<std::string, search::NamedValues> presets;
  for (const auto& [preset, table] : node.table()) {
    search::NamedValues& values = presets[preset];
    for (const auto& [name, value] : table.table()) values.emplace_back(name, preset_value(name, value, kernel));
  }
  return presets;
}

[[noreturn]] void fail_outside_domain(const Node& node, const std::vector<search::Value>& values) {
  const std::string text = search::to_text(node.value());
  const bool quoted =
      std::holds_alternative<std::string>(node.value()) &&
      std::ranges::any_of(values, [&](const search::Value& value) { return search::to_text(value) == text; });
  if (quoted) node.fail(fmt::format("\"{}\" is a string, and the values are not: leave the quotes out", text));
  node.fail(fmt::format("{} is not in the domain; expected one of {}", text, shown_domain(values)));
}

void read_parameters(const Node& node, KernelTemplate& result) {
  for (const auto& [name, table] : node.table()) {
    check_keys(table, keys::parameter);
    result.parameters.push_back({name, read_domain(table)});
    const Node* about = table.find("about");
    result.about.push_back(about ? about->string() : "");
    if (const Node* unused = table.find("unused"); unused && unused->boolean()) result.unused.push_back(name);
    const Node& default_value = table.at("default");
    const auto& values = result.parameters.back().values;
    if (std::ranges::none_of(
            values, [&](const search::Value& value) { return search::same_value(value, default_value.value()); }))
      fail_outside_domain(default_value, values);
    result.default_values.emplace_back(name, default_value.value());
  }
  if (result.parameters.empty()) node.fail("expected at least one parameter");
}

std::filesystem::path existing_file(const Node& root, const Node* node, const std::filesystem::path& folder,
                                    const std::string& usual) {
  const std::filesystem::path file = folder / (node ? node->string() : usual);
  if (!is_file(file)) (node ? *node : root).fail(fmt::format("the file {} is missing", file.string()));
  return file;
}

void read_compilation(const Node& root, const std::filesystem::path& folder, KernelTemplate& result) {
  result.source = existing_file(root, root.find("source"), folder, "kernel.cu");
  if (const Node* whole = root.find("whole_program")) result.whole_program = whole->boolean();
  result.options = {"-std=c++17"};
  if (const Node* options = root.find("options")) result.options = options->strings();
  for (const char* backend : {"cuda", "host"})
    if (const Node* options = root.find(fmt::format("options_{}", backend)))
      result.backend_options[backend] = options->strings();
  if (const Node* scratch = root.find("scratch_variables")) result.scratch_variables = scratch->strings();
  result.include_directories = {folder};
  // The source's folder comes first, because what the source includes lies beside it, where the manifest may not be.
  if (const auto beside = result.source.parent_path(); beside != folder)
    result.include_directories.insert(result.include_directories.begin(), beside);
  if (const Node* directories = root.find("include_directories"))
    for (const std::string& directory : directories->strings())
      result.include_directories.push_back(folder / directory);
  if (const Node* defines = root.find("defines"))
    for (const auto& [name, value] : defines->table()) result.defines.emplace_back(name, value.expression());
}

// Reads the constraints without derived names, as the rest of the template knows them. Where a manifest uses such
// names, its own text is kept for users.
void read_constraints(const Node& list, KernelTemplate& result) {
  for (const Node& constraint : list.array()) {
    const std::string text = constraint.expression().text(), written = search::to_text(constraint.value());
    if (written != text) result.written_constraints.emplace(text, written);
    result.constraints.push_back(text);
  }
}

void read_space(const Node& root, const std::filesystem::path& folder, KernelTemplate& result) {
  if (const Node* sizes = root.find("sizes")) read_sizes(*sizes, folder, result);
  if (const Node* variants = root.find("variants")) read_variants(*variants, result);
  if (const Node* presets = root.find("presets")) result.presets = read_presets(*presets, result);
  if (!root.find("parameters"))
    root.fail(
        "nothing is there to be tuned: add a table [parameters.NAME] with values and a default, where NAME is a "
        "macro that the kernel uses");
  read_parameters(root.at("parameters"), result);
  if (const Node* constraints = root.find("constraints")) read_constraints(*constraints, result);
  if (const Node* derived = root.find("derived"))
    for (const auto& [name, node] : derived->table()) result.derived.emplace_back(name, node.expression());
}

// Adds a note for each output that needs a tolerance and has none. Results of float arithmetic are hardly ever what
// double arithmetic gives, bit for bit.
void note_missing_tolerances(KernelTemplate& result) {
  for (const Argument& argument : result.arguments)
    if (argument.is_output() && is_floating(argument.type) && !argument.tolerance.said &&
        size_bytes(argument.reference_type) > size_bytes(argument.type))
      result.notes.push_back(fmt::format(
          "arguments.{0}: a {1} without a tolerance must equal the {2} reference exactly, which rounding alone "
          "prevents "
          "unless values are only moved. Give it one, as tolerance = {{ relative = 1e-5 }}, or say absolute = 0",
          argument.name, to_string(argument.type), to_string(argument.reference_type)));
}

// The default configuration computes in the outputs' own types.
void read_reference(const Node& node, const std::filesystem::path& folder, KernelTemplate& result) {
  const Node* itself = node.find("default_configuration");
  const bool is_default = itself && itself->boolean();
  check_reference_keys(node, is_default);
  if (!is_default) {
    result.reference = read_reference(node, existing_file(node, node.find("source"), folder, "reference.cu"));
    return;
  }
  result.reference.default_configuration = true;
  if (const Node* data = node.find("data"))
    result.reference.data = read_reference_data(*data, folder, result.arguments);
  for (Argument& argument : result.arguments) {
    if (argument.on_host)
      itself->fail("a kernel whose buffers are on the host is no reference; expected a source with launches");
    argument.reference_type = argument.type;
  }
}

KernelTemplate read_manifest(const Node& root, const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  check_keys(root, keys::manifest);
  KernelTemplate result;
  result.manifest = file;
  result.name = valid_name(root.at("name"));
  if (const Node* summary = root.find("summary")) result.summary = summary->string();
  if (const Node* backends = root.find("backends")) result.backends = read_backends(*backends);
  read_compilation(root, folder, result);
  read_space(root, folder, result);
  result.arguments = read_arguments(root.at("arguments"), folder);
  if (const Node* fills = root.find("fills")) result.fills = read_fills(*fills, folder);
  if (const Node* temporaries = root.find("temporaries")) result.temporaries = read_temporaries(*temporaries);
  if (const Node* maps = root.find("tensor_maps")) result.tensor_maps = read_tensor_maps(*maps);
  result.launches = read_launches(root.at("launches"));
  read_reference(root.at("reference"), folder, result);
  if (const Node* metrics = root.find("metrics")) result.metrics = read_metrics(*metrics);
  if (const Node* work = root.find("work")) result.work = read_work(*work);
  if (const Node* techniques = root.find("techniques")) result.techniques = read_techniques(*techniques, result);
  check_references(root, result);
  note_missing_tolerances(result);
  return result;
}

}  // namespace

KernelTemplate load_manifest(const std::filesystem::path& path) {
  const auto file = is_folder(path) ? path / "template.toml" : path;
  return read_manifest(read_toml(file), file);
}

KernelTemplate parse_manifest(const std::string& text, const std::filesystem::path& file) {
  return read_manifest(parse_toml(text, file.string()), file);
}

}  // namespace warptune::tuner
