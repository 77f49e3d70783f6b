// Reads and writes wisdom as JSON (README.md describes it).
#pragma once

#include <filesystem>
#include <string>

#include "search/error.h"
#include "tuner/results/wisdom/wisdom.h"

namespace warptune::tuner {

// Says what is wrong with a wisdom file, with its name and what was expected.
using WisdomError = search::ErrorOf<search::ErrorKind::wisdom>;

inline constexpr char wisdom_schema[] = "warptune-wisdom/2";
// This schema had no variants: the library's templates numbered them among the sizes, and `parse_wisdom` turns those
// numbers into variants.
inline constexpr char old_wisdom_schema[] = "warptune-wisdom/1";

// Returns the text of a file. It is deterministic, with one entry a line, so that a checked-in file has readable
// differences.
std::string wisdom_text(const Wisdom& wisdom);

// `name` is for messages. Unknown members are ignored; another schema is an error. Throws WisdomError.
Wisdom parse_wisdom(const std::string& text, const std::string& name);
Wisdom read_wisdom(const std::filesystem::path& file);

}  // namespace warptune::tuner
