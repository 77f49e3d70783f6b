// Implements `warptune history`, which lists the tuning sessions in the store, and `history rm`, `name` and `note`,
// which change the list.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/context.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/results/report/history_report.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner::cli {

namespace {

struct RemovalArguments {
  std::vector<std::string> sessions;
  FilterOptions filter;
  bool all = false;
  bool dry_run = false;
  bool yes = false;
};

bool chooses_something(const RemovalArguments& options) {
  const FilterOptions& filter = options.filter;
  const auto given = [](const std::string& text) { return !text.empty(); };
  return options.all || !options.sessions.empty() || !filter.variants.empty() ||
         std::ranges::any_of(
             std::vector{filter.filter.kernel, filter.filter.device, filter.filter.backend, filter.filter.driver,
                         filter.filter.name, filter.filter.since, filter.filter.until, filter.filter.text, filter.size,
                         filter.outcome, filter.state},
             given);
}

// Returns the sessions that are named, else those that match. They are of the store that is written to.
std::vector<db::SessionRecord> chosen_sessions(const RemovalArguments& options, const Context& context) {
  const db::StoreSet stores = context.open_stores();
  std::vector<db::SessionRecord> chosen;
  for (const std::string& reference : options.sessions) {
    auto found = find_session(reference, stores);
    const db::Store& store = stores.store(found.store);
    if (!context.is_own(store))
      throw RequestError(fmt::format("session {} lies in {}, which is only read", reference, store.file().string()));
    const bool again = std::ranges::any_of(chosen, [&](const auto& one) { return one.id == found.record.id; });
    if (!again) chosen.push_back(std::move(found.record));
  }
  if (!options.sessions.empty()) return chosen;
  for (auto& [session, store] : stores.history(options.filter.resolved(stores)))
    if (context.is_own(stores.store(store))) chosen.push_back(std::move(session));
  return chosen;
}

// Leaves out sessions that are being tuned. Another process may be recording into them, and would fail in the middle of
// its work.
void leave_out_running(std::vector<db::SessionRecord>& sessions) {
  const auto now = std::chrono::system_clock::now();
  std::erase_if(sessions, [&](const db::SessionRecord& session) {
    const bool busy = session.state == db::SessionState::running && !is_silent(session, now);
    if (busy) say(fmt::format("session {} is being tuned and stays", session.id));
    return busy;
  });
}

bool confirmed(std::size_t sessions) {
  if (!can_ask())
    throw std::invalid_argument("nobody can be asked here whether these sessions shall go; --yes removes them");
  return ask(fmt::format("remove {}, for ever?", counted(sessions, "session")));
}

Table removal_table(const std::vector<db::SessionRecord>& sessions, const db::Store& store) {
  std::vector<HistoryRow> rows;
  for (const db::SessionRecord& session : sessions) rows.push_back(history_row(session, store));
  return history_table(rows);
}

void remove(const RemovalArguments& options, Context& context) {
  if (!chooses_something(options))
    throw std::invalid_argument("which sessions? Give their numbers, a filter as --until 2025, or --all");
  if (!context.store_exists()) return;
  std::vector<db::SessionRecord> sessions = chosen_sessions(options, context);
  leave_out_running(sessions);
  if (sessions.empty()) {
    context.exit_code = nothing_correct;
    return say("no session matches; nothing was removed");
  }
  db::Store store = context.open_store(db::OpenMode::read_write);
  context.print("history", "sessions", removal_table(sessions, store));
  if (!options.dry_run && !options.yes && !confirmed(sessions.size())) return say("nothing was removed");
  std::vector<db::SessionId> ids;
  for (const db::SessionRecord& session : sessions) ids.push_back(session.id);
  const db::RemovalReport report = store.remove(ids, options.dry_run ? db::Effect::preview : db::Effect::apply);
  say(fmt::format("{} {} with {} and {}", options.dry_run ? "would remove" : "removed",
                  counted(report.sessions, "session"), counted(report.trials, "trial"),
                  counted(report.winners, "winner")));
}

// Returns the number of the session of this reference, which must be in the store that is written to. The stores are
// closed again here: the connection that writes is then the last one, which leaves one complete file.
db::SessionId own_session(const std::string& reference, const Context& context) {
  const db::StoreSet stores = context.open_stores();
  const auto [session, store] = find_session(reference, stores);
  if (!context.is_own(stores.store(store)))
    throw RequestError(
        fmt::format("session {} lies in {}, which is only read", reference, stores.store(store).file().string()));
  return session.id;
}

void label(const std::string& reference, const db::SessionLabel& label, const Context& context) {
  if (!context.store_exists()) throw RequestError("there is no session to name");
  const db::SessionId session = own_session(reference, context);
  context.open_store(db::OpenMode::read_write).label(session, label);
}

void add_removal(CLI::App& history, Context& context) {
  CLI::App* verb = history.add_subcommand("rm", "Remove sessions from the store, with their trials and winners");
  verb->group("Verbs");
  auto options = std::make_shared<RemovalArguments>();
  verb->add_option("sessions", options->sessions, "their numbers or names; default: those that the filter matches")
      ->type_name("SESSION");
  verb->add_option("--kernel", options->filter.filter.kernel, "a kernel template's name")
      ->group(group::sessions)
      ->type_name("KERNEL");
  add_choice_options(*verb, options->filter);
  add_period_options(*verb, options->filter);
  verb->add_flag("--all", options->all, "every session");
  verb->option_defaults()->group(group::output);
  verb->add_flag("--dry-run", options->dry_run, "show what would be deleted, and delete nothing");
  verb->add_flag("--yes", options->yes, "do not ask");
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  add_examples(*verb, {{"two sessions", "warptune history rm 3 7"},
                       {"what would go", "warptune history rm --kernel gemm --until 2025 --dry-run"},
                       {"in a script", "warptune history rm --state interrupted --until 30d --yes"}});
  verb->callback([options, &context] { remove(*options, context); });
}

// Adds `history name SESSION NAME` or `history note SESSION TEXT`. Returns the option of the new text.
CLI::Option* add_label(CLI::App& history, Context& context, const char* name, const char* description,
                       const char* text_name, std::optional<std::string> db::SessionLabel::*part,
                       const Example& example) {
  CLI::App* verb = history.add_subcommand(name, description);
  verb->group("Verbs");
  auto session = std::make_shared<std::string>(), text = std::make_shared<std::string>();
  verb->add_option("session", *session, "a session's number or name")->required()->type_name("SESSION");
  CLI::Option* given = verb->add_option(text_name, *text, "the new text; '' removes it")->required();
  add_database_option(*verb, context);
  add_examples(*verb, {example});
  verb->callback([=, &context] {
    db::SessionLabel change;
    change.*part = *text;
    label(*session, change, context);
  });
  return given;
}

void add_history_verbs(CLI::App& history, Context& context) {
  history.require_subcommand(0, 1);
  add_removal(history, context);
  add_label(history, context, "name", "Give a session a name", "name", &db::SessionLabel::name,
            {"by which `show` and --name find it", "warptune history name 3 baseline"})
      ->check(refusal_of_session_name);
  add_label(history, context, "note", "Attach a note to a session", "text", &db::SessionLabel::note,
            {"why it was made", "warptune history note 3 'before the new driver'"});
}

struct HistoryArguments {
  FilterOptions list;
  std::vector<std::string> group_by;
};

void run_history(const HistoryArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  const db::StoreSet stores = context.open_stores();
  db::HistoryFilter filter = options.list.resolved(stores);
  if (!options.group_by.empty()) filter.limit = filter.offset = 0;  // a group of half its sessions would be wrong
  std::vector<HistoryRow> rows;
  for (auto& [session, store] : stores.history(filter))
    rows.push_back(history_row(std::move(session), stores.store(store), context.origin(stores, store)));
  if (rows.empty()) {
    say("no session matches" + unknown_in(filter, stores));
    context.exit_code = nothing_correct;
  }
  if (rows.empty() && context.output_format() == Format::table) return;
  if (options.group_by.empty())
    context.print("history", "sessions",
                  history_table(rows, context.output_format() == Format::json ? Columns::all : Columns::needed));
  else
    context.print("history", "groups", grouped_history(rows, options.group_by));
}

}  // namespace

void add_history(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("history", "List the tuning sessions in the store, newest first");
  auto options = std::make_shared<HistoryArguments>();
  options->list.filter.limit = 50;
  add_kernel_argument(*verb, options->list);
  verb->add_option("--group-by", options->group_by, "one row for each combination of these, as kernel,device")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of(history_groups()))
      ->group(group::list);
  add_choice_options(*verb, options->list);
  add_list_options(*verb, options->list);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"the newest sessions", "warptune history"},
                       {"what was tuned on one kind of GPU, month by month",
                        "warptune history --device H100 --group-by kernel,month"}});
  add_history_verbs(*verb, context);
  verb->callback([options, verb, &context] {
    if (verb->get_subcommands().empty()) run_history(*options, context);
  });
}

}  // namespace warptune::tuner::cli
