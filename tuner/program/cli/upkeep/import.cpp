// Implements `warptune import`, which puts recordings of other tuners or exported sessions into the store, and
// `warptune merge`, which copies the sessions of other stores into it.

#include <fmt/format.h>

#include <optional>

#include "db/interchange/formats.h"
#include "db/interchange/session_json.h"
#include "db/interchange/sessions.h"
#include "db/store_address.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/session/provenance.h"

namespace warptune::tuner::cli {

namespace {

struct ImportArguments {
  std::vector<std::string> files;
};

// The target is the store, which is opened once something was read for it: a file that is no recording makes no store.
class Target {
 public:
  explicit Target(const Context& context) : context_(context) {}
  db::Store& store() {
    if (!store_) store_.emplace(context_.open_store(db::OpenMode::read_write));
    return *store_;
  }

 private:
  const Context& context_;
  std::optional<db::Store> store_;
};

// Makes the best correct trial the winner. It was not measured again.
void settle_winner(db::Store& store, db::SessionId session) {
  const auto best = store.best_trials(session, 1);
  if (best.empty()) return;
  store.settle_winner(session, {.trial = best.front().id, .objective = best.front().trial.objectives.front()});
}

// Returns what a recording without a name is called: its file's name. A pipe's path says nothing.
std::string name_of(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) ? file.stem().stem().string() : "recording";
}

// Imports a recording as a session. A session that is there already takes over the file's trials: importing a file
// twice changes nothing.
void import_recording(const std::string& file, db::InputText& text, Target& target) {
  const db::RecordedSpace space = db::read_recorded_space(text);
  for (const std::string& note : space.notes) say("note: " + note);
  db::SessionRecord record = db::session_record(space);
  record.tool_version = tool_version;
  // T4 does not name its kernel; without a name, unlike recordings would count as one.
  if (record.key.kernel.empty()) record.key.kernel = name_of(file);
  db::Store& store = target.store();
  const db::SessionId session = store.create_session(record);
  store.record_batch(session, db::stored_trials(space));
  store.set_session_state(session, record.state);
  settle_winner(store, session);
  say(fmt::format("{}: {} of {} on {}: session {}{}", file, counted(space.trials.size(), "trial"), record.key.kernel,
                  space.device.empty() ? "an unnamed device" : space.device, session,
                  space.unfinished ? "; the file is unfinished" : ""));
}

void import_sessions(const std::string& file, db::InputText& text, Target& target) {
  const auto sessions = db::read_sessions(text);
  const db::MergeReport report = target.store().merge(sessions, std::filesystem::absolute(file).string());
  say(fmt::format("{}: {}, of which {} {} new; {} added, {} replaced by later ones, {} changed", file,
                  counted(sessions.size(), "session"), report.sessions_added, report.sessions_added == 1 ? "is" : "are",
                  counted(report.trials_added, "trial"), report.trials_replaced,
                  counted(report.winners_changed, "winner")));
}

void run_import(const ImportArguments& options, Context& context) {
  Target target(context);
  for (const std::string& file : options.files) {
    db::InputText text(file);  // read once, since it may be a pipe
    if (db::holds_sessions(text))
      import_sessions(file, text, target);
    else
      import_recording(file, text, target);
  }
}

}  // namespace

void add_import(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand(
      "import", "Put recordings of other tuners, or sessions exported as warptune-json, into the store");
  auto options = std::make_shared<ImportArguments>();
  verb->add_option("files", options->files, "Kernel Tuner caches, T4, warptune-json; .gz too")
      ->required()
      ->check(CLI::ExistingFile);
  add_database_option(*verb, context);
  verb->group(verbs::store);
  add_examples(*verb, {{"a recording of another tuner", "warptune import gemm.json.gz"},
                       {"sessions of another machine", "warptune import sessions.json"}});
  verb->callback([options, &context] { run_import(*options, context); });
}

namespace {

struct MergeArguments {
  std::vector<std::string> files;
  bool dry_run = false;
};

// Requires that the stores can be opened, before anything is written: a mistyped name would leave an empty store, or
// only what was named before it.
void require_stores(const std::vector<std::string>& files) {
  for (const std::string& file : files) db::Store::open(file, db::OpenMode::read_only);
}

void run_merge(const MergeArguments& options, Context& context) {
  require_stores(options.files);
  // A dry run makes no store where none is: it shows what an empty one would take over.
  const bool nowhere = options.dry_run && !db::may_exist(context.store_name());
  db::Store store =
      nowhere ? db::Store::open(":memory:", db::OpenMode::read_write) : context.open_store(db::OpenMode::read_write);
  const db::Effect effect = options.dry_run ? db::Effect::preview : db::Effect::apply;
  Table table({"file", "sessions_added", "trials_added", "trials_replaced", "winners_changed", "checks_added"});
  for (const std::string& file : options.files) {
    const db::MergeReport report = store.merge(file, effect);
    table.add({db::is_address(file) ? db::shown_name(file).string() : file, report.sessions_added, report.trials_added,
               report.trials_replaced, report.winners_changed, report.checks_added});
  }
  if (options.dry_run) say("a dry run: nothing was changed, and each file is taken by itself");
  context.print("merge", "files", table);
}

}  // namespace

void add_merge(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("merge", "Copy the sessions of other stores into this one");
  auto options = std::make_shared<MergeArguments>();
  verb->add_option("files", options->files, "other stores, files or postgresql://…; only read")
      ->required()
      ->type_name("FILE");
  verb->add_flag("--dry-run", options->dry_run, "show what would change, and change nothing")->group(group::output);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::store);
  add_examples(*verb, {{"what two machines tuned, in one store", "warptune merge laptop.db cluster.db"}});
  verb->callback([options, &context] { run_merge(*options, context); });
}

}  // namespace warptune::tuner::cli
