// Implements `warptune explain`, which says why a session's winner won, how far it is from the device's limits, and
// what to try next.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/restriction.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/measuring.h"
#include "tuner/program/cli/tuning/trial.h"
#include "tuner/results/explain/explanation.h"
#include "tuner/results/report/explanation/explanation.h"
#include "tuner/results/report/text/counters_report.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/wrap.h"
#include "tuner/session/preparation.h"
#include "tuner/session/provenance.h"

namespace warptune::tuner::cli {

namespace {

struct ExplainArguments {
  std::string what;
  db::TrialId trial = 0;
  std::string template_path;
  bool counters = false;
};

using Found = db::Located<db::SessionRecord>;

// Returns the folder or manifest of the session's template. Throws RequestError with what to do if it is not where it
// was.
std::filesystem::path template_asked(const db::SessionRecord& session, const std::string& given) {
  std::filesystem::path found = template_finder(given)(session);
  if (!found.empty()) return found;
  throw RequestError(session.manifest.empty()
                         ? "it is not known where it is; --template says so"
                         : fmt::format("{} is not there any more; --template says where it is", session.manifest));
}

// Returns the space that the session's search could choose from; nothing if its template has changed since or cannot be
// read.
std::optional<search::SearchSpace> space_of(const db::SessionRecord& session, const std::string& given) {
  try {
    KernelTemplate kernel = load_template(template_asked(session, given));
    if (!has_manifest_of(kernel, session.key)) throw RequestError("its manifest has changed since");
    search::NamedValues constants = session.key.problem();
    for (const auto& limit : session.key.device.limits) constants.push_back(limit);
    restrict_space(kernel, session.key.restrictions, constants);
    return build_space(kernel, constants);
  } catch (const std::exception& error) {
    say(fmt::format("note: the session's template cannot be asked ({}); domains are the values that were tried",
                    error.what()));
    return std::nullopt;
  }
}

// Returns the device's roofs from the first store that has them.
std::vector<db::Roof> roofs_of(const db::DeviceRecord& device, const db::StoreSet& stores) {
  for (std::size_t i = 0; i < stores.size(); ++i)
    if (auto roofs = stores.store(i).roofs(device); !roofs.empty()) return roofs;
  return {};
}

ExplainedTrial explained(const Evidence& evidence, const Explanation& explanation, db::TrialId id) {
  const db::StoredTrial* trial = id == 0 ? nullptr : evidence.find(id);
  if (!trial) return {};
  return {trial, view(evidence, *trial), differences(evidence, explanation, *trial)};
}

// Returns the counters that the session read of a trial. If it read none and they are asked for, they are read now.
std::optional<search::Counters> counters_of(const ExplainArguments& options, const db::SessionRecord& session,
                                            const db::StoredTrial* trial) {
  if (!trial || !options.counters || (trial->trial.counters && !trial->trial.counters->values.empty()))
    return trial ? trial->trial.counters : std::nullopt;
  TuneRequest request;
  request.counters = true;
  request.evaluator = with_environment(request.evaluator);
  request.evaluator.cache = {default_cache_folder()};
  request.workers = worker_program();
  request_again({session, *trial}, request);
  const Interrupt interrupt;
  return run_once(request, trial->values, interrupt.flag()).trial.counters;
}

std::string counters_section(const std::optional<search::Counters>& counters, const db::StoredTrial* trial) {
  if (!counters) return {};
  const std::string busiest = busiest_text(*counters);
  return fmt::format("\nCounters of trial {}\n", trial->id) +
         (busiest.empty() ? "" : wrapped_text("  " + busiest, output_width(), 2) + '\n') +
         counters_text(*counters, output_width());
}

void run(const ExplainArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = request_error;
    return;
  }
  const db::StoreSet stores = context.open_stores();
  const Found found = options.trial != 0 ? Found{find_trial(context, options.trial).session, 0}
                                         : find_session_or_latest(options.what, stores);
  const db::Store& store = stores.store(found.store);
  const db::SessionRecord& session = found.record;
  // A user who names a template to find the session has said where the template is.
  const bool named = options.template_path.empty() && is_template_path(options.what);
  const auto space = space_of(session, named ? options.what : options.template_path);
  const Evidence evidence{session, store.trials(session.id), store.winner(session.id),
                          roofs_of(session.key.device, stores), space ? &*space : nullptr};
  const Explanation explanation = explain(evidence);
  const ExplainedTrial trial = explained(evidence, explanation, options.trial);
  if (!explanation.winner) context.exit_code = nothing_correct;
  const db::StoredTrial* const counted = options.trial != 0 ? trial.trial : evidence.winning();
  const auto counters = counters_of(options, session, counted);
  switch (context.output_format()) {
    case Format::json: {
      Json json = explanation_json(evidence, explanation, trial);
      json["counters"] = counters_json(counters);
      return write_output("", text_of(json));
    }
    case Format::csv:
      return write_output("", change_table(explanation).render(Format::csv));
    case Format::table:
      return write_output(
          "", explanation_text(evidence, explanation, trial, output_width()) + counters_section(counters, counted));
  }
}

}  // namespace

void add_explain(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand(
      "explain", "Explain why the winner won, how far it is from the device's limits, and what to try next");
  auto options = std::make_shared<ExplainArguments>();
  auto* what = verb->add_option("session", options->what,
                                "a session's number or name, or a kernel for its latest session; default: the latest")
                   ->type_name("SESSION");
  verb->add_option("--trial", options->trial, "explain why this trial is not the winner")
      ->check(whole(1, INT64_MAX))
      ->type_name("TRIAL")
      ->excludes(what);
  verb->add_flag("--counters", options->counters,
                 "add hardware counters of the explained trial; they are read now if the session has none");
  add_template_option(*verb, options->template_path);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"the session that was tuned last", "warptune explain"},
                       {"the session of a kernel that was tuned last", "warptune explain gemm"},
                       {"why a trial is slower than its session's winner", "warptune explain --trial 42"},
                       {"what every single change costs, for a spreadsheet", "warptune explain 3 --format csv"}});
  verb->callback([options, &context] { run(*options, context); });
}

}  // namespace warptune::tuner::cli
