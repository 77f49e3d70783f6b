// Judges whether a kernel is right, and whether it is faster than another. There are cases of several sizes and several
// sets of inputs, each verified as a tuning session verifies (tuner/measure/README.md). At the sizes that were asked
// for, times are compared while both kernels take turns. This is made for kernels that programs write: a kernel can
// know nothing of its cases beforehand, and what could not be judged is said.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/expected_output.h"
#include "tuner/kernel/problem.h"
#include "tuner/results/judge/combination.h"
#include "tuner/results/judge/inputs.h"
#include "tuner/session/request.h"

namespace warptune::tuner::judge {

struct JudgeRequest {
  // Each is a problem of its own: the same kernel with other data. All are for the one candidate.
  std::vector<Kernel> references;
  std::optional<Kernel> candidate;
  std::vector<Problem> problems;  // sizes and variants over the preset's; none: the preset's
  bool exact_sizes = false;       // no sizes but these
  std::vector<Inputs> inputs = all_inputs();
  std::size_t draws = 2;  // how often inputs are drawn anew, at each size
  std::uint64_t seed = 0;
  std::optional<double> absolute, relative;  // tolerances of floating-point outputs, instead of the manifest's
  double required_speed_up = 1;
  double seconds = 10;  // for the comparison of times at one size, at most; 0: none
  // This gives the device, the preset, the evaluator and the workers.
  TuneRequest run;
};

// A case is one size with one set of inputs.
struct Case {
  Problem problem;
  Inputs inputs = Inputs::as_drawn;
  std::uint64_t seed = 0;
  bool asked_for = false;  // whether this size was asked for; others are near it
  // If this is empty, the case counts. Else it says why not: the reference itself is not right here, or what it expects
  // would not tell a right kernel from one that computes nothing. A kernel that is wrong even by such expectations is
  // wrong.
  std::string set_aside;
  search::Trial candidate;
  std::vector<search::ExpectedOutput> expected = {};  // empty if nothing came of the reference
  bool reference_failed = false;                      // the case is set aside for that

  // Returns whether the candidate's results are wrong in a case that counts.
  bool is_wrong() const { return set_aside.empty() && candidate.outcome == search::Outcome::wrong_result; }
  // Return how many elements all outputs have, and for how many of them a zero would be wrong.
  std::int64_t elements() const;
  std::int64_t compared() const;
  // Returns the output with the largest allowed error beside its values; null where nothing is expected.
  const search::ExpectedOutput* laxest() const;
};

// A speed-up of 1 is as fast. Bounds hold with 95 %, and are infinite or 0 where the time was too short for any.
struct SpeedUp {
  double estimate = 0, low = 0, high = 0;
  bool tied = false;  // not told apart
};

// Compares the times at a size that was asked for, if both kernels were right there.
struct Comparison {
  Problem problem;
  double candidate_ms = 0, reference_ms = 0;
  std::size_t rounds = 0;
  SpeedUp speed_up;
  std::string implausible;  // why the time cannot be true; empty if it may be
};

enum class Verdict : std::uint8_t {
  faster,
  as_fast,
  slower,
  right,        // and there is nothing to compare its time with
  incorrect,    // wrong, crashed, not compiled … in a case that counts
  implausible,  // right, in a time that the device cannot do it in
  not_judged,   // no case counts, or it was interrupted
};
std::string_view to_string(Verdict verdict);

struct Judgement {
  Verdict verdict = Verdict::not_judged;
  std::string reason;  // a sentence or two
  DeviceInfo device;
  std::vector<std::string> kernels;  // the candidate's
  std::string candidate, reference;  // their sources
  std::vector<Case> cases;
  std::vector<Comparison> comparisons;
  std::vector<std::string> notes;
  std::uint64_t seed = 0;
  double required_speed_up = 1;

  // Returns the comparison with the least speed-up; null if there is none.
  const Comparison* slowest() const;
  // Returns whether the speed-up may be the required one at every size; true without a comparison.
  bool fast_enough() const;
};

// `on_case` is told what comes next, as "n=1023, zeros". Throws ManifestError, RequestError, NoDeviceError,
// DeviceLostError.
Judgement judge(const JudgeRequest& request, const std::atomic<bool>& stop,
                const std::function<void(const std::string&)>& on_case);

// Returns problems near one: every size less one; every size halved, and one more; every size drawn between these two.
// Sizes under 16 stay, because they are widths of filters and the like, and so do those that are `fixed`.
std::vector<Problem> near_problems(const Problem& problem, const std::vector<std::string>& fixed, std::uint64_t seed);

// Returns why so many bytes cannot have been moved in this time: they are more than the device's cache holds, and
// faster than its memory interface transfers. It is empty if they can.
std::string implausibility(const DeviceInfo& device, double bytes, double time_ms);

// Sets the verdict and its reason, from all else.
void conclude(Judgement& judgement);
// Sets the verdict of a judgement that ended before its time: a failure that was seen stays one, and all else is not
// judged.
void cut_short(Judgement& judgement);

}  // namespace warptune::tuner::judge
