// Implements a prepared statement of a PostgreSQL connection.
#pragma once

#include <optional>

#include "db/postgresql/postgres_engine.h"

namespace warptune::db {

// The server infers the parameters' types from where they stand, so all of them are sent as text, which it reads as
// that type; bytes are sent as they are. The statement is prepared when it first runs, and again on a new connection.
// All rows are read at once.
class PostgresStatement : public Statement {
 public:
  PostgresStatement(PostgresEngine& engine, const std::string& sql, StatementKind kind);

  void bind(int position, const Parameter& value) override;
  bool step() override;
  Changed run() override;
  void reset() noexcept override;
  bool is_null(int column) const override;
  std::int64_t integer(int column) const override;
  double real(int column) const override;
  std::string text(int column) const override;
  std::string bytes(int column) const override;

 private:
  struct Bound {
    std::optional<std::string> text;
    bool bytes = false;
  };
  struct ResultDeleter {
    void operator()(PGresult* result) const { postgres_library().clear(result); }
  };
  using Result = std::unique_ptr<PGresult, ResultDeleter>;

  void prepare();
  void send();
  std::string_view value(int column) const;

  PostgresEngine& engine_;
  StatementKind kind_;
  std::string sql_;  // with $1 …
  std::string name_;
  int prepared_for_ = 0;  // number of the connection; 0: not prepared
  std::vector<Bound> bound_;
  Result result_;
  int row_ = -1;
};

// Numbers the parameters: "a = ? AND b = ?1" becomes "a = $1 AND b = $1". What stands in quotes is left alone.
std::string with_numbered_parameters(std::string_view sql);

}  // namespace warptune::db
