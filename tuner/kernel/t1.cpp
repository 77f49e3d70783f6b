// A T1 file as a kernel template.
#include "tuner/kernel/t1.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "db/bounded_json.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* size_names[] = {"size_x", "size_y", "size_z"};

// T1's expressions are the language's own but for two of Python's: ProblemSize[0], and max(PARAMETER) over its values.
std::string rewritten(std::string text, const KernelTemplate& kernel) {
  for (int axis = 0; axis < 3; ++axis)
    text = std::regex_replace(text, std::regex(fmt::format(R"(ProblemSize\[{}\])", axis)), size_names[axis]);
  for (const search::Parameter& parameter : kernel.parameters) {
    const std::regex call(fmt::format(R"(max\(\s*{}\s*\))", parameter.name));
    if (!std::regex_search(text, call)) continue;
    const auto largest = std::ranges::max_element(parameter.values, {},
                                                  [](const search::Value& value) { return search::to_double(value); });
    text = std::regex_replace(text, call, search::to_text(*largest));
  }
  return text;
}

search::Expression expression(const Json& value, const KernelTemplate& kernel) {
  if (value.is_number_integer()) return search::Expression::constant(value.get<std::int64_t>());
  if (value.is_number()) return search::Expression::constant(value.get<double>());
  return search::Expression::parse(rewritten(value.get<std::string>(), kernel));
}

void read_sizes(const Json& specification, KernelTemplate& kernel) {
  const Json& sizes = specification.at("ProblemSize");
  for (std::size_t axis = 0; axis < sizes.size() && axis < 3; ++axis)
    kernel.sizes.emplace_back(size_names[axis], sizes[axis].get<std::int64_t>());
}

// Kernel Tuner's rule: the problem size over the product of the divisors, rounded up; without divisors, over the block.
Launch read_launch(const Json& specification, const KernelTemplate& kernel) {
  Launch launch;
  launch.kernel = specification.at("KernelName");
  const char* axes[] = {"X", "Y", "Z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    launch.block[axis] = expression(specification.at("LocalSize").value(axes[axis], Json("1")), kernel);
    if (axis >= kernel.sizes.size()) continue;
    std::string divisor;
    if (const std::string key = fmt::format("GridDiv{}", axes[axis]); specification.contains(key))
      for (const Json& factor : specification.at(key))
        divisor += (divisor.empty() ? "" : " * ") + factor.get<std::string>();
    if (divisor.empty()) divisor = launch.block[axis].text();
    launch.grid[axis] = search::Expression::parse(fmt::format("ceildiv({}, {})", size_names[axis], divisor));
  }
  if (specification.contains("SharedMemory"))
    launch.shared_bytes = expression(specification.at("SharedMemory"), kernel);
  for (const Argument& argument : kernel.arguments)
    if (argument.symbol.empty()) launch.arguments.push_back(argument.name);
  return launch;
}

ElementType read_type(const std::string& name) {
  if (const auto type = element_type_from_string(name)) return *type;
  if (name == "unsigned int") return ElementType::u32;
  throw std::invalid_argument(fmt::format("argument type '{}': expected float, double, int …", name));
}

Argument read_argument(const Json& given, const KernelTemplate& kernel) {
  Argument argument;
  argument.name = given.at("Name");
  argument.type = argument.reference_type = read_type(given.at("Type"));
  const double value = given.value("FillValue", 0.0);
  if (given.at("MemoryType") == "Scalar") {
    argument.role = Role::scalar;
    argument.value = is_floating(argument.type) ? search::Expression::constant(value)
                                                : search::Expression::constant(static_cast<std::int64_t>(value));
    return argument;
  }
  argument.shape = {expression(given.at("Size"), kernel)};
  argument.fill.a = value;
  if (given.at("FillType") == "Random") argument.fill = {Fill::Kind::uniform, 0, value, 1, {}};
  const std::string access = given.at("AccessType");
  argument.role = access == "WriteOnly" ? Role::output : access == "ReadWrite" ? Role::inout : Role::input;
  if (given.value("MemType", "") == "Constant") argument.symbol = argument.name;
  if (is_floating(argument.type)) {
    // Another order of the same single-precision sums; T1 names no tolerance of its own.
    argument.tolerance.absolute = search::Expression::constant(1e-6);
    argument.tolerance.relative = search::Expression::constant(1e-4);
    argument.nondeterministic = true;  // nor can it say that a kernel adds with atomics
  }
  return argument;
}

void read_defaults(const Json& document, KernelTemplate& kernel) {
  for (const Json& given : document.at("ConfigurationSpace").at("TuningParameters")) {
    const search::Parameter& parameter = kernel.parameters[kernel.default_values.size()];
    search::Value chosen = parameter.values.front();
    if (given.contains("Default") && given.at("Default").is_number_integer())
      chosen = given.at("Default").get<std::int64_t>();
    kernel.default_values.emplace_back(parameter.name, chosen);
    kernel.about.emplace_back();
  }
}

KernelTemplate read(const Json& document, const std::filesystem::path& file) {
  const Json& specification = document.at("KernelSpecification");
  if (specification.at("Language") != "CUDA")
    throw std::invalid_argument(
        fmt::format("KernelSpecification.Language is {}; expected CUDA", specification.at("Language").dump()));
  KernelTemplate kernel;
  kernel.name = document.at("General").at("BenchmarkName");
  kernel.manifest = file;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  kernel.source = folder / specification.at("KernelFile").get<std::string>();
  if (!std::filesystem::is_regular_file(kernel.source))
    throw std::invalid_argument(
        fmt::format("KernelSpecification.KernelFile: the file {} is missing", kernel.source.string()));
  kernel.include_directories = {folder, kernel.source.parent_path()};
  kernel.options = specification.value("CompilerOptions", std::vector<std::string>{});
  kernel.parameters = t1_parameters(document);
  kernel.constraints = t1_conditions(document);
  read_defaults(document, kernel);
  read_sizes(specification, kernel);
  for (const Json& argument : specification.at("Arguments"))
    kernel.arguments.push_back(read_argument(argument, kernel));
  kernel.launches = {read_launch(specification, kernel)};
  kernel.reference.default_configuration = true;
  if (std::ranges::none_of(kernel.arguments, &Argument::is_output))
    throw std::invalid_argument(
        "Arguments: expected at least one that is written: without one nothing can be verified");
  return kernel;
}

}  // namespace

KernelTemplate load_t1(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw RequestError(fmt::format("cannot read {}", file.string()));
  try {
    return read(db::parse_json<Json>(stream), file);
  } catch (const nlohmann::json::exception& error) {
    throw RequestError(fmt::format("{}: not the T1 that was expected: {}", file.string(), error.what()));
  } catch (const search::ExpressionError& error) {
    throw RequestError(fmt::format("{}: {} (column {})", file.string(), error.what(), error.column()));
  } catch (const std::invalid_argument& error) {
    throw RequestError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace warptune::tuner
