// Finds which files a source may include, without a preprocessor, and reads which files a compiler's options name.
// NVRTC has no preprocess-only mode (-E and -M are unknown to 13.0), and the host's preprocessor would have to run for
// each configuration. So the scan takes in more than a compiler would: both branches of every condition, every text
// that looks like a header's name in a macro, and, where an include's name is computed, all headers of the folders.
// What it misses nevertheless is not there when a session compiles (kernel/files/session_files.h).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/compile/source_tokens.h"

namespace warptune::tuner {

struct IncludeName {
  std::string name;
  bool quoted = false;
};

struct IncludeScan {
  std::vector<IncludeName> names;
  bool computed = false;  // an include or __has_include whose name no directive spells out
};

// Returns the "name" or <name> at the start of the text, whatever follows it.
std::optional<IncludeName> bracketed_name(std::string_view text);

// Returns the name that an include's tokens begin with, or nothing where they spell none out.
std::optional<IncludeName> include_name(std::span<const SourceToken> tokens);

// Scans a source. It knows line continuations, comments, strings (raw ones too), digraphs and trigraphs.
IncludeScan scan_includes(std::string_view text);

// Holds a text to start from. Quoted names are looked for in `folder` first, unless it is empty.
struct IncludeRoot {
  std::string text;
  std::filesystem::path folder;
};

// Returns the files in `folders` that the roots may include, directly or not, each once and without `..` in its path.
// `read` is called once for each of them. If it returns nothing, the file cannot be read and is not followed. With a
// computed name, all headers in the folders count, but not those of a folder with too many (4096 files).
std::vector<std::filesystem::path> reachable_files(
    const std::vector<IncludeRoot>& roots, const std::vector<std::filesystem::path>& folders,
    const std::function<std::optional<std::string>(const std::filesystem::path&)>& read);

struct FileOptions {
  std::vector<std::string> first_includes;       // -include, --pre-include: names as #include takes them
  std::vector<std::string> include_directories;  // -I and its like
  std::vector<std::string> others;               // all other options, in order
};

// Values may stand in the option's word ("-Ifolder", "--pre-include=FILE") or in the next one.
FileOptions file_options(const std::vector<std::string>& options);

}  // namespace warptune::tuner
