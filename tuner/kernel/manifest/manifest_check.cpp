// Checks that every name in a manifest means something where it stands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "search/spelling.h"
#include "tuner/device/device_info.h"
#include "tuner/device/host_memory.h"
#include "tuner/kernel/manifest/keys.h"
#include "tuner/kernel/manifest/manifest_parts.h"
#include "tuner/kernel/names.h"

namespace warptune::tuner {

namespace {

using Names = std::set<std::string>;

Names names_of(const search::NamedValues& values) {
  Names names;
  for (const auto& [name, value] : values) names.insert(name);
  return names;
}

Names operator+(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// `warptune init` marks with this word what the source does not say.
constexpr char to_be_filled_in[] = "TODO";

// Returns what is wrong with an unknown name. The device has many limits, and the message names only one that was
// probably meant.
std::string unknown_name(const std::string& name, const Names& known) {
  if (name == to_be_filled_in) return "this is still to be filled in (TODO)";
  const Names limits = names_of(DeviceInfo{}.limits());
  Names own;
  std::ranges::set_difference(known, limits, std::inserter(own, own.end()));
  return fmt::format("'{}' means nothing here{}; expected {}{}", name,
                     search::did_you_mean(name, {known.begin(), known.end()}),
                     own.empty() ? "" : fmt::format("one of {}, or ", fmt::join(own, ", ")),
                     "a device limit (MANIFEST.md lists them)");
}

// Expressions are checked where the manifest wrote them, so that the error has the line.
void check_names(const Node& node, const Names& known) {
  if (node.is_array()) {
    for (const Node& item : node.array()) check_names(item, known);
    return;
  }
  const search::Expression expression = node.expression();
  for (const std::string& name : expression.names())
    if (!known.contains(name)) node.fail(unknown_name(name, known));
}

Names names_of(const std::vector<Argument>& arguments) {
  Names names;
  for (const Argument& argument : arguments) names.insert(argument.name);
  return names;
}

void check_buffers(const Node& list, const Names& buffers) {
  for (const Node& item : list.array())
    if (item.string() == to_be_filled_in && !buffers.contains(to_be_filled_in))
      item.fail("this is still to be filled in (TODO): the head of the manifest says what is missing");
    else if (!buffers.contains(item.string()))
      item.fail(fmt::format("no such argument or temporary{}; expected one of {}",
                            search::did_you_mean(item.string(), {buffers.begin(), buffers.end()}),
                            fmt::join(buffers, ", ")));
}

// A Scope holds the names that mean something in a part of the manifest, by what a key says that it uses.
using Scope = std::map<Uses, Names>;

void check_table(const Node& node, const KeyTable& table, const Scope& scope);

// Checks the names in a value, and those in its tables.
void check_value(const Node& node, const Key& key, const Scope& scope) {
  if (key.form == Form::table) return check_table(node, *key.details.table, scope);
  if (key.form == Form::tables)
    for (const auto& [name, member] : node.table()) check_table(member, *key.details.table, scope);
  const auto known = scope.find(key.uses);
  if (known == scope.end() || key.form == Form::word_or_expression) return;
  if (key.form == Form::texts) return check_buffers(node, known->second);
  if (key.form != Form::named_expressions) return check_names(node, known->second);
  for (const auto& [name, value] : node.table()) check_names(value, known->second);
}

void check_key(const Node& node, const KeyTable& table, std::string_view key, const Scope& scope) {
  if (const Node* value = node.find(key)) check_value(*value, table[key], scope);
}

// Checks the keys of a table in their order, and tables in it behind them.
void check_table(const Node& node, const KeyTable& table, const Scope& scope) {
  for (const bool inner : {false, true})
    for (const Key& key : table.keys)
      if ((node.find(key.name) && node.find(key.name)->is_table()) == inner) check_key(node, table, key.name, scope);
}

class Checker {
 public:
  explicit Checker(const KernelTemplate& kernel) : kernel_(kernel) {
    problem_ = names_of(kernel.sizes);
    for (const search::Parameter& variant : kernel.variants) problem_.insert(variant.name);
    for (const search::Parameter& parameter : kernel.parameters) {
      if (problem_.contains(parameter.name)) clashing_ = parameter.name;
      parameters_.insert(parameter.name);
    }
    problem_ = problem_ + names_of(DeviceInfo{}.limits());
    for (const Argument& argument : kernel.arguments) buffers_.insert(argument.name);
    Names passed = buffers_ + names_of(kernel.temporaries);
    for (const TensorMapArgument& map : kernel.tensor_maps) passed.insert(map.name);
    scope_ = scope_of(problem_ + parameters_, buffers_ + names_of(kernel.temporaries), passed);
  }

  // A mistake that shows in several places is reported at the first of them in this order.
  void run(const Node& root) const {
    if (!clashing_.empty())
      root.at("parameters").at(clashing_).fail("a problem size or variant has the same name; expected different names");
    check_reserved(root);
    if (const Node* derived = root.find("derived")) check_derived(*derived);
    check_key(root, keys::manifest, "constraints", scope_);
    if (const Node* defines = root.find("defines")) check_defines(*defines);
    check_arguments(root.at("arguments"));
    check_key(root, keys::manifest, "fills", scope_);
    if (const Node* temporaries = root.find("temporaries")) check_temporaries(*temporaries);
    if (const Node* maps = root.find("tensor_maps")) check_tensor_maps(*maps);
    for (const Node& launch : root.at("launches").array()) check_launch(launch);
    check_reference(root.at("reference"));
    if (const Node* work = root.find("work")) check_work(*work);
    for (const Key& key : keys::manifest.keys)
      if (key.name != "reference") check_key(root, keys::manifest, key.name, scope_);
  }

 private:
  // `names` are those that mean something in expressions: a reference has no parameters.
  Scope scope_of(const Names& names, const Names& buffers, const Names& passed) const {
    return {{Uses::problem, problem_},
            {Uses::configuration, names},
            {Uses::pass, names + Names{"pass"}},
            {Uses::launch, names},
            {Uses::measured, names + measured_names()},
            {Uses::arguments, buffers_},
            {Uses::buffers, buffers},
            {Uses::passed, passed}};
  }

  static void check_reserved(const Node& root) {
    const auto check = [&root](const char* key, std::string (*wrong)(const std::string&)) {
      if (const Node* node = root.find(key))
        for (const auto& [name, value] : node->table())
          if (const std::string why = wrong(name); !why.empty()) value.fail(why);
    };
    for (const char* key : {"sizes", "variants", "parameters", "derived"}) check(key, wrong_name);
    check("metrics", wrong_metric_name);
  }

  // A define must not have a parameter's name, which is a macro already: the define would be compiled, and the
  // parameter's value would be reported.
  void check_defines(const Node& node) const {
    for (const auto& [name, value] : node.table()) {
      if (parameters_.contains(name))
        value.fail("the parameter of this name is a macro already; expected another name");
      check_names(value, scope_.at(Uses::configuration));
    }
  }

  void check_derived(const Node& node) const {
    for (const auto& [name, value] : node.table()) {
      if (scope_.at(Uses::configuration).contains(name))
        value.fail("a size, variant, parameter or device limit has the same name");
      check_names(value, scope_.at(Uses::pass));
    }
  }

  // The name of a roof in `arithmetic` stands for itself, and is no expression.
  void check_work(const Node& node) const {
    check_table(node, keys::work, scope_);
    if (const auto& arithmetic = kernel_.work.arithmetic; arithmetic && !arithmetic->names().empty())
      check_names(node.at("arithmetic"), scope_.at(Uses::configuration));
  }

  void check_arguments(const Node& node) const {
    bool any_output = false;
    for (const auto& [name, table] : node.table()) {
      check_key(table, keys::argument, "shape", scope_);
      if (const Node* memory = table.find("memory")) check_memory(*memory, *kernel_.find_argument(name));
      check_table(table, keys::argument, scope_);
      if (const Node* fill = table.find("fill")) check_fill(*fill, name);
      any_output |= kernel_.find_argument(name)->is_output();
    }
    if (!any_output)
      node.fail(
          "expected at least one argument with role \"output\" or \"inout\": without one nothing can be verified");
  }

  // A word that is no kind of memory is more likely mistyped than an expression. An expression of one parameter is
  // tried with all of its values.
  void check_memory(const Node& node, const Argument& argument) const {
    static const std::vector<std::string> words = words_in(keys::argument["memory"].details.words);
    const bool is_word = !argument.memory || argument.memory->names().empty();
    if (is_word &&
        (!argument.memory || host_memory_kind(search::to_text(argument.memory->evaluate(search::NamedValues{})))))
      return;
    const std::string expected =
        fmt::format("expected {}, or an expression over sizes, variants and parameters that gives one of the last four",
                    fmt::join(words, ", "));
    for (const std::string& name : argument.memory->names())
      if (!scope_.at(Uses::configuration).contains(name))
        node.fail(fmt::format("'{}' means nothing here{}; {}", name, search::did_you_mean(name, words), expected));
    if (is_word) node.fail(expected);
    for (const search::Parameter* choice : choices_of(*argument.memory))
      for (const search::Value& value : choice->values)
        if (const std::string word =
                search::to_text(argument.memory->evaluate(search::NamedValues{{choice->name, value}}));
            !host_memory_kind(word))
          node.fail(fmt::format("it is '{}'{} where {} is {}; {}", word, search::did_you_mean(word, words),
                                choice->name, search::to_text(value), expected));
  }

  // Returns the one parameter or variant that the expression depends on, if it depends on nothing else.
  std::vector<const search::Parameter*> choices_of(const search::Expression& expression) const {
    if (expression.names().size() != 1) return {};
    for (const auto* list : {&kernel_.parameters, &kernel_.variants})
      for (const search::Parameter& parameter : *list)
        if (parameter.name == expression.names().front()) return {&parameter};
    return {};
  }

  // Fails if the function of a fill is missing or does not take the buffer, which would stay unfilled.
  void check_fill(const Node& fill, const std::string& argument) const {
    const Node* name = fill.find("function");
    if (!name) return;
    const auto function = std::ranges::find(kernel_.fills, name->string(), &HostFunction::name);
    if (function == kernel_.fills.end()) name->fail("there is no such function in [fills]");
    if (std::ranges::find(function->arguments, argument) == function->arguments.end())
      name->fail(fmt::format("'{}' is not among the function's arguments", argument));
  }

  void check_temporaries(const Node& node) const {
    for (const auto& [name, table] : node.table()) {
      check_table(table, keys::temporary, scope_);
      if (buffers_.contains(name)) table.fail("an argument has the same name");
    }
  }

  void check_tensor_maps(const Node& node) const {
    for (const auto& [name, table] : node.table()) {
      check_table(table, keys::tensor_map, scope_);
      if (kernel_.find_argument(name)) table.fail("an argument or temporary has the same name");
      const Node& of = table.at("of");
      const Argument* buffer = kernel_.find_argument(of.string());
      if (!buffer || buffer->role == Role::scalar) of.fail("expected a buffer among the arguments and temporaries");
      if (buffer->on_host) of.fail(fmt::format("'{}' is in the host's memory", of.string()));
      check_dimensions(table, *kernel_.find_tensor_map(name), *buffer);
    }
  }

  static void check_dimensions(const Node& table, const TensorMapArgument& map, const Argument& buffer) {
    const std::size_t rank = (map.shape.empty() ? buffer.shape : map.shape).size();
    if (rank < 1 || rank > 5) table.fail("expected one to five dimensions");
    if (map.box.size() != rank)
      table.at("box").fail(fmt::format("expected {} extents, as many as the tensor has dimensions", rank));
    if (!map.strides.empty() && map.strides.size() + 1 != rank)
      table.at("strides").fail(fmt::format("expected {}, of all dimensions but the innermost", rank - 1));
  }

  void check_launch(const Node& launch) const {
    check_key(launch, keys::launch, "repeat", scope_);
    const Scope scope = repeated(launch, scope_);
    check_key(launch, keys::launch, "when", scope);
    if (const Node* steps = launch.find("steps"))
      for (const Node& step : steps->array()) check_measured_step(step, scope);
    else
      check_measured_step(launch, scope);
  }

  static Scope repeated(const Node& launch, Scope scope) {
    if (launch.find("repeat")) scope.at(Uses::launch).insert("pass");
    return scope;
  }

  void check_measured_step(const Node& step, const Scope& scope) const {
    check_step(step, scope);
    for (const char* key : {"arguments", "clear"})
      if (const Node* list = step.find(key)) check_reached(*list);
    if (const Node* copy = step.find("copy")) check_copy(*copy);
    for (const char* key : {"prefetch", "touch"})
      if (const Node* pages = step.find(key)) check_pages(*pages, *key == 'p');
  }

  static void check_step(const Node& step, const Scope& scope) {
    check_table(step, keys::launch, scope);
    if (const Node* set = step.find("set"))
      for (const auto& [name, value] : set->table())
        if (!scope.at(Uses::buffers).contains(name)) value.fail("no such argument");
  }

  // Returns the kind of a buffer's memory on the host, or nothing where it depends on the configuration. There the plan
  // checks it.
  static std::optional<HostMemoryKind> fixed_kind(const Argument& argument) {
    if (!argument.memory) return HostMemoryKind::pageable;
    if (!argument.memory->names().empty()) return std::nullopt;
    return host_memory_kind(search::to_text(argument.memory->evaluate(search::NamedValues{})));
  }

  void check_reached(const Node& list) const {
    for (const Node& item : list.array()) {
      const Argument* argument = kernel_.find_argument(item.string());
      if (!argument || !argument->on_host) continue;
      if (const auto kind = fixed_kind(*argument); kind && !kernels_reach(*kind))
        item.fail(
            fmt::format("'{}' is in the host's memory, which only copies reach; kernels reach memory = \"mapped\" "
                        "and \"managed\"",
                        item.string()));
    }
  }

  void check_pages(const Node& node, bool prefetch) const {
    const Node& buffer = node.at("buffer");
    const Argument& argument = copied(buffer);
    const auto kind = fixed_kind(argument);
    if (!argument.on_host) buffer.fail("expected a buffer in the host's memory");
    if (prefetch && kind && kind != HostMemoryKind::managed)
      buffer.fail("only the pages of memory = \"managed\" can be prefetched");
  }

  const Argument& copied(const Node& node) const {
    const Argument* argument = kernel_.find_argument(node.string());
    if (!argument || argument->role == Role::scalar) node.fail("no such buffer");
    return *argument;
  }

  void check_copy(const Node& node) const {
    const Argument &from = copied(node.at("from")), &to = copied(node.at("to"));
    if (from.on_host == to.on_host) node.fail("expected one buffer in the host's memory and one in the device's");
    if (from.type != to.type) node.fail("expected two buffers of one type");
    if (to.role == Role::input) node.at("to").fail("an input keeps its values");
  }

  void check_reference(const Node& node) const {
    const Names buffers = buffers_ + names_of(kernel_.reference.temporaries);
    const Scope scope = scope_of(problem_, buffers, buffers);
    check_key(node, keys::reference, "arguments", scope);
    if (const Node* launches = node.find("launches"))
      for (const Node& launch : launches->array()) check_reference_launch(launch, scope);
    check_table(node, keys::reference, scope);
  }

  // A reference sees every argument in the device's memory, and its time does not matter. So it needs no copies and no
  // streams.
  static void check_reference_launch(const Node& launch, const Scope& scope) {
    for (const char* key : {"copy", "prefetch", "touch", "steps", "stream", "after"})
      if (const Node* node = launch.find(key)) node->fail("a reference launches kernels one after the other");
    check_key(launch, keys::launch, "repeat", scope);
    check_step(launch, repeated(launch, scope));
  }

  const KernelTemplate& kernel_;
  Names problem_;  // sizes, variants and device limits: what is the same for every configuration
  Names parameters_, buffers_;
  Scope scope_;  // of the manifest, but for its reference
  std::string clashing_;
};

}  // namespace

void check_references(const Node& root, const KernelTemplate& result) {
  Checker(result).run(root);
}

}  // namespace warptune::tuner
