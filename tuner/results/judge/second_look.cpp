// Runs the candidate with more room, and the reference against itself with shaken inputs.
#include "tuner/results/judge/second_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/results/judge/case_run.h"
#include "tuner/results/judge/shaken.h"

namespace warptune::tuner::judge {

namespace {

Scales scales_of(const std::vector<search::ExpectedOutput>& here, const std::vector<search::ExpectedOutput>& ordinary) {
  Scales scales;
  for (const search::ExpectedOutput& output : here) {
    const auto known = std::ranges::find(ordinary, output.name, &search::ExpectedOutput::name);
    scales[output.name] = {output.largest(), known == ordinary.end() ? 0 : known->largest()};
  }
  return scales;
}

// Says so if the reference writes NaN or infinity for these inputs and not for the manifest's, because then it does not
// bear these inputs. Else the text is empty.
std::string overflow_of(const std::vector<search::ExpectedOutput>& here,
                        const std::vector<search::ExpectedOutput>& ordinary) {
  for (const search::ExpectedOutput& output : here) {
    const auto known = std::ranges::find(ordinary, output.name, &search::ExpectedOutput::name);
    if (known == ordinary.end()) continue;
    const bool nan = output.nan > 0 && known->nan == 0, infinite = output.infinite > 0 && known->infinite == 0;
    if (nan || infinite)
      return fmt::format("the reference itself writes {} to {} here, and a kernel that does not may be the better one",
                         nan ? "NaN" : "infinity", output.name);
  }
  return {};
}

}  // namespace

SecondLook::SecondLook(const Kernel& reference, const TuneRequest& run, const std::atomic<bool>& stop)
    : reference_(reference), run_(run), stop_(stop) {}

void SecondLook::judge(const Json& manifest, const PutInputs& put, const std::vector<search::ExpectedOutput>& ordinary,
                       Case& each) {
  each.set_aside = overflow_of(each.expected, ordinary);
  if (!each.set_aside.empty()) return;
  const Scales scales = scales_of(each.expected, ordinary);
  std::vector<std::string> notes;
  for (const Room room : {Room::rough, Room::any}) {
    Case again = each;
    run_case(put(with_room(manifest, room, scales)), run_, 0, stop_, again, notes);
    if (stop_.load()) return;
    each = std::move(again);
    if (!each.is_wrong()) return;
    const Answer steady = is_steady(manifest, put, room, scales, each);
    if (steady == Answer::yes || (steady == Answer::unknown && room == Room::any)) return;
  }
  each.set_aside =
      "the reference's own outputs change by more than any tolerance when its inputs change in their last digits";
}

const std::optional<Json>& SecondLook::shaken_manifest() {
  if (!std::exchange(tried_, true)) shaken_ = shaken(reference_, folder_.path());
  return shaken_;
}

SecondLook::Answer SecondLook::is_steady(const Json& manifest, const PutInputs& put, Room room, const Scales& scales,
                                         const Case& each) try {
  if (shakeable_inputs(manifest).empty()) return Answer::yes;
  if (!shaken_manifest()) return Answer::unknown;
  Json own = *shaken_manifest();
  for (const auto& [name, argument] : own.at("arguments").items())
    if (manifest.at("arguments").at(name).contains("tolerance"))
      argument["tolerance"] = manifest.at("arguments").at(name).at("tolerance");
  TuneRequest run = run_;
  run.manifest = folder_.path() / "template.toml";
  Case itself = each;
  std::vector<std::string> notes;
  run_case(put(with_exact_outputs_left_out(with_room(own, room, scales))), run, 0, stop_, itself, notes);
  if (itself.reference_failed) return Answer::unknown;
  if (itself.candidate.correct()) return Answer::yes;
  return itself.candidate.outcome == search::Outcome::wrong_result ? Answer::no : Answer::unknown;
} catch (const search::Error& error) {
  if (error.kind() == search::ErrorKind::device_lost || error.kind() == search::ErrorKind::no_device) throw;
  return Answer::unknown;
}

}  // namespace warptune::tuner::judge
