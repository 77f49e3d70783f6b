// Opens the stores of a command line, and finds sessions in them by number or name.
#include "tuner/program/cli/grammar/context.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "db/store_address.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/results/report/text/document.h"

namespace warptune::tuner::cli {

namespace fs = std::filesystem;

std::vector<fs::path> Context::named() const {
  return databases.empty() ? std::vector{default_database()} : databases;
}

db::Store Context::open_store(db::OpenMode mode) const {
  db::Store store = db::Store::open(named().front(), mode);
  if (!store.notice().empty()) say(store.notice());
  return store;
}

// Returns the stores to read. The first store and the system's are left out if they do not exist. Further stores that
// --db names must exist.
std::vector<fs::path> Context::readable() const {
  std::vector<fs::path> files = named();
  if (!db::may_exist(files.front())) files.erase(files.begin());
  if (!system_database.empty() && db::may_exist(system_database)) files.push_back(system_database);
  return files;
}

void Context::print(std::string_view verb, const std::string& member, const Table& rows) const {
  const Format chosen = output_format();
  write_output("",
               chosen == Format::json ? text_of(document(verb, member, rows)) : rows.render(chosen, output_width()));
}

db::StoreSet Context::open_stores() const {
  db::StoreSet stores(readable());
  for (std::size_t i = 0; i < stores.size(); ++i)
    if (!stores.store(i).notice().empty()) say(stores.store(i).notice());
  return stores;
}

bool Context::store_exists() const {
  if (!readable().empty()) return true;
  say(fmt::format("nothing has been tuned yet: there is no {}", named().front().string()));
  return false;
}

std::string Context::origin(const db::StoreSet& stores, std::size_t store) const {
  return stores.size() > 1 ? stores.store(store).file().string() : "";
}

bool Context::is_own(const db::Store& store) const {
  return store.file() == db::shown_name(named().front());
}

namespace {

// Finds the only session of this name. People give names, and may give one twice.
db::Located<db::SessionRecord> find_named_session(const std::string& name, const db::StoreSet& stores) {
  db::HistoryFilter filter;
  filter.name = name;
  auto sessions = name.empty() ? std::vector<db::Located<db::SessionRecord>>{} : stores.history(filter);
  if (sessions.size() == 1) return std::move(sessions.front());
  if (sessions.empty())
    throw RequestError(fmt::format("'{}' is no session; expected a number, STORE:NUMBER or a session's name", name));
  std::string numbers;
  for (const auto& [session, store] : sessions)
    numbers +=
        fmt::format("{}{}{}", numbers.empty() ? "" : ", ", store == 0 ? "" : fmt::format("{}:", store + 1), session.id);
  throw RequestError(fmt::format("several sessions are called '{}'; name one by its number: {}", name, numbers));
}

struct SessionNumber {
  std::int64_t store = 1, session = 0;
};

// Parses NUMBER or STORE:NUMBER; returns nothing for a name.
std::optional<SessionNumber> session_number(const std::string& reference) {
  const std::size_t colon = reference.find(':');
  const std::string number = colon == std::string::npos ? reference : reference.substr(colon + 1);
  const search::Value store =
      colon == std::string::npos ? search::Value(std::int64_t{1}) : parse_value(reference.substr(0, colon));
  const search::Value id = parse_value(number);
  if (!std::holds_alternative<std::int64_t>(id) || !std::holds_alternative<std::int64_t>(store)) return std::nullopt;
  return SessionNumber{std::get<std::int64_t>(store), std::get<std::int64_t>(id)};
}

}  // namespace

std::string refusal_of_session_name(const std::string& name) {
  if (!session_number(name)) return {};
  return fmt::format("'{}' would be read as a session's number; a name needs a letter, as run-{}", name, name);
}

db::Located<db::SessionRecord> find_session(const std::string& reference, const db::StoreSet& stores) {
  const auto number = session_number(reference);
  if (!number) return find_named_session(reference, stores);
  const std::int64_t index = number->store - 1;
  if (index >= 0 && static_cast<std::size_t>(index) < stores.size())
    if (auto session = stores.store(static_cast<std::size_t>(index)).session(number->session))
      return {*session, static_cast<std::size_t>(index)};
  throw RequestError(fmt::format("there is no session {}; `warptune history` lists the sessions there are", reference));
}

void add_format_option(CLI::App& verb, Context& context) {
  verb.add_option("--format", context.format, "output format")
      ->check(one_of({"table", "json", "csv"}))
      ->group(group::output)
      ->capture_default_str();
}

void add_database_option(CLI::App& verb, Context& context) {
  verb.add_option("--db", context.databases, "the store: a file or postgresql://…; further stores are read-only")
      ->check(
          [](const std::string& file) { return file.empty() ? "expected a file or an address, found nothing" : ""; })
      ->allow_extra_args(false)
      ->group(group::output)
      ->type_name("FILE");
}

}  // namespace warptune::tuner::cli
