#include "tuner/kernel/init/index_analysis.h"

#include <algorithm>
#include <array>

#include "tuner/kernel/init/naming.h"

namespace warptune::tuner::init {

namespace {

using Kind = CExpression::Kind;

class BodyReader {
 public:
  BodyReader(TokenSpan body, const std::set<std::string>& buffers) : body_(body), buffers_(buffers) {}

  BodyAnalysis run() {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      const SourceToken& token = body_[at];
      if (token.kind == SourceToken::Kind::number)
        if (const auto number = parse_c(body_.subspan(at, 1)); number && number->is_integer())
          result_.numbers.insert(number->value);
      if (token.kind != SourceToken::Kind::word) continue;
      const bool member = is(at + 1, ".") && at + 2 < body_.size();
      if (member) result_.built_in.insert(token.text + "." + body_[at + 2].text);
      if (at > 0 && (is(at - 1, ".") || is(at - 1, "->"))) continue;
      if (is(at + 1, "=")) read_definition(at);
      read_bound(at, member ? at + 3 : at + 1);
      if (!member) read_sum(at);
    }
    for (std::size_t at = 0; at < body_.size(); ++at)
      if (body_[at].kind == SourceToken::Kind::word) read_access(at);
    return std::move(result_);
  }

 private:
  struct Alias {
    std::string buffer;
    std::optional<CExpression> offset;
  };

  bool is(std::size_t at, std::string_view text) const { return at < body_.size() && body_[at].is(text); }

  // From `at` to the end of an expression at one of the signs.
  TokenSpan until(std::size_t at, std::initializer_list<std::string_view> signs) const {
    std::size_t end = at;
    for (; end < body_.size(); ++end) {
      if (std::ranges::any_of(signs, [&](std::string_view sign) { return is(end, sign); })) break;
      if (is(end, "(") || is(end, "[") || is(end, "{")) end = closing(body_, end);
    }
    return body_.subspan(std::min(at, body_.size()), std::min(end, body_.size()) - std::min(at, body_.size()));
  }

  void read_definition(std::size_t at) {
    const TokenSpan value = until(at + 2, {";", ",", ")"});
    if (read_alias(body_[at].text, value)) return;
    const auto expression = parse_c(value);
    // i = i + step says nothing about where i begins.
    if (expression && !names_in(*expression).contains(body_[at].text))
      result_.definitions.emplace(body_[at].text, *expression);
  }

  std::optional<Alias> known(const std::string& name) const {
    if (const auto alias = aliases_.find(name); alias != aliases_.end()) return alias->second;
    if (buffers_.contains(name)) return Alias{name, CExpression::integer(0)};
    return std::nullopt;
  }

  static std::optional<CExpression> plus(const std::optional<CExpression>& a, const std::optional<CExpression>& b) {
    if (!a || !b) return std::nullopt;
    return simplified(CExpression::binary("+", *a, *b));
  }

  // p = buffer + offset, p = &buffer[offset]
  bool read_alias(const std::string& name, TokenSpan value) {
    const std::size_t first = !value.empty() && value[0].is("&") ? 1 : 0;
    if (value.size() <= first) return false;
    const auto buffer = known(value[first].text);
    if (!buffer) return false;
    if (first == 1 && value.size() > 2 && value[2].is("[")) {
      const std::size_t close = closing(value, 2);
      if (close + 1 != value.size()) return false;
      aliases_[name] = {buffer->buffer, plus(buffer->offset, parse_c(value.subspan(3, close - 3)))};
      return true;
    }
    if (first == 0 && (value.size() == 1 || value[1].is("+"))) {
      const auto offset = value.size() == 1 ? CExpression::integer(0) : parse_c(value.subspan(2));
      aliases_[name] = {buffer->buffer, plus(buffer->offset, offset)};
      return true;
    }
    return false;
  }

  // variable < bound, variable >= bound
  void read_bound(std::size_t at, std::size_t sign) {
    const bool below = is(sign, "<") && !is(sign + 1, "<"), above = is(sign, ">") && !is(sign + 1, ">");
    if (!below && !above) return;
    static constexpr std::array<std::string_view, 12> before = {"(", "&&", "||",     ";", "!", "?",
                                                                ",", "{",  "return", "=", "}", ":"};
    if (at > 0 && std::ranges::find(before, std::string_view(body_[at - 1].text)) == before.end()) return;
    const bool equal = is(sign + 1, "=");
    const auto bound = parse_c(until(sign + (equal ? 2 : 1), {"&&", "||", ")", ";", "?", ",", "{"}));
    if (!bound) return;
    const std::string name = text_of_tokens(body_.subspan(at, sign - at));
    if (bound->is_integer() && above) {
      if (bound->value > 0 || !equal) result_.skips_first.insert(name);
      return;
    }
    const bool inclusive = (below && equal) || (above && !equal);
    result_.bounds[name].push_back(inclusive ? simplified(CExpression::binary("+", *bound, CExpression::integer(1)))
                                             : *bound);
  }

  // variable += step; variable + other, other + variable, where the other is a name or a built-in's member
  void read_sum(std::size_t at) {
    const std::string& name = body_[at].text;
    if (is(at + 1, "+") && is(at + 2, "=")) {
      if (const auto step = parse_c(until(at + 3, {";", ",", ")"}))) result_.steps.emplace(name, *step);
      return;
    }
    const auto word = [&](std::size_t index) {
      return index < body_.size() && body_[index].kind == SourceToken::Kind::word;
    };
    const auto add = [&](TokenSpan other) { result_.added[name].insert(text_of_tokens(other)); };
    if (is(at + 1, "+") && word(at + 2)) add(body_.subspan(at + 2, is(at + 3, ".") && word(at + 4) ? 3 : 1));
    if (at < 2 || !is(at - 1, "+") || !word(at - 2)) return;
    const bool member = at > 3 && is(at - 3, ".") && word(at - 4);
    add(member ? body_.subspan(at - 4, 3) : body_.subspan(at - 2, 1));
  }

  void read_access(std::size_t at) {
    if (at > 0 && (is(at - 1, ".") || is(at - 1, "->"))) return;
    const auto buffer = known(body_[at].text);
    if (!buffer || (is(at + 1, "=") && aliases_.contains(body_[at].text))) return;
    const bool cast = is(at + 1, ")") && is(at + 2, "[");
    std::size_t after = at + 1;
    Access access;
    if (is(at + 1, "[") || cast) {
      const std::size_t open = cast ? at + 2 : at + 1, close = closing(body_, open);
      if (close >= body_.size()) return;
      if (!cast) access.index = plus(buffer->offset, parse_c(body_.subspan(open + 1, close - open - 1)));
      after = close + 1;
      if (is(after, ".")) after += 2;
      read_index(access, at, after);
    } else if (at > 0 && is(at - 1, "*") &&
               (at < 2 || is(at - 2, ";") || is(at - 2, "{") || is(at - 2, "}") || is(at - 2, ")"))) {
      access.index = buffer->offset;  // *sum = …
      read_index(access, at, after);
    } else if (at > 1 && is(at - 1, "(") && body_[at - 2].text.starts_with("atomic")) {
      const TokenSpan place = until(at, {",", ")"});
      access.index = place.size() == 1 ? buffer->offset : plus(buffer->offset, parse_c(place.subspan(2)));
      access.atomic = access.read = access.write = true;
    } else if (defines_alias(at)) {
      return;
    } else {
      access.read = access.write = true;  // handed on: who knows
    }
    result_.accesses[buffer->buffer].push_back(std::move(access));
  }

  // Whether the buffer stands in what an alias is made of.
  bool defines_alias(std::size_t at) const {
    const std::size_t equals = at > 0 && is(at - 1, "&") ? at - 2 : at - 1;
    return at >= 2 && equals > 0 && equals < body_.size() && is(equals, "=") &&
           aliases_.contains(body_[equals - 1].text);
  }

  void read_index(Access& access, std::size_t at, std::size_t after) const {
    const auto compound = [&] {
      for (const char* sign : {"+", "-", "*", "/", "|", "&", "^", "%"})
        if (is(after, sign) && is(after + 1, "=")) return true;
      return (is(after, "+") && is(after + 1, "+")) || (is(after, "-") && is(after + 1, "-")) ||
             (at > 1 && is(at - 1, "+") && is(at - 2, "+"));
    };
    const bool atomic = at > 2 && is(at - 1, "&") && is(at - 2, "(") && body_[at - 3].text.starts_with("atomic");
    if (atomic || compound()) {
      access.read = access.write = true;
      access.atomic = atomic;
    } else if (is(after, "=")) {
      access.write = true;
    } else {
      access.read = true;
      // float& c = buffer[i]
      const bool is_const = at > 4 && (is(at - 5, "const") || is(at - 4, "const"));
      if (at > 3 && is(at - 1, "=") && is(at - 3, "&") && !is_const) access.write = true;
      // &buffer[i] is handed on, unless it becomes an alias.
      if (at > 0 && is(at - 1, "&") && at > 1 && (is(at - 2, "(") || is(at - 2, ","))) access.write = true;
    }
  }

  const TokenSpan body_;
  const std::set<std::string>& buffers_;
  std::map<std::string, Alias> aliases_;
  BodyAnalysis result_;
};

// Each loop of a kernel may have an i of its own. From the second on they are told apart, by a name that no source has.
std::vector<SourceToken> with_own_names(TokenSpan body) {
  std::vector<SourceToken> tokens(body.begin(), body.end());
  std::map<std::string, int> declared;
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    SourceToken& token = tokens[at];
    if (token.kind != SourceToken::Kind::word || tokens[at - 1].is(".") || tokens[at - 1].is("->")) continue;
    const std::string& before = tokens[at - 1].text;
    const bool is_declared =
        tokens[at + 1].is("=") && (is_integer_type(before) || before == "auto" || before == "const");
    const int number = is_declared ? ++declared[token.text] : declared.contains(token.text) ? declared[token.text] : 0;
    if (number > 1) token.text += "#" + std::to_string(number);
  }
  return tokens;
}

using Result = std::optional<CExpression>;

// An expression all of whose names are sizes, in their terms.
Result in_sizes(const CExpression& expression, const BodyAnalysis& body, const SizeOf& size, int depth) {
  if (depth == 0) return std::nullopt;
  bool known = true;
  const auto replace = [&](const std::string& name) -> Result {
    const bool built_in = name.find('.') != std::string::npos;
    if (const Result other = built_in ? Result() : size(name)) return other;
    const auto definition = body.definitions.find(name);
    // What has a bound goes through values.
    if (built_in || definition == body.definitions.end() || body.bounds.contains(name)) {
      known = false;
      return std::nullopt;
    }
    const Result inner = in_sizes(definition->second, body, size, depth - 1);
    known &= inner.has_value();
    return inner;
  };
  CExpression result = simplified(replaced(expression, replace, 1));
  if (!known || !manifest_text(result)) return std::nullopt;
  return result;
}

// n - 1 and n - 2 * R are n: what is left out at the borders is there.
CExpression without_borders(const CExpression& bound) {
  const std::vector<CExpression> terms = terms_of(bound);
  if (terms.size() < 2 || names_in(terms.front()).empty()) return bound;
  for (std::size_t i = 1; i < terms.size(); ++i)
    if (!terms[i].is(Kind::unary, "-")) return bound;
  return terms.front();
}

Result count_of_name(const std::string& name, const BodyAnalysis& body, const SizeOf& size, int depth) {
  if (const auto bounds = body.bounds.find(name); bounds != body.bounds.end())
    for (const CExpression& bound : bounds->second)
      if (const Result known = in_sizes(bound, body, size, depth))
        if (!names_in(*known).empty() || bounds->second.size() == 1) return without_borders(*known);
  if (const auto definition = body.definitions.find(name); definition != body.definitions.end())
    return count_of(definition->second, body, size, depth - 1);
  return std::nullopt;
}

// The term with the longest stride of sizes, as (what it is multiplied with, stride).
std::optional<std::pair<CExpression, CExpression>> leading_term(const std::vector<CExpression>& terms,
                                                                const BodyAnalysis& body, const SizeOf& size,
                                                                int depth) {
  std::optional<std::pair<CExpression, CExpression>> best;
  std::size_t most = 0;
  for (const CExpression& term : terms) {
    std::vector<CExpression> strides, others;
    for (const CExpression& factor : factors_of(term)) {
      const Result known = in_sizes(factor, body, size, depth);
      (known && (factor.is_integer() || !names_in(factor).empty()) ? strides : others)
          .push_back(known ? *known : factor);
    }
    if (others.empty() || strides.size() <= most) continue;
    most = strides.size();
    best = {product_of(others), product_of(strides)};
  }
  return best;
}

// blockIdx.x, or a variable that is that, times something that is no size: with its threads, the whole axis.
Result count_of_axis(const std::vector<CExpression>& factors, const BodyAnalysis& body, const SizeOf& size) {
  for (const CExpression& factor : factors) {
    if (factor.kind != Kind::name) continue;
    const auto definition = body.definitions.find(factor.text);
    const CExpression& index = definition == body.definitions.end() ? factor : definition->second;
    if (index.kind == Kind::name && index.text.starts_with("blockIdx.")) return size("axis" + index.text.substr(8));
  }
  return std::nullopt;
}

}  // namespace

BodyAnalysis analyse_body(const KernelFacts& kernel, const std::set<std::string>& buffers) {
  const std::vector<SourceToken> body = with_own_names(kernel.body);
  return BodyReader(body, buffers).run();
}

std::optional<CExpression> count_of(const CExpression& index, const BodyAnalysis& body, const SizeOf& size, int depth) {
  if (depth == 0) return std::nullopt;
  if (index.is_integer()) return CExpression::integer(index.value + 1);
  if (index.is(Kind::unary, "float")) return count_of(index.parts.front(), body, size, depth - 1);
  if (index.kind == Kind::name) {
    if (const Result known = count_of_name(index.text, body, size, depth)) return known;
    return index.text.find('.') == std::string::npos ? Result() : size(index.text);
  }
  const std::vector<CExpression> terms = terms_of(index);
  if (const auto lead = leading_term(terms, body, size, depth)) {
    // blockIdx.x * SIZE + threadIdx.x, without a bound: all of the axis.
    if (const Result count = count_of(lead->first, body, size, depth - 1))
      return simplified(CExpression::binary("*", *count, lead->second));
    return std::nullopt;
  }
  // The largest count among the terms: the others move within it (a halo, the threads of a block).
  Result largest;
  for (const CExpression& term : terms) {
    if (term.is_integer() || term.is(Kind::unary, "-")) continue;
    const std::vector<CExpression> factors = factors_of(term);
    const Result count =
        factors.size() == 1 ? count_of(term, body, size, depth - 1) : count_of_axis(factors, body, size);
    if (count && (!largest || names_in(*count).size() > names_in(*largest).size())) largest = count;
  }
  return largest;
}

}  // namespace warptune::tuner::init
