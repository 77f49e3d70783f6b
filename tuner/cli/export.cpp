#include <fmt/format.h>

#include <map>
#include <sstream>

#include "db/interchange/formats.h"
#include "db/interchange/sessions.h"
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
  db::SessionId session = 0;  // 0: not given
};

// Formats that hold a whole session rather than winners.
const std::map<std::string, db::RecordedSpaceWriter>& session_formats() {
  static const std::map<std::string, db::RecordedSpaceWriter> formats = {
      {"csv", db::write_csv}, {"kernel-tuner", db::write_kernel_tuner}, {"t4", db::write_t4}};
  return formats;
}

// The default configuration comes from the template, if it is still where it was; without it the header's fallback is
// its first winner.
NamedValues default_values(const std::string& kernel) {
  try {
    return load_template(find_template(kernel)).default_values;
  } catch (const RequestError&) {
    return {};
  }
}

db::SessionRecord chosen_session(const Options& options, const db::Store& store) {
  if (options.session != 0) {
    if (auto session = store.session(options.session)) return *session;
    throw RequestError(
        fmt::format("there is no session {}; `warptune history` lists the sessions there are", options.session));
  }
  const auto sessions = store.history(options.filter.resolved());
  if (sessions.size() == 1) return sessions.front();
  throw RequestError(fmt::format("{} sessions of '{}' match; choose one of `warptune history` with --session",
                                 sessions.size(), options.filter.filter.kernel));
}

void export_session(const Options& options, db::RecordedSpaceWriter writer, const Context& context) {
  const db::Store store = context.open_store(db::OpenMode::read_only);
  const db::SessionRecord session = chosen_session(options, store);
  const db::RecordedSpace space = db::recorded_space(session, store.trials(session.id));
  if (options.output.empty() || options.output == "-") {
    std::ostringstream text;
    writer(space, text);
    return write_output("", text.str());
  }
  db::write_recorded_space(space, writer, options.output);
  say(fmt::format("wrote {}: {} trials of session {}", options.output, space.trials.size(), session.id));
}

void export_winners(const Options& options, Context& context) {
  if (options.filter.filter.kernel.empty()) throw std::invalid_argument("which kernel's winners? Name the kernel");
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

void run(const Options& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  const auto whole = session_formats().find(options.format);
  if (whole != session_formats().end()) return export_session(options, whole->second, context);
  export_winners(options, context);
}

}  // namespace

void add_export(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand(
      "export", "Write the best configurations of a kernel as a C++ header or JSON, or a session as a recording");
  auto options = std::make_shared<Options>();
  std::vector<std::string> formats;
  for (const ExporterEntry& entry : exporters()) formats.emplace_back(entry.name);
  for (const auto& [name, writer] : session_formats()) formats.push_back(name);
  verb->add_option("kernel", options->filter.filter.kernel, "a kernel template's name");
  verb->add_option("--session", options->session, "with t4, kernel-tuner and csv: which session; default the only one");
  verb->add_option("--format", options->format, "what to write")->check(CLI::IsMember(formats))->capture_default_str();
  verb->add_option("--output,-o", options->output, "a file; default the standard output");
  add_choice_options(*verb, options->filter);
  add_database_option(*verb, context);
  verb->callback([options, &context] { run(*options, context); });
}

}  // namespace warptune::cli
