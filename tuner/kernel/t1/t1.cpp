// Reads a T1 file as a kernel template.
#include "tuner/kernel/t1/t1.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "db/bounded_json.h"
#include "tuner/kernel/json_values.h"
#include "tuner/kernel/manifest/json_document.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/t1/t1_parts.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t t1_axes = 3;
constexpr const char* t1_axis_names[t1_axes] = {"X", "Y", "Z"};
constexpr const char* size_names[t1_axes] = {"size_x", "size_y", "size_z"};

const Node* non_empty(const Node& table, std::string_view key) {
  const Node* node = table.find(key);
  if (node && node->is_array() && node->array().empty()) return nullptr;
  if (node && node->is_table() && node->table().empty()) return nullptr;
  return node;
}

// Returns the value of an expression over parameters that have no choice, or nothing if it uses other names.
std::optional<std::int64_t> fixed_value(const search::Expression& expression,
                                        const std::vector<search::Parameter>& parameters) {
  search::NamedValues scope;
  for (const search::Parameter& parameter : parameters)
    if (parameter.values.size() == 1) scope.emplace_back(parameter.name, parameter.values.front());
  for (const std::string& name : expression.names())
    if (!search::find_value(scope, name)) return std::nullopt;
  return search::to_integer(expression.evaluate(scope));
}

// Each entry is a size that --size may change; one that depends on parameters is part of the grid's expression instead.
void read_problem_size(const Node& node, T1Expressions& expressions, KernelTemplate& kernel) {
  const std::size_t count = node.is_array() ? node.array().size() : 1;
  if (count == 0 || count > t1_axes) node.fail("expected a number, or one to three of them");
  for (std::size_t axis = 0; axis < count; ++axis) {
    const Node& entry = node.is_array() ? node.array()[axis] : node;
    const search::Expression expression = expressions.parse(entry, t1_names(kernel.parameters));
    try {
      const auto value = fixed_value(expression, kernel.parameters);
      if (value && *value < 1) entry.fail("expected a positive number");
      expressions.set_problem(axis, value ? size_names[axis] : "(" + expression.text() + ")");
      if (value) kernel.sizes.emplace_back(size_names[axis], *value);
    } catch (const search::ExpressionError& error) {
      entry.fail(error.what());
    } catch (const std::invalid_argument& error) {
      entry.fail(error.what());
    }
    if (t1_names(kernel.parameters).contains(size_names[axis]))
      entry.fail(fmt::format("a parameter is called {}, as this entry is", size_names[axis]));
  }
}

class LaunchReader {
 public:
  LaunchReader(const Node& specification, const T1Expressions& expressions, KernelTemplate& kernel)
      : node_(specification), expressions_(expressions), kernel_(kernel), names_(t1_names(kernel.parameters)) {
    names_.merge(t1_constant_names(kernel));
  }

  Launch read() {
    Launch launch;
    launch.kernel = node_.at("KernelName").string();
    if (const Node* types = non_empty(node_, "KernelTypeNames"))
      launch.kernel += fmt::format("<{}>", fmt::join(types->strings(), ", "));
    for (std::size_t axis = 0; axis < t1_axes; ++axis)
      if (const Node* size = node_.at("LocalSize").find(t1_axis_names[axis]))
        launch.block[axis] = expressions_.parse(*size, names_);
    read_grid(launch);
    if (const Node* shared = node_.find("SharedMemory")) launch.shared_bytes = expressions_.parse(*shared, names_);
    const std::set<std::string> passed = bind_t1_constants(node_, kernel_);
    for (const Argument& argument : kernel_.arguments)
      if (argument.symbol.empty() || passed.contains(argument.name)) launch.arguments.push_back(argument.name);
    return launch;
  }

 private:
  const Node* divisors(std::size_t axis) const {
    return non_empty(node_, fmt::format("GridDiv{}", t1_axis_names[axis]));
  }

  void read_grid(Launch& launch) {
    const Node* global = non_empty(node_, "GlobalSize");
    const bool problem = node_.find("ProblemSize") != nullptr;
    const bool divided = divisors(0) || divisors(1) || divisors(2);
    if (!global && !problem) node_.fail("expected GlobalSize, or ProblemSize with GridDivX, GridDivY and GridDivZ");
    if (problem && (divided || !global)) return divide_problem(launch, global);
    read_global(*global, launch);
    for (std::size_t axis = 0; axis < t1_axes; ++axis)
      if (const Node* unused = divisors(axis))
        note(*unused, "without ProblemSize there is nothing to divide; GlobalSize says the grid");
  }

  // Computes the grid by Kernel Tuner's rule: the problem size is divided by the product of the divisors and rounded
  // up. Without divisors, it is divided by the block.
  void divide_problem(Launch& launch, const Node* global) {
    for (std::size_t axis = 0; axis < t1_axes; ++axis) {
      const Node* given = divisors(axis);
      if (!expressions_.problem(axis)) {
        if (given) note(*given, fmt::format("ProblemSize has no {}", t1_axis_names[axis]));
        continue;
      }
      const std::string divisor = given ? product(*given) : launch.block[axis].text();
      launch.grid[axis] =
          search::Expression::parse(fmt::format("ceildiv({}, {})", *expressions_.problem(axis), divisor));
    }
    if (global) note(*global, "ProblemSize and GridDivX, GridDivY, GridDivZ say the grid");
  }

  std::string product(const Node& divisors) const {
    std::string text;
    const auto append = [&](const Node& factor) {
      text += (text.empty() ? "(" : " * (") + expressions_.parse(factor, names_).text() + ")";
    };
    if (!divisors.is_array())
      append(divisors);
    else
      for (const Node& factor : divisors.array()) append(factor);
    return text;
  }

  // CUDA and Vulkan count blocks, OpenCL threads.
  void read_global(const Node& global, Launch& launch) {
    const Node* type = node_.find("GlobalSizeType");
    if (type && type->string() != "CUDA" && type->string() != "OpenCL" && type->string() != "Vulkan")
      type->fail("expected CUDA, OpenCL or Vulkan");
    const bool threads = type && type->string() == "OpenCL";
    for (std::size_t axis = 0; axis < t1_axes; ++axis) {
      const Node* size = global.find(t1_axis_names[axis]);
      if (!size) continue;
      launch.grid[axis] = expressions_.parse(*size, names_);
      if (threads)
        launch.grid[axis] = search::Expression::parse(
            fmt::format("ceildiv({}, {})", launch.grid[axis].text(), launch.block[axis].text()));
    }
  }

  void note(const Node& key, const std::string& why) { kernel_.notes.push_back(key.path() + ": no effect, " + why); }

  const Node& node_;
  const T1Expressions& expressions_;
  KernelTemplate& kernel_;
  T1Names names_;
};

// Returns the source beside the file or in the folder above, as Kernel Tuner looks for it.
std::filesystem::path find_source(const Node& node, const std::filesystem::path& folder) {
  for (const auto& place : {folder, folder / ".."})
    if (is_file(place / node.string())) return place / node.string();
  node.fail(fmt::format("the file {} is missing", (folder / node.string()).string()));
}

void read_source_and_options(const Node& specification, const std::filesystem::path& folder, KernelTemplate& kernel) {
  const Node& language = specification.at("Language");
  if (language.string() != "CUDA")
    language.fail(fmt::format("'{}' is not supported; expected CUDA", language.string()));
  kernel.source = find_source(specification.at("KernelFile"), folder);
  kernel.include_directories = {folder, kernel.source.parent_path()};
  if (const Node* options = specification.find("CompilerOptions")) read_t1_options(*options, kernel);
}

void read_budget(const Node& list, GivenBudget& budget) {
  const auto read = [&](const Node& given) {
    const Node& type = given.at("Type");
    const Node& value = given.at("BudgetValue");
    const double number = value.number();
    if (number <= 0) value.fail("expected a positive number");
    if (type.string() == "TuningDuration")
      budget.seconds = number;
    else if (type.string() == "ConfigurationCount")
      budget.trials = static_cast<std::size_t>(std::min(std::ceil(number), 1e18));
    else if (type.string() == "ConfigurationFraction")
      budget.fraction = number;
    else
      type.fail("expected TuningDuration, ConfigurationCount or ConfigurationFraction");
  };
  if (!list.is_array()) return read(list);
  for (const Node& given : list.array()) read(given);
}

// Returns the benchmark's name, or the kernel's where there is none. KTT's files name nothing but the kernel.
std::string read_name(const Node& document) {
  const Node* general = document.find("General");
  const Node* name = general ? general->find("BenchmarkName") : nullptr;
  std::string text = name ? name->string() : document.at("KernelSpecification").at("KernelName").string();
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
  return text;
}

KernelTemplate read(const Node& document, const std::filesystem::path& file) {
  const Node& specification = document.at("KernelSpecification");
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  KernelTemplate kernel;
  kernel.notes = check_t1_keys(document);
  kernel.name = read_name(document);
  kernel.manifest = file;
  read_source_and_options(specification, folder, kernel);
  kernel.parameters = t1_parameters(document);
  T1Expressions expressions(document, kernel.parameters);
  note_hidden_constants(document, kernel);
  if (const Node* problem = non_empty(specification, "ProblemSize")) read_problem_size(*problem, expressions, kernel);
  kernel.constraints = t1_conditions(document, expressions);
  choose_t1_default(document, kernel);
  read_t1_arguments(specification, expressions, folder, kernel);
  kernel.launches = {LaunchReader(specification, expressions, kernel).read()};
  define_kernel_tuner_macros(kernel);
  note_unused_parameters(document, kernel);
  kernel.reference.default_configuration = true;
  if (const Node* budget = non_empty(document, "Budget")) read_budget(*budget, kernel.budget);
  return kernel;
}

}  // namespace

KernelTemplate load_t1(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw ManifestError(fmt::format("cannot read {}", file.string()));
  try {
    return read(json_node(db::parse_json<Json>(stream), file.string()), file);
  } catch (const nlohmann::json::exception& error) {
    throw ManifestError(fmt::format("{}: not the T1 that was expected: {}", file.string(), error.what()));
  } catch (const search::ExpressionError& error) {
    throw ManifestError(fmt::format("{}: {} (column {})", file.string(), error.what(), error.column()));
  } catch (const std::invalid_argument& error) {
    throw ManifestError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace warptune::tuner
