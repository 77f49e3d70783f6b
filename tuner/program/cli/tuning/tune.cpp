// Implements `warptune tune`, which searches for the fastest configuration of a kernel template.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/progress.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/neighbours.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/agent.h"
#include "tuner/program/cli/tuning/measuring.h"
#include "tuner/program/cli/tuning/page_server.h"
#include "tuner/program/cli/tuning/tune_arguments.h"
#include "tuner/program/cli/tuning/tune_report.h"
#include "tuner/program/cli/tuning/tune_sizes.h"
#include "tuner/program/doctor/disk.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/session/replay.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::cli {

namespace {

void announce(const Tuning& tuning) {
  for (const std::string& note : notes_on(tuning.kernel(), tuning.device().backend)) say("note: " + note);
  std::string devices;
  for (const DeviceInfo& device : tuning.devices()) devices += (devices.empty() ? "" : ", ") + device.id;
  say(fmt::format("tuning {}{} on {} ({})", tuning.kernel().name, for_problem(tuning.problem()), devices,
                  tuning.device().name));
  say(budget_text(tuning));
  say(fmt::format("{} of {} configurations are valid; strategy {}, seed {}, session {}",
                  search::to_text(tuning.space().size()), tuning.space().cartesian_text(), tuning.request().strategy,
                  tuning.request().seed, tuning.id()));
  if (!tuning.transferred().empty())
    say(fmt::format("beginning from {}; --transfer off begins from nothing", text_of(tuning.transferred())));
}

// Says whose session goes on. A kernel, size, device and way of measuring have one session, whoever began it.
void say_whose_session_goes_on(const Tuning& tuning) {
  if (!tuning.continued()) return;
  const db::SessionRecord& before = *tuning.continued();
  const TuneRequest& request = tuning.request();
  if (before.strategy != request.strategy || before.seed != request.seed)
    say(
        fmt::format("note: session {} was begun by strategy {} with seed {}, and its trials count here, too; another "
                    "--db keeps runs apart",
                    before.id, before.strategy, before.seed));
  if (!request.name.empty() && !before.name.empty() && before.name != request.name)
    say(fmt::format("note: session {} was called {}; it is called {} now", before.id, before.name, request.name));
}

void say_if_temporary_folder_is_ignored() {
  const char* temporary = std::getenv("TMPDIR");
  if (const std::string ignored = doctor::why_ignored(temporary ? temporary : ""); !ignored.empty())
    say("note: " + ignored);
}

// Says if the cache cannot be written. A session goes on without it, but each later one compiles everything again.
void say_if_nothing_is_kept(const CacheOptions& cache) {
  if (cache.folder.empty()) return;
  if (const std::string why_not = doctor::why_not_writable(cache.folder); !why_not.empty())
    say(
        fmt::format("note: compiled configurations are not kept, for {} cannot be used ({}); name another folder in "
                    "XDG_CACHE_HOME",
                    cache.folder.string(), why_not));
}

double cpu_s(std::clock_t since) {
  return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

void run_tune(const TuneArguments& options, Context& context) {
  TuneRequest request = make_request(options);
  request.started = context.started;
  request.agents = open_agents(options.agents);
  if (!options.sizes.empty() && !request.same_bits_as.empty() && request.same_bits_as != "default")
    throw RequestError("--same-bits-as SESSION is of one problem's outputs; with --sizes, only default can be meant");
  if (!options.sizes.empty() && names_recording(request.device))
    throw RequestError("a recording is of one problem; leave --sizes out");
  if (!names_recording(request.device)) say_if_temporary_folder_is_ignored();
  if (!names_recording(request.device)) say_if_nothing_is_kept(request.evaluator.cache);
  if (!options.sizes.empty()) {
    const KernelTemplate kernel = load_template(request.manifest);
    return tune_sizes(request, read_problems(options.sizes, kernel), kernel, options.serve, context);
  }
  db::Store store = context.open_store(db::OpenMode::read_write);
  const Interrupt interrupt;
  Progress progress;
  LivePage live(options.serve, context);
  Tuning tuning(request, store, interrupt.flag(), &live.watch(progress));
  progress.set_tuning(tuning.kernel(), tuning.request().budget, tuning.problem().sizes);
  live.set_tuning(tuning);
  announce(tuning);
  say_whose_session_goes_on(tuning);
  const Neighbours neighbours(tuning.devices(), tuning.kernel().name);
  const std::clock_t start = std::clock();
  const db::SessionRecord begun = store.session(tuning.id()).value();
  try {
    tuning.session().run();
  } catch (...) {
    // Whatever ended the session, what was measured until then is worth showing; the reason follows from main.
    progress.finish();
    live.finish(tuning.session().result());
    report_with_or_without(store, tuning, begun, tuning.session().result(), context);
    throw;
  }
  progress.finish();
  live.finish(tuning.session().result());
  const SessionResult& result = tuning.session().result();
  const std::size_t trials = result.trials.size() - result.resumed;
  say(fmt::format("{} in {}: {}", counted(trials, "trial"), time_text(result), result.reason));
  if (const std::string notes = tuning.notes(); !notes.empty() && trials > 0)
    say(fmt::format("{}; the program's own time was {:.0f} µs a trial; it waited {:.0f} µs a trial for the strategy",
                    notes, cpu_s(start) * 1e6 / double(trials), result.asking_s * 1e6 / double(trials)));
  for (const std::string& notice : tuning.notices()) say(notice);
  for (const std::filesystem::path& file : tuning.changed_files())
    say(fmt::format("{} changed during the session, which measured it as it was at its start", file.string()));
  report(tuning, result, store, context);
}

void add_compiling_options(CLI::App& verb, TuneArguments& options) {
  add_compile_options(verb, options.request.evaluator);
  verb.option_defaults()->group(group::compiling);
  add_include_option(verb, options.request.include_directories, "a folder of the kernel's headers");
  verb.add_flag("--no-cache", options.no_cache, "compile everything, keep nothing");
  verb.add_option("--cache-limit", options.cache_limit, "maximum size of the cache")
      ->type_name("BYTES")
      ->capture_default_str();
  add_shared_cache_options(verb, options.shared_cache);
}

void add_problem_options(CLI::App& verb, TuneArguments& options) {
  verb.option_defaults()->group(group::problem);
  add_size_option(verb, options.size);
  verb.add_option("--sizes", options.sizes, "many problems, one a line: M=512 N=512")
      ->check(CLI::ExistingFile)
      ->type_name("FILE")
      ->excludes("--size");
  add_variant_option(verb, options.variants);
  add_preset_option(verb, options.request.preset);
  verb.add_option("--capture", options.request.capture, "a call that an application recorded")
      ->check(CLI::ExistingFile)
      ->type_name("FILE");
  verb.add_option("--device", options.request.device,
                  "cuda:0, cuda:all, host, host:sm_90 (with that GPU's limits) …; default: the best available")
      ->type_name("DEVICE");
  add_restrict_option(verb, options.request.restrictions);
  verb.add_option("--name", options.request.name, "a name for the session; `show` and --name accept it")
      ->check(refusal_of_session_name)
      ->type_name("TEXT");
}

}  // namespace

void add_tune(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("tune", "Search for the fastest configuration of a kernel template");
  auto options = std::make_shared<TuneArguments>();
  verb->add_option("template", options->kernel, "a template's name, folder or manifest")->type_name("TEMPLATE");
  add_problem_options(*verb, *options);
  add_search_options(*verb, *options);
  add_measuring_options(*verb, *options);
  add_compiling_options(*verb, *options);
  verb->add_option("--serve", options->serve,
                   "show the session in a browser while it runs, at [ADDRESS:]PORT; default: a free port")
      ->expected(0, 1)
      ->type_name("PORT")
      ->group(group::output);
  verb->add_option(
          "--agents", options->agents,
          "let other machines join with `warptune agent`, at [ADDRESS:]PORT; default: a free port on all addresses")
      ->expected(0, 1)
      ->type_name("PORT")
      ->group(group::measuring);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(*verb, {{"a first try, without a GPU", "warptune tune vector_add --device host --budget 30s"},
                       {"a size and a variant of your own",
                        "warptune tune gemm --size M=4k,N=4k --variant PRECISION=double --budget 5m"},
                       {"a part of the space, searched in another way",
                        "warptune tune gemm --restrict 'TILE_K == 16' --strategy genetic"},
                       {"on a recording, an hour's tuning in a second",
                        "warptune tune --device replay:A100.json.gz --budget 1h"}});
  verb->callback([options, &context] { run_tune(*options, context); });
}

}  // namespace warptune::tuner::cli
