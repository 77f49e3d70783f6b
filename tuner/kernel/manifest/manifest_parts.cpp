// Reads the parts of manifest_parts.h but for the launches.
#include "tuner/kernel/manifest/manifest_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "search/spelling.h"
#include "tuner/device/host_memory.h"
#include "tuner/kernel/data/matrix_market.h"
#include "tuner/kernel/manifest/keys.h"
#include "tuner/kernel/plan.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

ElementType read_type(const Node& node) {
  if (const auto type = element_type_from_string(node.string())) return *type;
  if (node.string() == "TODO") node.fail("this is still to be filled in (TODO): an element type, as float or int32");
  node.fail(fmt::format("'{}' is no type; expected {}", node.string(), one_of(words_in(element_types))));
}

Role read_role(const Node& node) {
  const std::string& word = read_word(node, keys::argument["role"]);
  if (word == "input") return Role::input;
  return word == "output" ? Role::output : Role::inout;
}

std::pair<double, double> read_pair(const Node& node) {
  const auto& items = node.array();
  if (items.size() != 2) node.fail("expected an array of two numbers");
  return {items[0].number(), items[1].number()};
}

std::filesystem::path existing_file(const Node& node, const std::filesystem::path& folder) {
  const auto file = folder / node.string();
  if (!is_file(file)) node.fail(fmt::format("the file {} is missing", file.string()));
  return file;
}

// Returns one number for each element, as bytes. How many there have to be is known when the sizes are (fill_content).
std::shared_ptr<const std::vector<std::byte>> element_bytes(const Node& node, ElementType type) {
  auto contents = std::make_shared<std::vector<std::byte>>();
  for (const Node& item : node.array()) {
    if (std::holds_alternative<std::string>(item.value())) item.fail("expected a number");
    try {
      const auto bytes = scalar_bytes(type, item.value());
      contents->insert(contents->end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size_bytes(type)));
    } catch (const std::exception& error) {
      item.fail(error.what());
    }
  }
  return contents;
}

Fill read_fill(const Node& node, const std::filesystem::path& folder, ElementType type) {
  check_keys(node, keys::fill);
  Fill fill;
  if (const Node* seed = node.find("seed")) fill.seed = static_cast<std::uint64_t>(seed->integer());
  if (const Node* fixed = node.find("fixed")) {
    if (!node.find("uniform") && !node.find("normal")) fixed->fail("only drawn numbers (uniform, normal) can be fixed");
    fill.fixed = fixed->boolean();
  }
  if (const Node* constant = node.find("constant")) {
    fill.a = constant->number();
    return fill;
  }
  for (const auto& [key, kind] : {std::pair("range", Fill::Kind::range), std::pair("uniform", Fill::Kind::uniform),
                                  std::pair("normal", Fill::Kind::normal)})
    if (const Node* given = node.find(key)) {
      fill.kind = kind;
      std::tie(fill.a, fill.b) = read_pair(*given);
      if (kind == Fill::Kind::uniform && fill.a > fill.b) given->fail("expected the lower end first");
      return fill;
    }
  if (const Node* values = node.find("values")) {
    fill.kind = Fill::Kind::given;
    fill.contents = element_bytes(*values, type);
    return fill;
  }
  if (const Node* npy = node.find("npy")) {
    fill.kind = Fill::Kind::npy;
    fill.file = existing_file(*npy, folder);
    return fill;
  }
  if (const Node* matrix = node.find("matrix_market")) {
    fill.kind = Fill::Kind::matrix_market;
    fill.file = existing_file(*matrix, folder);
    fill.part = matrix_part_from_string(read_word(node.at("part"), keys::fill["part"])).value();
    return fill;
  }
  if (const Node* function = node.find("function")) {
    fill.kind = Fill::Kind::function;
    fill.function = function->string();
    return fill;
  }
  node.fail(fmt::format("expected one of {}", fmt::join(keys_of(keys::fill, Presence::some), ", ")));
}

// Reads one bound of a tolerance. What depends on sizes is checked when they are known.
search::Expression read_tolerance_part(const Node& node) {
  search::Expression expression = node.expression();
  if (!expression.names().empty()) return expression;
  const double value = search::to_double(expression.evaluate(search::NamedValues{}));
  if (!(value >= 0) || std::isinf(value)) node.fail("expected a finite number of at least 0");
  return expression;
}

Tolerance read_tolerance(const Node& node, ElementType type) {
  check_keys(node, keys::tolerance);
  Tolerance tolerance;
  if (const Node* absolute = node.find("absolute")) tolerance.absolute = read_tolerance_part(*absolute);
  if (const Node* relative = node.find("relative")) tolerance.relative = read_tolerance_part(*relative);
  if (const Node* ulp = node.find("ulp")) {
    if (!is_floating(type)) ulp->fail("an integer has no unit in the last place; expected a floating-point type");
    tolerance.ulp = read_tolerance_part(*ulp);
  }
  return tolerance;
}

// Reads where a buffer is: a word, or an expression that gives one of the host's kinds of memory. manifest_check.cpp
// checks the expression's names.
void read_memory(const Node& memory, const Node& node, Argument& argument) {
  const std::string& word = memory.string();
  argument.on_host = word != "device";
  const Node* pinned = node.find("pinned");
  if (pinned && word != "host") pinned->fail("only memory = \"host\" is pinned or not as an expression says");
  if (pinned) argument.pinned = pinned->expression();
  if (host_memory_kind(word))
    argument.memory = search::Expression::constant(word);
  else if (word != "host" && word != "device")
    argument.memory = memory.expression();
  // The first values of such a buffer would have to be restored while copies of the run before are still in flight.
  if (argument.on_host && argument.role == Role::inout) memory.fail("on the host, a buffer is an input or an output");
  if (argument.on_host && !argument.symbol.empty()) memory.fail("a symbol is filled from memory on the device");
}

void read_compare(const Node& compare, const Node* tolerance, Argument& argument) {
  if (!argument.is_output()) compare.fail("only outputs are compared; expected role output or inout");
  argument.compares_sum = read_word(compare, keys::argument["compare"]) == "sum";
  if (argument.compares_sum && tolerance && tolerance->find("ulp"))
    tolerance->find("ulp")->fail("a sum is compared, and its type is not the elements'; expected absolute or relative");
}

void read_buffer(const Node& node, const std::filesystem::path& folder, Argument& argument) {
  argument.shape = node.at("shape").expressions();
  if (const Node* role = node.find("role")) argument.role = read_role(*role);
  if (const Node* symbol = node.find("symbol")) argument.symbol = symbol->string();
  const Node* tolerance = node.find("tolerance");
  if (tolerance) argument.tolerance = read_tolerance(*tolerance, argument.type);
  argument.tolerance.said = tolerance != nullptr;
  const Node* fill = node.find("fill");
  if (fill) argument.fill = read_fill(*fill, folder, argument.type);
  if (argument.role == Role::output && fill)
    fill->fail("an output is not filled; expected role = \"inout\" or no fill");
  if (const Node* nondeterministic = node.find("nondeterministic")) {
    if (!argument.is_output()) nondeterministic->fail("only outputs are compared; expected role output or inout");
    argument.nondeterministic = nondeterministic->expression();
  }
  if (const Node* counts = node.find("counts")) {
    if (!argument.is_output()) counts->fail("only outputs are compared; expected role output or inout");
    argument.counts = counts->expression();
  }
  if (const Node* compare = node.find("compare")) read_compare(*compare, tolerance, argument);
  if (argument.role != Role::output && !fill) node.fail("the key 'fill' is missing");
  if (const Node* memory = node.find("memory"))
    read_memory(*memory, node, argument);
  else if (const Node* pinned = node.find("pinned"))
    pinned->fail("only memory = \"host\" is pinned or not as an expression says");
}

Argument read_argument(const std::string& name, const Node& node, const std::filesystem::path& folder) {
  check_keys(node, keys::argument);
  Argument argument;
  argument.name = name;
  argument.type = read_type(node.at("type"));
  argument.reference_type = is_floating(argument.type) ? ElementType::f64 : argument.type;
  if (const Node* type = node.find("reference_type")) argument.reference_type = read_type(*type);
  if (const Node* value = node.find("value")) {
    if (const Node* shape = node.find("shape")) shape->fail("expected either a value (a scalar) or a shape (a buffer)");
    argument.role = Role::scalar;
    argument.value = value->expression();
    return argument;
  }
  read_buffer(node, folder, argument);
  return argument;
}

}  // namespace

std::vector<Argument> read_arguments(const Node& node, const std::filesystem::path& folder) {
  std::vector<Argument> arguments;
  for (const auto& [name, table] : node.table()) arguments.push_back(read_argument(name, table, folder));
  return arguments;
}

std::vector<Argument> read_temporaries(const Node& node) {
  std::vector<Argument> temporaries;
  for (const auto& [name, table] : node.table()) {
    check_keys(table, keys::temporary);
    Argument temporary;
    temporary.name = name;
    temporary.role = Role::temporary;
    temporary.type = read_type(table.at("type"));
    temporary.shape = table.at("shape").expressions();
    if (const Node* zero = table.find("zero")) temporary.zero = zero->boolean();
    temporaries.push_back(std::move(temporary));
  }
  return temporaries;
}

std::vector<TensorMapArgument> read_tensor_maps(const Node& node) {
  std::vector<TensorMapArgument> maps;
  for (const auto& [name, table] : node.table()) {
    check_keys(table, keys::tensor_map);
    TensorMapArgument map;
    map.name = name;
    map.of = table.at("of").string();
    if (const Node* shape = table.find("shape")) map.shape = shape->expressions();
    if (const Node* strides = table.find("strides")) map.strides = strides->expressions();
    map.box = table.at("box").expressions();
    if (const Node* swizzle = table.find("swizzle")) map.swizzle_bytes = swizzle->expression();
    if (const Node* promotion = table.find("l2_promotion")) map.l2_promotion_bytes = promotion->expression();
    maps.push_back(std::move(map));
  }
  return maps;
}

Reference read_reference(const Node& node, const std::filesystem::path& source) {
  if (const Node* data = node.find("data")) data->fail("expected default_configuration = true beside it");
  Reference reference;
  reference.source = source;
  if (const Node* temporaries = node.find("temporaries")) reference.temporaries = read_temporaries(*temporaries);
  if (const Node* function = node.find("function")) {
    reference.function = HostFunction{function->string(), source, node.at("arguments").strings()};
    if (const Node* launches = node.find("launches")) launches->fail("expected either launches or a function");
    return reference;
  }
  reference.launches = read_launches(node.at("launches"));
  return reference;
}

void check_reference_keys(const Node& node, bool is_default) {
  check_keys(node, keys::reference);
  if (!is_default) return;
  for (const Key& key : keys::reference.keys)
    if (const Node* other = node.find(key.name); other && key.name != "default_configuration" && key.name != "data")
      other->fail("the kernel itself is the reference; expected data or nothing");
}

std::map<std::string, Fill> read_reference_data(const Node& node, const std::filesystem::path& folder,
                                                const std::vector<Argument>& arguments) {
  std::map<std::string, Fill> data;
  for (const auto& [name, table] : node.table()) {
    const auto argument = std::ranges::find(arguments, std::string(name), &Argument::name);
    if (argument == arguments.end() || !argument->is_output())
      table.fail(fmt::format("'{}' is no argument that the kernel writes", name));
    Fill fill = read_fill(table, folder, argument->type);
    if (fill.kind == Fill::Kind::function)
      table.fail("what is right is not drawn or computed here; expected npy or values");
    data.emplace(name, std::move(fill));
  }
  return data;
}

std::vector<HostFunction> read_fills(const Node& node, const std::filesystem::path& folder) {
  std::vector<HostFunction> fills;
  for (const auto& [name, table] : node.table()) {
    check_keys(table, keys::function);
    const Node& source = table.at("source");
    if (!is_file(folder / source.string()))
      source.fail(fmt::format("the file {} is missing", (folder / source.string()).string()));
    fills.push_back({name, folder / source.string(), table.at("arguments").strings()});
  }
  return fills;
}

const std::vector<std::string>& arithmetic_names() {
  static const std::vector<std::string> names = words_in(keys::work["arithmetic"].details.words);
  return names;
}

namespace {

// Reads a roof's name, or an expression that gives one.
search::Expression arithmetic_of(const Node& node) {
  const std::vector<std::string>& names = arithmetic_names();
  if (std::ranges::find(names, node.string()) != names.end()) return search::Expression::constant(node.string());
  const search::Expression expression = node.expression();
  if (expression.names().empty() || expression.names().front() == expression.text())
    node.fail(fmt::format(
        "expected one of {}, or an expression that gives one ('fp64' if PRECISION == 'double' else 'fp32'){}",
        fmt::join(names, ", "), search::did_you_mean(node.string(), names)));
  return expression;
}

}  // namespace

StatedWork read_work(const Node& node) {
  check_keys(node, keys::work);
  StatedWork work;
  if (const Node* flops = node.find("flops")) work.flops = flops->expression();
  if (const Node* bytes = node.find("bytes")) work.bytes = bytes->expression();
  if (const Node* arithmetic = node.find("arithmetic")) work.arithmetic = arithmetic_of(*arithmetic);
  if (!work.flops && !work.bytes) node.fail("expected flops, bytes or both");
  return work;
}

std::vector<Metric> read_metrics(const Node& node) {
  std::vector<Metric> metrics;
  for (const auto& [name, table] : node.table()) {
    check_keys(table, keys::metric);
    const Node* better = table.find("better");
    const bool higher = !better || read_word(*better, keys::metric["better"]) == "higher";
    metrics.push_back({name, table.at("value").expression(), higher});
  }
  return metrics;
}

}  // namespace warptune::tuner
