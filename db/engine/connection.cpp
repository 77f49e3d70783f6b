// Binds and reads the columns of queries, and decides whether failed work runs again (five times in all at most).
#include "db/engine/connection.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "db/timestamp.h"

namespace warptune::db {

static_assert(std::endian::native == std::endian::little, "samples are stored as little-endian doubles");

Query& Query::bind(std::int64_t value) {
  statement_.bind(++bound_, value);
  return *this;
}

Query& Query::bind(double value) {
  statement_.bind(++bound_, value);
  return *this;
}

Query& Query::bind(const std::string& value) {
  statement_.bind(++bound_, std::string_view(value));
  return *this;
}

Query& Query::bind(std::optional<double> value) {
  return value ? bind(*value) : bind_null();
}

Query& Query::bind(std::optional<std::int64_t> value) {
  return value ? bind(*value) : bind_null();
}

Query& Query::bind_doubles(std::span<const double> values) {
  statement_.bind(++bound_, std::as_bytes(values));
  return *this;
}

Query& Query::bind_bytes(std::string_view bytes) {
  statement_.bind(++bound_, std::as_bytes(std::span(bytes)));
  return *this;
}

Query& Query::bind_null() {
  statement_.bind(++bound_, std::monostate());
  return *this;
}

Query& Query::bind(const search::Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return bind(std::int64_t{*flag});
  if (const auto* number = std::get_if<std::int64_t>(&value)) return bind(*number);
  if (const double* number = std::get_if<double>(&value)) return bind(*number);
  return bind(std::get<std::string>(value));
}

bool Query::step() {
  read_ = 0;
  return statement_.step();
}

std::int64_t Query::run() {
  read_ = 0;
  return statement_.run().rows;
}

Changed Query::upsert() {
  read_ = 0;
  return statement_.run();
}

std::int64_t Query::integer() {
  return statement_.integer(read_++);
}

std::optional<std::int64_t> Query::optional_integer() {
  if (!is_null()) return integer();
  ++read_;
  return std::nullopt;
}

std::string Query::text() {
  return statement_.text(read_++);
}

std::optional<double> Query::optional_real() {
  if (!is_null()) return statement_.real(read_++);
  ++read_;
  return std::nullopt;
}

double Query::real() {
  return optional_real().value_or(std::numeric_limits<double>::quiet_NaN());
}

std::vector<double> Query::doubles() {
  const std::string stored = bytes();
  std::vector<double> values(stored.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), stored.data(), values.size() * sizeof(double));
  return values;
}

std::string Query::bytes() {
  return statement_.bytes(read_++);
}

bool Query::is_null() const {
  return statement_.is_null(read_);
}

Connection::Connection(std::unique_ptr<Engine> engine, std::filesystem::path name, Clock clock, std::string notice)
    : engine_(std::move(engine)), name_(std::move(name)), clock_(std::move(clock)), notice_(std::move(notice)) {}

std::string Connection::now() const {
  return iso8601(clock_());
}

Query Connection::prepared(const std::string& sql, StatementKind kind) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) found = statements_.emplace(sql, engine_->prepare(sql, kind)).first;
  return Query(*found->second);
}

Query Connection::query(const std::string& sql) {
  return prepared(sql, StatementKind::plain);
}

Query Connection::upsert(const std::string& sql) {
  return prepared(sql, StatementKind::upsert);
}

void Connection::give_up_unless_recovered(std::string_view attempted, int tries) {
  constexpr int most_tries = 5;
  try {
    throw;
  } catch (const search::Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const nlohmann::json::type_error& error) {
    constexpr int invalid_utf8 = 316;  // the JSON library's number for it
    if (error.id != invalid_utf8) engine_->rethrow(attempted);
    throw StoreError(StoreError::Cause::other,
                     fmt::format("cannot {} in the store {}: a text is not valid UTF-8 ({}); correct the name or value",
                                 attempted, name_.string(), error.what()));
  } catch (...) {
    // Within a transaction, all of the transaction would have to run again, and only its owner can do that.
    if (transactions_ == 0 && tries < most_tries && engine_->recovered()) return;
    engine_->rethrow(attempted);
  }
}

Connection::Transaction::Transaction(Connection& connection, Isolation isolation) : connection_(connection) {
  connection_.engine_->begin(isolation);
  ++connection_.transactions_;
}

Connection::Transaction::~Transaction() {
  --connection_.transactions_;
  if (!open_) return;
  try {
    connection_.engine_->execute("ROLLBACK");
  } catch (...) {  // the engine has rolled back by itself, or the connection is lost and the transaction with it
  }
}

void Connection::Transaction::commit() {
  connection_.engine_->execute("COMMIT");
  open_ = false;
}

}  // namespace warptune::db
