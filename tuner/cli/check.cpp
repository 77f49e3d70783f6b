#include "tuner/check/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/check/remeasurer.h"
#include "tuner/cli/filter.h"
#include "tuner/cli/measuring.h"
#include "tuner/cli/numbers.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored_sessions.h"
#include "tuner/cli/verbs.h"
#include "tuner/report/check_report.h"

namespace warptune::tuner::cli {

namespace {

struct CheckArguments {
  FilterOptions choice;
  std::string kernel_template;
  std::string junit;
  CheckOptions check;
  EvaluatorOptions evaluator;
  bool keep = false;
};

SessionCheck unmeasured(const db::BestRecord& best, const Standing& standing) {
  SessionCheck check{.session = best.session, .standing = standing};
  check.verdict = standing.device ? Verdict::failure : Verdict::no_device;
  check.message = standing.explanation();
  return check;
}

SessionCheck check_one(const db::BestRecord& best, const Standing& standing, const db::Store& store,
                       const CheckArguments& options) {
  if (!standing.key) return unmeasured(best, standing);
  try {
    Remeasurer remeasurer(request_again(best.session, standing, options.evaluator));
    const auto measure = [&](const auto& configurations) { return remeasurer.measure(configurations); };
    return check_session(best, standing, remeasurer.default_values(), store, measure, options.check);
  } catch (const std::exception& error) {  // a template that cannot be opened is this session's failure, not the run's
    SessionCheck check = unmeasured(best, standing);
    check.message = error.what();
    return check;
  }
}

// What was measured goes into the store that holds the session, if that is the one that is written to.
void record(const SessionCheck& check, const db::StoreSet& stores, Context& context) {
  if (check.configurations.empty()) return;
  if (!context.is_own(stores.store(check.store))) {
    if (check.verdict == Verdict::wrong)
      say(fmt::format("session {} lies in {}, which is only read: its wrong winner stays there", check.session.id,
                      stores.store(check.store).file().string()));
    return;
  }
  db::Store store = context.open_store(db::OpenMode::read_write);
  if (!record_check(check, store)) return;
  const auto winner = store.winner(check.session.id);
  say(winner
          ? fmt::format("session {}: the winner was wrong and was replaced by trial {}", check.session.id,
                        winner->trial)
          : fmt::format("session {}: the winner was wrong, and nothing else is known to be right", check.session.id));
}

int exit_code(const std::vector<SessionCheck>& checks) {
  Verdict worst = Verdict::ok;
  for (const SessionCheck& check : checks) worst = std::max(worst, check.verdict);
  switch (worst) {
    case Verdict::wrong:
    case Verdict::failure:
      return check_failed;
    case Verdict::regression:
      return regression;
    case Verdict::stale:
      return not_current;
    case Verdict::no_device:
      return no_device;
    default:
      return success;
  }
}

void run_check(const CheckArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  const db::StoreSet stores = context.open_stores();
  const db::HistoryFilter filter = options.choice.resolved(stores);
  Today today = make_today(options.kernel_template);
  std::vector<SessionCheck> checks;
  for (const auto& [best, store] : stores.best(filter)) {
    say(fmt::format("checking {} for {} on {} (session {})", best.session.key.kernel,
                    search::to_text(best.session.key.problem()), best.session.key.device.name, best.session.id));
    const Standing standing = today.standing(best.session);
    warn_if_stale(best.session, standing);
    checks.push_back(check_one(best, standing, stores.store(store), options));
    checks.back().store = store;
    if (!options.keep) record(checks.back(), stores, context);
  }
  if (checks.empty()) say(no_winner_matches(filter, stores));
  context.exit_code = checks.empty() ? nothing_correct : exit_code(checks);
  if (!checks.empty() || context.output_format() != Format::table)
    context.print("check", "checks", check_table(checks));
  // Last: what took minutes to measure was shown even where the file cannot be written.
  if (!options.junit.empty()) write_output(options.junit, junit_xml(checks));
}

}  // namespace

void add_check(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand(
      "check", "Measure the stored winners, defaults and runners-up again and report what changed");
  auto options = std::make_shared<CheckArguments>();
  add_kernel_argument(*verb, options->choice, &options->kernel_template);
  verb->option_defaults()->group(group::measuring);
  verb->add_option("--tolerance", options->check.tolerance, "so much slower is no regression; 0.05 is 5 %")
      ->type_name("FRACTION")
      ->check(real(0, 1e6))
      ->capture_default_str();
  verb->add_option("--runners-up", options->check.runners_up, "how many are measured beside winner and default")
      ->check(whole(0, most_rows))
      ->capture_default_str();
  verb->add_option("--junit", options->junit, "also write the verdicts as JUnit XML")
      ->group(group::output)
      ->type_name("FILE");
  verb->add_flag("--keep", options->keep, "leave the store as it is, even if a winner is wrong now");
  add_choice_options(*verb, options->choice);
  add_compile_options(*verb, options->evaluator);
  add_template_option(*verb, options->kernel_template);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->footer(
      "Exit codes: 0 all hold, 4 a device is absent, 8 a regression, 9 not current but no slower, 10 wrong or not "
      "measurable; the worst of all sessions.");
  verb->group(verbs::store);
  add_examples(*verb, {{"is everything that was tuned still right and as fast?", "warptune check"},
                       {"in continuous integration", "warptune check gemm --tolerance 0.05 --junit check.xml"}});
  verb->callback([options, &context] { run_check(*options, context); });
}

}  // namespace warptune::tuner::cli
