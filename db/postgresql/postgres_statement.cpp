// Writes parameters as text, and parses the text of results.
#include "db/postgresql/postgres_statement.h"

#include <array>
#include <charconv>
#include <cmath>

namespace warptune::db {

namespace {

// Returns a number as text, or nothing for NaN. A whole number is written without a point: beside JSON and integers the
// same text has to do for 64 and 64.0. NaN is kept as NULL and -0.0 as 0.0, as SQLite keeps them, so that a store means
// the same in both.
std::optional<std::string> real_text(double number) {
  if (std::isnan(number)) return std::nullopt;
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::abs(number) < exact && number == std::trunc(number))
    return std::to_string(static_cast<std::int64_t>(number));
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return std::string(buffer.data(), end);
}

int hex_digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

template <class Number>
Number parsed(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("expected a number, found " + std::string(text));
  return number;
}

}  // namespace

std::string with_numbered_parameters(std::string_view sql) {
  std::string text;
  int last = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '\'') quoted = !quoted;
    if (quoted || sql[i] != '?') {
      text += sql[i];
      continue;
    }
    text += '$';
    const bool numbered = i + 1 < sql.size() && sql[i + 1] >= '0' && sql[i + 1] <= '9';
    if (!numbered) text += std::to_string(++last);
  }
  return text;
}

// A row that an upsert inserted has no deleting transaction; one that it updated has this one.
PostgresStatement::PostgresStatement(PostgresEngine& engine, const std::string& sql, StatementKind kind)
    : engine_(engine), kind_(kind), sql_(with_numbered_parameters(sql)) {
  if (kind == StatementKind::upsert) sql_ += " RETURNING id, CASE WHEN xmax = 0 THEN 1 ELSE 0 END";
}

void PostgresStatement::bind(int position, const Parameter& value) {
  if (bound_.size() < static_cast<std::size_t>(position)) bound_.resize(static_cast<std::size_t>(position));
  Bound& bound = bound_[static_cast<std::size_t>(position - 1)];
  bound = {};
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    bound.text = std::to_string(*number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    bound.text = real_text(*real);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    bound.text = std::string(*text);
    // Text on the server cannot hold the character 0, so U+FFFD takes its place.
    for (std::size_t at = 0; (at = bound.text->find('\0', at)) != std::string::npos;)
      bound.text->replace(at, 1, "\xef\xbf\xbd");
  } else if (const auto* bytes = std::get_if<std::span<const std::byte>>(&value)) {
    bound.text.emplace(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    bound.bytes = true;
  }
}

void PostgresStatement::prepare() {
  if (prepared_for_ == engine_.connection_number()) return;
  name_ = engine_.new_statement_name();
  const PostgresLibrary& pq = postgres_library();
  const Result result(pq.prepare(engine_.handle(), name_.c_str(), sql_.c_str(), 0, nullptr));
  engine_.require(result.get());
  prepared_for_ = engine_.connection_number();
}

void PostgresStatement::send() {
  prepare();
  std::vector<const char*> values;
  std::vector<int> lengths, formats;
  for (const Bound& bound : bound_) {
    values.push_back(bound.text ? bound.text->c_str() : nullptr);
    lengths.push_back(bound.text ? static_cast<int>(bound.text->size()) : 0);
    formats.push_back(bound.bytes ? 1 : 0);
  }
  constexpr int as_text = 0;
  Result result(postgres_library().execPrepared(engine_.handle(), name_.c_str(), static_cast<int>(bound_.size()),
                                                values.data(), lengths.data(), formats.data(), as_text));
  engine_.require(result.get());
  result_ = std::move(result);
}

bool PostgresStatement::step() {
  if (!result_) send();
  return ++row_ < postgres_library().ntuples(result_.get());
}

void PostgresStatement::reset() noexcept {
  result_.reset();
  row_ = -1;
  bound_.clear();
}

Changed PostgresStatement::run() {
  step();
  const std::string_view count = postgres_library().cmdTuples(result_.get());
  Changed changed{.rows = count.empty() ? 0 : parsed<std::int64_t>(count)};
  if (kind_ == StatementKind::upsert) changed.id = integer(0), changed.added = integer(1) != 0;
  return changed;
}

bool PostgresStatement::is_null(int column) const {
  return postgres_library().getisnull(result_.get(), row_, column) != 0;
}

std::string_view PostgresStatement::value(int column) const {
  const PostgresLibrary& pq = postgres_library();
  return {pq.getvalue(result_.get(), row_, column),
          static_cast<std::size_t>(pq.getlength(result_.get(), row_, column))};
}

// NULL reads as 0, as from SQLite.
std::int64_t PostgresStatement::integer(int column) const {
  return is_null(column) ? 0 : parsed<std::int64_t>(value(column));
}

double PostgresStatement::real(int column) const {
  const std::string_view text = value(column);
  if (text == "Infinity" || text == "-Infinity") return text.front() == '-' ? -INFINITY : INFINITY;
  return text == "NaN" ? NAN : parsed<double>(text);
}

std::string PostgresStatement::text(int column) const {
  return std::string(value(column));
}

// Reads bytes from "\x3ff0…", which has two digits for each byte.
std::string PostgresStatement::bytes(int column) const {
  std::string_view digits = value(column);
  if (digits.starts_with("\\x")) digits.remove_prefix(2);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(hex_digit(digits[i]) << 4 | hex_digit(digits[i + 1]));
  return bytes;
}

}  // namespace warptune::db
