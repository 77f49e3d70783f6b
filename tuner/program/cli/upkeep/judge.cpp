// Implements `warptune judge`, which says whether a kernel is right, and whether it is faster than another, for whoever
// lets programs write kernels.
#include "tuner/results/judge/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/kernel/draft/init.h"
#include "tuner/kernel/files/named_file.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/measure/verification/workload.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/shared_cache.h"
#include "tuner/program/cli/templates/init.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/measuring.h"
#include "tuner/results/report/judge_report.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cli {

namespace {

namespace fs = std::filesystem;

struct JudgeArguments {
  std::string candidate, against;
  std::string configuration, reference_configuration;
  judge::Kernel launch, reference_launch;  // what the options say
  std::vector<std::string> data, sizes, variants, inputs;
  std::string tolerance;
  std::optional<std::uint64_t> seed;
  bool no_cache = false;
  judge::JudgeRequest request;
};

judge::Kernel from_manifest(const fs::path& file) {
  judge::Kernel kernel;
  kernel.file = file;
  kernel.manifest = text_of_named_file(file);
  return kernel;
}

// Returns the manifest beside a source, if it is that source's.
std::optional<fs::path> own_manifest(const fs::path& source) {
  const fs::path manifest = source.parent_path() / "template.toml";
  std::error_code error;
  if (!is_file(manifest)) return std::nullopt;
  return fs::equivalent(load_manifest(manifest).source, source, error) ? std::optional(manifest) : std::nullopt;
}

// Returns a source's kernel with the manifest that `init` would write.
judge::Kernel drafted(const fs::path& source, const fs::path& reference, const judge::Kernel& said) {
  judge::Kernel kernel;
  kernel.file = source.parent_path() / "template.toml";
  // The draft is for any size: what a kernel does outside of whole blocks is for the judgement to say.
  draft::InitResult draft =
      draft::describe_source({source, reference, kernel.file, said.name, "manifest.schema.json", true});
  // A kernel without anything to tune can still be judged, and gets a parameter that nothing uses.
  if (std::erase_if(draft.blanks, [](const std::string& blank) { return blank.starts_with("[parameters]"); }) > 0)
    draft.text += "\n[parameters.WARPTUNE_NOTHING]\nvalues = [0]\ndefault = 0\nunused = true\n";
  if (!said.grid.empty() && !said.block.empty())
    std::erase_if(draft.blanks, [](const std::string& blank) { return blank.starts_with("launches:"); });
  if (!draft.blanks.empty())
    throw RequestError(
        fmt::format("{} does not say all that is needed to call it: {}. `warptune init {}` writes a manifest to be "
                    "completed; grid and "
                    "block may be said with --reference-grid and --reference-block",
                    source.string(), fmt::join(draft.blanks, "; "), shell_word(source.string())));
  for (const std::string& guess : draft.guesses) say(fmt::format("guessed: {}", guess));
  kernel.manifest = std::move(draft.text);
  kernel.drafted = true;
  return kernel;
}

bool is_source(const std::string& name) {
  return is_kernel_source(name) && is_file(name);
}

bool is_function(const std::string& name) {
  return is_source(name) && (name.ends_with(".cpp") || name.ends_with(".cc"));
}

// Returns the kernel that defines the problem, from a template's name, a manifest or a source.
judge::Kernel described(const std::string& name, const std::string& function, const judge::Kernel& said) {
  judge::Kernel kernel;
  if (!is_source(name)) {
    kernel = from_manifest(find_template(name));
  } else {
    const auto manifest = function.empty() ? own_manifest(name) : std::nullopt;
    kernel = manifest ? from_manifest(*manifest) : drafted(name, function, said);
  }
  kernel.grid = said.grid;
  kernel.block = said.block;
  kernel.shared = said.shared;
  return kernel;
}

judge::Kernel described_candidate(const JudgeArguments& options) {
  if (!is_source(options.candidate)) return described(options.candidate, "", options.launch);
  const auto manifest = own_manifest(options.candidate);
  const bool says_launch =
      !options.launch.name.empty() || !options.launch.grid.empty() || !options.launch.block.empty();
  // A manifest that describes the reference, too, is no word about the candidate.
  if (manifest && !says_launch) return from_manifest(*manifest);
  judge::Kernel kernel = options.launch;
  kernel.source = options.candidate;
  if (options.launch.grid.empty() && text_of_named_file(options.candidate).find("<<<") != std::string::npos)
    say(fmt::format(
        "{} has launches of its own, which are not read: it is launched as the reference is unless --grid and "
        "--block say otherwise",
        options.candidate));
  return kernel;
}

void take_tolerance(const std::string& text, judge::JudgeRequest& request) {
  for (const auto& [name, value] : parse_assignment_list("--tolerance", text)) {
    const double number = search::to_double(value);
    if (name != "absolute" && name != "relative")
      throw std::invalid_argument(
          fmt::format("--tolerance {}: expected absolute=NUMBER, relative=NUMBER or both with a comma", text));
    if (!(number >= 0) || !std::isfinite(number))
      throw std::invalid_argument(
          fmt::format("--tolerance {}: expected a number of 0 or more for {}, found {}", text, name, number));
    (name == "absolute" ? request.absolute : request.relative) = number;
  }
  // If one tolerance is given, the other is 0: half of an old tolerance is nobody's choice.
  if (request.absolute || request.relative) {
    request.absolute = request.absolute.value_or(0);
    request.relative = request.relative.value_or(0);
  }
}

void take_kernels(const JudgeArguments& options, judge::JudgeRequest& request) {
  const std::string function = is_function(options.against) ? options.against : "";
  const bool alone = options.against.empty() || !function.empty();
  judge::Kernel reference = alone ? described(options.candidate, function, options.launch)
                                  : described(options.against, "", options.reference_launch);
  if (!alone) request.candidate = described_candidate(options);
  judge::Kernel& judged = alone ? reference : *request.candidate;
  judged.parameters = parse_assignment_list("--configuration", options.configuration);
  if (!alone)
    reference.parameters = parse_assignment_list("--reference-configuration", options.reference_configuration);
  request.references = {reference};
  for (const std::string& name : options.data) {
    reference.file = from_manifest(find_template(name)).file;
    reference.manifest = text_of_named_file(reference.file);
    request.references.push_back(reference);
  }
}

judge::JudgeRequest make_request(const JudgeArguments& options) {
  judge::JudgeRequest request = options.request;
  take_kernels(options, request);
  const Problem variants{{}, parse_variants(text_of_variants(options.variants))};
  for (const std::string& size : options.sizes) request.problems.push_back({parse_sizes(size), variants.variants});
  if (options.sizes.empty() && !variants.variants.empty()) request.problems.push_back(variants);
  if (!options.inputs.empty()) request.inputs.clear();
  for (const std::string& inputs : options.inputs) request.inputs.push_back(judge::inputs_from_string(inputs));
  take_tolerance(options.tolerance, request);
  request.seed = options.seed.value_or(unknown_seed() >> 16U);  // 48 bits, which every reader of JSON holds exactly
  request.run.evaluator = with_environment(request.run.evaluator);
  if (!options.no_cache) request.run.evaluator.cache = cache_of_user();
  request.run.workers = worker_program();
  return request;
}

int exit_code(const judge::Judgement& judgement) {
  switch (judgement.verdict) {
    case judge::Verdict::incorrect:
    case judge::Verdict::implausible:
      return nothing_correct;
    case judge::Verdict::not_judged:
      return check_failed;
    default:
      return judgement.fast_enough() ? success : regression;
  }
}

void show(const judge::Judgement& judgement, const Context& context) {
  for (const std::string& note : judgement.notes) say("note: " + note);
  switch (context.output_format()) {
    case Format::json:
      return write_output("", text_of(json_of(judgement)));
    case Format::csv:
      return write_output("", case_table(judgement).render(Format::csv));
    case Format::table:
      return write_output("", judgement_text(judgement, output_width()));
  }
}

void run_judge(const JudgeArguments& options, Context& context) {
  const judge::JudgeRequest request = make_request(options);
  const Interrupt interrupt;
  judge::Judgement judgement = judge::judge(request, interrupt.flag(), [](const std::string& next) {
    if (interactive()) show_status({"judging " + next});
  });
  end_status();
  judgement.candidate = options.candidate;
  judgement.reference = options.against;
  context.exit_code = exit_code(judgement);
  show(judgement, context);
  if (interrupt.flag()) context.exit_code = interrupted;
}

// Adds the options of the candidate's launch or, with a prefix, of the reference's.
void add_launch_options(CLI::App& verb, const std::string& prefix, const std::string& usual, judge::Kernel& launch) {
  const std::string whose = prefix.empty() ? "its" : "the reference's";
  verb.add_option("--" + prefix + "grid", launch.grid,
                  whose + " blocks, an expression for each dimension, as 'ceildiv(n, 256)'; " + usual)
      ->expected(1, 3)
      ->type_name("EXPRESSION");
  verb.add_option("--" + prefix + "block", launch.block, whose + " threads per block, likewise")
      ->expected(1, 3)
      ->type_name("EXPRESSION");
  verb.add_option("--" + prefix + "shared", launch.shared, whose + " bytes of dynamic shared memory")
      ->type_name("EXPRESSION");
}

void add_kernel_options(CLI::App& verb, JudgeArguments& options) {
  verb.add_option("candidate", options.candidate, "the kernel to check: a source (.cu) or a template")
      ->required()
      ->type_name("CANDIDATE");
  verb.option_defaults()->group(group::problem);
  verb.add_option("--against", options.against,
                  "the reference: a kernel (.cu) with the same arguments, a template, or a function (.cpp) that "
                  "computes the expected output. Default: the reference of the candidate's own manifest")
      ->type_name("REFERENCE");
  verb.add_option("--data", options.data, "another manifest of the same kernel, with other data; may be repeated")
      ->type_name("MANIFEST")
      ->allow_extra_args(false)
      ->take_all();
  verb.add_option("--kernel", options.launch.name,
                  "the kernel's name in the source; default: the one with the same arguments");
  add_launch_options(verb, "", "default: the reference's", options.launch);
  verb.add_option("--configuration", options.configuration,
                  "values of its parameters, as A=1,B=2; default: the manifest's defaults")
      ->type_name("VALUES");
  verb.add_option("--reference-configuration", options.reference_configuration, "values of the reference's parameters")
      ->type_name("VALUES");
  verb.add_option("--reference-kernel", options.reference_launch.name, "the kernel's name in the reference's source");
  add_launch_options(verb, "reference-", "default: its manifest's, or drafted from its source",
                     options.reference_launch);
  for (const char* name : {"--reference-configuration", "--reference-kernel", "--reference-grid", "--reference-block",
                           "--reference-shared"})
    verb.get_option(name)->needs("--against");
  verb.add_option("--size", options.sizes, "problem sizes, as M=1024,N=4k; may be repeated")
      ->type_name("SIZES")
      ->allow_extra_args(false)
      ->take_all();
  verb.add_flag("--exact-sizes", options.request.exact_sizes,
                "only these sizes; default: also sizes near them, and one that is drawn");
  add_variant_option(verb, options.variants);
  add_preset_option(verb, options.request.run.preset);
  verb.add_option("--device", options.request.run.device, "cuda:0, host …; default: the best available")
      ->type_name("DEVICE");
}

void add_judging_options(CLI::App& verb, JudgeArguments& options) {
  BackendOptions& backend = options.request.run.evaluator.backend;
  verb.option_defaults()->group(group::measuring);
  std::vector<std::string> words;
  for (const judge::Inputs inputs : judge::all_inputs()) words.emplace_back(to_string(inputs));
  verb.add_option("--inputs", options.inputs, "sets of inputs; default: all")
      ->check(one_of(words))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->take_all();
  verb.add_option("--draws", options.request.draws, "number of random inputs at each size")
      ->check(whole(1, 1000))
      ->capture_default_str();
  verb.add_option("--seed", options.seed,
                  "seed of the inputs, of numbers that the reference's source does not say and of the drawn size; "
                  "default: random")
      ->check(whole(0, any_seed >> 1U));
  verb.add_option("--tolerance", options.tolerance,
                  "tolerance of floating-point outputs, as absolute=1e-4,relative=1e-4; default: the manifest's");
  verb.add_option("--at-least", options.request.required_speed_up, "the required speed-up; below it the exit code is 8")
      ->check(real(0, 1e6))
      ->type_name("FACTOR")
      ->capture_default_str();
  verb.add_option("--seconds", options.request.seconds,
                  "time limit of the speed comparison at each size; 0: no comparison")
      ->check(real(0, most_seconds))
      ->capture_default_str();
  verb.add_option("--kernel-timeout", backend.kernel_timeout_s, "time limit of one kernel; 0: none")
      ->check(real(0, most_seconds))
      ->type_name("SECONDS")
      ->capture_default_str();
  add_compile_options(verb, options.request.run.evaluator);
  verb.option_defaults()->group(group::compiling);
  add_include_option(verb, options.request.run.include_directories, "a folder of the kernels' headers");
  verb.add_flag("--no-cache", options.no_cache, "compile everything, even what is in the cache");
}

}  // namespace

void add_judge(CLI::App& program, Context& context) {
  CLI::App* verb =
      program.add_subcommand("judge", "Check a kernel against a reference on many inputs, and compare their speed");
  auto options = std::make_shared<JudgeArguments>();
  add_kernel_options(*verb, *options);
  add_judging_options(*verb, *options);
  verb->option_defaults()->group(group::output);
  add_format_option(*verb, context);
  verb->footer(
      "Exit codes: 0 right and fast enough, 6 wrong, 8 right but slower than --at-least, 10 not judged: no case "
      "could tell.");
  verb->group(verbs::tune);
  add_examples(*verb, {{"a kernel against the one that it replaces", "warptune judge new.cu --against old.cu"},
                       {"against a template, with a launch of its own",
                        "warptune judge a.cu --against vector_add --block 64 --grid 'ceildiv(SIZE, 64)'"},
                       {"for a program that writes kernels", "warptune judge new.cu --against old.cu --format json"}});
  verb->callback([options, &context] { run_judge(*options, context); });
}

}  // namespace warptune::tuner::cli
