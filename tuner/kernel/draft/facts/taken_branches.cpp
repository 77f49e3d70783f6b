// Reads a source directive by directive, and empties the lines that are not compiled. Rejected: leaving out tokens of
// the outline, for a function that begins in two branches and ends behind them would be two functions without an end.
#include "tuner/kernel/draft/facts/taken_branches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/device/compile/include_scan.h"

namespace warptune::tuner::draft {

namespace {

// Branch is what stands between #if, #elif or #else and the next of them.
struct Branch {
  bool taken = false;
  int line = 0;                        // the first of its text; 0: it has none
  std::map<std::string, int> defines;  // the lines of its macros
};

struct Conditional {
  int line = 0;
  bool outer = true, outer_code = true;  // whether what is around it is taken, and its code kept
  bool keeps_code = false;               // in a function: the code of all branches stays
  bool found = false;                    // whether the branch that is taken was found
  std::set<std::string> asked, unknown;  // what decides: names that nothing defines, and the compiler's own
  std::vector<Branch> branches;
};

// Depth counts the { and } of functions and types; those of namespaces and extern "C" do not count.
class Depth {
 public:
  void read(const SourceToken& token) {
    if (token.is("{")) scopes_.push_back(is_namespace_ || last_.is("\"C\""));
    if (token.is("}") && !scopes_.empty()) scopes_.pop_back();
    if (token.is(";") || token.is("{") || token.is("}"))
      is_namespace_ = false;
    else
      is_namespace_ |= token.is("namespace");
    last_ = token;
  }
  bool in_function() const { return std::ranges::find(scopes_, false) != scopes_.end(); }

 private:
  std::vector<bool> scopes_;  // true: a namespace
  bool is_namespace_ = false;
  SourceToken last_;
};

// Surroundings holds what one file hands on to the next.
struct Surroundings {
  KnownMacros& macros;
  std::vector<std::string>& notes;
  std::function<void(const IncludeLine&)> include;
};

class BranchReader {
 public:
  BranchReader(Surroundings around, std::string_view text, std::string header)
      : around_(std::move(around)), header_(std::move(header)), tokens_(source_tokens(text)) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines_.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  std::string run() {
    for (std::size_t at = 0; at < tokens_.size();) {
      std::size_t end = at + 1;
      const bool is_directive = tokens_[at].first && tokens_[at].is("#");
      while (is_directive && end < tokens_.size() && !tokens_[end].first) ++end;
      if (is_directive && end > at + 1)
        read_directive(TokenSpan(tokens_).subspan(at + 1, end - at - 1));
      else if (!is_directive)
        read_code(tokens_[at]);
      at = end;
    }
    return fmt::format("{}", fmt::join(lines_, "\n"));
  }

 private:
  bool is_taken() const { return open_.empty() || (open_.back().outer && open_.back().branches.back().taken); }
  bool keeps_code() const {
    return open_.empty() ||
           (open_.back().outer_code && (open_.back().branches.back().taken || open_.back().keeps_code));
  }

  void read_code(const SourceToken& token) {
    if (!open_.empty() && open_.back().branches.back().line == 0) open_.back().branches.back().line = token.line;
    if (is_taken()) depth_.read(token);
    if (!keeps_code() && dead_from_ == 0) dead_from_ = token.line;
  }

  // Empties the lines from the first dead one to the directive, also those without code, for a comment may go over
  // them.
  void end_dead(int line) {
    if (dead_from_ > 0) empty(dead_from_, line - 1);
    dead_from_ = 0;
  }

  void empty(int first, int last) {
    for (int line = first; line <= last; ++line) lines_[static_cast<std::size_t>(line - 1)].clear();
  }

  void read_directive(TokenSpan tokens) {
    const std::string& name = tokens.front().text;
    const int line = tokens.front().line;
    const bool opens = name == "if" || name == "ifdef" || name == "ifndef";
    if (opens || (!open_.empty() && (name == "elif" || name == "else" || name == "endif"))) {
      if (keeps_code() || (!opens && open_.back().outer_code))
        end_dead(line);
      else if (dead_from_ == 0)
        dead_from_ = line;
      if (opens) open_.push_back({line, is_taken(), keeps_code(), depth_.in_function()});
      if (name == "endif")
        close();
      else
        begin_branch(tokens);
      return;
    }
    if (!is_taken()) return leave_out(tokens);
    read_taken(tokens);
  }

  // Leaves out a directive in a branch that is not taken. Where the branch's code stays, macros and includes are
  // removed.
  void leave_out(TokenSpan tokens) {
    if (tokens.front().is("define") && tokens.size() > 1) note_define(tokens);
    const bool goes = tokens.front().is("define") || tokens.front().is("undef") || tokens.front().is("include");
    if (!keeps_code() && dead_from_ == 0) dead_from_ = tokens.front().line;
    if (keeps_code() && goes) empty(tokens.front().line, tokens.back().line);
  }

  void note_define(TokenSpan tokens) {
    if (!open_.empty()) open_.back().branches.back().defines.emplace(tokens[1].text, tokens.front().line);
  }

  void read_taken(TokenSpan tokens) {
    if (tokens.size() < 2) return;
    const std::string& name = tokens[1].text;
    if (tokens.front().is("define")) {
      note_define(tokens);
      around_.macros.insert_or_assign(name, std::vector<SourceToken>(tokens.begin() + 2, tokens.end()));
    } else if (tokens.front().is("undef")) {
      around_.macros.erase(name);
    } else if (tokens.front().is("include")) {
      if (const auto included = include_name(tokens.subspan(1)))
        around_.include({included->name, included->quoted, tokens.front().line});
    }
  }

  void begin_branch(TokenSpan tokens) {
    Conditional& around = open_.back();
    const std::string& name = tokens.front().text;
    Branch branch;
    if (name == "else") {
      branch.taken = !around.found;
    } else {
      const bool by_name = name == "ifdef" || name == "ifndef";
      std::vector<SourceToken> condition(tokens.begin() + 1, tokens.end());
      if (by_name) condition.insert(condition.begin(), {SourceToken::Kind::word, "defined"});
      const bool is_number = condition.size() == 1 && condition.front().kind == SourceToken::Kind::number;
      around.keeps_code &= !is_number;
      ConditionValue value = condition_value(condition, around_.macros);
      if (value.holds && name == "ifndef") value.holds = !*value.holds;
      if (!around.found) around.asked.merge(value.asked);
      if (!around.found && !value.holds) around.unknown.insert(first_word(condition));
      branch.taken = !around.found && value.holds.value_or(true);
    }
    around.found |= branch.taken;
    around.branches.push_back(branch);
  }

  static std::string first_word(TokenSpan condition) {
    for (const SourceToken& token : condition)
      if (token.kind == SourceToken::Kind::word && !token.is("defined")) return token.text;
    return text_of_tokens(condition);
  }

  void close() {
    const Conditional closed = std::move(open_.back());
    open_.pop_back();
    if (closed.outer && !(closed.asked.empty() && closed.unknown.empty())) note(closed);
  }

  void note(const Conditional& closed) {
    const auto taken = std::ranges::find_if(closed.branches, &Branch::taken);
    if (taken == closed.branches.end()) return;
    for (const Branch& other : closed.branches) {
      if (other.taken) continue;
      for (const auto& [name, line] : taken->defines)
        if (const auto second = other.defines.find(name); second != other.defines.end())
          return add_note(fmt::format("{} is what line {} says", name, line), second->second, closed);
      if (!closed.keeps_code && taken->line > 0 && other.line > 0)
        return add_note(fmt::format("line {} counts", taken->line), other.line, closed);
    }
  }

  void add_note(const std::string& what, int other, const Conditional& closed) {
    const std::string why =
        closed.unknown.empty()
            ? fmt::format(
                  "{}, which the source does not define. Where that is wrong, define it in the source, and "
                  "`warptune init --force` again",
                  fmt::join(closed.asked, ", "))
            : fmt::format("{}, which only the compiler knows, and the first branch that may hold was taken",
                          fmt::join(closed.unknown, ", "));
    around_.notes.push_back(fmt::format("{}, and not line {}{}: line {} asks for {}", what, other,
                                        header_.empty() ? "" : " of " + header_, closed.line, why));
  }

  const Surroundings around_;
  const std::string header_;
  const std::vector<SourceToken> tokens_;
  std::vector<std::string> lines_;
  std::vector<Conditional> open_;
  Depth depth_;
  int dead_from_ = 0;  // a line; 0: the code here is kept
};

}  // namespace

std::string TakenBranches::of(std::string_view text, const std::string& header) {
  const auto include_line = [&](const IncludeLine& line) { include(line, header); };
  return BranchReader({macros_, notes_, include_line}, text, header).run();
}

void TakenBranches::include(const IncludeLine& line, const std::string& header) {
  auto read = read_ ? read_(line, header) : std::nullopt;
  if (!read) return;
  std::string text = of(read->text, read->name);
  headers_.insert_or_assign({header, line.line}, HeaderText{read->name, std::move(text)});
}

HeaderReader TakenBranches::reader() {
  return [this](const IncludeLine& line, const std::string& from) -> std::optional<HeaderText> {
    const auto known = headers_.find({from, line.line});
    return known == headers_.end() ? std::nullopt : std::optional(known->second);
  };
}

}  // namespace warptune::tuner::draft
