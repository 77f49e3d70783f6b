// What every verb shares: its exit code, the stores that it uses, and the options that all verbs have.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "db/store_set.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner::cli {

// Documented in README.md; scripts rely on them.
enum ExitCode : int {
  success = 0,
  internal_error = 1,  // or words that could not be written
  usage_error = 2,     // the command line
  request_error = 3,   // a template, size or space that cannot be tuned
  no_device = 4,
  store_error = 5,
  nothing_correct = 6,  // tuned, but no configuration gave the right result
  device_lost = 7,      // a kernel took the device from this process; the same command continues
  regression = 8,       // a stored winner is slower than recorded
  not_current = 9,      // stored under another driver, compiler, source …
  check_failed = 10,    // a stored winner is wrong now, or could not be measured
  work_not_done = 11,   // submitted work failed, was cancelled, or had not ended in time
  slower_machine = 12,  // a stored winner is slower than recorded, and so is its default configuration
  interrupted = 130,
};

struct Context {
  int exit_code = success;
  // When the program was started: a budget of time is the user's.
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  // --db; empty: default_database(). The first is written to, the others are only read.
  std::vector<std::filesystem::path> databases;
  std::filesystem::path system_database;  // WARPTUNE_SYSTEM_DB, read beneath them all; may be empty
  std::string format = "table";

  Format output_format() const { return format_from_string(format); }
  // Rows to stdout in the format asked for: in JSON as the document of `verb`, under `member`.
  void print(std::string_view verb, const std::string& member, const Table& rows) const;
  // The first store, and its name: a file, or the address of a server's.
  std::filesystem::path store_name() const { return named().front(); }
  db::Store open_store(db::OpenMode mode) const;
  // All of them, for reading. The first may not exist yet, and the system's need not.
  db::StoreSet open_stores() const;
  // What `open_stores` opens.
  std::vector<std::filesystem::path> store_files() const { return readable(); }
  // Whether there is a store to read.
  bool has_store() const { return !readable().empty(); }
  // False, with a word on stderr, when there is no store yet: nothing was ever tuned.
  bool store_exists() const;
  // What rows of this store say about where they come from: nothing if there is only one.
  std::string origin(const db::StoreSet& stores, std::size_t store) const;
  // Whether this is the store that is written to: the first of the set, if it exists.
  bool is_own(const db::Store& store) const;

 private:
  // --db, else the default one; asked for only by verbs that need a store, since there may be no place for it.
  std::vector<std::filesystem::path> named() const;
  std::vector<std::filesystem::path> readable() const;
};

// A session by number, or as STORE:NUMBER if it lies in another than the first store (counted from 1, as read), or by a
// name that only one has.
// Throws RequestError for a text that is no reference or names no session.
db::Located<db::SessionRecord> find_session(const std::string& reference, const db::StoreSet& stores);

// Why a session cannot be called so, as a check of an option: a name that `find_session` takes for a number would never
// find it. Empty for a good name.
std::string refusal_of_session_name(const std::string& name);

// Adds --format to a verb that lists something, --db to one that uses the store.
void add_format_option(CLI::App& verb, Context& context);
void add_database_option(CLI::App& verb, Context& context);

}  // namespace warptune::tuner::cli
