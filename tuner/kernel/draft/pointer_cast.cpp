// Recognises both forms of a cast by their tokens.
#include "tuner/kernel/draft/pointer_cast.h"

#include <string>

#include "tuner/kernel/draft/c_expression.h"

namespace warptune::tuner::draft {

PointerCast pointer_cast(TokenSpan tokens) {
  if (tokens.size() < 3) return {};
  std::size_t begin = 1, end = 0;
  TokenSpan inner;
  bool to_the_end = true;
  if (tokens[0].is("reinterpret_cast") && tokens[1].is("<")) {
    begin = 2;
    for (end = begin; end < tokens.size() && !tokens[end].is(">");) ++end;
    const std::size_t close = end + 1 < tokens.size() ? closing(tokens, end + 1) : tokens.size();
    if (close >= tokens.size() || close < end + 3) return {};
    inner = tokens.subspan(end + 2, close - end - 2);
    to_the_end = close + 1 == tokens.size();
  } else if (tokens[0].is("(")) {
    end = closing(tokens, 0);
    if (end + 1 >= tokens.size()) return {};
    inner = tokens.subspan(end + 1);
  }
  if (end < begin + 2 || !tokens[end - 1].is("*")) return {};
  std::string type;
  for (const SourceToken& token : tokens.subspan(begin, end - 1 - begin))
    if (!token.is("const")) type += (type.empty() ? "" : " ") + token.text;
  return {bytes_of_type(type), inner, to_the_end};
}

}  // namespace warptune::tuner::draft
