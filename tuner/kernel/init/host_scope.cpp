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
      if (at < place && is(at + 2, "=") && (is(at + 1, "+") || is(at + 1, "-") || is(at + 1, "*") || is(at + 1, "/")))
        scope_.changed.insert(body_[at].text);
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

namespace {

// Of the declaration whose star is at `star`: `const double *a, *b`.
std::string declared_type(TokenSpan tokens, std::size_t star) {
  std::size_t begin = star;
  while (begin > 0 && !tokens[begin - 1].is(";") && !tokens[begin - 1].is("{") && !tokens[begin - 1].is("}") &&
         !tokens[begin - 1].is("("))
    --begin;
  // Parameters have a type each: … float *a, double *b.
  std::size_t end = star;
  const auto is_plain = [&](std::size_t at) {
    return tokens[at].kind == SourceToken::Kind::word || tokens[at].is("::");
  };
  if (star > begin && is_plain(star - 1) && !tokens[star - 1].is("const")) {
    begin = star - 1;
    while (begin > 0 && is_plain(begin - 1)) --begin;
  } else {
    end = begin;
    while (end < star && is_plain(end)) ++end;
  }
  std::vector<SourceToken> words;
  for (std::size_t at = begin; at < end; ++at)
    if (!tokens[at].is("const") && !tokens[at].is("static")) words.push_back(tokens[at]);
  return text_of_tokens(words);
}

}  // namespace

std::string pointed_to(const SourceItem& function, const std::string& name) {
  for (const TokenSpan tokens : {function.parameters, function.body})
    for (std::size_t at = 1; at < tokens.size(); ++at) {
      if (!tokens[at].is(name)) continue;
      std::size_t star = at - 1;
      while (star > 0 && (tokens[star].is("__restrict__") || tokens[star].is("const"))) --star;
      if (!tokens[star].is("*")) continue;
      if (std::string type = declared_type(tokens, star); element_of(type) || template_place(function, type))
        return type;
    }
  return "";
}

std::optional<std::size_t> template_place(const SourceItem& function, const std::string& name) {
  const auto parts = split_at_commas(function.template_parameters, true);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].size() > 1 && parts[i][1].is(name)) return i;
  return std::nullopt;
}

std::string template_argument(TokenSpan code, const std::string& function, std::size_t place) {
  for (std::size_t at = 0; at + 2 < code.size(); ++at) {
    if (!code[at].is(function) || !code[at + 1].is("<")) continue;
    std::size_t end = at + 2;
    while (end < code.size() && !code[end].is(">") && !code[end].is(";")) ++end;
    const auto parts = split_at_commas(code.subspan(at + 2, end - at - 2));
    if (place >= parts.size()) continue;
    if (std::string type = text_of_tokens(parts[place]); element_of(type)) return type;
  }
  return "";
}

HostScope read_host_scope(const SourceFacts& facts, const HostLaunch& launch) {
  HostScope scope;
  // Variables of the file are the same everywhere.
  for (const SourceItem& item : facts.outline.items) {
    const TokenSpan tokens = facts.outline.tokens(item);
    if (item.kind == SourceItem::Kind::variable) HostReader(tokens, scope).run(tokens.size());
  }
  HostReader(launch.function->body, scope).run(launch.place);
  for (const HostLaunch::Member& member : launch.members) {
    scope.values.insert_or_assign(member.written, CExpression::name(member.name));
    if (const auto value = parse_c(member.value)) scope.values.insert_or_assign(member.name, *value);
  }
  return scope;
}

}  // namespace warptune::tuner::init
