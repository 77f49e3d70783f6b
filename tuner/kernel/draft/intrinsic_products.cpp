// Replaces the calls of the intrinsics in the tokens, also those within each other.
#include "tuner/kernel/draft/intrinsic_products.h"

#include <algorithm>

namespace warptune::tuner::draft {

namespace {

bool is_product(const SourceToken& token) {
  return token.is("__umul24") || token.is("__mul24") || token.is("umul24") || token.is("mul24");
}

void append(TokenSpan tokens, std::vector<SourceToken>& out) {
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const bool begins = is_product(tokens[at]) && at + 1 < tokens.size() && tokens[at + 1].is("(");
    const std::size_t close = begins ? closing(tokens, at + 1) : tokens.size();
    const auto factors =
        close < tokens.size() ? split_at_commas(tokens.subspan(at + 2, close - at - 2)) : std::vector<TokenSpan>();
    if (factors.size() != 2) {
      out.push_back(tokens[at]);
      continue;
    }
    const auto sign = [&](const char* text) {
      out.push_back(tokens[at + 1]);
      out.back().text = text;
    };
    sign("(");
    for (std::size_t i = 0; i < 2; ++i) {
      if (i > 0) sign("*");
      if (factors[i].size() > 1) sign("(");
      append(factors[i], out);
      if (factors[i].size() > 1) sign(")");
    }
    sign(")");
    at = close;
  }
}

}  // namespace

std::vector<SourceToken> with_products(std::vector<SourceToken> body) {
  if (std::ranges::none_of(body, is_product)) return body;
  std::vector<SourceToken> out;
  append(body, out);
  return out;
}

}  // namespace warptune::tuner::draft
