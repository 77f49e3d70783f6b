// Runs the cases of all references and collects what they find.
#include "tuner/results/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "search/random.h"
#include "tuner/results/judge/case_run.h"
#include "tuner/results/judge/manifest_json.h"
#include "tuner/results/judge/second_look.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::judge {

namespace {

namespace fs = std::filesystem;

// Judges all problems of one of the request's references.
class Problems {
 public:
  Problems(const JudgeRequest& request, const Kernel& reference, const std::atomic<bool>& stop,
           const std::function<void(const std::string&)>& on_case, Judgement& judgement)
      : request_(request),
        reference_(reference),
        stop_(stop),
        on_case_(on_case),
        judgement_(judgement),
        run_(request.run),
        look_(reference_, run_, stop_) {
    Combination combined = combine(reference, request.candidate, folder_.path());
    for (std::string& note : combined.notes)
      if (std::ranges::find(judgement.notes, note) == judgement.notes.end()) judgement.notes.push_back(std::move(note));
    manifest_ = with_tolerances(std::move(combined.manifest));
    fixed_sizes_ = std::move(combined.fixed_sizes);
    run_.manifest = folder_.path() / "template.toml";
  }

  // Judges the sizes that were asked for first: a kernel that is wrong there is wrong.
  void run() {
    write_manifest(manifest_, run_.manifest);
    std::vector<Problem> asked, near;
    for (const Problem& problem : request_.problems) asked.push_back(resolved(problem));
    if (asked.empty()) asked.push_back(resolved({}));
    if (!request_.exact_sizes && draws_anything())
      for (const Problem& problem : asked)
        for (Problem& each : near_problems(problem, fixed_sizes_, request_.seed))
          if (std::ranges::find(asked, each) == asked.end() && std::ranges::find(near, each) == near.end())
            near.push_back(std::move(each));
    note_scalars();
    for (const Problem& problem : asked) judge_problem(problem, true);
    for (const Problem& problem : near) judge_problem(problem, false);
  }

 private:
  bool draws_anything() const { return changes(manifest_, Inputs::as_drawn); }

  Json with_tolerances(Json manifest) const {
    for (Json& argument : manifest.at("arguments")) {
      const auto type = element_type_from_string(argument.at("type").get<std::string>());
      const std::string role = argument.value("role", "input");
      if (!type || !is_floating(*type) || (role != "output" && role != "inout")) continue;
      if (request_.absolute) argument["tolerance"]["absolute"] = *request_.absolute;
      if (request_.relative) argument["tolerance"]["relative"] = *request_.relative;
    }
    return manifest;
  }

  // Returns the problem with the preset's sizes where none are given. It also notes the device, and which sizes are
  // limited.
  Problem resolved(const Problem& problem) {
    TuneRequest request = run_;
    request.sizes = problem.sizes;
    request.variants = problem.variants;
    const PreparedProblem prepared = prepare_problem(request);
    if (prepared.recording) throw RequestError("a recording runs no kernels; name a device that does");
    judgement_.device = prepared.device();
    for (const auto& [name, most] : prepared.kernel.size_limits) fixed_sizes_.push_back(name);
    return prepared.instance;
  }

  void note_scalars() {
    const Json drawn = reference_.drafted ? with_other_scalars(manifest_, request_.seed) : manifest_;
    for (const auto& [name, argument] : manifest_.at("arguments").items())
      if (drawn.at("arguments").at(name) != argument)
        judgement_.notes.push_back(
            fmt::format("{} is drawn in every case but the first of a size that was asked for, as no manifest says it; "
                        "there it is {}",
                        name, expression_text(argument.at("value"))));
  }

  std::size_t draws(Inputs inputs) const {
    return inputs == Inputs::as_drawn && draws_anything() ? std::max<std::size_t>(request_.draws, 1) : 1;
  }

  // Returns the ranges of integers to try for this set: those that the reference may bear, the widest first. A range
  // that it did not bear at one size needs no trial at smaller ones. Where the reference fails on the manifest's own
  // inputs, ranges are not at fault.
  std::vector<Ranges> ranges_for(const Problem& problem, Inputs inputs) const {
    if (!reference_.drafted || reference_fails_here_ || (inputs != Inputs::wide && inputs != Inputs::outliers))
      return {Ranges{}};
    std::vector<Ranges> found = wider_ranges(manifest_, problem.values());
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(too_wide_, found.size())));
    found.emplace_back();
    return found;
  }

  void judge_problem(const Problem& problem, bool asked_for) {
    bool timed = false;
    ordinary_.clear();
    reference_fails_here_ = false;
    for (const Inputs inputs : request_.inputs)
      for (std::size_t draw = 0; draw < draws(inputs) && !stop_.load(); ++draw) {
        if (hopeless()) return;
        Case each{problem, inputs, request_.seed + draw, asked_for, {}, {}};
        const bool times = asked_for && !timed && request_.seconds > 0 && request_.candidate.has_value();
        on_case_(fmt::format("{}, {}", problem.text(), to_string(inputs)));
        std::optional<Comparison> comparison;
        if (!judge_case(each, times ? request_.seconds : 0, comparison)) continue;
        if (stop_.load()) return;  // what was cut off is no finding
        if (comparison) judgement_.comparisons.push_back(std::move(*comparison)), timed = true;
        judgement_.cases.push_back(std::move(each));
      }
  }

  // Runs a case and returns whether it was run: where a set changes nothing, it is no case.
  bool judge_case(Case& each, double seconds, std::optional<Comparison>& comparison) {
    for (const Ranges& ranges : ranges_for(each.problem, each.inputs)) {
      if (!changes(manifest_, each.inputs, ranges) && !is_only_case(each.inputs)) continue;
      const PutInputs put = inputs_of(each, ranges);
      comparison = run_case(put(manifest_), run_, seconds, stop_, each, judgement_.notes);
      if (each.reference_failed && !ranges.empty() && !stop_.load()) {
        ++too_wide_;
        continue;
      }
      if (each.inputs == Inputs::as_drawn)
        ordinary_ = each.expected, reference_fails_here_ = each.reference_failed;
      else if (each.is_wrong() && !refuted_by_.contains(each.inputs) && !stop_.load())
        look_again(each, put);
      return true;
    }
    return false;
  }

  // Looks again at a case in which the candidate is wrong. Once it stays wrong in a set of inputs, other cases of the
  // set are not looked at again.
  void look_again(Case& each, const PutInputs& put) {
    look_.judge(manifest_, put, ordinary(each), each);
    if (each.is_wrong()) refuted_by_.insert(each.inputs);
  }

  // Returns the function that puts a case's inputs into a manifest. The first random inputs at a size that was asked
  // for come with the numbers that the draft has.
  PutInputs inputs_of(const Case& each, const Ranges& ranges) const {
    const bool as_drafted = each.asked_for && each.inputs == Inputs::as_drawn && each.seed == request_.seed;
    const bool draws_scalars = reference_.drafted && !as_drafted;
    return [inputs = each.inputs, seed = each.seed, ranges, draws_scalars](const Json& manifest) {
      Json with = with_inputs(manifest, inputs, seed, ranges);
      return draws_scalars ? with_other_scalars(std::move(with), seed + static_cast<std::uint64_t>(inputs)) : with;
    };
  }

  // Returns what is expected at this size of the inputs that the manifest describes.
  const std::vector<search::ExpectedOutput>& ordinary(const Case& each) {
    if (ordinary_.empty()) {
      Case plain{each.problem, Inputs::as_drawn, request_.seed, false, {}, {}};
      run_case(inputs_of(plain, {})(manifest_), run_, 0, stop_, plain, judgement_.notes);
      ordinary_ = plain.expected;
    }
    return ordinary_;
  }

  // Returns whether this is the only case: data of which nothing is drawn is run once, as it is.
  bool is_only_case(Inputs inputs) const {
    return inputs == request_.inputs.front() &&
           std::ranges::none_of(request_.inputs, [this](Inputs each) { return changes(manifest_, each); });
  }

  // Returns whether the candidate did not compile in the latest case: then it compiles nowhere.
  bool hopeless() const {
    return !judgement_.cases.empty() && judgement_.cases.back().set_aside.empty() &&
           judgement_.cases.back().candidate.outcome == search::Outcome::compile_error;
  }

  const JudgeRequest& request_;
  const Kernel& reference_;
  const std::atomic<bool>& stop_;
  const std::function<void(const std::string&)>& on_case_;
  Judgement& judgement_;
  TuneRequest run_;
  ScratchFolder folder_;
  SecondLook look_;
  Json manifest_;
  std::vector<std::string> fixed_sizes_;
  std::size_t too_wide_ = 0;                      // how many of the ranges for integers the reference did not bear
  std::vector<search::ExpectedOutput> ordinary_;  // expected outputs of the problem that is judged
  bool reference_fails_here_ = false;             // with the inputs that the manifest describes
  std::set<Inputs> refuted_by_;
};

}  // namespace

Judgement judge(const JudgeRequest& request, const std::atomic<bool>& stop,
                const std::function<void(const std::string&)>& on_case) {
  if (request.references.empty()) throw RequestError("there is nothing to judge");
  Judgement judgement;
  judgement.seed = request.seed;
  judgement.required_speed_up = request.required_speed_up;
  for (const Kernel& reference : request.references) Problems(request, reference, stop, on_case, judgement).run();
  conclude(judgement);
  if (stop.load()) cut_short(judgement);
  return judgement;
}

std::vector<Problem> near_problems(const Problem& problem, const std::vector<std::string>& fixed, std::uint64_t seed) {
  std::vector<Problem> near;
  const auto add = [&](auto&& change) {
    Problem other = problem;
    for (auto& [name, value] : other.sizes) {
      auto* size = std::get_if<std::int64_t>(&value);
      if (size && *size >= 16 && std::ranges::find(fixed, name) == fixed.end()) *size = change(*size);
    }
    if (other != problem && std::ranges::find(near, other) == near.end()) near.push_back(std::move(other));
  };
  search::Rng rng(seed);
  add([](std::int64_t size) { return size - 1; });
  add([](std::int64_t size) { return size / 2 + 1; });
  // Sizes are drawn from the upper half, so that much is left in which a kernel can be wrong.
  add([&](std::int64_t size) {
    return size - 2 - static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(size) / 2 - 3));
  });
  return near;
}

}  // namespace warptune::tuner::judge
