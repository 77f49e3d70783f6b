// Declares what work's loop is asked for, tells and leaves: a machine takes submitted sessions from a shared store, one
// after the other, and tunes them. It is apart from work_loop.h because programs that embed the tuner read it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "search/value.h"
#include "tuner/device/backend_options.h"

namespace warptune::tuner {

struct WorkRequest {
  std::filesystem::path store;                // the address of a store on a server
  std::filesystem::path program;              // `warptune`, whose processes tune
  std::string device;                         // one or more, as TuneRequest::device; empty: the best there is
  BackendOptions backend;                     // finds the devices; the sessions find theirs by the environment
  std::vector<std::string> environment = {};  // settings "NAME=VALUE" for the sessions, beside this process's
  bool drain = false;                         // ends when nothing that these devices can serve is queued
  double idle_exit_s = 0;                     // ends after so long without work; 0: never
  double grace_s = 20;  // once it is to stop, seconds for the session to end by itself; then it is killed
};

// WorkEnd says what became of work that was taken.
enum class WorkEnd {
  done,        // tuned; the winner is in the store
  failed,      // it would fail anywhere
  given_back,  // it is in the queue again: this machine, its store or the stop is the reason
  taken_away,  // it was cancelled, or another node took it up
};
std::string_view to_string(WorkEnd end);  // "done", "failed", "given back", "taken away"

// TakenWork is work of the queue that this machine took.
struct TakenWork {
  std::int64_t work = 0;  // its number in the queue
  std::string kernel;
  search::NamedValues problem;  // sizes and variants
  std::int64_t attempts = 0;    // this one included
  WorkEnd end = WorkEnd::done;  // once it has ended
  db::SessionId session = 0;    // in the store; 0: it did not get so far, or has not ended
};

// Hears of work's loop, on the thread that runs it.
class WorkObserver {
 public:
  virtual ~WorkObserver() = default;
  // `worker` is this process's name in the queue, and `devices` are what it offers, as "NVIDIA H200 (cuda, sm_90)".
  virtual void on_offer(const std::string& /*worker*/, const std::vector<std::string>& /*devices*/) {}
  virtual void on_taken(const TakenWork&) {}
  // Is called with lines that a session wrote for people, and with what the store answers if it cannot be reached.
  virtual void on_words(const std::string& /*text*/) {}
  // Tells the best configuration, as JSON, of a session that its store failed; its time is known if it was measured.
  virtual void on_unkept_best(const TakenWork&, const std::string& /*configuration*/,
                              const std::optional<double>& /*time_ms*/) {}
  virtual void on_ended(const TakenWork&) {}
};

}  // namespace warptune::tuner
