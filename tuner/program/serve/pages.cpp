// Finds sessions, and lists one more than is asked for, to see whether there are further ones.
#include "tuner/program/serve/pages.h"

#include <charconv>

namespace warptune::tuner::serve {

namespace {

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string reference_of(std::size_t store, db::SessionId session) {
  return store == 0 ? std::to_string(session) : std::to_string(store + 1) + ':' + std::to_string(session);
}

std::optional<db::Located<db::SessionRecord>> find_session(const db::StoreSet& stores, const std::string& reference) {
  const std::size_t colon = reference.find(':');
  const bool located = colon != std::string::npos;
  const auto store = located ? whole_number<std::size_t>(reference.substr(0, colon)) : std::size_t{1};
  const auto id = whole_number<db::SessionId>(located ? reference.substr(colon + 1) : reference);
  if (!store || !id || *store == 0 || *store > stores.size()) return std::nullopt;
  auto session = stores.store(*store - 1).session(*id);
  if (!session) return std::nullopt;
  return db::Located<db::SessionRecord>{std::move(*session), *store - 1};
}

std::string origin(const db::StoreSet& stores, std::size_t store) {
  return stores.size() < 2 ? "" : stores.store(store).file().string();
}

SessionList list_sessions(const db::StoreSet& stores, db::HistoryFilter filter) {
  const std::size_t limit = filter.limit;
  if (limit > 0) ++filter.limit;
  auto found = stores.history(filter);
  SessionList list;
  list.more = limit > 0 && found.size() > limit;
  if (list.more) found.pop_back();
  for (auto& [session, store] : found) {
    list.references.push_back(reference_of(store, session.id));
    list.rows.push_back(history_row(std::move(session), stores.store(store), origin(stores, store)));
  }
  return list;
}

}  // namespace warptune::tuner::serve
