#include "tuner/kernel/init/index_analysis.h"

#include <algorithm>
#include <array>

#include "tuner/kernel/init/comparisons.h"
#include "tuner/kernel/init/cooperative_groups.h"
#include "tuner/kernel/init/device_calls.h"
#include "tuner/kernel/init/function_macros.h"
#include "tuner/kernel/init/index_walks.h"
#include "tuner/kernel/init/intrinsic_products.h"
#include "tuner/kernel/init/naming.h"
#include "tuner/kernel/init/own_names.h"
#include "tuner/kernel/init/pointer_cast.h"

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
      if (is(at + 1, "==") && is(at + 2, "0") && leaves_where_true(at)) result_.skips_first.insert(token.text);
      if (!member) read_sum(at);
    }
    find_walks();
    for (std::size_t at = 0; at < body_.size(); ++at) {
      if (body_[at].kind == SourceToken::Kind::word) read_access(at);
      if (is(at, "[")) read_indices(at);
    }
    find_segments();
    find_borders();
    return std::move(result_);
  }

 private:
  struct Alias {
    std::string buffer;
    std::optional<CExpression> offset;
    std::int64_t bytes = 0;  // as in Access
    bool lost = false;       // it walks, nobody knows how far
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
    if (const auto element = element_at(value)) result_.loaded.emplace(body_[at].text, element->first);
    // A warp's lanes begin side by side: j = starts[row] + lane.
    if (const auto element = element_or_holder(until_sign(value, "+")))
      first_elements_.emplace(body_[at].text, *element);
    const auto expression = parse_c(value);
    // i = i + step says nothing about where i begins.
    if (expression && !names_in(*expression).contains(body_[at].text))
      result_.definitions.emplace(body_[at].text, *expression);
  }

  // starts[row]: the buffer and the index, of tokens that are that alone.
  std::optional<std::pair<std::string, CExpression>> element_at(TokenSpan value) const {
    if (value.size() < 4 || !value[1].is("[") || closing(value, 1) + 1 != value.size()) return std::nullopt;
    const auto buffer = known(value[0].text);
    const auto index = buffer ? parse_c(value.subspan(2, value.size() - 3)) : std::nullopt;
    if (!index) return std::nullopt;
    return std::pair(buffer->buffer, *index);
  }

  // Buffers within the brackets of another: x[columns[j]], or by a variable that holds their element.
  void read_indices(std::size_t open) {
    for (const SourceToken& token : body_.subspan(open + 1, std::min(closing(body_, open), body_.size()) - open - 1)) {
      if (const auto buffer = known(token.text)) result_.indices.insert(buffer->buffer);
      if (const auto held = result_.loaded.find(token.text); held != result_.loaded.end())
        result_.indices.insert(held->second);
    }
  }

  // Where a variable begins at an element of a buffer, and stays below its next one.
  void find_segments() {
    for (const auto& [variable, end] : last_elements_) {
      const auto begin = first_elements_.find(variable);
      if (begin == first_elements_.end() || begin->second.first != end.first) continue;
      const CExpression next = CExpression::binary("+", begin->second.second, CExpression::integer(1));
      const auto expected = names_in(next), found = names_in(end.second);
      if (expected == found && terms_of(end.second).size() == terms_of(next).size())
        result_.segments.insert({variable, {begin->second.first, begin->second.second}});
    }
  }

  // for (k = 1; k < n - 1; …)
  void find_borders() {
    for (const auto& [variable, bounds] : result_.bounds) {
      const auto begin = result_.definitions.find(variable);
      if (begin == result_.definitions.end()) continue;
      const bool later = (begin->second.is_integer() && begin->second.value > 0) || is_radius(begin->second);
      const auto ends_earlier = [](const CExpression& bound) { return bound.is(Kind::binary, "-"); };
      if (later && std::ranges::any_of(bounds, ends_earlier)) result_.skips_first.insert(variable);
    }
  }

  static TokenSpan until_sign(TokenSpan tokens, std::string_view sign) {
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at].is(sign)) return tokens.subspan(0, at);
      if (tokens[at].is("(") || tokens[at].is("[")) at = closing(tokens, at);
    }
    return tokens;
  }

  // An element itself, or the variable that holds it.
  std::optional<std::pair<std::string, CExpression>> element_or_holder(TokenSpan value) const {
    if (value.size() == 1)
      if (const auto held = first_elements_.find(value[0].text); held != first_elements_.end()) return held->second;
    return element_at(value);
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

  // p = buffer + offset, p = &buffer[offset], or a cast of either.
  bool read_alias(const std::string& name, TokenSpan whole) {
    const PointerCast cast = pointer_cast(whole);
    if (!cast.to_the_end) return false;
    const TokenSpan value = cast.bytes > 0 ? cast.inner : whole;
    const std::size_t first = !value.empty() && value[0].is("&") ? 1 : 0;
    if (value.size() <= first) return false;
    const auto buffer = known(value[first].text);
    if (!buffer) return false;
    if (!set_alias(name, value, first, *buffer)) return false;
    if (cast.bytes > 0) aliases_[name].bytes = cast.bytes;
    alias_origins_.insert(static_cast<std::size_t>(&value[first] - body_.data()));
    return true;
  }

  bool set_alias(const std::string& name, TokenSpan value, std::size_t first, const Alias& buffer) {
    if (first == 1 && value.size() > 2 && value[2].is("[")) {
      const std::size_t close = closing(value, 2);
      if (close + 1 != value.size()) return false;
      aliases_[name] = {buffer.buffer, plus(buffer.offset, parse_c(value.subspan(3, close - 3))), buffer.bytes};
      return true;
    }
    if (first == 0 && (value.size() == 1 || value[1].is("+"))) {
      const auto offset = value.size() == 1 ? CExpression::integer(0) : parse_c(value.subspan(2));
      aliases_[name] = {buffer.buffer, plus(buffer.offset, offset), buffer.bytes};
      return true;
    }
    return false;
  }

  // Whether a thread returns where the condition around this place holds.
  bool leaves_where_true(std::size_t at) const {
    int depth = 0;
    for (; at < body_.size() && depth >= 0 && !is(at, ";") && !is(at, "{"); ++at) depth += is(at, "(") - is(at, ")");
    return depth < 0 && (is(at, "return") || (is(at, "{") && is(at + 1, "return")));
  }

  static bool is_radius(const CExpression& bound) {
    if (bound.kind != Kind::name) return false;
    return bound.text == "r" || bound.text == "R" || use_of(bound.text, 0) == Use::radius;
  }

  // variable < bound, variable >= bound, variable + offset < bound
  void read_bound(std::size_t at, std::size_t sign) {
    const std::string name = text_of_tokens(body_.subspan(at, sign - at));
    std::optional<CExpression> offset;
    if (is(sign, "+") && !is(sign + 1, "+") && !is(sign + 1, "=")) {
      const TokenSpan added = until(sign + 1, {"<", ">", ";", ",", ")", "?", "="});
      offset = added.size() > 3 ? std::nullopt : parse_c(added);
      if (!offset) return;
      sign += 1 + added.size();
    }
    const bool below = is(sign, "<") && !is(sign + 1, "<"), above = is(sign, ">") && !is(sign + 1, ">");
    if (!below && !above) return;
    static constexpr std::array<std::string_view, 12> before = {"(", "&&", "||",     ";", "!", "?",
                                                                ",", "{",  "return", "=", "}", ":"};
    if (at > 0 && std::ranges::find(before, std::string_view(body_[at - 1].text)) == before.end()) return;
    const bool equal = is(sign + 1, "=");
    const TokenSpan written = until(sign + (equal ? 2 : 1), {"&&", "||", ")", ";", "?", ",", "{"});
    if (const auto element = element_or_holder(written); element && below) last_elements_.emplace(name, *element);
    const auto bound = parse_c(written);
    if (!bound) return;
    const bool nothing = bound->is_integer() && (equal ? bound->value < 0 : bound->value <= 0);
    if (below && !nothing && leaves_where_true(at)) {
      result_.skips_first.insert(name);  // if (x < 1 || x < RADIUS || …) return;
      return;
    }
    if (above && (bound->is_integer() || (is_radius(*bound) && !leaves_where_true(at)))) {
      if (!bound->is_integer() || bound->value > 0 || !equal) result_.skips_first.insert(name);
      return;
    }
    if (bound->is_integer() && bound->value <= 0) return;  // i < 0 ? 0 : x[i]
    const bool inclusive = (below && equal) || (above && !equal);
    if (inclusive && !offset) result_.inclusive.emplace(name, *bound);
    CExpression most = inclusive ? CExpression::binary("+", *bound, CExpression::integer(1)) : *bound;
    if (offset) most = CExpression::binary("-", most, *offset);
    result_.bounds[name].push_back(simplified(most));
  }

  // variable += step; variable + other, variable * other and the other way round, where the
  // other is a name or a built-in's member
  void read_sum(std::size_t at) {
    const std::string& name = body_[at].text;
    if (is(at + 1, "+") && is(at + 2, "=")) {
      if (const auto step = parse_c(until(at + 3, {";", ",", ")"}))) result_.steps.emplace(name, *step);
      return;
    }
    const auto word = [&](std::size_t index) {
      return index < body_.size() && body_[index].kind == SourceToken::Kind::word;
    };
    for (const char* sign : {"+", "*"}) {
      const auto add = [&](TokenSpan other) {
        (*sign == '+' ? result_.added : result_.multiplied)[name].insert(text_of_tokens(other));
      };
      if (is(at + 1, sign) && word(at + 2)) add(body_.subspan(at + 2, is(at + 3, ".") && word(at + 4) ? 3 : 1));
      if (at < 2 || !is(at - 1, sign) || !word(at - 2)) continue;
      const bool member = at > 3 && is(at - 3, ".") && word(at - 4);
      add(member ? body_.subspan(at - 4, 3) : body_.subspan(at - 2, 1));
    }
  }

  // *p, which is no product, for p is a pointer; and no declaration, as float* p.
  bool is_dereferenced(std::size_t at) const {
    if (at == 0 || !is(at - 1, "*")) return false;
    if (at == 1) return true;
    const SourceToken& before = body_[at - 2];
    const bool keyword = before.is("return") || before.is("else") || before.is("do");
    return keyword || !(before.kind == SourceToken::Kind::word || before.is(">") || before.is("*"));
  }

  // p += step; as find_walks understands it.
  bool is_moved(std::size_t at) const { return (is(at + 1, "+") || is(at + 1, "-")) && is(at + 2, "="); }

  // Behind [i].position.x and [i][j].
  std::size_t behind_members(std::size_t after) const {
    while (is(after, ".") || is(after, "[")) after = is(after, ".") ? after + 2 : closing(body_, after) + 1;
    return after;
  }

  // An index with the steps of those of its variables that walk; nothing where one of them cannot be followed.
  std::optional<CExpression> with_walks(const CExpression& index) const {
    bool known = true;
    const CExpression result = replaced(
        index,
        [&](const std::string& name) -> std::optional<CExpression> {
          if (lost_.contains(name)) known = false;
          const auto walk = walks_.find(name);
          if (walk == walks_.end()) return std::nullopt;
          return CExpression::binary("+", CExpression::name(name), *walk->second);
        },
        1);
    return known ? std::optional(result) : std::nullopt;
  }

  std::optional<CExpression> index_in(TokenSpan tokens) {
    const auto index = parse_c(tokens);
    if (!index) return std::nullopt;
    auto walked = with_walks(*index);
    is_lost_ |= !walked;
    return walked;
  }

  // What `i += step` makes of the variables that indices are made of, and of pointers.
  void find_walks() {
    for (auto& [name, offset] : walks_of(body_, result_.definitions)) {
      const auto alias = known(name);
      if (!alias && result_.bounds.contains(name)) continue;
      if (alias)
        aliases_[name] = {alias->buffer, offset ? plus(alias->offset, offset) : std::nullopt, alias->bytes, !offset};
      else if (offset)
        walks_.emplace(name, offset);
      else
        lost_.insert(name);
    }
    for (auto& [name, definition] : result_.definitions)
      if (const auto walked = with_walks(definition)) definition = *walked;
    lose_what_is_made_of_lost();
    for (auto& [name, alias] : aliases_) {
      if (!alias.offset) continue;
      alias.offset = with_walks(*alias.offset);
      alias.lost |= !alias.offset;
    }
  }

  void lose_what_is_made_of_lost() {
    for (bool grows = !lost_.empty(); grows;) {
      grows = false;
      for (const auto& [name, definition] : result_.definitions)
        if (!result_.bounds.contains(name) && !with_walks(definition)) grows |= lost_.insert(name).second;
    }
  }

  void read_access(std::size_t at) {
    if ((at > 0 && (is(at - 1, ".") || is(at - 1, "->"))) || alias_origins_.contains(at)) return;
    const auto buffer = known(body_[at].text);
    const bool dereferenced = is_dereferenced(at);
    if (!buffer || (is(at + 1, "=") && !dereferenced && aliases_.contains(body_[at].text)) || is_moved(at)) return;
    std::size_t after = at + 1;
    Access access{.bytes = buffer->bytes};
    is_lost_ = false;
    if (read_cast_access(access, at, *buffer)) {
    } else if (is(at + 1, "[")) {
      const std::size_t open = at + 1, close = closing(body_, open);
      if (close >= body_.size()) return;
      access.index = plus(buffer->offset, index_in(body_.subspan(open + 1, close - open - 1)));
      after = close + 1;
      read_index(access, at, behind_members(after));
    } else if (is(at + 1, "->")) {
      access.index = buffer->offset;  // q->x
      read_index(access, at, behind_members(at + 3));
    } else if (dereferenced) {
      access.index = buffer->offset;  // *sum = …, *out++ = …, (*q).x = …
      if ((is(after, "+") || is(after, "-")) && is(after + 1, body_[after].text)) after += 2;
      const bool within = at > 1 && is(at - 2, "(") && is(after, ")");
      read_index(access, within ? at - 2 : at, within ? behind_members(after + 1) : after);
    } else if (at > 1 && is(at - 1, "(") && body_[at - 2].text.starts_with("atomic")) {
      const TokenSpan place = until(at, {",", ")"});
      access.index = place.size() == 1 ? buffer->offset : plus(buffer->offset, index_in(place.subspan(2)));
      access.atomic = access.read = access.write = true;
    } else {
      access.read = access.write = true;  // handed on: who knows
    }
    if (is_lost_ || buffer->lost) result_.lost.insert(buffer->buffer);
    result_.accesses[buffer->buffer].push_back(std::move(access));
  }

  // reinterpret_cast<float4*>(x)[i], ((float4*)x)[i], *reinterpret_cast<float4*>(&x[i]), *(float4*)&x[i].
  bool read_cast_access(Access& access, std::size_t at, const Alias& buffer) {
    const bool address = at > 0 && is(at - 1, "&");
    std::size_t end = at + 1;
    if (address && is(at + 1, "[")) end = closing(body_, at + 1) + 1;
    if (address != (end > at + 1)) return false;
    const std::size_t first = address ? at - 1 : at;
    std::size_t begin = first;
    while (begin > 0 && first - begin < 10 && !is(begin, ";")) {
      --begin;
      const PointerCast cast = pointer_cast(body_.subspan(begin, std::min(end + 1, body_.size()) - begin));
      const bool around = cast.bytes > 0 && cast.inner.data() == &body_[first];
      if (!around) continue;
      if (is(begin, "reinterpret_cast")) ++end;
      if (begin > 0 && is(begin - 1, "(") && is(end, ")")) --begin, ++end;
      if (address) {
        if (begin == 0 || !is(begin - 1, "*")) return false;
        access.index = plus(buffer.offset, index_in(body_.subspan(at + 2, closing(body_, at + 1) - at - 2)));
        read_index(access, begin, end);
        return true;
      }
      const std::size_t close = is(end, "[") ? closing(body_, end) : body_.size();
      if (close >= body_.size()) return false;
      access.index = plus(buffer.offset, index_in(body_.subspan(end + 1, close - end - 1)));
      access.bytes = cast.bytes;
      read_index(access, begin, is(close + 1, ".") ? close + 3 : close + 1);
      return true;
    }
    return false;
  }

  void read_index(Access& access, std::size_t at, std::size_t after) const {
    const auto compound = [&] {
      for (const char* sign : {"+", "-", "*", "/", "|", "&", "^", "%"})
        if (is(after, sign) && is(after + 1, "=")) return true;
      return (is(after, "+") && is(after + 1, "+")) || (is(after, "-") && is(after + 1, "-")) ||
             (at > 1 && is(at - 1, "+") && is(at - 2, "+"));
    };
    while (at > 1 && is(at - 1, "(") && is(at - 2, "&")) --at;  // atomicAdd(&(x[i]), 1)
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
  std::map<std::string, std::pair<std::string, CExpression>> first_elements_, last_elements_;
  std::map<std::string, std::optional<CExpression>> walks_;  // variables, and what their steps come to
  std::set<std::string> lost_;                               // variables whose steps cannot be followed
  bool is_lost_ = false;                                     // the index that is being read is made of one
  std::set<std::size_t> alias_origins_;                      // tokens of buffers that became an alias: no access
  BodyAnalysis result_;
};

}  // namespace

BodyAnalysis analyse_body(const KernelFacts& kernel, const SourceOutline& outline,
                          const std::set<std::string>& buffers) {
  const std::vector<SourceToken> body = with_own_names(
      with_products(without_groups(with_calls_followed(with_macros_expanded(kernel.body, outline), outline))));
  BodyAnalysis analysis = BodyReader(body, buffers).run();
  analysis.compared = compared_names(body);
  return analysis;
}

}  // namespace warptune::tuner::init
