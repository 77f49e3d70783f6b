// Implements `warptune select`, which chooses the few configurations that together serve all tuned sizes best.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/measuring.h"
#include "tuner/results/check/check.h"
#include "tuner/results/check/revalidate.h"
#include "tuner/results/report/selection_report.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner::cli {

namespace {

struct SelectArguments {
  FilterOptions choice;
  std::string kernel_template;
  std::size_t kernels = 4;
  std::size_t candidates = 10;
  bool measure = false;
  std::vector<std::string> predict;
  EvaluatorOptions evaluator;
};

using Sessions = std::vector<db::Located<db::SessionRecord>>;

// Requires that all sessions are of one variant. Kernels are selected for each precision by itself, since one variant
// cannot stand in for another as one size may.
void require_one_variant(const SelectArguments& options, const Sessions& sessions) {
  std::set<std::string> variants;
  for (const auto& session : sessions) variants.insert(search::to_text(session.record.key.variants));
  if (variants.size() > 1)
    throw RequestError(
        fmt::format("kernels are selected for one variant of the problem, and {} was tuned as {}; choose "
                    "with --variant",
                    options.choice.filter.kernel, fmt::join(variants, " and as ")));
}

// Returns one session for each size: the newest with a winner. All are on one device.
Sessions chosen_sessions(const SelectArguments& options, const db::StoreSet& stores) {
  Sessions sessions;
  std::set<std::string> devices;
  for (auto& [best, store] : stores.best(options.choice.resolved(stores))) {
    devices.insert(best.session.key.device.name);
    sessions.push_back({std::move(best.session), store});
  }
  if (devices.size() > 1)
    throw RequestError(fmt::format("kernels are selected for one device, and {} was tuned on {}; choose with --device",
                                   options.choice.filter.kernel, fmt::join(devices, ", ")));
  require_one_variant(options, sessions);
  std::ranges::sort(sessions, {}, [](const auto& session) { return std::pair(session.store, session.record.id); });
  return sessions;
}

MeasuredSizes load(const Sessions& sessions, const db::StoreSet& stores, const search::NamedValues& default_values) {
  std::vector<StoredSize> sizes;
  for (const auto& [session, index] : sessions) {
    const db::Store& store = stores.store(index);
    sizes.push_back({session, store.trials(session.id), store.winner(session.id)});
  }
  return measured_sizes(sizes, default_values);
}

// Makes a candidate the winner if it is better than the winner beyond both errors, as a configuration of another size
// may turn out to be.
void take_if_better(db::SessionId session, const db::StoredTrial& candidate, db::Store& store) {
  const auto winner = store.winner(session);
  if (!winner || !may_win(candidate.trial)) return;
  for (const db::StoredTrial& trial : store.trials(session)) {
    if (trial.id != winner->trial) continue;
    if (verdict_of(db::settled(winner, trial), candidate.trial, 0) != Verdict::improved) continue;
    db::Winner next = *winner;  // the finals' figures of the others stay, the default's among them
    next.trial = candidate.id;
    next.objective = candidate.trial.objectives.front();
    next.relative_error = candidate.trial.measurement->relative_error;
    next.ties.clear();
    store.settle_winner(session, next);
  }
}

// Measures configurations for one size and records them in its session. This happens only under the session's own key,
// since figures of two drivers do not compare.
void measure_size(const SelectArguments& options, const db::SessionRecord& session,
                  const std::vector<search::NamedValues>& wanted, Today& today, db::Store& store,
                  const std::atomic<bool>& stop) {
  const Standing standing = today.standing(session);
  if (!standing.current())
    return say(
        fmt::format("nothing is measured for {}, whose session is not current; `warptune revalidate` comes first",
                    search::to_text(session.key.problem())));
  say(fmt::format("measuring {} for {}", counted(wanted.size(), "configuration"),
                  search::to_text(session.key.problem())));
  Remeasurer remeasurer(request_again(session, standing, options.evaluator), stop);
  std::vector<search::Trial> trials = remeasurer.measure(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (stop && !trials[i].correct()) continue;  // it was cut off
    remeasurer.keep_to_bits(store, session.id, wanted[i], trials[i]);
    const db::TrialId id = store.record(session.id, wanted[i], trials[i]);
    take_if_better(session.id, {.id = id, .values = wanted[i], .trial = trials[i]}, store);
  }
}

void measure_missing(const SelectArguments& options, const MeasuredSizes& measured, const Sessions& sessions,
                     const db::StoreSet& stores, const search::NamedValues& default_values, Today& today,
                     const Context& context, const std::atomic<bool>& stop) {
  const auto missing = missing_figures(measured, options.candidates, default_values);
  db::Store store = context.open_store(db::OpenMode::read_write);
  for (std::size_t size = 0; size < sessions.size() && !stop; ++size) {
    std::vector<search::NamedValues> wanted;
    for (const MissingFigures& one : missing)
      if (std::ranges::count(one.sizes, size)) wanted.push_back(measured.configurations[one.configuration]);
    if (wanted.empty()) continue;
    const auto& [session, index] = sessions[size];
    if (context.is_own(stores.store(index)))
      measure_size(options, session, wanted, today, store, stop);
    else
      say(fmt::format("nothing is measured for {}: its session lies in a store that is only read",
                      search::to_text(session.key.problem())));
  }
}

void require_same_names(const search::NamedValues& wanted, const search::NamedValues& measured) {
  const auto known = [&](const auto& size) { return search::find_value(measured, size.first) != nullptr; };
  if (wanted.size() == measured.size() && std::ranges::all_of(wanted, known)) return;
  throw RequestError(fmt::format("--predict {}: expected all sizes of the kernel and no others, as in {}",
                                 search::to_text(wanted), search::to_text(measured)));
}

// Predicts which of the chosen kernels suits each size of --predict, which nobody measured.
void predict(const SelectArguments& options, SelectedKernels& selected) {
  const ServedSizes served = served_by(selected);
  selected.rule = learn_size_rule({served});
  for (const std::string& text : options.predict) {
    search::NamedValues wanted = parse_sizes(text);
    require_same_names(wanted, served.sizes.front());
    selected.predicted.push_back({std::move(wanted), 0});
    PredictedSize& last = selected.predicted.back();
    last.from = nearest_size(served.sizes, last.size, selected.rule);
  }
}

// Returns 1, 2, 4 … below the number asked for, and that number.
std::vector<std::size_t> counts(std::size_t asked) {
  std::vector<std::size_t> all;
  for (std::size_t k = 1; k < asked; k *= 2) all.push_back(k);
  all.push_back(asked);
  return all;
}

// Says on stderr what the predictions are worth, beside their figures, so that nobody takes a guess for a measurement.
void say_predictions(const SelectedKernels& selected) {
  if (selected.predicted.empty()) return;
  say(prediction_text(selected));
}

void print(const SelectedKernels& selected, const Context& context) {
  switch (context.output_format()) {
    case Format::json:
      return write_output("", selection_json(selected));
    case Format::csv:
      return write_output("", serving_table(selected).render(Format::csv));
    case Format::table:
      write_output("", regret_table(selected).render(Format::table, output_width()) + '\n' +
                           serving_table(selected).render(Format::table, output_width()) +
                           (selected.predicted.empty()
                                ? ""
                                : '\n' + predicted_table(selected).render(Format::table, output_width())));
  }
}

// Prints a document or a list without rows for programs, as `best` does. People have read the reason.
void print_nothing(const SelectArguments& options, const Context& context) {
  if (context.output_format() != Format::table) print({options.choice.filter.kernel, {}, {}, {}, {}, {}, {}}, context);
}

// Returns the default configuration as sessions hold it: in the manifest's order.
search::NamedValues default_configuration(const Standing& standing) {
  return standing.manifest.empty() ? search::NamedValues{} : load_template(standing.manifest).default_values;
}

// Makes the choices for every count. Returns false, and says so, if nothing was tried at every size.
bool choose(const SelectArguments& options, SelectedKernels& selected) {
  const ComparableConfigurations table = comparable(selected.measured);
  if (table.incomplete > 0)
    say(fmt::format("left out, for want of a trial at every size: {}{}", counted(table.incomplete, "configuration"),
                    options.measure ? "" : "; --measure tries the best of them"));
  if (table.numbers.empty()) {
    say("no configuration was tried at every size; --measure tries the best of each");
    return false;
  }
  selected.numbers = table.numbers;
  for (const std::size_t k : counts(options.kernels))
    selected.by_count.emplace_back(k, select_kernels(table.problem, k));
  return true;
}

void run_select(const SelectArguments& options, Context& context) {
  context.exit_code = nothing_correct;
  if (!context.store_exists()) return;
  const db::StoreSet stores = context.open_stores();
  const Sessions sessions = chosen_sessions(options, stores);
  if (sessions.empty()) {
    say(no_winner_matches(options.choice.resolved(stores), stores));
    return print_nothing(options, context);
  }
  Today today = make_today(options.kernel_template);
  for (const auto& [session, store] : sessions) warn_if_stale(session, today.standing(session));
  const search::NamedValues default_values = default_configuration(today.standing(sessions.front().record));
  const db::SessionKey& key = sessions.front().record.key;
  SelectedKernels selected{key.kernel, key.device.name, load(sessions, stores, default_values), {}, {}, {}, {}};
  if (options.measure) {
    const Interrupt interrupt;
    measure_missing(options, selected.measured, sessions, stores, default_values, today, context, interrupt.flag());
    if (interrupt.flag()) {
      context.exit_code = interrupted;
      return say("interrupted; what was measured is in the store, and the same command goes on");
    }
    selected.measured = load(sessions, stores, default_values);
  }
  if (!choose(options, selected)) return print_nothing(options, context);
  if (!options.predict.empty()) predict(options, selected);
  context.exit_code = success;
  say_predictions(selected);
  print(selected, context);
}

}  // namespace

void add_select(CLI::App& program, Context& context) {
  CLI::App* verb =
      program.add_subcommand("select", "Choose the few configurations that together serve all tuned sizes best");
  auto options = std::make_shared<SelectArguments>();
  add_kernel_argument(*verb, options->choice, &options->kernel_template, "a kernel template, by name or path")
      ->required();
  verb->option_defaults()->group(group::search);
  verb->add_option("--kernels", options->kernels, "maximum number of configurations to choose")
      ->check(whole(1, 1000))
      ->capture_default_str();
  verb->add_flag("--measure", options->measure, "first measure each size's best configurations at the other sizes");
  verb->add_option("--candidates", options->candidates, "with --measure: number of configurations taken from each size")
      ->check(whole(1, most_rows))
      ->capture_default_str();
  verb->add_option("--predict", options->predict,
                   "predict which of the chosen configurations suits a size that was not measured")
      ->allow_extra_args(false)
      ->type_name("SIZES");
  add_choice_options(*verb, options->choice);
  add_compile_options(*verb, options->evaluator);
  add_template_option(*verb, options->kernel_template);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"four kernels for all sizes that were tuned", "warptune select gemm --kernels 4 --measure"},
                       {"and which of them a size gets that was not",
                        "warptune select gemm --measure --predict M=300,N=300,K=5k"}});
  verb->callback([options, &context] { run_select(*options, context); });
}

}  // namespace warptune::tuner::cli
