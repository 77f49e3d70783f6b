// Lists what a CUDA source declares at namespace scope, from its tokens alone: functions with their qualifiers,
// parameters and bodies, types, variables and macros. `init` reads a kernel from it, and it tells a program's device
// part from its host part. It is no parser: what it cannot follow it calls `other`, and nobody relies on that.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/compile/source_tokens.h"

namespace warptune::tuner {

using TokenSpan = std::span<const SourceToken>;

// Returns the text of tokens with one blank between words, as a person would write them.
std::string text_of_tokens(TokenSpan tokens);
// Returns the index of what closes the bracket at `open` ( "(", "[" or "{" ), or the number of tokens if nothing does.
std::size_t closing(TokenSpan tokens, std::size_t open);
// Returns the parts between commas outside of all brackets. There are none for no tokens. With `angles`, < and > are
// brackets too.
std::vector<TokenSpan> split_at_commas(TokenSpan tokens, bool angles = false);
bool contains_word(TokenSpan tokens, std::string_view word);

struct SourceItem {
  enum class Kind { function, type, variable, using_directive, other };
  Kind kind = Kind::other;
  std::size_t begin = 0, end = 0;  // among the outline's code
  std::string name;                // of functions and variables
  std::string scope;               // the namespaces that it is in, as "a::b::"; those without a name are left out
  std::string header;              // the header that its lines are in; empty: the source
  bool extern_c = false;
  bool is_definition = false;  // a function with a body
  // These are parts of a function, among the outline's code. A range is empty where there is none.
  TokenSpan head, template_parameters, parameters, body;
};

struct MacroDefinition {
  std::string name;
  int line = 0;
  bool function_like = false;
  bool guarded = false;                  // between #ifndef of its name and #endif
  std::vector<std::string> guards = {};  // other macros that are defined there as well, and only there
  std::vector<SourceToken> value;        // its tokens
  std::string header;                    // the header that its line is in; empty: the source
};

struct IncludeLine {
  std::string name;
  bool quoted = false;
  int line = 0;
};

// A HeaderText is a header's text with the name that messages have for it.
struct HeaderText {
  std::string name, text;
};
// A HeaderReader returns what a line of the header `from` includes, or of the source where `from` is empty. It returns
// nothing for what is not to be read. It must see to it that no header is read for ever.
using HeaderReader = std::function<std::optional<HeaderText>(const IncludeLine& include, const std::string& from)>;

struct SourceOutline {
  // With `read`, macros, types, variables and functions of headers come before what the source has behind their
  // #include. Pragmas and includes of headers are left out, because they are not the source's. Kernels of headers are
  // left out, too, unless the source has none, as where main() is in a file of its own.
  explicit SourceOutline(std::string_view source, const HeaderReader& read = {});
  SourceOutline(const SourceOutline&) = delete;  // spans point into `code`
  SourceOutline& operator=(const SourceOutline&) = delete;

  std::vector<SourceToken> code;     // without directives
  std::vector<SourceToken> pragmas;  // what follows #pragma, of all of them
  std::vector<SourceItem> items;
  std::vector<MacroDefinition> macros;
  std::vector<IncludeLine> includes;

  TokenSpan tokens(const SourceItem& item) const { return TokenSpan(code).subspan(item.begin, item.end - item.begin); }
  const MacroDefinition* find_macro(std::string_view name) const;

 private:
  struct Part {
    std::string header;
    std::size_t begin, end;  // among the code
  };
  void read_directives(std::string_view text, const std::string& header, const HeaderReader& read,
                       std::vector<Part>& parts);
  void read_items(const Part& part);
};

// Returns whether an item runs on the host alone. It has no qualifier of the device, and nothing that a constant
// expression could need.
bool is_host_only(const SourceItem& item, TokenSpan tokens);

}  // namespace warptune::tuner
