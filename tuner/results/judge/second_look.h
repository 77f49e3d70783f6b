// Looks again at a candidate that is wrong by the manifest's tolerance in a set of inputs that the tolerance was not
// made for. Where the reference itself overflows, the case is set aside. Else the candidate is wrong if it stays so
// with more room, and the reference with shaken inputs does not. Where rounding errors alone change what is right, the
// case is set aside, too.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/kernel/json_values.h"
#include "tuner/results/judge/combination.h"
#include "tuner/results/judge/judge.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::judge {

// Returns the buffers of floating-point numbers that kernels get from the device's memory and read.
std::vector<std::string> shakeable_inputs(const Json& manifest);

// Returns one template of the kernel as it is and of the same with inputs that are changed by a few units in their last
// place; the former is the reference. Where their outputs differ, a candidate's may differ, too, and be right: sums in
// another order and fused operations make errors of that size. Rejected: a bound from the source's text, which knows
// nothing of the values; the kernel in double precision, for which its text would have to be rewritten. Returns nothing
// where there is no input to shake. Writes sources into `folder`. Throws ManifestError, RequestError.
std::optional<Json> shaken(const Kernel& kernel, const std::filesystem::path& folder);

// Room says what may be wrong by how much, in a set of inputs that the manifest's tolerances were not made for. Outputs
// of sets differ in scale, and some depend on their inputs' last digits. Rejected: the square of the inputs' scale, as
// products have it. It covers all that functions with bounds may give, such as a sigmoid's.
enum class Room : std::uint8_t {
  own,    // the manifest's
  rough,  // as the outputs' scale has grown, and half of their type's digits; integers: the next one
  any,    // every finite value
};

// Holds an output's largest magnitude in the set, and in the one that the manifest describes (0: unknown).
struct Scale {
  double here = 0, ordinary = 0;
};
using Scales = std::map<std::string, Scale>;

// Returns the manifest with this room for errors. Outputs that have to be exact stay so; integers too, where no input
// has digits to lose.
Json with_room(Json manifest, Room room, const Scales& scales);

// Returns the manifest with any room for outputs that have to be exact. It is for a kernel that is held against itself
// with other inputs: such outputs tell nothing then.
Json with_exact_outputs_left_out(Json manifest);

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
