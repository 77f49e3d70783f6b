// Finds which elements of which buffers a kernel's body reads and writes, through the pointers that it makes of them.
#include <algorithm>
#include <cstdint>
#include <string>

#include "tuner/kernel/draft/expressions/body_reader.h"
#include "tuner/kernel/draft/expressions/c_expression.h"
#include "tuner/kernel/draft/expressions/index_walks.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;

// PointerCast is a cast of a pointer to one of another type, by which kernels load vectors, at the beginning of tokens:
// (float4*)x, reinterpret_cast<const float4*>(x). Without a cast, `bytes` is 0.
struct PointerCast {
  std::int64_t bytes = 0;  // the size of what the pointer then points to
  TokenSpan inner;         // what is cast
  bool to_the_end = true;  // nothing follows the cast; what follows (T*) belongs to it
};

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

}  // namespace

bool BodyReader::read_alias(const std::string& name, TokenSpan whole) {
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

bool BodyReader::set_alias(const std::string& name, TokenSpan value, std::size_t first, const Alias& buffer) {
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

bool BodyReader::depends_on_data(std::size_t at) const {
  return std::ranges::any_of(data_conditions_,
                             [&](const auto& place) { return place.first <= at && at < place.second; });
}

bool BodyReader::is_scattered(const Access& access) const {
  return access.index && std::ranges::any_of(names_in(*access.index), [&](const std::string& name) {
           return result_.loaded.contains(name) || known(name);
         });
}

bool BodyReader::is_dereferenced(std::size_t at) const {
  if (at == 0 || !is(at - 1, "*")) return false;
  if (at == 1) return true;
  const SourceToken& before = body_[at - 2];
  const bool keyword = before.is("return") || before.is("else") || before.is("do");
  return keyword || !(before.kind == SourceToken::Kind::word || before.is(">") || before.is("*"));
}

std::size_t BodyReader::behind_members(std::size_t after) const {
  while (is(after, ".") || is(after, "[")) after = is(after, ".") ? after + 2 : closing(body_, after) + 1;
  return after;
}

std::optional<CExpression> BodyReader::with_walks(const CExpression& index) const {
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

std::optional<CExpression> BodyReader::index_in(TokenSpan tokens) {
  const auto index = parse_c(tokens);
  if (!index) return std::nullopt;
  auto walked = with_walks(*index);
  is_lost_ |= !walked;
  return walked;
}

void BodyReader::find_walks() {
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

void BodyReader::lose_what_is_made_of_lost() {
  for (bool grows = !lost_.empty(); grows;) {
    grows = false;
    for (const auto& [name, definition] : result_.definitions)
      if (!result_.bounds.contains(name) && !with_walks(definition)) grows |= lost_.insert(name).second;
  }
}

void BodyReader::read_access(std::size_t at) {
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
    access.read = access.write = true;  // the pointer is handed on: the callee may do both
  }
  access.partial = access.write && (is_scattered(access) || depends_on_data(at));
  if (is_lost_ || buffer->lost) result_.lost.insert(buffer->buffer);
  result_.accesses[buffer->buffer].push_back(std::move(access));
}

bool BodyReader::read_cast_access(Access& access, std::size_t at, const Alias& buffer) {
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

void BodyReader::read_index(Access& access, std::size_t at, std::size_t after) const {
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
    // A reference that is not const may write the element: float& c = buffer[i].
    const bool is_const = at > 4 && (is(at - 5, "const") || is(at - 4, "const"));
    if (at > 3 && is(at - 1, "=") && is(at - 3, "&") && !is_const) access.write = true;
    // &buffer[i] is handed on, unless it becomes an alias.
    if (at > 0 && is(at - 1, "&") && at > 1 && (is(at - 2, "(") || is(at - 2, ","))) access.write = true;
  }
}

}  // namespace warptune::tuner::draft
