// The store: sessions, trials and winners in one SQLite file. Everything SQL of the project is behind this header.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "db/records.h"

namespace warptune::db {

// Says what was attempted, on which file, SQLite's own error name and what to do next.
class StoreError : public std::runtime_error {
 public:
  enum class Kind { cannot_open, read_only, corrupt, newer_schema, disk_full, busy, other };
  StoreError(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

enum class OpenMode {
  read_write,  // creates file and folders, migrates an older schema
  read_only,   // needs no write permission; an older schema is an error that says how to migrate it
};

// One connection; not for concurrent use by several threads. Several processes may share the file (WAL): a writer waits
// up to 10 s for another's transaction.
class Store {
 public:
  // Throws StoreError.
  static Store open(const std::filesystem::path& file, OpenMode mode);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // The unfinished or finished session under exactly this key, to be resumed; nothing if there is none.
  std::optional<SessionRecord> find_session(const SessionKey& key) const;
  // Starts a session: the record's id, times, state and counts are the store's to set.
  SessionId create_session(const SessionRecord& session);
  void set_session_state(SessionId session, const std::string& state);
  std::optional<SessionRecord> session(SessionId id) const;
  // Newest first.
  std::vector<SessionRecord> history(const HistoryFilter& filter) const;

  // Durable when it returns. One trial a configuration and session: a later one replaces the earlier.
  TrialId record(SessionId session, const NamedValues& values, const Trial& trial);
  // In recording order.
  std::vector<StoredTrial> trials(SessionId session) const;

  void set_winner(SessionId session, const Winner& winner);
  std::optional<Winner> winner(SessionId session) const;
  // Newest session with a winner for each device and problem size that the filter matches.
  std::vector<BestRecord> best(const HistoryFilter& filter) const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptune::db
