// Defines what the store keeps, as plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/session_state.h"
#include "search/trial.h"
#include "search/value.h"

namespace warptune::db {

using SessionId = std::int64_t;
using TrialId = std::int64_t;

// A DeviceRecord is a model of device, not a single device: equal GPUs, also of several machines, share sessions. The
// trial knows which of them it ran on.
struct DeviceRecord {
  std::string backend;               // "cuda", "host", "replay"
  std::string name;                  // "NVIDIA H200"
  std::string architecture;          // "sm_90", "x86_64"
  std::string driver;                // "580.159"; empty if there is none
  search::NamedValues limits;        // as `warptune devices` prints them
  std::int64_t memory_gib = 0;       // rounded; 0 if unknown
  std::int64_t multiprocessors = 0;  // the cores of a host; 0 if unknown

  friend bool operator==(const DeviceRecord&, const DeviceRecord&) = default;
};

// A SessionKey is all that a measurement depends on. Two sessions with equal keys measure the same thing, so one
// resumes the other.
struct SessionKey {
  std::string kernel;                          // the template's name
  DeviceRecord device;                         // limits are kept, but are no part of the key
  std::string compiler;                        // "NVRTC 13.0", "g++ 12.2.0"
  std::string source_hash;                     // of the preprocessed source with its includes
  std::string manifest_hash;                   // of the manifest without comments
  std::string options;                         // compiler options, space-separated
  search::NamedValues problem_size;            // sizes, in the manifest's order (older stores have another)
  search::NamedValues variants = {};           // named choices of the problem (precision …), in the manifest's order
  std::string policy;                          // how it is verified and measured, in one line
  std::string capture = {};                    // hash of a recorded call's data; empty: the template's own data
  std::vector<std::string> restrictions = {};  // further constraints, sorted, each once

  // Returns sizes and variants together, as they are shown.
  search::NamedValues problem() const {
    search::NamedValues all = problem_size;
    all.insert(all.end(), variants.begin(), variants.end());
    return all;
  }
};

struct SessionRecord {
  SessionId id = 0;
  SessionKey key;
  std::string strategy;
  std::uint64_t seed = 0;
  std::string objective;   // "time", or several with commas between: "GFLOP/s,joules"
  std::string space_size;  // decimal; may exceed 64 bits
  std::string started_at;  // UTC, ISO 8601
  std::string updated_at;  // of the latest trial or state change
  SessionState state = SessionState::running;
  std::string tool_version;
  std::int64_t trials = 0;
  std::int64_t correct_trials = 0;
  std::string origin = {};    // what its configurations came from, if not from a search: "revalidated from session 3"
  std::string manifest = {};  // the template's file when it was tuned; it may have moved since
  std::string capture_file = {};               // likewise, of the recorded call that `key.capture` is the hash of
  std::vector<std::string> device_uuids = {};  // of the devices that its trials ran on; the store's to set
  std::string name = {};                       // what people call it; several may have one name
  std::string note = {};
  std::string labelled_at = {};  // when either was last changed; the store's to set
  std::string expected = {};     // what its reference expects of the outputs, as JSON; empty: unknown
  std::string merged_from = {};  // the file that it came in from, if it was recorded elsewhere; the store's to set
  std::string maximised = {};    // those of its objectives of which more is better, with commas between: "GFLOP/s"
};

// Says what a session's figures are: measured here, taken over from elsewhere, or answers of a recording.
enum class SessionKind { measured, imported, replay };
constexpr std::string_view to_string(SessionKind kind) {
  return kind == SessionKind::measured ? "measured" : kind == SessionKind::imported ? "imported" : "replay";
}
inline SessionKind kind_of(const SessionRecord& session) {
  if (session.strategy == "imported" || !session.merged_from.empty()) return SessionKind::imported;
  return session.key.device.backend == "replay" ? SessionKind::replay : SessionKind::measured;
}

// A Roof is what devices of a model reach at most in one respect, as measured by kernels made for that
// (tuner/device/roofline).
struct Roof {
  std::string name;         // "dram", "l2", "shared", "fp32", "fp64", "tensor_bf16", "tensor_tf32"
  double value = 0;         // bytes or operations a second
  std::string method;       // what was run, in words
  std::string driver = {};  // at the time of measuring; the store takes the device's
  std::string device_uuid = {};
  std::string measured_at = {};  // UTC, ISO 8601; now if it is empty
  std::string tool_version = {};

  friend bool operator==(const Roof&, const Roof&) = default;
};

// A SessionLabel says what to change of a session's name and note. What is absent stays as it is.
struct SessionLabel {
  std::optional<std::string> name = {};
  std::optional<std::string> note = {};
};

struct StoredTrial {
  TrialId id = 0;
  SessionId session = 0;
  search::NamedValues values;  // the configuration by name; trial.configuration is empty (indices belong to a space)
  search::Trial trial;
  std::string recorded_at;  // UTC, ISO 8601
};

// A WinnerFinalist is one of the candidates that were measured side by side at the end of a session.
struct WinnerFinalist {
  TrialId trial = 0;
  double objective = 0;  // the middle of its visits
  double relative_error = 0;
  std::int64_t visits = 0;
  // These are its cost over the winner's, less one, and the simultaneous 95 % bounds of that. The bounds are infinite
  // if there were too few visits for them.
  double slower_by = 0, slower_low = 0, slower_high = 0;
  std::optional<double> time_ms = {}, time_error = {};  // the middle of its visits' times; older versions kept none
  std::map<std::string, double> metrics = {};           // of that time
};

struct Winner {
  TrialId trial = 0;
  double objective = 0;                     // as finally measured
  std::optional<double> relative_error;     // of that figure
  std::optional<double> default_objective;  // of the template's default configuration
  std::vector<TrialId> ties;                // not told apart from the winner
  std::vector<WinnerFinalist> finalists;    // as the finals ranked them; empty if there were no finals
  std::string decided_at = {};              // UTC, ISO 8601; the store's to set
  std::optional<TrialId> default_trial = {};
  // These are the settled times (settled.h) of the winner and of the default, with relative errors. The store sets
  // them.
  std::optional<double> time_ms = {}, time_error = {};
  std::optional<double> default_time_ms = {}, default_time_error = {};
  std::int64_t chosen_from = 1;  // number of correct trials, where no finals told them apart; the store's to set
};

// A TrialCheck is a stored configuration measured once more. Checks are kept beside the trial, which they do not
// change.
struct TrialCheck {
  TrialId trial = 0;
  std::string checked_at = {};  // UTC, ISO 8601; now if it is empty
  search::Outcome outcome = search::Outcome::correct;
  std::optional<double> objective = {};  // only if correct
  std::optional<double> relative_error = {};
  std::optional<double> recorded_objective = {};  // what it was compared with
  std::string differs = {};                       // parts of the key that were not the session's, in words
  std::string message = {};
};

// A BestRecord is a row of `warptune best`: a winner with what it belongs to.
struct BestRecord {
  SessionRecord session;
  Winner winner;
  StoredTrial trial;
  std::optional<StoredTrial> default_trial = {};  // the default configuration's, if that was measured
};

// Sessions that are equal in this order are listed newest first.
enum class HistorySort { newest, oldest, updated, kernel, device, driver, size, state, trials };

// A HistoryFilter says what to list. Empty fields match everything.
struct HistoryFilter {
  std::string kernel;
  // This is the name of a device that the store knows, else a part of names; or the whole UUID of a device that trials
  // ran on. Names match in any case (ASCII).
  std::string device;
  std::string backend;
  search::NamedValues problem_size;        // these sizes must be equal, others may be anything
  search::NamedValues variants = {};       // likewise; compared as text
  std::string since;                       // ISO 8601, compared with started_at
  std::string until;                       // inclusive, also as a prefix: "2026-11" is to the end of that month
  std::size_t limit = 0;                   // 0: no limit
  std::size_t offset = 0;                  // rows skipped first, for pages
  std::string driver;                      // the whole version
  std::optional<search::Outcome> outcome;  // at least one trial ended like this
  std::optional<SessionState> state;
  std::string name = {};  // the whole name
  HistorySort sort = HistorySort::newest;
  std::string text = {};  // somewhere in the name, the note, the kernel or the device's name, in any case (ASCII)
  bool checked = false;   // measured again since, at least once
  bool whole_device_name = false;                 // `device` is a name or a UUID, and no part of one
  std::vector<std::string> other_manifests = {};  // none of the sessions of these templates, which share the name
  // If true, one winner is listed for each objective and each recorded call (capture), and not only the latest of all.
  bool each_question = false;
};

// A StoreSummary says what a store is about, for a first look and for lists to choose from.
struct StoreSummary {
  std::vector<std::string> kernels, devices;  // names, sorted
  std::int64_t sessions = 0, trials = 0, winners = 0;
};

// A session's trials are ordered as they were recorded, or the correct ones by their primary objective.
enum class TrialOrder { recorded, best };

// A TrialPageRequest says which of a session's trials are wanted: those behind the trial `after`, or those that end
// before `before`; by default the first.
struct TrialPageRequest {
  TrialOrder order = TrialOrder::recorded;
  std::optional<search::Outcome> outcome;  // only these; ignored in the order `best`
  std::optional<TrialId> after, before;
  std::size_t limit = 100;
};

struct TrialPage {
  std::vector<StoredTrial> trials;
  bool more_before = false, more_after = false;
};

// A MergeReport counts what a merge brought in. All counts are zero when it is repeated.
struct MergeReport {
  std::int64_t sessions_added = 0;
  std::int64_t trials_added = 0;
  std::int64_t trials_replaced = 0;  // the other store's were recorded later
  std::int64_t winners_changed = 0;
  std::int64_t checks_added = 0;
};

// A SessionDump is a session with all that belongs to it, for taking it to another store. Its ids hold within the dump
// only.
struct SessionDump {
  struct DumpedTrial {
    StoredTrial stored;
    std::string store;  // UUID of the store that recorded it first
  };
  SessionRecord session;
  std::string store;  // likewise
  std::vector<DumpedTrial> trials;
  std::optional<Winner> winner;
  std::vector<TrialCheck> checks;
};

// A RemovalReport counts what was removed: sessions, and what went with them.
struct RemovalReport {
  std::int64_t sessions = 0;
  std::int64_t trials = 0;
  std::int64_t winners = 0;
};

struct GcReport {
  std::int64_t sessions_removed = 0;
  std::int64_t templates_removed = 0;  // of submitted work that has ended
  std::int64_t bytes_freed = 0;
};

}  // namespace warptune::db
