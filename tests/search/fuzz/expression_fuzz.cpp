// libFuzzer target: parses arbitrary bytes and evaluates what parses. Built with WARPTUNE_FUZZ (Clang only):
//
//   cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 -DWARPTUNE_FUZZ=ON
//   cmake --build build/fuzz --target expression_fuzz
//   build/fuzz/tests/search/fuzz/expression_fuzz -dict=tests/search/fuzz/expression.dict -runs=10000000 -max_len=256
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "search/expression/expression.h"
#include "search/space/search_space.h"

namespace {

using warptune::Expression;
using warptune::ExpressionError;
using warptune::Value;

const warptune::NamedValues names{{"x", std::int64_t{7}}, {"y", -2.5},     {"s", std::string("fp16")}, {"t", true},
                                  {"z", std::int64_t{0}}, {"m", INT64_MIN}};

// Nothing, or the value.
std::optional<Value> evaluate(const Expression& expression) {
  try {
    return expression.evaluate(names);
  } catch (const ExpressionError& error) {
    if (error.column() < 1 || error.column() > expression.text().size() + 1) std::abort();
    return std::nullopt;
  }
}

// The search evaluates through its own graph, which must agree with the bytecode on what is satisfied. The numbers get
// a second value, so that they stay open; choices of 0 are the values of `names`.
bool satisfied_in_a_space(const Expression& expression) {
  std::vector<warptune::Parameter> parameters;
  for (const auto& [name, value] : names) parameters.push_back({name, {value}});
  for (std::size_t open : {0, 1, 4}) parameters[open].values.push_back(std::int64_t{3});
  const auto space = warptune::SearchSpace::build(parameters, {{.text = expression.text()}});
  return space.contains({std::vector<std::uint32_t>(names.size())});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Expression expression = Expression::parse(text);
    for (const std::string& name : expression.names())
      if (warptune::find_value(names, name) == nullptr) return 0;
    const std::optional<Value> value = evaluate(expression);
    if (satisfied_in_a_space(expression) != (value && warptune::truth(*value))) std::abort();
  } catch (const ExpressionError& error) {
    if (error.column() < 1 || error.column() > size + 1) std::abort();
  }
  return 0;
}
