// Replaces the members of groups that a kernel keeps in variables or makes on the spot.
#include "tuner/kernel/draft/cooperative_groups.h"

#include <map>
#include <optional>
#include <string>

namespace warptune::tuner::draft {

namespace {

enum class GroupKind { grid, block, tile };

struct Group {
  GroupKind kind = GroupKind::grid;
  std::string threads;  // of a tile
};

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

std::vector<SourceToken> without_groups(TokenSpan body) {
  return GroupReader(body).run();
}

bool waits_for_the_grid(TokenSpan body) {
  return GroupReader(body).waits_for_the_grid();
}

}  // namespace warptune::tuner::draft
