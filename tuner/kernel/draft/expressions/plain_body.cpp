// Goes through the tokens once for each kind of rewriting.
#include "tuner/kernel/draft/expressions/plain_body.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "tuner/kernel/draft/expressions/naming.h"

namespace warptune::tuner::draft {

namespace {

// Returns whether a statement such as x = blockIdx.y * …; begins another variable. It stands on its own and does not
// use the x before.
bool begins_anew(const std::vector<SourceToken>& tokens, std::size_t at) {
  if (!tokens[at + 1].is("=") || !(tokens[at - 1].is(";") || tokens[at - 1].is("}"))) return false;
  bool of_blocks = false;
  for (std::size_t next = at + 2; next < tokens.size() && !tokens[next].is(";"); ++next) {
    if (tokens[next].text == tokens[at].text && !tokens[next - 1].is(".")) return false;  // threadIdx.x is no x
    of_blocks |= tokens[next].is("blockIdx");
  }
  return of_blocks;
}

bool is_product(const SourceToken& token) {
  return token.is("__umul24") || token.is("__mul24") || token.is("umul24") || token.is("mul24");
}

// Appends the tokens with products in the place of the intrinsics, also of those within each other.
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

enum class GroupKind { grid, block, tile };

struct Group {
  GroupKind kind = GroupKind::grid;
  std::string threads;  // of a tile
};

// GroupReader replaces the members of groups that a kernel keeps in variables or makes on the spot.
class GroupReader {
 public:
  explicit GroupReader(TokenSpan body) : body_(body) {
    for (std::size_t at = 0; at + 1 < body_.size(); ++at) {
      if (body_[at].kind != SourceToken::Kind::word || !body_[at + 1].is("=")) continue;
      std::size_t after = at + 2;
      if (const auto group = group_at(after)) groups_.emplace(body_[at].text, *group);
    }
  }

  std::vector<SourceToken> run() const {
    std::vector<SourceToken> result;
    for (std::size_t at = 0; at < body_.size();) {
      std::size_t after = at;
      const std::string text = replacement(after);
      if (text.empty()) {
        result.push_back(body_[at++]);
        continue;
      }
      for (SourceToken token : source_tokens(text)) {
        token.line = body_[at].line;
        result.push_back(token);
      }
      at = after;
    }
    return result;
  }

  bool waits_for_the_grid() const {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      std::size_t after = at;
      const auto group = named_or_made(after);
      if (group && group->kind == GroupKind::grid && is(after, ".") && is(after + 1, "sync")) return true;
    }
    return false;
  }

 private:
  bool is(std::size_t at, std::string_view text) const { return at < body_.size() && body_[at].is(text); }

  // Returns the group that is made here, as by cg::this_grid() or tiled_partition<32>(block), and moves `at` behind it.
  std::optional<Group> group_at(std::size_t& at) const {
    std::size_t place = at;
    while (is(place + 1, "::")) place += 2;
    Group group;
    if (is(place, "this_grid")) {
      group.kind = GroupKind::grid;
    } else if (is(place, "this_thread_block")) {
      group.kind = GroupKind::block;
    } else if (is(place, "tiled_partition") && is(place + 1, "<") && is(place + 3, ">")) {
      group = {GroupKind::tile, body_[place + 2].text};
      place += 3;
    } else {
      return std::nullopt;
    }
    if (!is(place + 1, "(")) return std::nullopt;
    at = closing(body_, place + 1) + 1;
    return group;
  }

  std::optional<Group> named_or_made(std::size_t& at) const {
    if (const auto known = groups_.find(body_[at].text); known != groups_.end() && (at == 0 || !is(at - 1, "."))) {
      ++at;
      return known->second;
    }
    return group_at(at);
  }

  // Returns the text that replaces the group's member at `at`, and moves `at` behind the member. Returns an empty text
  // if there is none.
  std::string replacement(std::size_t& at) const {
    std::size_t after = at;
    const auto group = named_or_made(after);
    if (!group || !is(after, ".") || !is(after + 2, "(") || !is(after + 3, ")")) return "";
    const std::string text = in_indices(*group, body_[after + 1].text);
    if (!text.empty()) at = after + 4;
    return text;
  }

  static std::string in_indices(const Group& group, const std::string& member) {
    const bool size = member == "size" || member == "num_threads";
    if (group.kind == GroupKind::grid) {
      if (member == "thread_rank") return "(blockIdx.x * blockDim.x + threadIdx.x)";
      return size ? "(blockDim.x * gridDim.x)" : "";
    }
    if (group.kind == GroupKind::block) {
      if (member == "thread_rank") return "threadIdx.x";
      if (member == "thread_index") return "threadIdx";
      if (member == "group_index") return "blockIdx";
      return size ? "blockDim.x" : "";
    }
    if (member == "thread_rank") return "(threadIdx.x % " + group.threads + ")";
    if (member == "meta_group_rank") return "(threadIdx.x / " + group.threads + ")";
    if (member == "meta_group_size") return "(blockDim.x / " + group.threads + ")";
    return size ? group.threads : "";
  }

  const TokenSpan body_;
  std::map<std::string, Group> groups_;
};

}  // namespace

// It counts the declarations of each name: the second i becomes i#2.
std::vector<SourceToken> with_own_names(TokenSpan body) {
  std::vector<SourceToken> tokens(body.begin(), body.end());
  std::map<std::string, int> declared;
  int depth = 0;
  for (std::size_t at = 1; at + 1 < tokens.size(); ++at) {
    SourceToken& token = tokens[at];
    depth += token.is("{") - token.is("}");
    if (token.kind != SourceToken::Kind::word || tokens[at - 1].is(".") || tokens[at - 1].is("->")) continue;
    const std::string& before = tokens[at - 1].text;
    const bool is_declared =
        (tokens[at + 1].is("=") && (is_integer_type(before) || before == "auto" || before == "const")) ||
        (depth == 0 && at + 2 < tokens.size() && begins_anew(tokens, at));
    const int number = is_declared ? ++declared[token.text] : declared.contains(token.text) ? declared[token.text] : 0;
    if (number > 1) token.text += "#" + std::to_string(number);
  }
  return tokens;
}

std::set<std::string> namespaces_of(const SourceOutline& outline) {
  std::set<std::string> names = {"std"};
  for (std::size_t at = 0; at + 1 < outline.code.size(); ++at) {
    if (!outline.code[at].is("namespace") || (at > 0 && outline.code[at - 1].is("using"))) continue;
    // The name may have several parts: namespace a::b {
    for (++at;
         at < outline.code.size() && (outline.code[at].kind == SourceToken::Kind::word || outline.code[at].is("::"));
         ++at)
      names.insert(outline.code[at].text);
  }
  return names;
}

std::vector<SourceToken> without_namespaces(TokenSpan tokens, const std::set<std::string>& namespaces) {
  std::vector<SourceToken> result;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const bool is_scope = at + 2 < tokens.size() && tokens[at + 1].is("::") && namespaces.contains(tokens[at].text) &&
                          (result.empty() || !result.back().is("::"));
    if (is_scope)
      ++at;
    else
      result.push_back(tokens[at]);
  }
  return result;
}

std::vector<SourceToken> with_products(std::vector<SourceToken> body) {
  if (std::ranges::none_of(body, is_product)) return body;
  std::vector<SourceToken> out;
  append(body, out);
  return out;
}

std::vector<SourceToken> without_groups(TokenSpan body) {
  return GroupReader(body).run();
}

bool waits_for_the_grid(TokenSpan body) {
  return GroupReader(body).waits_for_the_grid();
}

}  // namespace warptune::tuner::draft
