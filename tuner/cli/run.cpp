#include <fmt/format.h>
#include <unistd.h>

#include "tuner/cli/interrupt.h"
#include "tuner/cli/limits.h"
#include "tuner/cli/numbers.h"
#include "tuner/cli/trial.h"
#include "tuner/cli/verbs.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/techniques.h"
#include "tuner/kernel/template_file.h"
#include "tuner/report/launch_text.h"
#include "tuner/session/preparation.h"
#include "tuner/workers/scout.h"

namespace warptune::tuner::cli {

namespace {

struct RunArguments {
  std::string kernel;
  std::string size;
  std::vector<std::string> variants;
  std::string configuration;
  std::vector<std::string> parameters;
  std::string technique;
  db::TrialId trial = 0;
  bool no_workers = false;
  bool no_cache = false;
  bool sanitize = false;
  TuneRequest request;
};

struct Task {
  TuneRequest request;
  search::NamedValues configuration;
};

search::NamedValues parse_configuration(const std::string& text) {
  std::vector<std::string> assignments;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    assignments.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parse_assignments("--configuration", assignments);
}

search::NamedValues overridden(search::NamedValues values, const search::NamedValues& by) {
  for (const auto& [name, value] : by) {
    std::erase_if(values, [&chosen = name](const auto& known) { return known.first == chosen; });
    values.emplace_back(name, value);
  }
  return values;
}

// What the user chose by parameters.
search::NamedValues chosen_parameters(const RunArguments& options) {
  return overridden(parse_configuration(options.configuration), parse_assignments("--param", options.parameters));
}

void take_technique(const RunArguments& options, Task& task) {
  if (options.kernel.empty()) throw RequestError("--technique needs the template whose technique it is");
  const KernelTemplate kernel = load_template(task.request.manifest);
  const Technique& technique = find_technique(kernel, options.technique);
  task.configuration = overridden(technique.parameters, task.configuration);
  task.request.variants = overridden(technique.variants, task.request.variants);
}

// The very device if it is here, otherwise one of its model: another model's limits and times would prove nothing.
std::string device_like(const KnownTrial& known, const BackendOptions& options) {
  const db::DeviceRecord& wanted = known.session.key.device;
  const std::string& uuid = known.trial.trial.device_uuid;
  const DeviceList list = workers::Scout(worker_program()).list_devices(options);
  for (const DeviceInfo& device : list.devices)
    if (!uuid.empty() && device.uuid == uuid) return device.id;
  for (const DeviceInfo& device : list.devices) {
    if (device.backend != wanted.backend || device.name != wanted.name) continue;
    if (!uuid.empty()) say(fmt::format("the trial was measured on another {}", wanted.name));
    return device.id;
  }
  throw NoDeviceError(fmt::format("the trial was measured on a {} ({}), which is not here; --device names another",
                                  wanted.name, wanted.backend));
}

void take_from_store(const RunArguments& options, const Context& context, Task& task) {
  const KnownTrial known = find_trial(context, options.trial);
  task.configuration = known.trial.values;
  task.request.sizes = known.session.key.problem_size;
  task.request.variants = known.session.key.variants;
  if (options.kernel.empty()) task.request.manifest = template_of(known.session);
  if (task.request.capture.empty()) task.request.capture = capture_of(known.session);
  if (!task.request.capture.empty()) {  // which brings its own
    task.request.sizes.clear();
    task.request.variants.clear();
  }
  if (task.request.device.empty()) task.request.device = device_like(known, task.request.evaluator.backend);
}

Task make_task(const RunArguments& options, const Context& context) {
  Task task{options.request, chosen_parameters(options)};
  const BackendOptions environment = backend_options();
  task.request.evaluator.backend.library_directories = environment.library_directories;
  task.request.evaluator.backend.cuda_include_directories = environment.cuda_include_directories;
  task.request.evaluator.backend.host_compiler = environment.host_compiler;
  task.request.evaluator.compile_jobs = 1;
  if (!options.no_cache) task.request.evaluator.cache = {default_cache_folder()};
  if (!options.no_workers) task.request.workers = worker_program();
  if (!options.kernel.empty()) task.request.manifest = find_template(options.kernel);
  task.request.sizes = parse_sizes(options.size);
  task.request.variants = parse_variants(text_of_variants(options.variants));
  if (options.trial != 0) take_from_store(options, context, task);
  if (!options.technique.empty()) take_technique(options, task);
  if (task.request.manifest.empty())
    throw RequestError("expected a template with --configuration, or --trial with a number that `warptune show` lists");
  return task;
}

// Becomes compute-sanitizer on this program, which then does everything in its own process.
[[noreturn]] void run_sanitized(const Task& task) {
  std::vector<std::string> command = {"compute-sanitizer",
                                      std::filesystem::read_symlink("/proc/self/exe").string(),
                                      "run",
                                      task.request.manifest.string(),
                                      "--no-workers",
                                      "--configuration",
                                      search::to_text(task.configuration)};
  if (!task.request.capture.empty()) command.insert(command.end(), {"--capture", task.request.capture.string()});
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

void run_run(const RunArguments& options, Context& context) {
  const Task task = make_task(options, context);
  if (options.sanitize) run_sanitized(task);
  const Interrupt interrupt;
  const SingleRun done = run_once(task.request, task.configuration, interrupt.flag());
  for (const std::string& note : done.problem.kernel.notes)
    say(fmt::format("note: {}: {}", done.problem.kernel.shown(done.problem.kernel.manifest).string(), note));
  write_output("", trial_text(done.trial, done.configuration, launches_of(done)));
  if (!done.trial.correct()) context.exit_code = nothing_correct;
  if (interrupt.flag()) context.exit_code = interrupted;
}

}  // namespace

void add_run(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("run", "Compile, verify and measure one configuration once");
  auto options = std::make_shared<RunArguments>();
  verb->add_option("template", options->kernel, "a template's name, folder or manifest; default the trial's");
  auto* trial = verb->add_option("--trial", options->trial, "a trial of the store: its configuration, size and device")
                    ->check(whole(1, INT64_MAX));
  verb->add_option("--configuration", options->configuration, "A=1,B=2; the default's for every other parameter")
      ->excludes(trial);
  verb->add_option("--param", options->parameters, "one parameter, as A=1; repeatable")
      ->take_all()
      ->allow_extra_args(false)
      ->excludes(trial);
  verb->add_option("--technique", options->technique, "a configuration by its name in the template's [techniques]")
      ->excludes(trial);
  verb->add_option("--size", options->size, "problem sizes, as M=1024,N=4k")->excludes(trial);
  verb->add_option("--capture", options->request.capture,
                   "with the sizes and data of a call that an application recorded; default the trial's")
      ->check(CLI::ExistingFile);
  add_variant_option(*verb, options->variants);
  verb->add_option("--preset", options->request.preset, "a set of sizes and variants that the template names")
      ->excludes(trial);
  verb->add_option("--device", options->request.device, "cuda:0, host …; default the trial's, or the best there is");
  verb->add_option("--compile-timeout", options->request.evaluator.backend.compile_timeout_s,
                   "seconds a compile may take")
      ->check(real(1e-3, most_seconds))
      ->capture_default_str();
  verb->add_option("--kernel-timeout", options->request.evaluator.backend.kernel_timeout_s,
                   "seconds a kernel may take; 0: for ever")
      ->check(real(0, most_seconds))
      ->capture_default_str();
  verb->add_option("-I", options->request.include_directories, "a folder of the kernel's headers; repeatable")
      ->take_all();
  verb->add_flag("--no-workers", options->no_workers, "in this process, for a debugger");
  verb->add_flag("--no-cache", options->no_cache, "compile it, even if that was done before");
  verb->add_flag("--sanitize", options->sanitize, "under compute-sanitizer, in one process");
  add_database_option(*verb, context);
  verb->callback([options, &context] { run_run(*options, context); });
}

}  // namespace warptune::tuner::cli
