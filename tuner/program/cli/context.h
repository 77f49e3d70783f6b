// What every verb shares: the environment read once, the options that all verbs have, and where the program's words go.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "db/store_set.h"
#include "tuner/device/backend.h"
#include "tuner/measure/workers/process.h"
#include "tuner/program/cli/output.h"
#include "tuner/results/report/table.h"

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

// $WARPTUNE_DB, else $XDG_DATA_HOME/warptune/warptune.db, else ~/.local/share/warptune/warptune.db. Throws
// std::invalid_argument with the remedy if none of these is set: the working folder is nobody's choice.
std::filesystem::path default_database();
// $WARPTUNE_SYSTEM_DB.
std::filesystem::path system_database();
// $WARPTUNE_RECONNECT, for all connections of this process. Throws std::invalid_argument for what is no time.
void take_reconnecting_limit();

// $XDG_CACHE_HOME/warptune, else ~/.cache/warptune; compiled configurations are kept below it. Throws likewise.
std::filesystem::path default_cache_folder();

// Where sessions that measure on this machine hear of each other: $XDG_RUNTIME_DIR/warptune, else below the cache.
// Nothing if there is no place for one either.
std::optional<std::filesystem::path> presence_folder();

// This program, as a worker of itself.
workers::Program worker_program();

// "2G", "500M", "4096" -> bytes. Throws std::invalid_argument.
std::uint64_t parse_bytes(const std::string& text);

// Toolkit folders from $CUDA_HOME, $CUDA_PATH, $WARPTUNE_CUDA_PATH and the build; the host compiler from $CXX.
BackendOptions backend_options();

// Where what comes with the program lies: beside it (a build folder has links there), and where it is installed with
// it.
std::vector<std::filesystem::path> data_folders();

// Where templates are looked for by name, in this order: $WARPTUNE_TEMPLATES, ./templates, beside the program (in a
// build folder a link to the source tree's), and where they are installed with it.
std::vector<std::filesystem::path> template_search_path();

// A template's manifest by path or by name: a folder or a file as given, else <name> below $WARPTUNE_TEMPLATES,
// ./templates and the installed ones. Throws RequestError that lists where it looked.
std::filesystem::path find_template(const std::string& name);

// The JSON Schema of manifests, which lies with the installed templates.
std::string manifest_schema();
// The folders that hold templates and are there, in the order in which a name is looked for; each once.
std::vector<std::filesystem::path> template_folders();
// What names find: the manifests below these folders, by name. Of two of one name the first found.
std::vector<std::filesystem::path> all_templates();

// Adds --format to a verb that lists something, --db to one that uses the store.
void add_format_option(CLI::App& verb, Context& context);
void add_database_option(CLI::App& verb, Context& context);

}  // namespace warptune::tuner::cli
