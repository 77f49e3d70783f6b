// Implements `warptune run`, which compiles, verifies and measures one configuration once.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "search/assignments.h"
#include "tuner/device/backends/device_choice.h"
#include "tuner/device/compile/compiler_log.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/manifest/techniques.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/crash_hint.h"
#include "tuner/measure/metrics/metrics.h"
#include "tuner/measure/verification/expected_outputs.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/shared_cache.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/measuring.h"
#include "tuner/program/cli/tuning/shared_text.h"
#include "tuner/program/cli/tuning/tracked.h"
#include "tuner/program/cli/tuning/trial.h"
#include "tuner/results/check/policy_text.h"
#include "tuner/results/report/text/counters_report.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/report/text/launch_view.h"
#include "tuner/session/preparation.h"
#include "tuner/system/child.h"
#include "tuner/system/scratch_folder.h"

namespace warptune::tuner::cli {

namespace {

struct RunArguments {
  std::string kernel;
  std::string size;
  std::vector<std::string> variants;
  std::string configuration;
  std::vector<std::string> parameters;
  std::string technique;
  std::string as = "automatic";
  int samples = 0;  // exactly so many; 0: as many as the policy's precision needs
  db::TrialId trial = 0;
  bool no_workers = false;
  bool kernel_timeout_given = false;
  bool no_cache = false;
  bool sanitize = false;
  bool count = false;
  TuneRequest request;
};

struct Task {
  TuneRequest request;
  search::NamedValues configuration;
};

search::NamedValues overridden(search::NamedValues values, const search::NamedValues& by) {
  for (const auto& [name, value] : by) {
    std::erase_if(values, [&chosen = name](const auto& known) { return known.first == chosen; });
    values.emplace_back(name, value);
  }
  return values;
}

// Returns what the user chose by --configuration and --param.
search::NamedValues chosen_parameters(const RunArguments& options) {
  search::NamedValues values = parse_assignment_list("--configuration", options.configuration);
  std::vector<std::string> parameters;
  for (const std::string& text : options.parameters) {
    if (text.empty()) throw std::invalid_argument("--param: expected NAME=VALUE, and nothing was given");
    for (std::string& one : search::split_assignments(text)) parameters.push_back(std::move(one));
  }
  return overridden(std::move(values), parse_assignments("--param", parameters));
}

void take_technique(const RunArguments& options, Task& task) {
  if (options.kernel.empty()) throw RequestError("--technique needs the template whose technique it is");
  const KernelTemplate kernel = load_template(task.request.manifest);
  const Technique& technique = find_technique(kernel, options.technique);
  task.configuration = overridden(technique.parameters, task.configuration);
  task.request.variants = overridden(technique.variants, task.request.variants);
}

void take_from_store(const RunArguments& options, const Context& context, Task& task) {
  const KnownTrial known = find_trial(context, options.trial);
  task.configuration = known.trial.values;
  request_again(known, task.request);
  if (const auto policy = policy_from_text(known.session.key.policy); policy && options.as == "automatic")
    task.request.evaluator.policy.as = policy->as;
}

// Sets the policy to exactly so many samples. Its precision and time no longer end the sampling.
void take_samples(int samples, MeasurePolicy& policy) {
  policy.min_samples = policy.max_samples = samples;
  policy.max_seconds = most_seconds;
}

Task make_task(const RunArguments& options, const Context& context) {
  Task task{options.request, chosen_parameters(options)};
  const BackendOptions environment = backend_options();
  task.request.evaluator.backend.library_directories = environment.library_directories;
  task.request.evaluator.backend.cuda_include_directories = environment.cuda_include_directories;
  task.request.evaluator.backend.host_compiler = environment.host_compiler;
  task.request.evaluator.compile_jobs = 1;
  task.request.evaluator.policy.as = launch_as_from_string(options.as);
  if (options.samples != 0) take_samples(options.samples, task.request.evaluator.policy);
  if (!options.no_cache) task.request.evaluator.cache = cache_of_user();
  if (!options.no_workers) task.request.workers = worker_program();
  if (!options.kernel.empty()) task.request.manifest = find_template(options.kernel);
  say_if_not_own(options.kernel, task.request.manifest);
  task.request.sizes = parse_sizes(options.size);
  task.request.variants = parse_variants(text_of_variants(options.variants));
  if (options.trial != 0) take_from_store(options, context, task);
  if (!task.configuration.empty() && options.trial == 0 && !options.kernel.empty())
    require_known_values(load_template(task.request.manifest), task.configuration);
  if (!options.technique.empty()) take_technique(options, task);
  if (task.request.manifest.empty())
    throw CLI::RequiredError("a template to run, or --trial with a number that `warptune show` lists,");
  return task;
}

// Replaces this process by compute-sanitizer, which runs this program again with everything in one process.
[[noreturn]] void run_sanitized(const Task& task) {
  std::vector<std::string> command = {"compute-sanitizer",
                                      "--error-exitcode",
                                      std::to_string(nothing_correct),
                                      std::filesystem::read_symlink("/proc/self/exe").string(),
                                      "run",
                                      task.request.manifest.string(),
                                      "--no-workers"};
  if (!task.configuration.empty())
    command.insert(command.end(), {"--configuration", search::to_text(task.configuration)});
  if (!task.request.capture.empty()) command.insert(command.end(), {"--capture", task.request.capture.string()});
  if (!task.request.preset.empty()) command.insert(command.end(), {"--preset", task.request.preset});
  if (!task.request.sizes.empty()) command.insert(command.end(), {"--size", search::to_text(task.request.sizes)});
  if (!task.request.variants.empty())
    command.insert(command.end(), {"--variant", search::to_text(task.request.variants)});
  if (!task.request.device.empty()) command.insert(command.end(), {"--device", task.request.device});
  for (const auto& folder : task.request.include_directories) command.insert(command.end(), {"-I", folder.string()});
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  throw NoDeviceError("cannot run compute-sanitizer: it comes with the CUDA toolkit; is it in the PATH?");
}

std::string launches_of(const SingleRun& done) {
  try {
    return launches_text(done.problem.kernel, scope_of(done.problem.constants, done.configuration));
  } catch (const std::exception&) {  // what cannot be computed is what the trial's message is about
    return {};
  }
}

bool is_for_host(const TuneRequest& request) {
  const DeviceList list = workers::FirstWorker(worker_program()).list_devices(request.evaluator.backend);
  return choose_devices(list, request.device).front().is_host();
}

void show_tracked(const TrackedRun& run, bool counts, Context& context) {
  if (counts)
    show_counts(run, context);
  else
    show_findings(run, context);
}

// Runs a configuration in this process on the host backend, which looks at every access itself.
void run_tracked_here(const RunArguments& options, const Task& task, Context& context) {
  TuneRequest request = task.request;
  if (request.device.empty()) request.device = "host";
  std::optional<OthersOnStderr> printf_of_kernels(std::in_place);
  const auto end_late = [&](const TrackedRun& run) {
    printf_of_kernels.reset();
    show_tracked(run, options.count, context);
    std::fflush(nullptr);
    std::_Exit(nothing_correct);
  };
  const TrackedRun run = track_once(request, task.configuration, {options.sanitize, options.count, end_late});
  printf_of_kernels.reset();
  show_tracked(run, options.count, context);
}

// Says what ended the process of a tracked run. Throws WorkloadError if it was a reference or a fill of the user's, and
// returns a run that crashed if it was the kernel.
TrackedRun crashed(const Task& task, const std::string& step, int status) {
  const std::string end = describe_end(status) + crash_hint(step, WTERMSIG(status), Accesses::tracked);
  if (!step.empty())
    throw WorkloadError(fmt::format("{} crashed when it was run on the host: its process {}", step, end));
  TrackedRun run{search::Outcome::crash, "the kernel crashed on the host: its process " + end};
  run.configuration = overridden(load_template(task.request.manifest).default_values, task.configuration);
  return run;
}

// Does a tracked run in a process of its own. A reference that is not tracked, a division by zero or a stack that
// overflows would otherwise end the program before it had said anything. The process is forked, so that the child goes
// on where the program is. (Rejected: a signal handler that reports. It would run on a kernel's stack, with the crash's
// locks held.)
void run_tracked(const RunArguments& options, Task task, Context& context) {
  if (options.no_workers) return run_tracked_here(options, task, context);
  SharedText step;  // what of the user's code the child is about to run
  Child child = Child::fork(ChildGroup::ours, [&] {
    task.request.evaluator.backend.on_step = [&](const std::string& what, bool) { step.set(what); };
    run_tracked_here(options, task, context);
    return static_cast<int>(context.exit_code);
  });
  const int status = child.reap();
  if (!WIFSIGNALED(status)) {
    context.exit_code = static_cast<ExitCode>(WEXITSTATUS(status));  // it has said everything
    return;
  }
  ScratchFolder::remove_all_of(child.pid());
  show_tracked(crashed(task, step.get(), status), options.count, context);
}

// Says why nothing was counted. Rows of counters have no place for what kept them from being read.
void say_why_not_counted(const search::Trial& trial) {
  if (!trial.correct()) return say(fmt::format("{}: {}", to_string(trial.outcome), failure_text(trial)));
  if (trial.counters && !trial.counters->failure.empty()) say("nothing was counted: " + trial.counters->failure);
}

void show_run(const SingleRun& done, const Context& context) {
  switch (context.output_format()) {
    case Format::json: {
      Json json = document("run");
      json.update(json_of(done.trial, done.configuration));
      json["expected_outputs"] = json_of(done.expected);
      return write_output("", text_of(json));
    }
    case Format::csv:
      say_why_not_counted(done.trial);
      return write_output("", counter_table(done.trial.counters.value_or(search::Counters{})).render(Format::csv));
    case Format::table:
      return write_output("", trial_text(done.trial, done.configuration, launches_of(done), done.expected));
  }
}

void say_impossible_metrics(const SingleRun& done) {
  const PreparedProblem& problem = done.problem;
  const search::NamedValues scope = scope_of(problem.constants, done.configuration);
  for (const auto& [name, why] : impossible_metrics(problem.kernel, scope, problem.device()))
    say(fmt::format("note: the metric {} has no value here: {}", name, why));
}

void run_run(const RunArguments& options, Context& context) {
  const Task task = make_task(options, context);
  if (options.count && !task.request.device.empty() && !is_for_host(task.request))
    throw RequestError("--count is the host backend's: say --device host; on a GPU, --counters reads the hardware's");
  if (options.count || (options.sanitize && is_for_host(task.request))) return run_tracked(options, task, context);
  if (context.output_format() == Format::csv && !task.request.counters)
    throw std::invalid_argument("run has --format csv only with --count, --counters, or --sanitize on the host");
  if (context.output_format() == Format::json && options.sanitize)
    throw std::invalid_argument("on a GPU, --sanitize prints what compute-sanitizer says: it has no --format json");
  if (options.sanitize) run_sanitized(task);
  if (options.no_workers && options.kernel_timeout_given && is_for_host(task.request))
    say("note: with --no-workers nothing can end a kernel on the host: --kernel-timeout has no effect");
  const Interrupt interrupt;
  const SingleRun done = run_once(task.request, task.configuration, interrupt.flag());
  for (const std::string& note : notes_on(done.problem.kernel, done.problem.device().backend)) say("note: " + note);
  for (const std::string& note : notes_on(done.problem.kernel, done.expected)) say("note: " + note);
  show_run(done, context);
  say_impossible_metrics(done);
  say_if_header_is_missing(done.trial);
  if (!done.trial.correct()) context.exit_code = nothing_correct;
  if (interrupt.flag()) context.exit_code = interrupted;
}

void add_task_options(CLI::App& verb, RunArguments& options) {
  verb.option_defaults()->group(group::problem);
  auto* trial = verb.add_option("--trial", options.trial, "a trial of the store: its configuration, size, device")
                    ->check(whole(1, INT64_MAX))
                    ->type_name("TRIAL");
  verb.add_option("--param", options.parameters, "set one parameter; the others keep their defaults")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE")
      ->excludes(trial);
  verb.add_option("--configuration", options.configuration, "set all parameters, as A=1,B=2")
      ->type_name("VALUES")
      ->excludes(trial);
  verb.add_option("--technique", options.technique, "a named configuration of the template")
      ->type_name("NAME")
      ->excludes(trial);
  add_size_option(verb, options.size);
  verb.get_option("--size")->excludes(trial);
  add_variant_option(verb, options.variants);
  add_preset_option(verb, options.request.preset);
  verb.get_option("--preset")->excludes(trial);
  verb.add_option("--capture", options.request.capture, "a call that an application recorded")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  verb.add_option("--device", options.request.device,
                  "cuda:0, host, host:sm_90 (with that GPU's limits) …; default: the best available")
      ->type_name("DEVICE");
}

void add_running_options(CLI::App& verb, RunArguments& options) {
  BackendOptions& backend = options.request.evaluator.backend;
  verb.option_defaults()->group(group::measuring);
  verb.add_option("--samples", options.samples, "take exactly N samples; default: as many as ± 1 % needs")
      ->check(whole(1, 1'000'000))
      ->type_name("N");
  add_deployment_options(verb, options.as, options.request.evaluator.policy);
  verb.add_option("--kernel-timeout", backend.kernel_timeout_s, "time limit of one kernel; 0: none")
      ->check(real(0, most_seconds))
      ->type_name("SECONDS")
      ->each([&options](const std::string&) { options.kernel_timeout_given = true; })
      ->capture_default_str();
  verb.add_flag("--no-workers", options.no_workers,
                "run everything in this process, for a debugger; host kernels then have no time limit");
  auto* sanitize = verb.add_flag("--sanitize", options.sanitize,
                                 "find races in shared memory and out-of-bounds accesses; on a GPU only the latter, "
                                 "with compute-sanitizer's memcheck")
                       ->excludes("--samples");
  verb.add_flag("--count", options.count,
                "on the host: count memory accesses, sectors, bank conflicts, divergent branches")
      ->excludes(sanitize)
      ->excludes("--samples");
  verb.add_flag("--counters", options.request.counters,
                "run it again to read hardware counters: cache and memory traffic, occupancy, stalls")
      ->excludes(sanitize)
      ->excludes("--count");
  verb.option_defaults()->group(group::compiling);
  verb.add_option("--compile-timeout", backend.compile_timeout_s, "time limit of one compilation")
      ->check(real(1e-3, most_seconds))
      ->type_name("SECONDS")
      ->capture_default_str();
  add_include_option(verb, options.request.include_directories, "a folder of the kernel's headers");
  verb.add_flag("--no-cache", options.no_cache, "compile it even if it is in the cache");
}

}  // namespace

void add_run(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("run", "Compile, verify and measure one configuration once");
  auto options = std::make_shared<RunArguments>();
  verb->add_option("template", options->kernel, "a template's name, folder or manifest")->type_name("TEMPLATE");
  add_task_options(*verb, *options);
  add_running_options(*verb, *options);
  add_format_option(*verb, context);
  add_database_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(
      *verb, {{"the default configuration, without a GPU", "warptune run vector_add --device host"},
              {"one parameter changed, another size", "warptune run vector_add --param BLOCK_SIZE=128 --size SIZE=1M"},
              {"what a warp's accesses become", "warptune run transpose --preset effects --device host --count"},
              {"what the hardware counts of a run", "warptune run transpose --counters"},
              {"a trial of the store once more", "warptune run --trial 42"}});
  verb->callback([options, &context] { run_run(*options, context); });
}

}  // namespace warptune::tuner::cli
