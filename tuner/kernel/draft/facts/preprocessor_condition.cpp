// Evaluates conditions with unknown names. Their values are nothing, and && and || allow for that: 0 && unknown is 0.
#include "tuner/kernel/draft/facts/preprocessor_condition.h"

#include <algorithm>
#include <array>

#include "tuner/kernel/draft/expressions/c_expression.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Number = std::optional<std::int64_t>;

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, std::string_view(name)) != names.end();
}

// Returns whether the compiler or the toolkit defines the name. `init` has none of these at hand.
bool is_of_compiler(const std::string& name) {
  return name.starts_with("__") || is_one_of(name, {"CUDA_VERSION", "CUDART_VERSION"});
}

bool is_always_defined(const std::string& name) {
  return is_one_of(name, {"__CUDACC__", "__NVCC__", "__CUDA_ARCH__", "__cplusplus", "__CUDACC_VER_MAJOR__"});
}

bool is_of_others(const std::string& name) {
  return name.starts_with("__HIP") || name.starts_with("__SYCL") || name.starts_with("__OPENCL") ||
         is_one_of(name, {"_WIN32", "_WIN64", "_MSC_VER", "__APPLE__", "__MINGW32__", "__INTEL_COMPILER"});
}

Number integer_of(const std::string& sign, std::int64_t a, std::int64_t b) {
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  const CExpression known = simplified(CExpression::binary(sign, CExpression::integer(a), CExpression::integer(b)));
  return known.is_integer() ? Number(known.value) : std::nullopt;
}

Number value_of(const CExpression& expression) {
  if (expression.is_integer()) return expression.value;
  if (expression.kind == Kind::name && (expression.text == "true" || expression.text == "false"))
    return expression.text == "true";
  if (expression.kind == Kind::unary) {
    const Number inner = value_of(expression.parts.front());
    if (!inner || (expression.text != "!" && expression.text != "-")) return std::nullopt;
    return expression.text == "!" ? !*inner : integer_of("-", 0, *inner);
  }
  if (expression.kind == Kind::conditional) {
    const Number condition = value_of(expression.parts[0]);
    return condition ? value_of(expression.parts[*condition != 0 ? 1 : 2]) : std::nullopt;
  }
  if (expression.kind != Kind::binary) return std::nullopt;
  const Number left = value_of(expression.parts[0]), right = value_of(expression.parts[1]);
  if (expression.text == "and" || expression.text == "or") {
    const bool decides = expression.text == "or";
    if ((left && (*left != 0) == decides) || (right && (*right != 0) == decides)) return decides;
    return left && right ? Number(!decides) : std::nullopt;
  }
  return left && right ? integer_of(expression.text, *left, *right) : std::nullopt;
}

class ConditionReader {
 public:
  explicit ConditionReader(const KnownMacros& macros) : macros_(macros) {}

  ConditionValue run(TokenSpan condition) {
    std::vector<SourceToken> tokens;
    append(condition, 16, tokens);
    if (const auto expression = parse_c(tokens))
      if (const Number value = value_of(*expression)) result_.holds = *value != 0;
    return std::move(result_);
  }

 private:
  static SourceToken number(bool value) { return {SourceToken::Kind::number, value ? "1" : "0"}; }

  // Returns whether the name is defined, as a token: 1, 0, or the name itself if that is unknown. A name that the
  // source does not define is added to `asked`, unless it is a compiler's or a system's own.
  SourceToken defined(const std::string& name) {
    if (macros_.contains(name) || is_always_defined(name)) return number(true);
    if (is_of_others(name)) return number(false);
    if (is_of_compiler(name)) return {SourceToken::Kind::word, name};
    result_.asked.insert(name);
    return number(false);
  }

  void append(TokenSpan tokens, int depth, std::vector<SourceToken>& out) {
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      const SourceToken& token = tokens[at];
      if (token.is("defined") && at + 1 < tokens.size()) {
        const bool in_brackets = tokens[at + 1].is("(") && at + 3 < tokens.size();
        out.push_back(defined(tokens[at + (in_brackets ? 2 : 1)].text));
        at += in_brackets ? 3 : 1;
      } else if (token.kind != SourceToken::Kind::word || token.is("true") || token.is("false")) {
        out.push_back(token);
      } else {
        append_name(token, depth, out);
      }
    }
  }

  void append_name(const SourceToken& token, int depth, std::vector<SourceToken>& out) {
    const auto macro = macros_.find(token.text);
    if (macro != macros_.end() && depth > 0 && !macro->second.empty()) return append(macro->second, depth - 1, out);
    const bool unknown = macro != macros_.end() || (is_of_compiler(token.text) && !is_of_others(token.text));
    out.push_back(unknown ? token : defined(token.text));
  }

  const KnownMacros& macros_;
  ConditionValue result_;
};

}  // namespace

ConditionValue condition_value(TokenSpan condition, const KnownMacros& macros) {
  return ConditionReader(macros).run(condition);
}

}  // namespace warptune::tuner::draft
