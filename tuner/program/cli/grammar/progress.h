// Shows the progress of a session on stderr.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tuner/kernel/kernel_template.h"
#include "tuner/program/cli/terminal/display.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

// Shows a session on stderr. A terminal gets lines that are drawn anew (display.h). Elsewhere there is a line for each
// improvement, and now and then one more, at growing intervals.
class Progress : public SessionObserver {
 public:
  Progress();
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sets what is known only once the tuning is prepared. Without it, times are shown alone.
  void set_tuning(const KernelTemplate& kernel, const search::BudgetLimits& limits,
                  const search::NamedValues& sizes = {});
  // Sets which of several problems the following calls are about; `number` counts from 1.
  void set_size(std::size_t number, std::size_t of);

  void on_setup(const std::string& step) override;
  void on_expected(const std::vector<search::ExpectedOutput>& outputs, const std::vector<std::string>& notes) override;
  void on_resumed(const SessionProgress& progress) override;
  void on_trial(const search::Trial& trial, const SessionProgress& progress) override;
  void on_wait(const SessionProgress& progress) override;
  void on_default_failed(const search::Trial& trial) override;
  bool on_nothing_correct(const SessionProgress& progress, const search::Trial& latest) override;
  void on_finals(std::size_t rounds, std::size_t candidates) override;
  void on_counting(std::size_t trial, std::size_t of) override;

  // Removes the display from the terminal.
  void finish();

 private:
  void update(const SessionProgress& progress);
  void draw(bool at_once);
  void say_step();
  void say_if_setup_is_slow(double elapsed_s);

  DisplayState state_;
  const KernelTemplate* kernel_ = nullptr;
  bool interactive_, unicode_;
  double step_began_s_ = 0;
  bool step_said_ = false;
  bool slow_said_ = false;
  std::string smaller_;  // the smaller sizes that a note suggests
  double ready_s_ = 0;   // when the set-up ended, on the session's clock
  double drawn_s_ = 0;
  double said_s_ = 0, quiet_s_;  // the last plain line, and how long after it the next may come
  std::optional<double> best_;
  std::map<std::size_t, std::optional<double>> best_of_size_;  // by problem, since each may come again
};

// Returns how a session spent the user's time: "60.0 s (set-up 2.1 s, search 52.0 s, finals 5.9 s)".
std::string time_text(const SessionResult& result);

// Returns when a session will end, and where that limit comes from.
std::string budget_text(const Tuning& tuning);

}  // namespace warptune::tuner::cli
