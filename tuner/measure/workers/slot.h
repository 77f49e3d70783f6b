// Declares a place for one worker: it starts the worker, listens to it, and replaces it when it crashes, hangs or sends
// something invalid.
#pragma once

#include <poll.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tuner/measure/workers/process.h"

namespace warptune::tuner::workers {

using nlohmann::json;

// Describes how a worker ended.
struct End {
  int status = 0;          // as waitpid gives it
  bool timed_out = false;  // it was killed because it took too long
  std::string last_words;  // the end of what it printed
  std::string fault;       // why the program ended it, apart from a time-out; empty: it did not

  // Returns a text such as "was killed by SIGSEGV (segmentation fault); its last words: …".
  std::string text() const;
};

class WorkerSlot {
 public:
  // `most_stopped_s` is how long in all a worker may be stopped while it is waited for. After that it is continued, and
  // its time counts from then on.
  explicit WorkerSlot(const Program& program, double most_stopped_s = 10)
      : program_(program), most_stopped_s_(most_stopped_s) {}
  virtual ~WorkerSlot() = default;
  WorkerSlot(const WorkerSlot&) = delete;
  WorkerSlot& operator=(const WorkerSlot&) = delete;

  // Adds what to wait for. `serve` gets the same list with the results.
  void add_to(std::vector<pollfd>& polled);
  // Does everything that can be done now.
  void serve(const std::vector<pollfd>& polled);
  // Returns whether the worker has been killed but the system has not removed it yet. The caller should look again
  // soon.
  bool dying() const { return dying_ != nullptr; }
  // Returns the worker, for another session (IdleWorkers); null if there is none. The slot cannot be used afterwards.
  std::unique_ptr<Process> hand_over() { return std::move(process_); }

 protected:
  virtual std::unique_ptr<Process> begin();  // a new worker, with its set-up requested
  virtual void on_answer(const json& answer, std::string payload) = 0;
  virtual void on_end(const End& end) = 0;

  void request(const json& request, std::string payload = {});
  // Sets a time limit in seconds for the next answer; 0: none. Only time counts in which both the worker and this
  // program ran. Time in a debugger, while stopped, or while the machine is suspended does not count.
  void expect_within(double seconds);
  // Kills the worker. `on_end` is called when it is gone, and then another one is started unless `retire` was called.
  void end(bool timed_out, std::string fault = {});
  void retire() { retired_ = true; }
  bool running() const { return process_ != nullptr; }

 private:
  void listen();
  void reap_process();
  bool late();
  bool waits_for_stopped();

  const Program& program_;
  double most_stopped_s_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Process> dying_;
  std::size_t first_polled_ = 0;
  double limit_s_ = 0;  // the time limit of the next answer; 0: none
  double left_s_ = 0;   // what is left of the limit
  double looked_s_ = 0;
  double stopped_s_ = 0;  // how long the worker was stopped during this answer
  bool renewed_ = false;  // the limit was renewed once, because a process that the worker waits for was stopped
  std::string fault_;
  double dying_since_s_ = 0;
  bool timed_out_ = false;
  bool retired_ = false;
};

}  // namespace warptune::tuner::workers
