#pragma once

#include <optional>

#include "tuner/kernel/kernel_template.h"
#include "tuner/session/session.h"

namespace warptune::tuner::cli {

// The session on stderr: one line rewritten on a terminal, a line for each improvement (and now and then) elsewhere.
class Progress : public SessionObserver {
 public:
  // Known only once the tuning is prepared; without it, times are shown alone.
  void set_tuning(const KernelTemplate& kernel, const search::BudgetLimits& limits) {
    kernel_ = &kernel;
    limits_ = limits;
  }
  void on_resumed(const SessionProgress& progress) override;
  void on_trial(const search::Trial& trial, const SessionProgress& progress) override;
  void on_finals(std::size_t rounds, std::size_t candidates) override;
  // Ends the rewritten line.
  void finish();

 private:
  std::string status(const SessionProgress& progress) const;

  search::BudgetLimits limits_;
  const KernelTemplate* kernel_ = nullptr;
  bool interactive_ = false;
  bool line_open_ = false;
  double last_line_s_ = 0;
  std::optional<double> best_;
};

}  // namespace warptune::tuner::cli
