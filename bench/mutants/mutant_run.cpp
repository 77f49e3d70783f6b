#include "bench/mutants/mutant_run.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tuner/device/backends/device_choice.h"
#include "tuner/device/device_error.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/measure/measurer.h"
#include "tuner/measure/trial_runner.h"

namespace warptune::tuner::mutants {

namespace {

// A kernel hangs after so long, and something else does after all of it: compilers on a busy machine are only slow.
constexpr unsigned hang_seconds = 60, hang_seconds_in_all = 900;

// The exit codes of the process that judges.
constexpr int passed = 0, objected = 10, broken = 20;

// "A=1,B=x" over the template's defaults.
search::NamedValues configuration_of(const KernelTemplate& kernel, const std::string& text) {
  search::NamedValues values = kernel.default_values;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    const auto parameter = std::ranges::find(kernel.parameters, item.substr(0, equals), &search::Parameter::name);
    if (parameter == kernel.parameters.end()) throw std::runtime_error(fmt::format("no parameter in '{}'", item));
    const auto value = std::ranges::find(parameter->values, item.substr(equals + 1),
                                         [](const search::Value& known) { return search::to_text(known); });
    if (value == parameter->values.end()) throw std::runtime_error(fmt::format("no such value: '{}'", item));
    values[static_cast<std::size_t>(parameter - kernel.parameters.begin())].second = *value;
    begin = end + 1;
  }
  return values;
}

search::Trial run(const KernelTemplate& kernel, const search::NamedValues& sizes,
                  const search::NamedValues& configuration, const DeviceInfo& info) {
  const BackendEntry& backend = backend_of(info);
  const auto compiler = backend.compiler(info, {});
  const search::NamedValues constants = problem_constants(sizes, info);
  const search::NamedValues scope = scope_of(constants, configuration);
  search::Trial trial;
  const CompileResult result = compiler->compile(compile_request(kernel, info.backend, configuration, scope));
  if (!result.code) throw std::runtime_error("the mutant does not compile: " + result.log);
  const auto device = backend.open(info, {});
  Workload workload(kernel, constants, *device, *compiler, {}, true);
  MeasurePolicy policy;
  policy.min_samples = policy.max_samples = 1;
  policy.warmup_seconds = policy.min_sample_ms = 0;
  alarm(hang_seconds);
  TrialRunner(kernel, workload, *device, policy, [] { return 0.0; }).run(*result.code, scope, Purpose::trial, trial);
  alarm(hang_seconds_in_all);
  return trial;
}

// Of many sizes less, or the reference would take minutes.
Problem equal_sizes(const KernelTemplate& kernel) {
  const std::int64_t each = kernel.sizes.size() > 4 ? 33 : 257;
  Problem equal{kernel.sizes};
  for (auto& [name, value] : equal.sizes) {
    const auto limit = kernel.size_limits.find(name);
    value = limit == kernel.size_limits.end() ? each : std::min(each, limit->second);
  }
  for (const search::Parameter& variant : kernel.variants)
    equal.variants.emplace_back(variant.name, variant.values.back());
  return equal;
}

// The values of each problem. Without sizes of the bug's own: the preset's; equal ones with the last of all variants;
// on what is wider than a CPU the template's own too, at which a grid has more blocks than the device holds at once.
std::vector<search::NamedValues> problems_of(const KernelTemplate& kernel, const Bug& bug, const DeviceInfo& device) {
  const std::string preset = kernel.presets.contains("host") ? "host" : "";
  std::vector<search::NamedValues> all{resolve_problem(kernel, preset, parse_problem(bug.sizes)).values()};
  if (bug.sizes.empty()) all.push_back(equal_sizes(kernel).values());
  if (!device.is_host()) all.push_back(resolve_problem(kernel, "", {}).values());
  return all;
}

// In the process of its own: the exit code, after writing what there is to say.
int examine(const std::filesystem::path& manifest, const Bug& bug, const std::string& device, int report) {
  const auto say = [&](const std::string& text) {
    const ssize_t written = write(report, text.data(), std::min<std::size_t>(text.size(), 4000));
    return written >= 0;
  };
  try {
    const KernelTemplate kernel = load_manifest(manifest);
    const DeviceInfo info = choose_device(device, {});
    const search::NamedValues configuration = configuration_of(kernel, bug.configuration);
    for (const search::NamedValues& sizes : problems_of(kernel, bug, info)) {
      const search::SearchSpace space = build_space(kernel, problem_constants(sizes, info));
      const auto point = space.find(configuration);
      if (!point || !space.contains(*point)) continue;
      const search::Trial trial = run(kernel, sizes, configuration, info);
      if (trial.outcome == search::Outcome::correct) continue;
      say(fmt::format("{}: {}", to_string(trial.outcome), trial.message));
      return objected;
    }
    return passed;
  } catch (const DeviceError& error) {
    say(fmt::format("{}: {}", to_string(error.outcome()), error.what()));
    return error.sticky() ? objected : broken;  // the mutant took the device's context with it
  } catch (const std::exception& error) {
    say(error.what());
    return broken;
  }
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(descriptor, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(descriptor);
  return text;
}

}  // namespace

MutantResult judge(const std::filesystem::path& manifest, const Bug& bug, const std::string& device) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(fmt::format("pipe failed: {}", std::strerror(errno)));
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("fork failed: {}", std::strerror(errno)));
  if (child == 0) {
    close(ends[0]);
    alarm(hang_seconds_in_all);
    _exit(examine(manifest, bug, device, ends[1]));
  }
  close(ends[1]);
  const std::string said = read_all(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return {true, WTERMSIG(status) == SIGALRM ? "hung" : fmt::format("ended by {}", strsignal(WTERMSIG(status)))};
  if (WEXITSTATUS(status) == passed) return {false, ""};
  if (WEXITSTATUS(status) == objected) return {true, said};
  throw std::runtime_error(said);
}

}  // namespace warptune::tuner::mutants
