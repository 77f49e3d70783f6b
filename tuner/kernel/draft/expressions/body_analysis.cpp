// Runs the steps of body_reader.h on a kernel's body in which macros, calls, groups, products and namespaces are
// replaced.
#include "tuner/kernel/draft/expressions/body_analysis.h"

#include "tuner/kernel/draft/expressions/body_reader.h"
#include "tuner/kernel/draft/expressions/conditions.h"
#include "tuner/kernel/draft/expressions/device_calls.h"
#include "tuner/kernel/draft/expressions/function_macros.h"
#include "tuner/kernel/draft/expressions/plain_body.h"
#include "tuner/kernel/draft/expressions/statements.h"

namespace warptune::tuner::draft {

BodyAnalysis BodyReader::run() {
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
    if (is(at + 1, "==") && is(at + 2, "0") && leaves_where_true(at)) result_.skips_first.insert(token.text);
    if (!member) read_sum(at);
  }
  find_walks();
  data_conditions_ = data_conditions(body_, [&](const SourceToken& token) {
    return known(token.text).has_value() || result_.loaded.contains(token.text);
  });
  for (std::size_t at = 0; at < body_.size(); ++at) {
    if (body_[at].kind == SourceToken::Kind::word) read_access(at);
    if (is(at, "[")) read_indices(at);
  }
  find_segments();
  find_borders();
  return std::move(result_);
}

TokenSpan BodyReader::until(std::size_t at, std::initializer_list<std::string_view> signs) const {
  return tokens_until(body_, at, signs);
}

std::optional<BodyReader::Alias> BodyReader::known(const std::string& name) const {
  if (const auto alias = aliases_.find(name); alias != aliases_.end()) return alias->second;
  if (buffers_.contains(name)) return Alias{name, CExpression::integer(0)};
  return std::nullopt;
}

std::optional<CExpression> BodyReader::plus(const std::optional<CExpression>& a, const std::optional<CExpression>& b) {
  if (!a || !b) return std::nullopt;
  return simplified(CExpression::binary("+", *a, *b));
}

BodyAnalysis analyse_body(TokenSpan body, const SourceOutline& outline, const std::set<std::string>& buffers) {
  const std::vector<SourceToken> plain = with_own_names(without_namespaces(
      with_products(without_groups(with_calls_followed(with_macros_expanded(body, outline), outline))),
      namespaces_of(outline)));
  BodyAnalysis analysis = BodyReader(plain, buffers).run();
  analysis.compared = compared_names(plain);
  return analysis;
}

}  // namespace warptune::tuner::draft
