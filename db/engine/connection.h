// Connects to a store of either kind, keeps prepared statements for reuse and turns errors into StoreErrors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/engine/engine.h"
#include "db/records.h"
#include "db/store_access.h"

namespace warptune::db {

// A Query is a prepared statement in use. Its parameters are bound, and its columns read, from left to right. It resets
// the statement when it goes out of scope.
class Query {
 public:
  explicit Query(Statement& statement) : statement_(statement) {}
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query() { statement_.reset(); }

  Query& bind(std::int64_t value);
  Query& bind(double value);
  Query& bind(const std::string& value);
  Query& bind(std::optional<double> value);
  Query& bind(std::optional<std::int64_t> value);
  Query& bind_doubles(std::span<const double> values);  // keeps every bit
  Query& bind_bytes(std::string_view bytes);
  Query& bind_null();
  Query& bind(const search::Value& value);

  // Moves to the next row, and returns false if there is none. Columns are then read from the first one again.
  bool step();
  // Runs a statement that gives no rows. Returns how many rows it changed.
  std::int64_t run();
  // Runs a query of Connection::upsert().
  Changed upsert();

  std::int64_t integer();
  std::optional<std::int64_t> optional_integer();
  std::string text();
  std::optional<double> optional_real();
  // Reads a REAL column. NULL reads as NaN, because NaN is stored as NULL.
  double real();
  std::vector<double> doubles();
  std::string bytes();
  bool is_null() const;  // of the next column to be read

 private:
  Statement& statement_;
  int bound_ = 0;
  int read_ = 0;
};

class Connection {
 public:
  // `name` is what errors call the store: a file, or an address without its password.
  Connection(std::unique_ptr<Engine> engine, std::filesystem::path name, Clock clock, std::string notice);

  Engine& engine() { return *engine_; }
  const std::filesystem::path& file() const { return name_; }
  const std::string& notice() const { return notice_; }
  std::string now() const;

  // Returns a query of this text. Each text is prepared once, so `sql` should not contain values. Only one Query of a
  // text may be in use at a time.
  Query query(const std::string& sql);
  // Returns a query that inserts a row or updates the one that is there (StatementKind::upsert).
  Query upsert(const std::string& sql);
  // Runs statements without parameters. Returns how many rows the last one changed.
  std::int64_t execute(const std::string& script) { return engine_->execute(script); }

  // Runs `work`. A failure of the engine becomes a StoreError "cannot <attempted> …". The work may run again if the
  // engine recovered from the failure: either all of it was taken back, or it was a single statement that may be
  // repeated.
  template <class Work>
  auto attempt(std::string_view attempted, Work&& work) -> decltype(work()) {
    engine_->start_work();
    for (int tries = 1;; ++tries) {
      try {
        return work();
      } catch (...) {
        give_up_unless_recovered(attempted, tries);
      }
    }
  }

  // Throws StoreError if nobody else could read what is written, for example because the file was deleted or moved.
  void require_in_place(std::string_view attempted) { engine_->require_in_place(attempted); }

  // Runs `work` in one transaction, by default a writing one. A preview is rolled back.
  template <class Work>
  auto transact(std::string_view attempted, Work&& work, Effect effect = Effect::apply,
                Isolation isolation = Isolation::writing) -> decltype(work()) {
    return attempt(attempted, [&] {
      Transaction transaction(*this, isolation);
      auto result = work();
      if (effect == Effect::apply) transaction.commit();
      return result;
    });
  }

  // Runs `work` in a reading transaction, which sees one snapshot of everything, whoever writes meanwhile.
  template <class Work>
  auto look(std::string_view attempted, Work&& work) -> decltype(work()) {
    return transact(attempted, work, Effect::preview, Isolation::reading);
  }

 private:
  Query prepared(const std::string& sql, StatementKind kind);

  // A Transaction rolls back on destruction unless it was committed, so that work that threw leaves no half of itself.
  class Transaction {
   public:
    Transaction(Connection& connection, Isolation isolation);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();
    void commit();

   private:
    Connection& connection_;
    bool open_ = true;
  };

  // Returns if the work may run again, and throws otherwise. It is to be called in an exception handler.
  void give_up_unless_recovered(std::string_view attempted, int tries);

  std::unique_ptr<Engine> engine_;
  std::filesystem::path name_;
  Clock clock_;
  std::string notice_;
  std::map<std::string, std::unique_ptr<Statement>, std::less<>> statements_;
  int transactions_ = 0;
};

// A KeptState keeps a state of the engine switched on while it lives.
class KeptState {
 public:
  KeptState(Connection& connection, EngineState state) : engine_(connection.engine()), state_(state) {
    engine_.set(state_, true);
  }
  KeptState(const KeptState&) = delete;
  KeptState& operator=(const KeptState&) = delete;
  ~KeptState() { engine_.set(state_, false); }

 private:
  Engine& engine_;
  EngineState state_;
};

}  // namespace warptune::db
