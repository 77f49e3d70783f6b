// Is a kernel right, and is it faster than another? Cases of several sizes and several sets of inputs, each verified as
// a tuning session verifies (tuner/measure/README.md), and at the sizes that were asked for a comparison of times in
// which both kernels take turns. Made for kernels that programs write: nothing of it can be known to the kernel
// beforehand, and what could not be judged is said.
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
  // Each a problem of its own: the same kernel with other data. All of one candidate.
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
  // Device, preset, evaluator and workers.
  TuneRequest run;
};

// One size with one set of inputs.
struct Case {
  Problem problem;
  Inputs inputs = Inputs::as_drawn;
  std::uint64_t seed = 0;
  bool asked_for = false;  // the size; others are near it
  // Empty: the case counts. Else why it does not: the reference itself is not right here, or what it expects would not
  // tell a right kernel from one that computes nothing. A kernel that is wrong all the same is wrong.
  std::string set_aside;
  search::Trial candidate;
  std::vector<search::ExpectedOutput> expected = {};  // empty if nothing came of the reference
  bool reference_failed = false;                      // it is set aside for that

  // By its results, in a case that counts.
  bool is_wrong() const { return set_aside.empty() && candidate.outcome == search::Outcome::wrong_result; }
  // Of all outputs: how many elements there are, and of how many a zero would be wrong.
  std::int64_t elements() const;
  std::int64_t compared() const;
  // The output with the largest allowed error beside its values; null where nothing is expected.
  const search::ExpectedOutput* laxest() const;
};

// 1 is as fast; bounds hold with 95 %, and are infinite or 0 where the time was too short for any.
struct SpeedUp {
  double estimate = 0, low = 0, high = 0;
  bool tied = false;  // not told apart
};

// At a size that was asked for, if both kernels were right there.
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

  // The comparison with the least speed-up.
  const Comparison* slowest() const;
  // Whether the speed-up may be the required one at every size; true without a comparison.
  bool fast_enough() const;
};

// `on_case` is told what comes next, as "n=1023, zeros". Throws ManifestError, RequestError, NoDeviceError,
// DeviceLostError.
Judgement judge(const JudgeRequest& request, const std::atomic<bool>& stop,
                const std::function<void(const std::string&)>& on_case);

// Problems near one: every size less one; every size halved, and one more; every size drawn between these two. Sizes
// under 16 stay, for they are widths of filters and the like, and those that are `fixed`.
std::vector<Problem> near_problems(const Problem& problem, const std::vector<std::string>& fixed, std::uint64_t seed);

// Why so many bytes cannot have been moved in this time, or nothing: more than the device's cache holds, faster than
// its memory interface transfers.
std::string implausibility(const DeviceInfo& device, double bytes, double time_ms);

// The verdict and its reason, from all else.
void conclude(Judgement& judgement);
// What it comes to if it ended before its time: a failure that was seen stays one, and all else is not judged.
void cut_short(Judgement& judgement);

}  // namespace warptune::tuner::judge
