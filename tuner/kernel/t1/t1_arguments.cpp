// Reads a T1 file's Arguments and ReferenceArguments.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tuner/kernel/t1/t1_parts.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

// "float4" is four floats; a CUDA vector type has no alignment that a buffer would lack.
struct ArgumentType {
  ElementType element;
  std::int64_t lanes = 1;
};

std::optional<ElementType> element_of(const std::string& name) {
  if (name == "bool") return ElementType::u8;
  if (name == "unsigned int" || name == "uint") return ElementType::u32;
  return element_type_from_string(name);
}

ArgumentType read_t1_type(const Node& node) {
  const std::string& name = node.string();
  if (const auto type = element_of(name)) return {*type};
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  for (const int lanes : {2, 3, 4, 8, 16})
    if (name.substr(digits) == std::to_string(lanes))
      if (const auto type = element_of(name.substr(0, digits))) return {*type, lanes};
  node.fail(fmt::format(
      "'{}' is no type that Warptune fills; expected float, double, half, bool, int8 … uint64, or a vector as float4",
      name));
}

std::size_t t1_bytes(const ArgumentType& type) {
  return size_bytes(type.element) * static_cast<std::size_t>(type.lanes);
}

// Returns a number, which may be written as text.
search::Value number_of(const Node& node) {
  const auto* text = std::get_if<std::string>(&node.value());
  if (!text) {
    if (std::holds_alternative<bool>(node.value())) return std::int64_t{node.boolean()};
    return node.value();
  }
  try {
    return search::Expression::parse(*text).evaluate(search::NamedValues{});
  } catch (const search::ExpressionError&) {
    node.fail(fmt::format("expected a number, found '{}'", *text));
  }
}

double real_of(const Node& node) {
  const search::Value value = number_of(node);
  if (std::holds_alternative<std::string>(value)) node.fail("expected a number");
  return search::to_double(value);
}

std::filesystem::path data_file(const Node& given, const std::filesystem::path& folder) {
  const Node& source = given.at("DataSource");
  const std::filesystem::path file = folder / source.string();
  if (!is_file(file)) source.fail(fmt::format("the file {} is missing", file.string()));
  return file;
}

search::Expression generator(const Node& given) {
  const Node& source = given.at("DataSource");
  try {
    const search::Expression formula = search::Expression::parse(source.string());
    for (const std::string& name : formula.names())
      if (name != "i") source.fail(fmt::format("'{}' means nothing here; expected i, the element's index", name));
    return formula;
  } catch (const search::ExpressionError& error) {
    source.fail(fmt::format("expected an expression of i, but in '{}': {}", source.string(), error.what()));
  }
}

// Reads a fill. Without a FillType it is Constant, as KTT has it.
Fill read_t1_fill(const Node& given, const std::filesystem::path& folder) {
  Fill fill;
  const Node* type = given.find("FillType");
  const std::string kind = type ? type->string() : "Constant";
  if (kind == "Constant") {
    fill.a = real_of(given.at("FillValue"));
  } else if (kind == "Random") {
    fill.kind = Fill::Kind::uniform;
    fill.b = real_of(given.at("FillValue"));
  } else if (kind == "Generator") {
    fill.kind = Fill::Kind::formula;
    fill.formula = generator(given);
  } else if (kind == "BinaryRaw") {
    fill.kind = Fill::Kind::raw;
    fill.file = data_file(given, folder);
  } else {
    type->fail(fmt::format("'{}' is not supported; expected Constant, Random, Generator or BinaryRaw", kind));
  }
  return fill;
}

std::string choice(const Node& given, const char* key, std::string otherwise,
                   std::initializer_list<std::string_view> allowed) {
  const Node* node = given.find(key);
  if (!node) return otherwise;
  if (std::ranges::find(allowed, node->string()) == allowed.end())
    node->fail(fmt::format("'{}' is not supported; expected one of {}", node->string(), fmt::join(allowed, ", ")));
  return node->string();
}

class ArgumentReader {
 public:
  ArgumentReader(const T1Expressions& expressions, const std::filesystem::path& folder, KernelTemplate& kernel)
      : expressions_(expressions), folder_(folder), kernel_(kernel) {}

  Argument read(const Node& given) const {
    Argument argument;
    const Node* name = given.find("Name");
    argument.name = name ? name->string() : fmt::format("argument_{}", kernel_.arguments.size());
    if (kernel_.find_argument(argument.name)) (name ? *name : given).fail("another argument has the same name");
    const ArgumentType type = read_t1_type(given.at("Type"));
    argument.type = argument.reference_type = type.element;
    const std::string memory = choice(given, "MemoryType", "Vector", {"Vector", "Scalar", "Symbol"});
    if (memory == "Scalar")
      read_scalar(given, type, argument);
    else
      read_vector(given, type, argument);
    const std::string constant = choice(given, "MemType", "", {"Constant", "Global"});
    if (memory == "Symbol" || constant == "Constant") {
      if (!name) given.fail("a symbol needs the Name of the variable");
      argument.symbol = argument.name;
    }
    note_type_size(given, type);
    return argument;
  }

 private:
  static void read_scalar(const Node& given, const ArgumentType& type, Argument& argument) {
    if (type.lanes > 1) given.at("Type").fail("expected a scalar's type, not a vector's");
    choice(given, "FillType", "Constant", {"Constant"});
    argument.role = Role::scalar;
    const Node& fill = given.at("FillValue");
    const search::Value value = number_of(fill);
    if (std::holds_alternative<std::string>(value)) fill.fail("expected a number");
    const bool whole =
        !std::holds_alternative<double>(value) || std::trunc(std::get<double>(value)) == std::get<double>(value);
    if (!is_floating(type.element) && !whole) fill.fail("expected a whole number for an integer argument");
    argument.value = is_floating(type.element) ? search::Expression::constant(search::to_double(value))
                                               : search::Expression::constant(search::to_integer(value));
  }

  void read_vector(const Node& given, const ArgumentType& type, Argument& argument) const {
    const bool filled = given.find("FillType") || given.find("FillValue");
    const std::string access = choice(given, "AccessType", "ReadWrite", {"ReadOnly", "WriteOnly", "ReadWrite"});
    // T1's tuners fill what is "WriteOnly" too, and kernels add to it (KTT's Coulomb sum does).
    argument.role = access == "ReadOnly" ? Role::input : filled || access == "ReadWrite" ? Role::inout : Role::output;
    if (argument.role != Role::output) argument.fill = read_t1_fill(given, folder_);
    if (const Node* seed = given.find("RandomSeed"))
      argument.fill.seed = static_cast<std::uint64_t>(seed->integer());
    else
      argument.fill.seed = kernel_.arguments.size() + 1;  // equal inputs would hide that a kernel mixes them up
    read_t1_shape(given, type, argument);
    check_output(given, argument);
    if (!argument.is_output() || !is_floating(argument.type)) return;
    // The tolerance allows another order of the same single-precision sums. T1 names no tolerance of its own.
    argument.tolerance.absolute = search::Expression::constant(1e-6);
    argument.tolerance.relative = search::Expression::constant(1e-4);
    argument.nondeterministic = search::Expression::constant(true);  // nor can it say that a kernel adds with atomics
  }

  void read_t1_shape(const Node& given, const ArgumentType& type, Argument& argument) const {
    const Node* size = given.find("Size");
    if (size) {
      argument.shape = {expressions_.parse(*size, t1_constant_names(kernel_))};
    } else if (argument.fill.kind == Fill::Kind::raw) {
      argument.shape = {search::Expression::constant(
          static_cast<std::int64_t>(std::filesystem::file_size(argument.fill.file) / t1_bytes(type)))};
    } else {
      given.at("Size");
    }
    if (type.lanes > 1) argument.shape.push_back(search::Expression::constant(type.lanes));
    check_raw_size(given, argument.fill, argument);
  }

  // Fails unless a raw file has the argument's size. This is checked here and not when the session reads the file, so
  // that the key is named.
  void check_raw_size(const Node& given, const Fill& fill, const Argument& argument) const {
    if (fill.kind != Fill::Kind::raw) return;
    search::NamedValues sizes = kernel_.sizes;
    std::uintmax_t bytes = size_bytes(argument.type);
    for (const search::Expression& extent : argument.shape) {
      const auto unknown = [&](const std::string& name) { return !search::find_value(sizes, name); };
      if (std::ranges::any_of(extent.names(), unknown)) return;  // the extent depends on a limit of the device
      bytes *= static_cast<std::uintmax_t>(search::to_integer(extent.evaluate(sizes)));
    }
    const std::uintmax_t found = std::filesystem::file_size(fill.file);
    if (found != bytes)
      given.at("DataSource")
          .fail(fmt::format("{} has {} bytes, and Size times Type is {}", fill.file.string(), found, bytes));
  }

  static void check_output(const Node& given, const Argument& argument) {
    const Node* output = given.find("Output");
    if (!output) return;
    const bool said = search::truth(output->value());
    if (said == argument.is_output()) return;
    output->fail(said ? "an output that AccessType calls ReadOnly; expected WriteOnly or ReadWrite"
                      : "AccessType says that the kernel writes it, and what a kernel writes is compared");
  }

  void note_type_size(const Node& given, const ArgumentType& type) const {
    const Node* size = given.find("TypeSize");
    if (size && size->integer() != static_cast<std::int64_t>(t1_bytes(type)))
      kernel_.notes.push_back(fmt::format("{}: no effect, an element of the Type {} has {} bytes", size->path(),
                                          given.at("Type").string(), t1_bytes(type)));
  }

  const T1Expressions& expressions_;
  const std::filesystem::path& folder_;
  KernelTemplate& kernel_;
};

void read_reference_argument(const Node& given, const std::filesystem::path& folder, KernelTemplate& kernel) {
  const Node& target = given.at("TargetName");
  const auto argument = std::ranges::find(kernel.arguments, target.string(), &Argument::name);
  if (argument == kernel.arguments.end() || !argument->is_output())
    target.fail(fmt::format("'{}' is no argument that the kernel writes", target.string()));
  choice(given, "FillType", "Constant", {"Constant", "Generator", "BinaryRaw"});
  Fill fill = read_t1_fill(given, folder);
  const std::string method = choice(given, "ValidationMethod", "SideBySideComparison",
                                    {"SideBySideComparison", "SideBySideRelativeComparison"});
  const Node* threshold = given.find("ValidationThreshold");
  const double allowed = threshold ? threshold->number() : 1e-4;  // KTT's default
  argument->tolerance = {};
  (method == "SideBySideComparison" ? argument->tolerance.absolute : argument->tolerance.relative) =
      search::Expression::constant(allowed);
  if (!kernel.reference.data.emplace(argument->name, std::move(fill)).second)
    target.fail(fmt::format("'{}' has a reference already", target.string()));
}

}  // namespace

void read_t1_arguments(const Node& specification, const T1Expressions& expressions, const std::filesystem::path& folder,
                       KernelTemplate& kernel) {
  const ArgumentReader reader(expressions, folder, kernel);
  const Node& list = specification.at("Arguments");
  for (const Node& given : list.array()) kernel.arguments.push_back(reader.read(given));
  if (std::ranges::none_of(kernel.arguments, &Argument::is_output))
    list.fail("expected at least one that is written: without one nothing can be verified");
  if (const Node* references = specification.find("ReferenceArguments"))
    for (const Node& given : references->array()) read_reference_argument(given, folder, kernel);
}

}  // namespace warptune::tuner
