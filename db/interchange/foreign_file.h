#pragma once

#include <filesystem>
#include <string>

namespace warptune::db {

// What a file is that was read as a recording and is none, and which verb takes it: "a store: `warptune merge …`".
// Empty if nothing better can be said than what the reader says. Never throws.
std::string foreign_kind(const std::filesystem::path& file);

}  // namespace warptune::db
