// Finds what the TOML parser cannot bear, before the text is parsed.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace warptune::tuner {

struct TomlFault {
  std::size_t line;
  const char* what;  // "tables or arrays nest too deep"
};

// Returns the first place with more than 32 brackets around something, with a key of more than 16 parts (a.b.c…), or
// with a character beyond ASCII outside of strings and comments. TOML 1.0 has none there.
std::optional<TomlFault> toml_fault(std::string_view toml);

}  // namespace warptune::tuner
