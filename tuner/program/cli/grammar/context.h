// Declares what all verbs share: the stores that they use, and the options --format and --db.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "db/store_set.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/report/text/table.h"
#include "tuner/session/queue/exit_code.h"

namespace CLI {
class App;
}  // namespace CLI

namespace warptune::tuner::cli {

struct Context {
  int exit_code = success;
  // This is the time when the program was started. A budget of time counts from then, since it is the user's time.
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  // These are the values of --db. If there are none, default_database() is used. Verbs write to the first store and
  // only read the others.
  std::vector<std::filesystem::path> databases;
  std::filesystem::path system_database;  // WARPTUNE_SYSTEM_DB, read beneath them all; may be empty
  std::string format = "table";

  Format output_format() const { return format_from_string(format); }
  // Writes rows to stdout in the format asked for. In JSON they are the member `member` of the document of `verb`.
  void print(std::string_view verb, const std::string& member, const Table& rows) const;
  // Returns the name of the first store: a file, or the address of a server's.
  std::filesystem::path store_name() const { return named().front(); }
  // Opens the first store.
  db::Store open_store(db::OpenMode mode) const;
  // Opens all stores for reading. The first may not exist yet, and the system's need not exist.
  db::StoreSet open_stores() const;
  // Returns the names of the stores that `open_stores` opens.
  std::vector<std::filesystem::path> store_files() const { return readable(); }
  // Returns whether there is a store to read.
  bool has_store() const { return !readable().empty(); }
  // Returns false, and says so on stderr, when there is no store yet, so that nothing was ever tuned.
  bool store_exists() const;
  // Returns the name of this store of the set, with which output labels its rows; empty if there is only one store.
  std::string origin(const db::StoreSet& stores, std::size_t store) const;
  // Returns whether this is the store that is written to: the first of the set, if it exists.
  bool is_own(const db::Store& store) const;

 private:
  // Returns the stores of --db, else the default one. Only verbs that need a store call this, since there may be no
  // place for a default one.
  std::vector<std::filesystem::path> named() const;
  std::vector<std::filesystem::path> readable() const;
};

// Finds a session by its number, by STORE:NUMBER if it lies in another than the first store (stores are counted from 1,
// in the order in which they are read), or by a name that only one session has. Throws RequestError for a text that is
// no reference or names no session.
db::Located<db::SessionRecord> find_session(const std::string& reference, const db::StoreSet& stores);

// Returns why a session cannot have this name, as a check of an option does; empty for a good name. `find_session`
// would take a name that reads as a number for a number, and would never find the session.
std::string refusal_of_session_name(const std::string& name);

// Adds --format to a verb that lists something, --db to one that uses the store.
void add_format_option(CLI::App& verb, Context& context);
void add_database_option(CLI::App& verb, Context& context);

}  // namespace warptune::tuner::cli
