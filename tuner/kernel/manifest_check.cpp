#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "tuner/device_info.h"
#include "tuner/kernel/manifest_parts.h"

namespace warptune {

namespace {

using Names = std::set<std::string>;

Names names_of(const NamedValues& values) {
  Names names;
  for (const auto& [name, value] : values) names.insert(name);
  return names;
}

Names operator+(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

// Expressions are checked where the manifest wrote them, so that the error has the line.
void check_names(const Node& node, const Names& known) {
  if (node.is_array()) {
    for (const Node& item : node.array()) check_names(item, known);
    return;
  }
  const Expression expression = node.expression();
  for (const std::string& name : expression.names())
    if (!known.contains(name))
      node.fail(fmt::format("'{}' means nothing here; expected a size, parameter or device limit, that is one of {}",
                            name, fmt::join(known, ", ")));
}

void check_key(const Node& table, const char* key, const Names& known) {
  if (const Node* node = table.find(key)) check_names(*node, known);
}

class Checker {
 public:
  explicit Checker(const KernelTemplate& kernel) : kernel_(kernel) {
    sizes_ = names_of(kernel.sizes) + names_of(DeviceInfo{}.limits());
    for (const Parameter& parameter : kernel.parameters) {
      if (find_value(kernel.sizes, parameter.name)) clashing_ = parameter.name;
      parameters_.insert(parameter.name);
    }
    for (const Argument& argument : kernel.arguments) buffers_.insert(argument.name);
  }

  void run(const Node& root) const {
    if (!clashing_.empty())
      root.at("parameters").at(clashing_).fail("a problem size has the same name; expected different names");
    const Names all = sizes_ + parameters_;
    check_key(root, "constraints", all);
    if (const Node* defines = root.find("defines"))
      for (const auto& [name, value] : defines->table()) check_names(value, all);
    check_arguments(root.at("arguments"));
    if (const Node* temporaries = root.find("temporaries")) check_temporaries(*temporaries, all);
    check_launches(root.at("launches"), all, buffers_ + temporaries(kernel_.temporaries));
    check_reference(root.at("reference"));
    if (const Node* metrics = root.find("metrics"))
      for (const auto& [name, table] : metrics->table())
        check_names(table.at("value"), all + Names{"time", "joules", "memory_bandwidth_gbs"});
  }

 private:
  static Names temporaries(const std::vector<Argument>& list) {
    Names names;
    for (const Argument& argument : list) names.insert(argument.name);
    return names;
  }

  void check_arguments(const Node& node) const {
    bool any_output = false;
    for (const auto& [name, table] : node.table()) {
      // The data is the same for every configuration, so its shape cannot depend on one; a scalar may.
      check_key(table, "shape", sizes_);
      check_key(table, "value", sizes_ + parameters_ + Names{"pass"});
      if (const Node* tolerance = table.find("tolerance"))
        for (const auto& [key, value] : tolerance->table()) check_names(value, sizes_);
      any_output |= kernel_.find_argument(name)->is_output();
    }
    if (!any_output)
      node.fail(
          "expected at least one argument with role \"output\" or \"inout\": without one nothing can be verified");
  }

  void check_temporaries(const Node& node, const Names& names) const {
    for (const auto& [name, table] : node.table()) {
      check_key(table, "shape", names);
      if (buffers_.contains(name)) table.fail("an argument has the same name");
    }
  }

  static void check_launches(const Node& node, const Names& names, const Names& buffers) {
    for (const Node& launch : node.array()) {
      const Names scope = launch.find("repeat") ? names + Names{"pass"} : names;
      for (const char* key : {"grid", "block", "shared", "when"}) check_key(launch, key, scope);
      check_key(launch, "repeat", names);
      for (const char* key : {"arguments", "clear"})
        if (const Node* list = launch.find(key)) check_buffers(*list, buffers);
      if (const Node* set = launch.find("set"))
        for (const auto& [name, value] : set->table()) {
          if (!buffers.contains(name)) value.fail("no such argument");
          check_names(value, scope);
        }
    }
  }

  static void check_buffers(const Node& list, const Names& buffers) {
    for (const Node& item : list.array())
      if (!buffers.contains(item.string()))
        item.fail(fmt::format("no such argument or temporary; expected one of {}", fmt::join(buffers, ", ")));
  }

  void check_reference(const Node& node) const {
    const Names buffers = buffers_ + temporaries(kernel_.reference.temporaries);
    if (const Node* arguments = node.find("arguments")) check_buffers(*arguments, buffers);
    if (const Node* launches = node.find("launches")) check_launches(*launches, sizes_, buffers);
    if (const Node* temporaries = node.find("temporaries"))
      for (const auto& [name, table] : temporaries->table()) check_key(table, "shape", sizes_);
  }

  const KernelTemplate& kernel_;
  Names sizes_, parameters_, buffers_;
  std::string clashing_;
};

}  // namespace

void check_references(const Node& root, const KernelTemplate& result) {
  Checker(result).run(root);
}

}  // namespace warptune
