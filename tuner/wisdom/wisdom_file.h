// Wisdom as JSON (README.md describes it).
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "tuner/wisdom/wisdom.h"

namespace warptune::tuner {

// What is wrong with a wisdom file, with its name and what was expected.
class WisdomError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr char wisdom_schema[] = "warptune-wisdom/1";

// Deterministic, one entry a line, so that a checked-in file has readable differences.
std::string wisdom_text(const Wisdom& wisdom);

// `name` is for messages. Unknown members are ignored; another schema is an error. Throws WisdomError.
Wisdom parse_wisdom(const std::string& text, const std::string& name);
Wisdom read_wisdom(const std::filesystem::path& file);

}  // namespace warptune::tuner
