// Shows on a page a session that runs in this program. The session's thread leaves a note of what it is doing, and the
// server's thread picks up the latest whenever a browser can take one. Neither waits for the other: a note is exchanged
// under a lock that is held for the swap of a pointer, and what no browser fetched in time is dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tuner/kernel/kernel_template.h"
#include "tuner/program/serve/http.h"
#include "tuner/session/session.h"

namespace warptune::tuner::serve {

// A note is what is known of a session at one moment.
struct LiveNote {
  std::string title;       // "gemm for M=4096 on NVIDIA H200"; empty until it is known
  std::string reference;   // of the session in the store, likewise
  std::string phase;       // "set-up", "search", "finals", "finished"; "ended": nothing follows
  std::string detail;      // the set-up's step, the finals' round, why it ended
  std::string best;        // the figures of the best configuration
  std::size_t trials = 0;  // of the session, with those of earlier runs
  std::size_t failed = 0;
  double elapsed_s = 0;
  std::optional<double> limit_s;  // of a budget of time
};

class LiveState : public EventSource {
 public:
  // Leaves a note for the page. Any thread may call this.
  void leave(LiveNote note);
  std::string news(std::uint64_t& seen) override;
  std::shared_ptr<const LiveNote> now() const;

 private:
  mutable std::mutex mutex_;  // guards the next two
  std::shared_ptr<const LiveNote> note_ = std::make_shared<LiveNote>();
  std::uint64_t count_ = 1;
};

// Makes notes of what a session tells, and passes everything on to whoever else watches.
class LiveObserver : public SessionObserver {
 public:
  LiveObserver(LiveState& state, SessionObserver& next) : state_(state), next_(next) {}

  // Sets what is known only once the tuning is prepared. The template must live until `finish`.
  void set_tuning(const KernelTemplate& kernel, std::string title, db::SessionId session,
                  const std::optional<double>& limit_s);
  // Leaves a note of how the session went.
  void finish(const SessionResult& result);

  void on_setup(const std::string& step) override;
  void on_expected(const std::vector<search::ExpectedOutput>& outputs, const std::vector<std::string>& notes) override {
    next_.on_expected(outputs, notes);
  }
  void on_resumed(const SessionProgress& progress) override;
  void on_trial(const search::Trial& trial, const SessionProgress& progress) override;
  void on_wait(const SessionProgress& progress) override;
  void on_default_failed(const search::Trial& trial) override;
  bool on_nothing_correct(const SessionProgress& progress, const search::Trial& latest) override;
  void on_finals(std::size_t rounds, std::size_t candidates) override;

 private:
  void update(const SessionProgress& progress);

  LiveState& state_;
  SessionObserver& next_;
  LiveNote note_;
  const KernelTemplate* kernel_ = nullptr;
};

// Returns the page that shows a note, with the report of its session beneath.
std::string live_page(const LiveNote& note);

}  // namespace warptune::tuner::serve
