#include <fmt/format.h>

#include "tuner/cli/filter.h"
#include "tuner/cli/verbs.h"
#include "tuner/exporters/exporter.h"
#include "tuner/kernel/template_file.h"
#include "tuner/kernel/problem.h"

namespace warptune::cli {

namespace {

struct Options {
  FilterOptions filter;
  std::string format = "header";
  std::string output;
};

// The default configuration comes from the template, if it is still where it was; without it the header's fallback is
// its first winner.
NamedValues default_values(const std::string& kernel) {
  try {
    return load_template(find_template(kernel)).default_values;
  } catch (const RequestError&) {
    return {};
  }
}

void run(const Options& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  ExportInput input;
  input.winners = context.open_store(db::OpenMode::read_only).best(options.filter.resolved());
  if (input.winners.empty()) {
    say(fmt::format("no winner of {} matches; tune it first, or look at `warptune history`",
                    options.filter.filter.kernel));
    context.exit_code = nothing_correct;
    return;
  }
  input.kernel = options.filter.filter.kernel;
  input.fallback = default_values(input.kernel);
  write_output(options.output, find_exporter(options.format).render(input));
  if (!options.output.empty() && options.output != "-") say(fmt::format("wrote {}", options.output));
}

}  // namespace

void add_export(CLI::App& program, Context& context) {
  CLI::App* verb =
      program.add_subcommand("export", "Write the best configurations of a kernel as a C++ header or JSON");
  auto options = std::make_shared<Options>();
  std::vector<std::string> formats;
  for (const ExporterEntry& entry : exporters()) formats.emplace_back(entry.name);
  verb->add_option("kernel", options->filter.filter.kernel, "a kernel template's name")->required();
  verb->add_option("--format", options->format, "what to write")->check(CLI::IsMember(formats))->capture_default_str();
  verb->add_option("--output,-o", options->output, "a file; default the standard output");
  add_choice_options(*verb, options->filter);
  add_database_option(*verb, context);
  verb->callback([options, &context] { run(*options, context); });
}

}  // namespace warptune::cli
