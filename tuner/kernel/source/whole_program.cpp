// Finds the lines of the host's code and empties them, so that all other lines keep their numbers.
#include "tuner/kernel/source/whole_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "tuner/device/compile/standard_headers.h"
#include "tuner/kernel/source/host_headers.h"
#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner {

namespace {

// These declarations stand for the dropped headers. NVRTC has no file of theirs, and the host's shim includes C's own.
constexpr std::string_view substitutes = R"(namespace std {
using ::int8_t;
using ::uint8_t;
using ::int16_t;
using ::uint16_t;
using ::int32_t;
using ::uint32_t;
using ::int64_t;
using ::uint64_t;
using ::size_t;
}
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
)";

struct LineRange {
  int first, last;
};

// Returns whether an item defines a `given` constant that stands alone in its statement.
bool defines_given(const SourceItem& item, TokenSpan tokens, const std::set<std::string>& given) {
  return item.kind == SourceItem::Kind::variable && given.contains(item.name) && !contains_word(tokens, ",") &&
         (contains_word(tokens, "const") || contains_word(tokens, "constexpr"));
}

bool is_kernel(const SourceItem& item) {
  return item.kind == SourceItem::Kind::function && contains_word(item.head, "__global__");
}

// Unneeded says of each item whether a compiler of these kernels does without it.
class Unneeded {
 public:
  Unneeded(const SourceOutline& outline, const std::set<std::string>& given, const std::set<std::string>& needed = {})
      : outline_(outline), given_(given), needed_(needed), textures_(texture_references(outline)) {}

  bool has(const SourceItem& item) const {
    const TokenSpan tokens = outline_.tokens(item);
    return is_host_only(item, tokens) || defines_given(item, tokens, given_) || is_other_kernel(item) ||
           reads_texture(item, tokens);
  }

 private:
  bool is_other_kernel(const SourceItem& item) const {
    if (needed_.empty() || !is_kernel(item) || item.name.empty() || needed_.contains(item.name)) return false;
    return std::ranges::none_of(outline_.items, [&](const SourceItem& other) {
      const TokenSpan tokens = outline_.tokens(other);
      return &other != &item && contains_word(tokens, item.name) && !is_host_only(other, tokens);
    });
  }

  // Returns whether the item is a device function that reads a texture reference, which went with the host's variables.
  bool reads_texture(const SourceItem& item, TokenSpan tokens) const {
    return item.kind == SourceItem::Kind::function && !is_kernel(item) &&
           std::ranges::any_of(textures_, [&](const std::string& name) { return contains_word(tokens, name); });
  }

  const SourceOutline& outline_;
  const std::set<std::string>& given_;
  const std::set<std::string>& needed_;
  const std::set<std::string> textures_;
};

std::vector<LineRange> host_lines(const SourceOutline& outline, const std::set<std::string>& given,
                                  HostIncludes includes = HostIncludes::dropped,
                                  const std::set<std::string>& needed = {}) {
  std::vector<LineRange> ranges;
  const Unneeded unneeded(outline, given, needed);
  for (const SourceItem& item : outline.items)
    if (const TokenSpan tokens = outline.tokens(item); !tokens.empty() && unneeded.has(item))
      ranges.push_back({tokens.front().line, tokens.back().line});
  for (const IncludeLine& include : outline.includes)
    if (includes == HostIncludes::dropped &&
        (is_host_header(include.name) || (!include.quoted && is_unneeded_library(include.name, outline))))
      ranges.push_back({include.line, include.line});
  for (const MacroDefinition& macro : outline.macros)
    if (given.contains(macro.name) && !macro.guarded) {
      const int last = macro.value.empty() ? macro.line : macro.value.back().line;
      ranges.push_back({macro.line, last});
    }
  return ranges;
}

// A line that device code shares with host code stays as it is.
void spare_shared_lines(const SourceOutline& outline, const std::set<std::string>& given,
                        const std::set<std::string>& needed, std::vector<LineRange>& ranges) {
  std::set<int> kept;
  const Unneeded unneeded(outline, given, needed);
  for (const SourceItem& item : outline.items)
    if (!unneeded.has(item))
      for (const SourceToken& token : outline.tokens(item)) kept.insert(token.line);
  std::erase_if(ranges, [&](const LineRange& range) {
    const auto next = kept.lower_bound(range.first);
    return next != kept.end() && *next <= range.last;
  });
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Returns whether the source includes a library that its device code does not need. A quoted name counts as well,
// although only its folder tells it from a header of the user's own.
bool includes_library(const SourceOutline& outline) {
  return std::ranges::any_of(outline.includes,
                             [&](const IncludeLine& include) { return is_unneeded_library(include.name, outline); });
}

// Returns whether a comment is open where the text ends.
bool ends_in_comment(std::string_view text) {
  const auto tokens = source_tokens(std::string(text) + "\n*/ x");
  return tokens.size() < 3 || !tokens[tokens.size() - 2].is("/");
}

}  // namespace

bool is_whole_program(std::string_view source, const std::set<std::string>& given) {
  const SourceOutline outline(source);
  return !host_lines(outline, given).empty() || contains_word(outline.code, "uint") ||
         contains_word(outline.code, "ushort") || includes_library(outline);
}

std::vector<OwnDefinition> own_definitions(std::string_view source, const std::set<std::string>& given) {
  const SourceOutline outline(source);
  std::vector<OwnDefinition> found;
  for (const MacroDefinition& macro : outline.macros)
    if (given.contains(macro.name)) found.push_back({macro.name, macro.line, false, macro.guarded});
  for (const SourceItem& item : outline.items)
    if (const TokenSpan tokens = outline.tokens(item); !tokens.empty() && defines_given(item, tokens, given))
      found.push_back({item.name, tokens.front().line, true});
  return found;
}

bool has_host_part(std::string_view header) {
  const SourceOutline outline(header);
  return !host_lines(outline, {}).empty() || includes_library(outline);
}

std::set<std::string> texture_references(const SourceOutline& outline) {
  std::set<std::string> names;
  for (const SourceItem& item : outline.items) {
    const TokenSpan tokens = outline.tokens(item);
    const std::size_t first = !tokens.empty() && tokens[0].is("static") ? 1 : 0;
    if (item.is_definition || tokens.size() < first + 4 || !tokens[first].is("texture") || !tokens[first + 1].is("<"))
      continue;
    for (const SourceToken& token : tokens)
      if (token.is(";") || token.is("=")) names.insert((&token - 1)->text);
  }
  return names;
}

std::string device_part(std::string_view source, const std::set<std::string>& given, HostIncludes includes,
                        const std::set<std::string>& needed) {
  const SourceOutline outline(source);
  std::vector<LineRange> ranges = host_lines(outline, given, includes, needed);
  spare_shared_lines(outline, given, needed, ranges);
  const std::vector<std::string_view> lines = lines_of(source);
  const auto begin_of = [&](std::size_t line) { return static_cast<std::size_t>(lines[line].data() - source.data()); };
  std::vector<std::string> kept(lines.begin(), lines.end());
  for (const LineRange& range : ranges) {
    const auto first = static_cast<std::size_t>(range.first - 1);
    const std::size_t last = std::min(static_cast<std::size_t>(range.last), lines.size()) - 1;
    // A comment may begin or end on a line that is emptied.
    const bool began =
        lines[first].find("*/") != std::string_view::npos && ends_in_comment(source.substr(0, begin_of(first)));
    const bool ends = lines[last].find("/*") != std::string_view::npos &&
                      ends_in_comment(source.substr(0, begin_of(last) + lines[last].size()));
    for (std::size_t line = first; line <= last; ++line) kept[line].clear();
    if (began) kept[first] = "*/";
    if (ends) kept[last] += "/*";
  }
  return fmt::format("{}", fmt::join(kept, "\n"));
}

std::string with_substitutes(std::string_view device_part, std::string_view name) {
  return fmt::format("#ifdef __CUDACC_RTC__\n{}{}#endif\n{}#line 1 \"{}\"\n{}", standard_types, standard_limits,
                     substitutes, name, device_part);
}

std::string compilable_device_part(std::string_view source, const std::set<std::string>& given, std::string_view name) {
  return with_substitutes(device_part(source, given), name);
}

}  // namespace warptune::tuner
