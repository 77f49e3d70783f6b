// Reads and writes Warptune's own interchange format: whole sessions as JSON, nothing lost (README.md beside this
// describes it).
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <span>

#include "db/interchange/text_file.h"
#include "db/records.h"

namespace warptune::db {

inline constexpr char session_schema[] = "warptune-sessions/2";

// Equal sessions give equal text.
void write_sessions(std::span<const SessionDump> sessions, std::ostream& out);

// Returns whether the file begins like one of ours. It is false for anything else, also for a file that cannot be read.
bool holds_sessions(const std::filesystem::path& file);
// Returns the same for a text. It takes nothing of the text, since a pipe can be read only once. Throws
// InterchangeError.
bool holds_sessions(InputText& text);

// Returns the sessions in the file's order; the file is gzip or plain. Files of version 1 are read as the store's
// migration 007 does with its rows. Ids count from 1 within each session. Throws InterchangeError, which says where and
// what was expected, also for another schema and for a file that ends too early.
std::vector<SessionDump> read_sessions(const std::filesystem::path& file);
std::vector<SessionDump> read_sessions(InputText& text);

}  // namespace warptune::db
