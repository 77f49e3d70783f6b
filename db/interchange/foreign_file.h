// Tells what a file is that was given for a recording and is none.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::db {

// Returns what a file is that was read as a recording and is none, and which verb takes it: "a store: `warptune merge
// …`". The text is empty if nothing better can be said than what the reader says. Never throws.
std::string foreign_kind(const std::filesystem::path& file);

}  // namespace warptune::db
