// Implements `warptune check`, which measures stored winners, defaults and runners-up again and reports what changed.
#include "tuner/results/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <initializer_list>

#include "tuner/kernel/kernel_template.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/measuring.h"
#include "tuner/results/check/revalidate.h"
#include "tuner/results/report/check_report.h"
#include "tuner/results/report/text/figures.h"

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
  if (standing.sources_not_kept)
    check.verdict = Verdict::not_checkable, check.message = why_not_checkable(best.session);
  return check;
}

// Notes that the outputs are not those that were recorded. Without a reference of its own a kernel is compared with its
// default configuration of today, so that nothing but the recorded outputs tells that both have changed.
void note_other_outputs(const KernelTemplate& kernel, SessionCheck& check) {
  const auto other = std::ranges::find(check.configurations, true, &CheckedConfiguration::other_outputs);
  if (!kernel.reference.default_configuration || other == check.configurations.end()) return;
  check.message = fmt::format(
      "the outputs are not those that were recorded, and {} has no reference of its own: `correct` says only that they "
      "are those of its default configuration of today; look whether they are right",
      kernel.name);
  say(fmt::format("session {}: {}", check.session.id, check.message));
}

SessionCheck check_one(const db::BestRecord& best, const Standing& standing, const db::Store& store,
                       const CheckArguments& options, const std::atomic<bool>& stop) {
  if (!standing.key) return unmeasured(best, standing);
  try {
    Remeasurer remeasurer(request_again(best.session, standing, options.evaluator), stop);
    const auto measure = [&](const auto& configurations) { return remeasurer.measure(configurations); };
    SessionCheck check = check_session(best, standing, remeasurer.default_values(), store, measure, options.check);
    note_other_outputs(remeasurer.kernel(), check);
    return check;
  } catch (const std::exception& error) {  // a template that cannot be opened is this session's failure, not the run's
    SessionCheck check = unmeasured(best, standing);
    check.message = error.what();
    return check;
  }
}

struct Checked {
  SessionCheck check;
  std::string only_read;  // the store that the session lies in, if that is not written to
};

// Checks all winners that the filter chooses, and returns those that were checked before it was stopped. The stores are
// closed when it returns: the connection that writes is then the last one, which leaves one complete file.
std::vector<Checked> check_all(const CheckArguments& options, const Context& context, const std::atomic<bool>& stop) {
  const db::StoreSet stores = context.open_stores();
  db::HistoryFilter filter = options.choice.resolved(stores);
  filter.each_question = true;
  const auto winners = stores.best(filter);
  if (winners.empty()) say(no_winner_matches(filter, stores));
  Today today = make_today(options.kernel_template);
  std::vector<Checked> all;
  for (const auto& [best, index] : winners) {
    if (left_out_as_recording(best.session)) continue;
    say(fmt::format("checking {} for {} on {} (session {})", best.session.key.kernel,
                    search::to_text(best.session.key.problem()), best.session.key.device.name, best.session.id));
    const Standing standing = today.standing(best.session);
    warn_if_stale(best.session, standing);
    const db::Store& store = stores.store(index);
    SessionCheck check = check_one(best, standing, store, options, stop);
    if (stop) break;  // what was cut off is no verdict
    check.store = index;
    check.origin = context.origin(stores, index);
    all.push_back({std::move(check), context.is_own(store) ? "" : store.file().string()});
  }
  return all;
}

void say_what_stays(const Checked& checked) {
  const SessionCheck& check = checked.check;
  if (check.verdict != Verdict::wrong) return;
  if (!checked.only_read.empty())
    say(fmt::format("session {} lies in {}, which is only read: its wrong winner stays there", check.session.id,
                    checked.only_read));
  else if (!check.standing.current())
    say(fmt::format("session {}: the stored winner stays: {} changed since it was recorded", check.session.id,
                    check.standing.parts()));
}

void record(const SessionCheck& check, db::Store& store) {
  if (!record_check(check, store)) return;
  const auto winner = store.winner(check.session.id);
  say(winner
          ? fmt::format("session {}: the winner was wrong and was replaced by trial {}", check.session.id,
                        winner->trial)
          : fmt::format("session {}: the winner was wrong, and nothing else is known to be right", check.session.id));
}

// What was measured goes into the store that holds the session, if that is the one that is written to.
void record_all(const std::vector<Checked>& all, const Context& context) {
  const auto kept = [](const Checked& checked) {
    return checked.only_read.empty() && !checked.check.configurations.empty();
  };
  if (std::ranges::none_of(all, kept)) return;
  try {
    db::Store store = context.open_store(db::OpenMode::read_write);
    for (const Checked& checked : all)
      if (kept(checked)) record(checked.check, store);
  } catch (const db::StoreError& error) {
    throw db::StoreError(
        error.cause(),
        fmt::format("the verdicts were told but not recorded: {}. `warptune check --keep` records none", error.what()));
  }
}

int exit_code(const std::vector<SessionCheck>& checks) {
  Verdict worst = Verdict::not_checkable;
  for (const SessionCheck& check : checks) worst = std::max(worst, check.verdict);
  switch (worst) {
    case Verdict::wrong:
    case Verdict::failure:
      return check_failed;
    case Verdict::regression:
      return regression;
    case Verdict::slower_machine:
      return slower_machine;
    case Verdict::stale:
      return not_current;
    case Verdict::no_device:
      return no_device;
    default:
      return success;
  }
}

// Does all of the steps, and then throws what the first that failed has thrown.
void attempt_all(std::initializer_list<std::function<void()>> steps) {
  std::exception_ptr failed;
  for (const auto& step : steps) {
    try {
      step();
    } catch (const std::exception&) {
      if (!failed) failed = std::current_exception();
    }
  }
  if (failed) std::rethrow_exception(failed);
}

void run_check(const CheckArguments& options, Context& context) {
  context.exit_code = nothing_correct;
  if (!context.store_exists()) return;
  const Interrupt interrupt;
  const std::vector<Checked> all = check_all(options, context, interrupt.flag());
  std::vector<SessionCheck> checks;
  for (const Checked& checked : all) checks.push_back(checked.check);
  if (!checks.empty()) context.exit_code = exit_code(checks);
  if (interrupt.flag()) context.exit_code = interrupted;
  const auto show = [&] {
    if (!checks.empty() || context.output_format() != Format::table)
      context.print("check", "checks", check_table(checks));
  };
  const auto write_file = [&] {
    if (!options.junit.empty()) write_output(options.junit, junit_xml(checks));
  };
  const auto keep = [&] {
    for (const Checked& checked : all) say_what_stays(checked);
    if (!options.keep) record_all(all, context);
  };
  const auto unknown = std::ranges::count(checks, Verdict::not_checkable, &SessionCheck::verdict);
  // What took minutes to measure is shown first, and kept, whichever file cannot be written.
  attempt_all({show, write_file, keep});
  if (unknown > 0)
    say(fmt::format("{} of {} not checkable: the sources were not kept", unknown, counted(checks.size(), "session")));
  if (interrupt.flag()) say(fmt::format("interrupted after {}", counted(checks.size(), "session")));
}

}  // namespace

void add_check(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand(
      "check", "Measure the stored winners, defaults and runners-up again and report what changed");
  auto options = std::make_shared<CheckArguments>();
  add_kernel_argument(*verb, options->choice, &options->kernel_template);
  verb->option_defaults()->group(group::measuring);
  verb->add_option("--tolerance", options->check.tolerance, "slowdown that is not yet a regression; 0.05 is 5 %")
      ->type_name("FRACTION")
      ->check(real(0, 1e6))
      ->capture_default_str();
  verb->add_option("--runners-up", options->check.runners_up, "number of runners-up measured beside winner and default")
      ->check(whole(0, most_rows))
      ->capture_default_str();
  verb->add_option("--junit", options->junit, "also write the verdicts as JUnit XML")
      ->group(group::output)
      ->type_name("FILE");
  verb->add_flag("--keep", options->keep, "do not change the store, even if a winner is now wrong");
  add_choice_options(*verb, options->choice);
  add_compile_options(*verb, options->evaluator);
  add_template_option(*verb, options->kernel_template);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->footer(
      "Exit codes: 0 all hold, 4 a device is absent, 8 a regression, 9 not current but no slower, 10 wrong or not "
      "measurable, 12 the machine is slower: defaults are, too, by the same factor; the worst of all sessions.");
  verb->group(verbs::store);
  add_examples(*verb, {{"is everything that was tuned still right and as fast?", "warptune check"},
                       {"in continuous integration", "warptune check gemm --tolerance 0.05 --junit check.xml"}});
  verb->callback([options, &context] { run_check(*options, context); });
}

}  // namespace warptune::tuner::cli
