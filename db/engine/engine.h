// Declares the interface to the two databases that hold stores: SQLite, embedded in a file, and PostgreSQL, shared over
// a network. All SQL is written once, in words that both know; what only one of them has is behind this header.
// Rejected: two stores behind one interface, which would need every query twice; a library of drivers (SOCI, ODBC),
// which hides just what the store has to say about errors, locks and bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace warptune::db {

// A Changed tells what a statement without rows changed.
struct Changed {
  std::int64_t rows = 0;
  // An upsert also tells of its row. The id is 0 where the engine does not know it, as SQLite of a row that it updated.
  std::int64_t id = 0;
  bool added = false;
};

// A Statement is a prepared statement. Its parameters are written as ? or ?1, and counted from 1; columns are counted
// from 0.
class Statement {
 public:
  // A parameter is NULL, a number, text or bytes.
  using Parameter = std::variant<std::monostate, std::int64_t, double, std::string_view, std::span<const std::byte>>;

  virtual ~Statement() = default;
  virtual void bind(int position, const Parameter& value) = 0;  // copies the value
  virtual bool step() = 0;                                      // moves to the next row; false: there is none
  virtual Changed run() = 0;                                    // runs a statement that gives no rows
  virtual void reset() noexcept = 0;                            // makes it ready to be bound and run again
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  virtual std::string text(int column) const = 0;
  virtual std::string bytes(int column) const = 0;
};

enum class StatementKind {
  plain,
  upsert,  // INSERT … ON CONFLICT … DO UPDATE of one row in a table with an `id`; run() tells of the row
};

// Says what a transaction may see and do.
enum class Isolation {
  reading,  // sees one snapshot of everything, whoever writes meanwhile
  writing,  // writes beside others, where the engine allows several writers
  alone,    // no other transaction writes: for work that looks at many rows and then changes them
};

// A state of the engine lasts until it is taken back.
enum class EngineState {
  resting_triggers,  // triggers that keep counts do nothing
  synced_commits,    // commits reach the disk itself, together with all earlier ones
};

// An Engine is one connection to a database. Its failures are exceptions of its own, which rethrow() turns into
// StoreErrors.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Statement> prepare(const std::string& sql, StatementKind kind) = 0;
  // Runs statements without parameters, separated by semicolons. Returns how many rows the last one changed.
  virtual std::int64_t execute(const std::string& script) = 0;
  virtual void begin(Isolation isolation) = 0;  // ends with COMMIT or ROLLBACK
  // Returns whether the engine reads files of SQLite beside its own database, by ATTACH.
  virtual bool attaches_files() const = 0;
  virtual void set(EngineState state, bool on) = 0;
  // Marks the beginning of a piece of work. The cost that one piece may have is counted from here.
  virtual void start_work() = 0;
  // Throws StoreError if nobody else could read what is written, for example because the file was deleted or moved.
  virtual void require_in_place(std::string_view attempted) = 0;
  // Returns whether the same work can be tried again, for example because a lost connection is there again. It may wait
  // for that. It is to be called in an exception handler outside of any transaction.
  virtual bool recovered() = 0;
  // Throws the current exception as a StoreError that says "cannot <attempted> …". It is to be called in an exception
  // handler.
  [[noreturn]] virtual void rethrow(std::string_view attempted) = 0;
};

}  // namespace warptune::db
