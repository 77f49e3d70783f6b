// The interface to the two databases that hold stores: SQLite, embedded in a file, and PostgreSQL, shared over a
// network. All SQL is written once, in words that both know; what only one of them has is behind this header. Rejected:
// two stores behind one interface, which would be every query twice; a library of drivers (SOCI, ODBC), which hides
// just what the store has to say about errors, locks and bits.
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

// A prepared statement. Parameters are written as ? or ?1, and counted from 1; columns are counted from 0.
class Statement {
 public:
  // NULL, a number, text, or bytes.
  using Parameter = std::variant<std::monostate, std::int64_t, double, std::string_view, std::span<const std::byte>>;

  virtual ~Statement() = default;
  virtual void bind(int position, const Parameter& value) = 0;  // copies
  virtual bool step() = 0;                                      // the next row, or false
  virtual void reset() noexcept = 0;                            // to be bound and run again
  virtual std::int64_t changes() const = 0;                     // rows that the last run changed
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  virtual std::string text(int column) const = 0;
  virtual std::string bytes(int column) const = 0;
};

// What a transaction may see and do.
enum class Isolation {
  reading,  // one view of everything, whoever writes meanwhile
  writing,  // beside other writers where the engine has several
  alone,    // no other transaction writes: for work that looks at many rows and then changes them
};

// States that last until they are taken back.
enum class EngineState {
  resting_triggers,  // triggers that keep counts do nothing
  synced_commits,    // commits reach the disk itself, together with all before
};

// One connection. Failures are exceptions of its own, which rethrow() makes StoreErrors of.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Statement> prepare(const std::string& sql) = 0;
  // Statements without parameters, separated by semicolons. Rows that the last one changed.
  virtual std::int64_t execute(const std::string& script) = 0;
  virtual void begin(Isolation isolation) = 0;  // ends with COMMIT or ROLLBACK
  virtual void set(EngineState state, bool on) = 0;
  // Called when a piece of work begins: what one piece may cost is counted from here.
  virtual void start_work() = 0;
  // Throws StoreError if what is written would be lost to everyone else.
  virtual void require_in_place(std::string_view attempted) = 0;
  // In a handler, outside any transaction: whether the same work can be tried again, as behind a connection that was
  // lost and is there again. May wait for that.
  virtual bool recovered() = 0;
  // In a handler: throws the current exception as a StoreError that says "cannot <attempted> …".
  [[noreturn]] virtual void rethrow(std::string_view attempted) = 0;
};

}  // namespace warptune::db
