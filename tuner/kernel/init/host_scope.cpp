#include "tuner/kernel/init/host_scope.h"

#include <algorithm>

namespace warptune::tuner::init {

namespace {

class HostReader {
 public:
  HostReader(TokenSpan body, HostScope& scope) : body_(body), scope_(scope) {}

  // Variables as they are at `place`; calls everywhere.
  void run(std::size_t place) {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      if (body_[at].kind != SourceToken::Kind::word) continue;
      if (at < place && is(at, "dim3")) read_dimensions(at + 1);
      if (at < place && is(at + 1, "=")) read_value(at);
      if (is(at + 1, "(") && body_[at].text.starts_with("cuda")) read_call(at);
    }
  }

 private:
  bool is(std::size_t at, std::string_view text) const { return at < body_.size() && body_[at].is(text); }

  static std::vector<CExpression> list(TokenSpan tokens) {
    std::vector<CExpression> result;
    for (const TokenSpan part : split_at_commas(tokens))
      result.push_back(parse_c(part).value_or(CExpression::name("?")));
    return result;
  }

  TokenSpan until(std::size_t at) const {
    std::size_t end = at;
    for (; end < body_.size() && !is(end, ";") && !is(end, ",") && !is(end, ")"); ++end)
      if (is(end, "(") || is(end, "[") || is(end, "{")) end = closing(body_, end);
    return body_.subspan(at, std::min(end, body_.size()) - at);
  }

  // dim3 a(…), b = dim3(…), c{…};
  void read_dimensions(std::size_t at) {
    while (at < body_.size() && body_[at].kind == SourceToken::Kind::word) {
      const std::string& name = body_[at].text;
      std::size_t open = at + 1;
      if (is(open, "=")) open += is(open + 1, "dim3") ? 2 : 1;
      if (is(open, "(") || is(open, "{")) {
        const std::size_t close = closing(body_, open);
        if (close >= body_.size()) return;
        scope_.dimensions[name] = list(body_.subspan(open + 1, close - open - 1));
        at = close + 1;
      } else if (is(at + 1, "=")) {
        const TokenSpan value = until(open);
        scope_.dimensions[name] = list(value);
        at = open + value.size();
      } else {
        ++at;
      }
      if (!is(at, ",")) return;
      ++at;
    }
  }

  void read_value(std::size_t at) {
    const auto value = parse_c(until(at + 2));
    if (at > 1 && is(at - 1, ".")) {  // grid.x = …
      auto& dimensions = scope_.dimensions[body_[at - 2].text];
      const std::size_t axis = is(at, "y") ? 1 : is(at, "z") ? 2 : 0;
      dimensions.resize(std::max(dimensions.size(), axis + 1), CExpression::integer(1));
      if (value) dimensions[axis] = *value;
      return;
    }
    if (!value || names_in(*value).contains(body_[at].text)) return;
    // n = atoi(argv[1]) says less than the number before it.
    const bool computed = value->kind == CExpression::Kind::call && !manifest_text(*value);
    if (!computed || !scope_.values.contains(body_[at].text)) scope_.values.insert_or_assign(body_[at].text, *value);
  }

  static std::string last_word(TokenSpan tokens) {
    for (std::size_t at = tokens.size(); at-- > 0;)
      if (tokens[at].kind == SourceToken::Kind::word) return tokens[at].text;
    return "";
  }

  void read_call(std::size_t at) {
    const std::string& name = body_[at].text;
    const std::size_t close = closing(body_, at + 1);
    if (close >= body_.size()) return;
    const auto arguments = split_at_commas(body_.subspan(at + 2, close - at - 2));
    if (arguments.size() < 2) return;
    if (name.starts_with("cudaMalloc") && name != "cudaMallocHost" && name != "cudaMallocPitch") {
      if (const auto bytes = parse_c(arguments[1]))
        scope_.allocated_bytes.insert_or_assign(last_word(arguments[0]), *bytes);
    } else if (name.starts_with("cudaMemset")) {
      scope_.cleared.insert(last_word(arguments[0]));
    } else if (name.starts_with("cudaMemcpy") && arguments.size() > 3) {
      const bool down = contains_word(arguments[3], "cudaMemcpyDeviceToHost");
      if (down) scope_.downloaded.insert(last_word(arguments[1]));
      if (contains_word(arguments[3], "cudaMemcpyHostToDevice")) scope_.uploaded.insert(last_word(arguments[0]));
    }
  }

  const TokenSpan body_;
  HostScope& scope_;
};

}  // namespace

HostScope read_host_scope(const SourceFacts& facts, const HostLaunch& launch) {
  HostScope scope;
  // Variables of the file are the same everywhere.
  for (const SourceItem& item : facts.outline.items) {
    const TokenSpan tokens = facts.outline.tokens(item);
    if (item.kind == SourceItem::Kind::variable) HostReader(tokens, scope).run(tokens.size());
  }
  HostReader(launch.function->body, scope).run(launch.place);
  return scope;
}

}  // namespace warptune::tuner::init
