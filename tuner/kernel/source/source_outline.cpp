// Walks over brackets. Both branches of every condition are seen, as source_tokens has them.
#include "tuner/kernel/source/source_outline.h"

#include <algorithm>
#include <optional>

#include "tuner/device/compile/include_scan.h"

namespace warptune::tuner {

namespace {

using Kind = SourceToken::Kind;

bool opens(const SourceToken& token) {
  return token.kind == Kind::sign && (token.is("(") || token.is("[") || token.is("{"));
}

bool closes(const SourceToken& token) {
  return token.kind == Kind::sign && (token.is(")") || token.is("]") || token.is("}"));
}

bool is_word(const SourceToken& token) {
  return token.kind == Kind::word || token.kind == Kind::number;
}

// Returns the end of a template's parameters, whose < is at `open`. A > within brackets does not count.
std::size_t closing_angle(TokenSpan tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (opens(tokens[at])) at = closing(tokens, at);
    if (at >= tokens.size()) break;
    depth += tokens[at].is("<") - tokens[at].is(">");
    if (depth == 0) return at;
  }
  return tokens.size();
}

class OutlineReader {
 public:
  OutlineReader(SourceOutline& outline, std::size_t begin, std::size_t end)
      : outline_(outline), code_(TokenSpan(outline.code).first(end)), at_(begin) {}

  void run() {
    while (at_ < code_.size()) {
      if (code_[at_].is("}")) {
        if (!scopes_.empty()) scopes_.pop_back();
        ++at_;
      } else if (code_[at_].is(";")) {
        ++at_;
      } else if (const auto inside = opened_scope()) {
        at_ = *inside;
      } else {
        read_item();
      }
    }
  }

 private:
  // A Scope is an open `namespace a {` or `extern "C" {`.
  struct Scope {
    std::string name;  // "a::"
    bool extern_c = false;
  };

  bool is(std::size_t at, std::string_view text) const { return at < code_.size() && code_[at].is(text); }

  // Returns the first token within `namespace x {` or `extern "C" {`, if one of them is here.
  std::optional<std::size_t> opened_scope() {
    if (is(at_, "extern") && is(at_ + 1, "\"C\"") && is(at_ + 2, "{")) {
      scopes_.push_back({"", true});
      return at_ + 3;
    }
    std::size_t at = at_ + (is(at_, "inline") ? 1 : 0);
    if (!is(at, "namespace")) return std::nullopt;
    while (at < code_.size() && !code_[at].is("{") && !code_[at].is(";") && !code_[at].is("=")) ++at;
    if (!is(at, "{")) return std::nullopt;
    scopes_.push_back({is(at_, "inline") ? "" : name_of_namespace(at_, at)});
    return at + 1;
  }

  // Returns "a::b::" for `namespace a::b`.
  std::string name_of_namespace(std::size_t begin, std::size_t end) const {
    std::string name;
    for (std::size_t at = begin + 1; at < end; ++at)
      if (code_[at].kind == Kind::word) name += code_[at].text + "::";
    return name;
  }

  // Returns whether parameters end before the body at `brace`. `const` and `noexcept` may stand between.
  bool ends_parameters(std::size_t brace) const {
    std::size_t at = brace;
    while (at > at_ && (is(at - 1, "const") || is(at - 1, "noexcept"))) --at;
    return at > at_ && is(at - 1, ")");
  }

  void read_item() {
    SourceItem item;
    item.begin = at_;
    bool assigned = false;
    std::size_t at = at_;
    for (; at < code_.size() && !code_[at].is(";"); ++at) {
      if (code_[at].is("}")) break;  // one too many: a scope's end
      assigned |= code_[at].is("=");
      if (is(at, "template") && is(at + 1, "<")) {
        const std::size_t end = closing_angle(code_, at + 1);
        item.template_parameters = code_.subspan(at + 2, std::min(end, code_.size()) - at - 2);
        at = end;
        continue;
      }
      if (!opens(code_[at])) continue;
      const std::size_t close = closing(code_, at);
      if (code_[at].is("{") && !assigned && ends_parameters(at)) {
        item.is_definition = true;
        item.body = code_.subspan(at + 1, std::min(close, code_.size()) - at - 1);
        item.head = code_.subspan(item.begin, at - item.begin);
        at = close;
        break;
      }
      at = close;
    }
    at_ = std::min(at + (is(at, "}") && !item.is_definition ? 0 : 1), code_.size());
    if (at_ == item.begin) ++at_;
    item.end = at_;
    finish(item, assigned);
    outline_.items.push_back(item);
  }

  void finish(SourceItem& item, bool assigned) const {
    const TokenSpan all = outline_.tokens(item);
    if (!item.is_definition) item.head = all;
    item.extern_c =
        (all.size() > 1 && all[0].is("extern") && all[1].is("\"C\"")) || std::ranges::any_of(scopes_, &Scope::extern_c);
    for (const Scope& scope : scopes_) item.scope += scope.name;
    const auto begins = [&](std::initializer_list<std::string_view> words) {
      return std::ranges::any_of(words, [&](std::string_view word) { return all.front().is(word); });
    };
    if (begins({"template"}) && all.size() > 1 && !all[1].is("<")) {  // template void f<float>(…); nothing is defined
      item.kind = SourceItem::Kind::function;
      return;
    }
    if (begins({"using"})) {
      // Only a using directive that names std or thrust counts as the host's. Kernels may need the others:
      // cooperative_groups, nvcuda, the user's own.
      const bool of_library = contains_word(all, "std") || contains_word(all, "thrust");
      item.kind = of_library ? SourceItem::Kind::using_directive : SourceItem::Kind::type;
      return;
    }
    if (!item.is_definition && begins({"namespace", "struct", "class", "union", "enum", "typedef", "static_assert"})) {
      item.kind = SourceItem::Kind::type;
      return;
    }
    if (!assigned && read_function(item)) return;
    if (!item.template_parameters.empty()) {
      item.kind = SourceItem::Kind::type;
      return;
    }
    read_variable(item);
  }

  // The last pair of parentheses outside of all brackets holds the parameters, and the name is before it.
  static bool read_function(SourceItem& item) {
    const TokenSpan head = item.head;
    for (std::size_t at = 0; at < head.size(); ++at) {
      if (head[at].is("<") && at > 0 && head[at - 1].is("template")) at = closing_angle(head, at);
      if (at >= head.size() || !opens(head[at])) continue;
      const std::size_t close = closing(head, at);
      if (head[at].is("(") && at > 1 && head[at - 1].kind == Kind::word && close < head.size()) {
        item.name = head[at - 1].text;
        item.parameters = head.subspan(at + 1, close - at - 1);
      }
      at = close;
    }
    if (item.name.empty() || item.name.starts_with("__launch_bounds") || item.name == "__align__" ||
        item.name == "alignas")
      return false;
    item.kind = SourceItem::Kind::function;
    return true;
  }

  void read_variable(SourceItem& item) const {
    for (const SourceToken& token : outline_.tokens(item)) {
      if (token.is("=") || token.is("[") || token.is("{") || token.is(";") || token.is(",")) break;
      if (token.kind == Kind::word) item.name = token.text;
    }
    if (!item.name.empty()) item.kind = SourceItem::Kind::variable;
  }

  SourceOutline& outline_;
  const TokenSpan code_;
  std::size_t at_;
  std::vector<Scope> scopes_;
};

}  // namespace

std::string text_of_tokens(TokenSpan tokens) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool after_comma = i > 0 && tokens[i - 1].is(",");
    if (i > 0 && (after_comma || (is_word(tokens[i]) && is_word(tokens[i - 1])))) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

std::size_t closing(TokenSpan tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    depth += opens(tokens[at]) ? 1 : closes(tokens[at]) ? -1 : 0;
    if (depth == 0) return at;
  }
  return tokens.size();
}

std::vector<TokenSpan> split_at_commas(TokenSpan tokens, bool angles) {
  std::vector<TokenSpan> parts;
  if (tokens.empty()) return parts;
  std::size_t begin = 0;
  int depth = 0, angle = 0;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    depth += opens(tokens[at]) ? 1 : closes(tokens[at]) ? -1 : 0;
    if (angles) angle += tokens[at].is("<") - tokens[at].is(">");
    if (depth != 0 || angle != 0 || !tokens[at].is(",")) continue;
    parts.push_back(tokens.subspan(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(tokens.subspan(begin));
  return parts;
}

bool contains_word(TokenSpan tokens, std::string_view word) {
  return std::ranges::any_of(tokens, [&](const SourceToken& token) { return token.is(word); });
}

const MacroDefinition* SourceOutline::find_macro(std::string_view name) const {
  const auto found = std::ranges::find(macros, name, &MacroDefinition::name);
  return found == macros.end() ? nullptr : &*found;
}

// Returns whether a container is named without its namespace, as vector<int> after `using namespace std`.
static bool has_container(TokenSpan tokens) {
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at)
    for (const std::string_view name : {"vector", "map", "set", "list", "deque", "queue", "stack", "unordered_map",
                                        "unordered_set", "multimap", "shared_ptr", "unique_ptr", "function"})
      if (tokens[at].is(name) && tokens[at + 1].is("<")) return true;
  return false;
}

bool is_host_only(const SourceItem& item, TokenSpan tokens) {
  for (const std::string_view word : {"__global__", "__device__", "__constant__", "__shared__", "__managed__"})
    if (contains_word(tokens, word)) return false;
  // Kernels may call a constexpr function. They may not call a function that only holds a constexpr variable.
  const bool is_function = item.kind == SourceItem::Kind::function;
  if (contains_word(is_function ? item.head : tokens, "constexpr")) return false;
  switch (item.kind) {
    case SourceItem::Kind::function:
    case SourceItem::Kind::using_directive:
      return true;
    case SourceItem::Kind::variable:
      return !contains_word(tokens, "const");
    case SourceItem::Kind::type:
    case SourceItem::Kind::other:
      break;
  }
  // A type is not for kernels if it holds a type of the standard library, or a handle of the CUDA runtime or of a
  // library, such as a timer's events.
  for (const std::string_view word :
       {"cudaEvent_t", "cudaStream_t", "cudaError_t", "cudaDeviceProp", "cublasHandle_t", "cublasLtHandle_t",
        "cusparseHandle_t", "cusolverDnHandle_t", "cudnnHandle_t", "cufftHandle", "ncclComm_t", "MPI_Comm"})
    if (contains_word(tokens, word)) return true;
  return (contains_word(tokens, "std") && contains_word(tokens, "::")) || has_container(tokens);
}

namespace {

// Reads what stands in directives: macros, includes and pragmas.
class DirectiveReader {
 public:
  DirectiveReader(SourceOutline& outline, const std::string& header) : outline_(outline), header_(header) {}

  // Reads one directive. Returns what an #include names, and nothing for other directives.
  std::optional<IncludeLine> read(TokenSpan tokens) {
    const std::string& name = tokens.front().text;
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      conditions_.push_back({name == "ifndef" || contains_word(tokens, "defined")
                                 ? text_of_tokens(tokens.subspan(name == "ifndef" ? 1 : 0))
                                 : "",
                             outline_.macros.size()});
    } else if (name == "endif") {
      if (!conditions_.empty()) end_condition(conditions_.back());
    } else if (name == "include" && tokens.size() > 1) {
      if (const auto included = include_name(tokens.subspan(1)))
        return IncludeLine{included->name, included->quoted, tokens.front().line};
    } else if (name == "define" && tokens.size() > 1) {
      define(tokens.subspan(1));
    } else if (name == "pragma" && header_.empty()) {
      outline_.pragmas.insert(outline_.pragmas.end(), tokens.begin() + 1, tokens.end());
    }
    return std::nullopt;
  }

 private:
  void define(TokenSpan tokens) {
    MacroDefinition macro{.name = tokens.front().text, .line = tokens.front().line};
    const TokenSpan rest = tokens.subspan(1);
    // Tokens do not show the blank that tells "#define F(x) x" from "#define V (x)". But a value in parentheses ends
    // with them.
    macro.function_like = !rest.empty() && rest.front().is("(") && closing(rest, 0) + 1 < rest.size() &&
                          std::ranges::all_of(rest.subspan(1, closing(rest, 0) - 1), [](const SourceToken& token) {
                            return token.kind == Kind::word || token.is(",") || token.is(".");
                          });
    macro.guarded =
        std::ranges::any_of(conditions_, [&](const Condition& condition) { return asks_for(condition, macro.name); });
    macro.value.assign(rest.begin(), rest.end());
    macro.header = header_;
    outline_.macros.push_back(std::move(macro));
  }

  struct Condition {
    std::string text;        // empty: it asks for no name
    std::size_t macros = 0;  // how many were known before
  };

  static bool asks_for(const Condition& condition, const std::string& name) {
    return condition.text == name || condition.text.find("!defined(" + name + ")") != std::string::npos ||
           condition.text.find("!defined " + name) != std::string::npos;
  }

  // Ends a condition, and notes which macros are defined there only if the one that it asks for is not given. With
  // #ifndef N, #define M 8, #define N 4, #endif, a compiler that is given N has no M.
  void end_condition(const Condition& condition) {
    const std::span<MacroDefinition> within = std::span(outline_.macros).subspan(condition.macros);
    for (MacroDefinition& macro : within) {
      if (!asks_for(condition, macro.name)) continue;
      for (const MacroDefinition& other : within)
        if (other.name != macro.name && !other.guarded) macro.guards.push_back(other.name);
    }
    conditions_.pop_back();
  }

  SourceOutline& outline_;
  const std::string& header_;
  std::vector<Condition> conditions_;
};

}  // namespace

SourceOutline::SourceOutline(std::string_view source, const HeaderReader& read) {
  std::vector<Part> parts;
  read_directives(source, "", read, parts);
  for (const Part& part : parts) read_items(part);
  const auto is_kernel = [](const SourceItem& item) {
    return item.kind == SourceItem::Kind::function && contains_word(item.head, "__global__");
  };
  if (std::ranges::any_of(items, [&](const SourceItem& item) { return is_kernel(item) && item.header.empty(); }))
    std::erase_if(items, [&](const SourceItem& item) { return is_kernel(item) && !item.header.empty(); });
}

// The code of a text stays together, behind that of its headers.
void SourceOutline::read_directives(std::string_view text, const std::string& header, const HeaderReader& read,
                                    std::vector<Part>& parts) {
  const std::vector<SourceToken> tokens = source_tokens(text);
  std::vector<SourceToken> own;
  DirectiveReader directives(*this, header);
  for (std::size_t at = 0; at < tokens.size();) {
    if (!tokens[at].first || !tokens[at].is("#")) {
      own.push_back(tokens[at++]);
      continue;
    }
    std::size_t end = at + 1;
    while (end < tokens.size() && !tokens[end].first) ++end;
    const auto include = end > at + 1 ? directives.read(TokenSpan(tokens).subspan(at + 1, end - at - 1)) : std::nullopt;
    if (include && header.empty()) includes.push_back(*include);
    if (include && read)
      if (const auto included = read(*include, header)) read_directives(included->text, included->name, read, parts);
    at = end;
  }
  parts.push_back({header, code.size(), code.size() + own.size()});
  code.insert(code.end(), own.begin(), own.end());
}

void SourceOutline::read_items(const Part& part) {
  const auto known = static_cast<std::ptrdiff_t>(items.size());
  OutlineReader(*this, part.begin, part.end).run();
  if (part.header.empty()) return;
  const auto first = items.begin() + known;
  std::for_each(first, items.end(), [&](SourceItem& item) { item.header = part.header; });
}

}  // namespace warptune::tuner
