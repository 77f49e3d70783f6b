// Lines keep their numbers by #line, so that what a compiler says is of the user's files.
#include "tuner/kernel/source/program_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "tuner/device/compile/tuned_file.h"
#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/source/host_headers.h"
#include "tuner/kernel/source/source_outline.h"
#include "tuner/kernel/source/whole_program.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

namespace {

namespace fs = std::filesystem;

// One header is put in place at most this often. Include guards make most of the copies empty. Without a limit, headers
// that include each other would grow endlessly.
constexpr int most_copies = 64;

bool says_once(const SourceOutline& outline) {
  return !outline.pragmas.empty() && contains_word(outline.pragmas, "once");
}

bool is_pragma_once(std::string_view line) {
  const auto tokens = source_tokens(line);
  return tokens.size() == 3 && tokens[0].is("#") && tokens[1].is("pragma") && tokens[2].is("once");
}

std::string line_directive(std::size_t line, const std::string& name) {
  return fmt::format("#line {} \"{}\"\n", line, name);
}

class ProgramText {
 public:
  ProgramText(const fs::path& source, const NameOfFile& name_of_header, const std::set<std::string>& tuned)
      : folder_(source.parent_path()), name_of_header_(name_of_header), tuned_(tuned) {}

  // Returns the text of the source, whose host includes are gone, or of a header.
  std::string part(const fs::path& file, std::string_view text, const std::string& name, bool is_header) {
    const SourceOutline outline(text);
    std::map<std::size_t, const IncludeLine*> includes;
    for (const IncludeLine& include : outline.includes) includes[static_cast<std::size_t>(include.line)] = &include;
    std::string result;
    std::size_t number = 1;
    for (std::size_t begin = 0; begin <= text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      const auto include = includes.find(number);
      if (include != includes.end())
        result += included(file, outline, *include->second, line, is_header, line_directive(number + 1, name));
      else if (!is_header || !is_pragma_once(line))
        result += line;
      begin = end + 1;
      if (begin <= text.size()) result += '\n';
    }
    return result;
  }

  // Returns whether a library was left out that brings <cuda_fp16.h> and its like.
  bool numbers_are_missing() const { return numbers_are_missing_; }

 private:
  struct Header {
    std::string text;
    bool has_host_part = false;  // or includes one that has
    int copies = 0;
  };

  // Returns what stands for an #include line. `back` is the #line directive for what follows it.
  std::string included(const fs::path& file, const SourceOutline& outline, const IncludeLine& include,
                       std::string_view line, bool is_header, const std::string& back) {
    if (is_header && is_host_header(include.name))
      return is_cuda_host_header(include.name)
                 ? std::string()
                 : fmt::format("#ifndef __CUDACC_RTC__\n{}\n#endif\n{}", line, without_newline(back));
    const auto own = include.quoted ? find(file, include.name) : std::nullopt;
    if (!own && is_unneeded_library(include.name, outline)) {
      numbers_are_missing_ |= brings_numbers(include.name);
      return {};
    }
    if (!own) return std::string(line);
    Header& header = header_of(*own);
    if (header.has_host_part) return in_place(*own, header) + without_newline(back);
    // The text of the header is part of another file now, from where the name may lead elsewhere.
    return is_header ? fmt::format("#include \"{}\"", own->lexically_relative(folder_).string()) : std::string(line);
  }

  std::string in_place(const fs::path& file, Header& header) {
    if (std::ranges::find(open_, file) != open_.end() || ++header.copies > most_copies) return {};
    open_.push_back(file);
    const std::string name = name_of_header_(file);
    std::string text =
        line_directive(1, name) + part(file, device_part(header.text, {}, HostIncludes::kept), name, true) + '\n';
    open_.pop_back();
    if (!says_once(SourceOutline(header.text))) return text;
    const std::string guard = "WARPTUNE_ONCE_" + content_hash(name);
    return fmt::format("#ifndef {0}\n#define {0}\n{1}#endif\n", guard, text);
  }

  std::optional<fs::path> find(const fs::path& from, const std::string& name) const {
    for (const fs::path& folder : {from.parent_path(), folder_}) {
      const fs::path file = (folder / name).lexically_normal();
      std::error_code error;
      if (fs::is_regular_file(file, error)) return file;
    }
    return std::nullopt;
  }

  Header& header_of(const fs::path& file) {
    const auto [known, is_new] = headers_.try_emplace(file);
    Header& header = known->second;
    if (!is_new) return header;
    const auto text = read_file(file);
    if (!text) return header;
    header.text = text_when_tuning(*text, tuned_);
    header.has_host_part = has_host_part(header.text);
    for (const IncludeLine& include : SourceOutline(header.text).includes) {
      if (header.has_host_part) break;
      if (const auto own = include.quoted ? find(file, include.name) : std::nullopt)
        header.has_host_part = header_of(*own).has_host_part;
    }
    return header;
  }

  static std::string without_newline(std::string text) {
    text.pop_back();
    return text;
  }

  fs::path folder_;
  const NameOfFile& name_of_header_;
  const std::set<std::string>& tuned_;
  std::map<fs::path, Header> headers_;
  bool numbers_are_missing_ = false;
  std::vector<fs::path> open_;  // files whose texts are being put in place
};

}  // namespace

std::string program_text(const fs::path& source, std::string_view text, const std::set<std::string>& given,
                         const std::string& name, const NameOfFile& name_of_header, const std::set<std::string>& needed,
                         const std::set<std::string>& tuned) {
  const std::string device = device_part(text, given, HostIncludes::dropped, needed);
  ProgramText program(source, name_of_header, tuned);
  const std::string whole = with_substitutes(program.part(source, device, name, false), name);
  const SourceOutline outline(text);
  const bool is_missing =
      program.numbers_are_missing() || std::ranges::any_of(outline.includes, [&](const IncludeLine& include) {
        return brings_numbers(include.name) && is_unneeded_library(include.name, outline);
      });
  return is_missing ? includes_of_numbers(source_tokens(whole)) + whole : whole;
}

}  // namespace warptune::tuner
