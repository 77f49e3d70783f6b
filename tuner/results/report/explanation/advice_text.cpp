// Words each kind of advice.
#include <fmt/format.h>

#include <cmath>

#include "tuner/results/report/explanation/explanation.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner {

namespace {

std::string percents(double share) {
  return fmt::format("{:.{}f} %", 100 * share, share < 0.0095 ? 2 : share < 0.095 ? 1 : 0);
}

std::string edge_text(const Advice& advice) {
  const std::string text = fmt::format("{} = {} is the {} value of the search", advice.parameter,
                                       search::to_text(*advice.value), advice.upper ? "largest" : "smallest");
  const char* beyond = advice.upper ? "larger" : "smaller";
  if (advice.kind == Advice::Kind::edge_unknown)
    return fmt::format("{}. The value beside it was not measured alone: measure that, or let the search have {} ones.",
                       text, beyond);
  const std::string costs = advice.figure >= 1 ? fmt::format("costs {} as much", ratio_text(1 + advice.figure))
                                               : fmt::format("costs {} more", percents(advice.figure));
  return fmt::format("{}, and the value beside it {}. Let the search have {} values.", text, costs, beyond);
}

std::string device_text(const Advice& advice) {
  switch (advice.kind) {
    case Advice::Kind::local_memory:
      return fmt::format(
          "Each thread uses {} bytes of local memory: spilled registers, or arrays that are indexed at run time. "
          "Smaller "
          "tiles per thread avoid it.",
          advice.count);
    case Advice::Kind::idle_device:
      return fmt::format(
          "{} multiprocessors get no block. Smaller tiles, or work that is split further, would use them.",
          advice.count);
    case Advice::Kind::tail:
      return fmt::format(
          "The last wave leaves places on the device empty, {} of all waves' places. Another tile size, or blocks that "
          "stay and take several tiles, would fill them.",
          percents(advice.figure));
    case Advice::Kind::state_work:
      return "The winner has no stated work. With flops and bytes in the manifest's [work], new trials are held "
             "against "
             "the device's roofs.";
    case Advice::Kind::measure_roofs:
      return "The device's roofs are not known: `warptune roofs` measures them once.";
    default:
      return fmt::format("{} of {} is reached. Only a kernel that does less would be much faster.",
                         percents(advice.figure), roof_kind(advice.parameter).title);
  }
}

}  // namespace

std::string advice_text(const Advice& advice) {
  switch (advice.kind) {
    case Advice::Kind::few_trials:
      return fmt::format(
          "{} of {} configurations {} tried: the same `warptune tune` command with a longer --budget goes on with this "
          "session.",
          advice.count, search::to_text(*advice.value), advice.count == 1 ? "was" : "were");
    case Advice::Kind::default_untried:
      return "The default configuration was not measured, or failed: there is nothing to compare the winner with.";
    case Advice::Kind::noisy:
      if (!std::isfinite(advice.figure))
        return "The winner was measured too seldom for the error of its time to be known. A larger --budget leaves the "
               "finals more rounds.";
      return fmt::format(
          "The winner's time is known to {} only, which is beyond the --precision that was asked for. A quieter "
          "device, or a larger --budget, which leaves the finals more rounds, tells more configurations apart.",
          error_text(advice.figure));
    case Advice::Kind::edge:
    case Advice::Kind::edge_unknown:
      return edge_text(advice);
    case Advice::Kind::more_trials:
      return fmt::format("The second half of the trials brought {}. A longer budget may bring more.",
                         percents(advice.figure));
    case Advice::Kind::enough_trials:
      return fmt::format("The second half of the trials brought {}. Expect little of a longer budget.",
                         advice.figure == 0 ? "nothing" : percents(advice.figure));
    case Advice::Kind::neighbours:
      return fmt::format(
          "{} single change{} of the winner {} neither measured nor excluded. A local search tries them.", advice.count,
          advice.count == 1 ? "" : "s", advice.count == 1 ? "is" : "are");
    default:
      return device_text(advice);
  }
}

}  // namespace warptune::tuner
