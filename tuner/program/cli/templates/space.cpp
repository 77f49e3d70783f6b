// Implements `warptune space`, which shows a search space: sizes, domains, and what each constraint rejects.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tuner/kernel/files/space_file.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/restriction.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/results/report/template_report.h"

namespace warptune::tuner::cli {

namespace {

struct SpaceArguments {
  std::string source;
  std::string size;
  std::vector<std::string> variants;
  std::string preset;
  std::string device;
  std::vector<std::string> restrictions;
  std::size_t sample = 0;
  std::uint64_t seed = 0;
  bool list = false;
};

// A described space comes with its template, unless it was read from a file.
struct DescribedSpace {
  search::SearchSpace space;
  std::optional<KernelTemplate> kernel;

  const KernelTemplate* described_by() const { return kernel ? &*kernel : nullptr; }
};

DescribedSpace template_space(const SpaceArguments& options) {
  const std::filesystem::path manifest = find_template(options.source);
  say_if_not_own(options.source, manifest);
  KernelTemplate kernel = load_template(manifest);
  const DeviceInfo device =
      choose_devices(workers::FirstWorker(worker_program()).list_devices(backend_options()), options.device).front();
  const Problem problem =
      resolve_problem(kernel, effective_preset(kernel, options.preset, device),
                      {parse_sizes(options.size), parse_variants(text_of_variants(options.variants))});
  say(fmt::format("{}{} on {} ({})", kernel.name, for_problem(problem), device.id, device.name));
  const search::NamedValues constants = problem_constants(problem.values(), device);
  restrict_space(kernel, options.restrictions, constants);
  try {
    search::SearchSpace space = build_space(kernel, constants);
    return {std::move(space), std::move(kernel)};
  } catch (const std::invalid_argument& error) {
    throw RequestError(fmt::format("the search space of {} cannot be built: {}", kernel.name, error.what()));
  }
}

// A .json file is a space by itself; anything else is a template, whose space depends on device and size.
DescribedSpace load_space(const SpaceArguments& options) {
  if (!options.source.ends_with(".json")) return template_space(options);
  if (!options.restrictions.empty())
    throw RequestError(options.source + " has its own constraints; --restrict is for templates");
  return {load_space_file(options.source), std::nullopt};
}

std::vector<search::Configuration> everything(const search::SearchSpace& space) {
  constexpr std::uint64_t most = 10'000'000;
  if (!space.exact() || space.size() > most)
    throw RequestError(fmt::format("{} configurations are too many to list; --sample takes a number of them",
                                   search::to_text(space.size())));
  std::vector<search::Configuration> all;
  for (search::Count index = 0; index < space.size(); ++index) all.push_back(space.at(index));
  return all;
}

void run_space(const SpaceArguments& options, Context& context) {
  const DescribedSpace described = load_space(options);
  const search::SearchSpace& space = described.space;
  if (space.empty()) context.exit_code = request_error;
  if (options.list || options.sample > 0) {
    search::Rng rng(options.seed);
    const auto chosen = options.list ? everything(space) : space.sample_distinct(options.sample, rng);
    context.print("space", "configurations", configuration_table(space, chosen));
    if (!options.list && !space.exact() && chosen.size() < options.sample)
      say(fmt::format("note: {} were found: valid configurations are too rare here to be met by chance",
                      chosen.size()));
    return;
  }
  switch (context.output_format()) {
    case Format::json:
      return write_output("", text_of(space_json(space, described.described_by())));
    case Format::csv:
      return write_output("", space_summary(space).render(Format::csv));
    case Format::table:
      return write_output("", space_report(space, described.described_by(), output_width()));
  }
}

}  // namespace

void add_space(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("space", "Show a search space: sizes, domains, what each constraint rejects");
  auto options = std::make_shared<SpaceArguments>();
  verb->add_option("source", options->source,
                   "a template's name or folder, or a .json file with parameters and constraints")
      ->required()
      ->type_name("TEMPLATE");
  verb->option_defaults()->group(group::problem);
  add_size_option(*verb, options->size);
  add_variant_option(*verb, options->variants);
  add_preset_option(*verb, options->preset);
  verb->add_option("--device", options->device,
                   "the device whose limits apply: cuda:0, host, host:sm_90 …; default: the best available")
      ->type_name("DEVICE");
  add_restrict_option(*verb, options->restrictions);
  verb->option_defaults()->group(group::list);
  verb->add_option("--sample", options->sample, "print N random configurations")->check(whole(1, 10'000'000));
  verb->add_option("--seed", options->seed, "seed of the sample")->check(whole(0, any_seed))->capture_default_str();
  verb->add_flag("--list", options->list, "print every configuration")->excludes("--sample");
  add_format_option(*verb, context);
  verb->group(verbs::tune);
  add_examples(
      *verb, {{"how many configurations there are, and what rules the others out", "warptune space gemm --device host"},
              {"five of them", "warptune space gemm --device host --sample 5"}});
  verb->callback([options, &context] { run_space(*options, context); });
}

}  // namespace warptune::tuner::cli
