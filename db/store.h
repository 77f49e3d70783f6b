// Declares the store, which keeps sessions, trials and winners in one SQLite file, or in one database of a PostgreSQL
// server. All SQL of the project is behind this header.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/records.h"
#include "db/store_access.h"

namespace warptune::db {

// A Store is one connection, and not for concurrent use by several threads. Several processes may share a file (WAL): a
// writer waits up to 10 s for another's transaction. Every method that reads or writes the store throws StoreError.
class Store {
 public:
  // `file` is a file, or a server's address (postgresql://user@host/database). ":memory:" is a store without a file,
  // gone with the object. Throws StoreError.
  static Store open(const std::filesystem::path& file, OpenMode mode, Clock clock = std::chrono::system_clock::now);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Returns what a user should know about how the file was opened ("a snapshot: …"); empty if nothing is unusual.
  const std::string& notice() const;
  // Returns a file's absolute path, or an address without a password.
  const std::filesystem::path& file() const;

  // Returns the unfinished or finished session under exactly this key, to be resumed; nothing if there is none.
  std::optional<SessionRecord> find_session(const SessionKey& key) const;
  // Starts a session. The store sets the record's id, times and counts. If the key has a session already (another
  // process was faster), that one's id is returned and nothing changes.
  SessionId create_session(const SessionRecord& session);
  void set_session_state(SessionId session, SessionState state);
  // Records what the session's reference expects of the outputs, as JSON text.
  void record_expected(SessionId session, const std::string& json);
  // Sets which of a session's objectives are maximised (SessionRecord::maximised). It is for callers that know it from
  // the manifest.
  void set_maximised(SessionId session, const std::string& objectives);
  std::optional<SessionRecord> session(SessionId id) const;
  // Changes a session's name, its note or both. Throws StoreError if there is no such session.
  void label(SessionId session, const SessionLabel& label);
  // Takes sessions out, with their trials, winners and checks; all or none. Throws StoreError if one is not there.
  RemovalReport remove(std::span<const SessionId> sessions, Effect effect = Effect::apply);
  StoreSummary summary() const;
  // Returns the sessions that match, in the filter's order; newest first unless it says otherwise.
  std::vector<SessionRecord> history(const HistoryFilter& filter) const;

  // Records a trial. It is committed when this returns, and survives a killed process. On SQLite a power cut may lose
  // the latest trials. A session has one trial for each configuration: a later one replaces the earlier.
  TrialId record(SessionId session, const search::NamedValues& values, const search::Trial& trial);
  // Records many trials at once, all or none. It reads `values`, `trial` and, unless empty, `recorded_at` (imports keep
  // it).
  std::vector<TrialId> record_batch(SessionId session, std::span<const StoredTrial> trials);
  // Records what was counted of a recorded trial afterwards, and its metrics, some of which may follow from that.
  void record_counters(TrialId trial, const search::Counters& counters, const std::map<std::string, double>& metrics);
  // Returns a session's trials in recording order. A trial that was replaced keeps its place and its id.
  std::vector<StoredTrial> trials(SessionId session) const;
  // Returns a page of them. It takes as long for a million trials as for a thousand.
  TrialPage trial_page(SessionId session, const TrialPageRequest& request) const;
  // Returns how many trials there are of each outcome that occurs.
  std::map<search::Outcome, std::int64_t> outcome_counts(SessionId session) const;
  // Returns the trial of this id, whatever its session.
  std::optional<StoredTrial> trial(TrialId id) const;
  // Returns the correct trials, best first: the winner, the other finalists as the finals ranked them, then the others
  // by the primary objective.
  std::vector<StoredTrial> best_trials(SessionId session, std::size_t limit) const;
  // Returns the trial of one configuration, whose values are in the manifest's order.
  std::optional<StoredTrial> find_trial(SessionId session, const search::NamedValues& values) const;

  // Appends a check. Of two checks of a trial in the same millisecond, the later stays.
  void record_check(const TrialCheck& check);
  // Returns the checks of a session's trials, oldest first.
  std::vector<TrialCheck> checks(SessionId session) const;
  // Returns the checks of all sessions that have any, since a time if one is given, oldest first.
  std::map<SessionId, std::vector<TrialCheck>> checks_by_session(const std::string& since = {}) const;

  // Records roofs of the device's model, whatever the driver. There is one of each name; a later one replaces the
  // earlier.
  void record_roofs(const DeviceRecord& device, std::span<const Roof> roofs);
  // Returns the roofs of the device's model by name; empty if they were never measured.
  std::vector<Roof> roofs(const DeviceRecord& device) const;

  // Sets the session's winner, unless it has one that is better founded (winner_rule.h). Returns whether this one was
  // taken.
  bool settle_winner(SessionId session, const Winner& winner);
  // Sets the session's winner, whatever it had. It is for callers that write down what was decided elsewhere.
  void set_winner(SessionId session, const Winner& winner);
  void clear_winner(SessionId session);
  std::optional<Winner> winner(SessionId session) const;
  // Returns the session whose winner was decided last, for each kernel, device and problem size that the filter
  // matches.
  std::vector<BestRecord> best(const HistoryFilter& filter) const;
  // Looks at the sessions that differ from this one in their restrictions alone. Returns the one whose winner takes the
  // least time, if that is less than this one's winner takes. Returns nothing where the objective is not the time.
  std::optional<SessionId> faster_session(SessionId session) const;

  // Takes over another store's sessions, trials and winners, which keep their dates and the store they came from. Of
  // two trials of one configuration under one key the later stays. Repeating it changes nothing.
  MergeReport merge(const std::filesystem::path& other, Effect effect = Effect::apply);
  // Returns everything of one session. Throws StoreError if there is none of this number.
  SessionDump dump(SessionId session) const;
  // Merges these sessions as if a store held them. `source` is stored as the place that the rows came from.
  MergeReport merge(std::span<const SessionDump> sessions, const std::string& source, Effect effect = Effect::apply);
  // Drops sessions without trials (running ones only if nothing happened for `idle`) and the templates of submitted
  // work that has ended, and gives free space back.
  GcReport gc(std::chrono::seconds idle = std::chrono::hours(24), Effect effect = Effect::apply);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptune::db
