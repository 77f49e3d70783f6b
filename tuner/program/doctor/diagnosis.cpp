// Lists the checks of the machine, and asks the backends for theirs.
#include "tuner/program/doctor/diagnosis.h"

#include <algorithm>

#include "tuner/program/doctor/look_in_processes.h"

namespace warptune::tuner::doctor {

namespace {

constexpr const char* kernel_check = "kernel";

// Questions hold what is asked, in the order of printing: the names of the checks and, at the same places, how they
// look.
struct Questions {
  std::vector<std::pair<std::string, std::string>> names;  // part, check
  std::vector<Look> looks;

  void add(std::string part, std::string check, Look look) {
    names.emplace_back(std::move(part), std::move(check));
    looks.push_back(std::move(look));
  }
};

void ask_backend(const BackendEntry& backend, const BackendOptions& options, Questions& questions) {
  const std::string part(backend.name);
  const auto self = std::ranges::find(self_examinations(), backend.name, &SelfExamination::backend);
  if (self != self_examinations().end())
    for (const Examination& examination : self->examinations)
      questions.add(part, examination.name, [&] { return examination.examine(options); });
  questions.add(part, kernel_check, [&] { return try_kernel(backend, options); });
}

bool runs_kernels(const Line& line) {
  return line.check == kernel_check && line.finding.health == Health::ok;
}

}  // namespace

const std::vector<Check>& machine_checks() {
  static const std::vector<Check> all = {
      {"HOME", look_at_home},
      {"store", look_at_store},
      {"cache", look_at_cache},
      {"templates", look_at_templates},
      {"temporary", look_at_temporary_files},
      {"disk", look_at_disk},
      {"limits", look_at_process_limits},
  };
  return all;
}

bool Diagnosis::machine_is_fit() const {
  return std::ranges::none_of(
      lines, [](const Line& line) { return line.part == "machine" && line.finding.health == Health::error; });
}

int Diagnosis::count(Health health) const {
  return static_cast<int>(
      std::ranges::count_if(lines, [&](const Line& line) { return line.finding.health == health; }));
}

Diagnosis diagnose(const Surroundings& surroundings) {
  Questions questions;
  for (const BackendEntry& backend : backends()) ask_backend(backend, surroundings.backends, questions);
  for (const Check& check : machine_checks())
    questions.add("machine", check.name, [&] { return check.look(surroundings); });
  const auto answers = look_in_processes(questions.looks, surroundings.patience_s);
  Diagnosis diagnosis;
  for (std::size_t i = 0; i < answers.size(); ++i)
    for (const Finding& finding : answers[i])
      diagnosis.lines.push_back({questions.names[i].first, questions.names[i].second, finding});
  for (const Line& line : diagnosis.lines)
    if (runs_kernels(line) && std::ranges::find(diagnosis.usable, line.part) == diagnosis.usable.end())
      diagnosis.usable.push_back(line.part);
  return diagnosis;
}

}  // namespace warptune::tuner::doctor
