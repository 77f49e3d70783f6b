// Looks again at a candidate that is wrong by the manifest's tolerance in a set of inputs that the tolerance was not
// made for. Where the reference itself overflows, the case is set aside. Else the candidate is wrong if it stays so
// with more room (room.h), and the reference with shaken inputs (shaken.h) does not. Where rounding errors alone change
// what is right, the case is set aside, too.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "tuner/results/judge/combination.h"
#include "tuner/results/judge/judge.h"
#include "tuner/results/judge/room.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::judge {

// Puts a case's inputs into a manifest.
using PutInputs = std::function<Json(const Json& manifest)>;

class SecondLook {
 public:
  // All arguments must outlive this.
  SecondLook(const Kernel& reference, const TuneRequest& run, const std::atomic<bool>& stop);

  // `each` was run with the manifest's own tolerance; `ordinary` is what is expected of the inputs that the manifest
  // describes. Sets in `each` what the case comes to.
  void judge(const Json& manifest, const PutInputs& put, const std::vector<search::ExpectedOutput>& ordinary,
             Case& each);

 private:
  enum class Answer : std::uint8_t { yes, no, unknown };
  // Returns whether the reference with shaken inputs is right with this room.
  Answer is_steady(const Json& manifest, const PutInputs& put, Room room, const Scales& scales, const Case& each);
  const std::optional<Json>& shaken_manifest();

  const Kernel& reference_;
  const TuneRequest& run_;
  const std::atomic<bool>& stop_;
  ScratchFolder folder_;
  bool tried_ = false;
  std::optional<Json> shaken_;
};

}  // namespace warptune::tuner::judge
