#include "tuner/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tuner/device/scratch_folder.h"
#include "tuner/judge/case_run.h"
#include "tuner/judge/manifest_json.h"

namespace warptune::tuner::judge {

namespace {

namespace fs = std::filesystem;

// Everything of one of the request's references.
class Problems {
 public:
  Problems(const JudgeRequest& request, const Kernel& reference, const std::atomic<bool>& stop,
           const std::function<void(const std::string&)>& on_case, Judgement& judgement)
      : request_(request), stop_(stop), on_case_(on_case), judgement_(judgement), run_(request.run) {
    Combination combined = combine(reference, request.candidate, folder_.path());
    for (std::string& note : combined.notes)
      if (std::ranges::find(judgement.notes, note) == judgement.notes.end()) judgement.notes.push_back(std::move(note));
    manifest_ = with_tolerances(std::move(combined.manifest));
    for (const Inputs inputs : request.inputs)
      if (changes(manifest_, inputs)) inputs_.push_back(inputs);
    if (inputs_.empty()) inputs_.push_back(Inputs::as_drawn);
    run_.manifest = folder_.path() / "template.toml";
  }

  // Sizes that were asked for first: who is wrong there is wrong.
  void run() {
    write(manifest_);
    std::vector<Problem> asked, near;
    for (const Problem& problem : request_.problems) asked.push_back(resolved(problem));
    if (asked.empty()) asked.push_back(resolved({}));
    if (!request_.exact_sizes && draws_anything())
      for (const Problem& problem : asked)
        for (Problem& each : near_problems(problem, limited_))
          if (std::ranges::find(asked, each) == asked.end() && std::ranges::find(near, each) == near.end())
            near.push_back(std::move(each));
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

  void write(const Json& manifest) const {
    std::ofstream stream(run_.manifest, std::ios::binary);
    stream << toml_text(manifest);
    if (!stream.flush()) throw RequestError(fmt::format("cannot write {}", run_.manifest.string()));
  }

  // With the preset's sizes where none are given; and what is known only with a device.
  Problem resolved(const Problem& problem) {
    TuneRequest request = run_;
    request.sizes = problem.sizes;
    request.variants = problem.variants;
    const PreparedProblem prepared = prepare_problem(request);
    if (prepared.recording) throw RequestError("a recording runs no kernels; name a device that does");
    judgement_.device = prepared.device();
    limited_.clear();
    for (const auto& [name, most] : prepared.kernel.size_limits) limited_.push_back(name);
    return prepared.instance;
  }

  std::size_t draws(Inputs inputs) const {
    return inputs == Inputs::as_drawn && draws_anything() ? std::max<std::size_t>(request_.draws, 1) : 1;
  }

  void judge_problem(const Problem& problem, bool asked_for) {
    bool timed = false;
    for (const Inputs inputs : inputs_)
      for (std::size_t draw = 0; draw < draws(inputs) && !stop_.load(); ++draw) {
        if (hopeless()) return;
        Case each{problem, inputs, request_.seed + draw, asked_for, {}, {}};
        const bool times = asked_for && !timed && request_.seconds > 0 && request_.candidate.has_value();
        on_case_(fmt::format("{}, {}", problem.text(), to_string(inputs)));
        auto comparison = run_with(Room::own, times ? request_.seconds : 0, each);
        if (inputs == Inputs::large && may_need_room(each))
          comparison = run_with(Room::grown, times ? request_.seconds : 0, each);
        if (stop_.load()) return;  // what was cut off is no finding
        if (comparison) judgement_.comparisons.push_back(std::move(*comparison)), timed = true;
        judgement_.cases.push_back(std::move(each));
      }
  }

  std::optional<Comparison> run_with(Room room, double seconds, Case& each) {
    write(with_inputs(manifest_, each.inputs, each.seed, room));
    return run_case(run_, seconds, stop_, each, judgement_.notes);
  }

  bool may_need_room(const Case& each) const {
    const bool differs = !each.set_aside.empty() || each.candidate.outcome == search::Outcome::wrong_result;
    return differs && !stop_.load();
  }

  // What does not compile here compiles nowhere.
  bool hopeless() const {
    return !judgement_.cases.empty() && judgement_.cases.back().set_aside.empty() &&
           judgement_.cases.back().candidate.outcome == search::Outcome::compile_error;
  }

  const JudgeRequest& request_;
  const std::atomic<bool>& stop_;
  const std::function<void(const std::string&)>& on_case_;
  Judgement& judgement_;
  TuneRequest run_;
  ScratchFolder folder_;
  Json manifest_;
  std::vector<Inputs> inputs_;
  std::vector<std::string> limited_;
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

std::vector<Problem> near_problems(const Problem& problem, const std::vector<std::string>& limited) {
  std::vector<Problem> near;
  const auto add = [&](auto&& change) {
    Problem other = problem;
    for (auto& [name, value] : other.sizes) {
      auto* size = std::get_if<std::int64_t>(&value);
      if (size && *size >= 16 && std::ranges::find(limited, name) == limited.end()) *size = change(*size);
    }
    if (other != problem) near.push_back(std::move(other));
  };
  add([](std::int64_t size) { return size - 1; });
  add([](std::int64_t size) { return size / 2 + 1; });
  return near;
}

}  // namespace warptune::tuner::judge
