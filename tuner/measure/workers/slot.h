// A place for one worker: starts it, listens to it, and replaces it when it crashes, hangs or talks nonsense.
#pragma once

#include <poll.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tuner/measure/workers/process.h"

namespace warptune::tuner::workers {

using nlohmann::json;

// How a worker ended.
struct End {
  int status = 0;          // as waitpid gives it
  bool timed_out = false;  // it was killed because it took too long
  std::string last_words;  // the end of what it printed
  std::string fault;       // why the program ended it, other than for its time; empty: it did not

  // "was killed by SIGSEGV (segmentation fault); its last words: …"
  std::string text() const;
};

class Slot {
 public:
  // A worker that has been stopped for so long in all while it was waited for is continued, and from then on its time
  // counts.
  explicit Slot(const Program& program, double most_stopped_s = 10)
      : program_(program), most_stopped_s_(most_stopped_s) {}
  virtual ~Slot() = default;
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  // What to wait for; `serve` gets the same list with the answers.
  void add_to(std::vector<pollfd>& polled);
  // Everything there is to do now.
  void serve(const std::vector<pollfd>& polled);
  // The worker has been killed, and the system still takes it apart: look again soon.
  bool dying() const { return dying_ != nullptr; }
  // Its worker, for another session (crew.h); the slot is of no more use then. Nothing if there is none.
  std::unique_ptr<Process> hand_over() { return std::move(process_); }

 protected:
  virtual std::unique_ptr<Process> begin();  // a new worker, with its set-up requested
  virtual void on_answer(const json& answer, std::string payload) = 0;
  virtual void on_end(const End& end) = 0;

  void request(const json& request, std::string payload = {});
  // The next answer must come within so many seconds; 0: whenever. Only time counts in which both the worker and this
  // program ran: not that of a worker in a debugger, of one that was stopped and continued, of a suspended machine.
  void expect_within(double seconds);
  // Kills the worker; `on_end` follows when it is gone, and then another one is started unless `retire` was called.
  void end(bool timed_out, std::string fault = {});
  void retire() { retired_ = true; }
  bool running() const { return process_ != nullptr; }

 private:
  void listen();
  void bury();
  bool late();
  bool waits_for_stopped();

  const Program& program_;
  double most_stopped_s_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Process> dying_;
  std::size_t first_polled_ = 0;
  double limit_s_ = 0;  // of the next answer; 0: none
  double left_s_ = 0;   // of the limit
  double looked_s_ = 0;
  double stopped_s_ = 0;  // of this answer's worker
  bool renewed_ = false;  // the limit was, for something that it waits for
  std::string fault_;
  double dying_since_s_ = 0;
  bool timed_out_ = false;
  bool retired_ = false;
};

}  // namespace warptune::tuner::workers
