// Implements `warptune export`, which writes winners as a header, macros, wisdom or JSON, and sessions as recordings.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "db/interchange/formats.h"
#include "db/interchange/session_json.h"
#include "db/interchange/sessions.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/results/export_notes.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/stores/wisdom_filter.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/results/exporters/exporter.h"
#include "tuner/results/exporters/source_text.h"
#include "tuner/results/exporters/winners.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/results/select/prediction.h"

namespace warptune::tuner::cli {

namespace {

struct ExportArguments {
  FilterOptions filter;
  std::string format = "header";
  std::string output;
  std::string from;     // a wisdom file instead of the store
  std::string session;  // a session's number or name
  std::string kernel_template;
  std::string prefix;  // of macros
  bool require_current = false;
};

constexpr char own_format[] = "warptune-json";

// Returns the writers of formats that hold a whole session rather than winners, by the format's name.
const std::map<std::string, db::RecordedSpaceWriter>& session_formats() {
  static const std::map<std::string, db::RecordedSpaceWriter> formats = {
      {"csv", db::write_csv}, {"kernel-tuner", db::write_kernel_tuner}, {"t4", db::write_t4}};
  return formats;
}

// Loads the template of a manifest, which says what is the default, and which variants there are. The manifest lies
// where --template says, where the template was tuned, or where its name is found. Returns an empty template if there
// is no manifest or, after a message, if it cannot be read.
KernelTemplate template_at(const std::filesystem::path& manifest) {
  if (manifest.empty()) return {};
  try {
    return load_template(manifest);
  } catch (const ManifestError& error) {
    say(fmt::format("the default configuration cannot be read: {}", error.what()));
    return {};
  }
}

// Requires that a template that could be read is the kernel's. Another kernel's parameters would leave out every
// winner.
void require_kernel(const KernelTemplate& known, const std::string& kernel) {
  if (!known.name.empty() && known.name != kernel)
    throw RequestError(
        fmt::format("{} is not the kernel {}; name the template of {} with --template", known.name, kernel, kernel));
}

// Returns the winners' template, as far as it is known. If its default is not, the values that were measured as the
// default stand for it; they are empty if nobody knows them.
KernelTemplate known_template(const ExportArguments& options, const std::vector<db::BestRecord>& winners) {
  if (winners.empty()) return {};
  const db::BestRecord& decides = deciding_winner(winners);
  KernelTemplate known = template_at(template_finder(options.kernel_template)(decides.session));
  require_kernel(known, decides.session.key.kernel);
  if (known.default_values.empty() && decides.default_trial) known.default_values = decides.default_trial->values;
  return known;
}

// Returns the session that --session names. If a kernel is named, too, the session must be of that kernel: a wrong
// number must not export another kernel's trials.
db::Located<db::SessionRecord> named_session(const ExportArguments& options, const db::StoreSet& stores) {
  auto found = find_session(options.session, stores);
  const std::string &wanted = options.filter.filter.kernel, &kernel = found.record.key.kernel;
  if (!wanted.empty() && wanted != kernel)
    throw std::invalid_argument(
        fmt::format("session {} is of {}, not of {}; leave out the kernel's name", options.session, kernel, wanted));
  return found;
}

db::Located<db::SessionRecord> chosen_session(const ExportArguments& options, const db::StoreSet& stores) {
  if (!options.session.empty()) return named_session(options, stores);
  const auto sessions = stores.history(options.filter.resolved(stores));
  if (sessions.size() == 1) return sessions.front();
  const std::string& kernel = options.filter.filter.kernel;
  if (sessions.empty())
    throw RequestError(fmt::format("no session of '{}' matches{}; `warptune history` lists them", kernel,
                                   unknown_in(options.filter.parsed(), stores)));
  throw RequestError(fmt::format("{} sessions of '{}' match; choose one of `warptune history` with --session",
                                 sessions.size(), kernel));
}

bool to_stdout(const ExportArguments& options) {
  return options.output.empty() || options.output == "-";
}

void export_session(const ExportArguments& options, db::RecordedSpaceWriter writer, const Context& context) {
  const db::StoreSet stores = context.open_stores();
  const auto [session, store] = chosen_session(options, stores);
  const db::RecordedSpace space = db::recorded_space(session, stores.store(store).trials(session.id));
  if (to_stdout(options)) {
    std::ostringstream text;
    writer(space, text);
    return write_output("", text.str());
  }
  db::write_recorded_space(space, writer, options.output);
  say(fmt::format("wrote {}: {} of session {}", options.output, counted(space.trials.size(), "trial"), session.id));
}

// Exports one session, or all that the filter matches.
void export_dumps(const ExportArguments& options, const Context& context) {
  const db::StoreSet stores = context.open_stores();
  std::vector<db::Located<db::SessionRecord>> sessions;
  if (options.session.empty())
    sessions = stores.history(options.filter.resolved(stores));
  else
    sessions.push_back(named_session(options, stores));
  std::vector<db::SessionDump> dumps;
  for (const auto& [session, store] : sessions) dumps.push_back(stores.store(store).dump(session.id));
  std::ostringstream text;
  db::write_sessions(dumps, text);
  write_output(options.output, text.str());
  const std::string sessions_text = counted(dumps.size(), "session");
  say(to_stdout(options) ? "exported " + sessions_text : fmt::format("wrote {}: {}", options.output, sessions_text));
}

// Warns of stale winners, so that none leaves the store without a word, and sets the exit code of --require-current.
void warn_of_stale_winners(const ExportArguments& options, const std::vector<db::BestRecord>& winners,
                           Context& context) {
  Today today = make_today(options.kernel_template);
  for (const db::BestRecord& best : winners)
    if (!warn_if_stale(best.session, today.standing(best.session)) && options.require_current)
      context.exit_code = not_current;
}

using Winners = std::vector<db::Located<db::BestRecord>>;

// Returns at most 500 sizes at equal distances, the first and the last among them, since each size is compared with
// each other one.
std::vector<const Winners::value_type*> thinned(std::vector<const Winners::value_type*> sizes) {
  constexpr std::size_t most_sizes = 500;
  if (sizes.size() <= most_sizes) return sizes;
  std::vector<const Winners::value_type*> some;
  for (std::size_t i = 0; i < most_sizes; ++i) some.push_back(sizes[i * (sizes.size() - 1) / (most_sizes - 1)]);
  return some;
}

// Learns from the trials of these sessions the rule for sizes that nobody measured. Sizes are compared on one device,
// in one variant.
void take_rule(const Winners& winners, const db::StoreSet& stores, const search::NamedValues& default_values,
               Wisdom& wisdom) {
  std::map<std::pair<std::string, std::string>, std::vector<const Winners::value_type*>> groups;
  for (const auto& winner : winners) {
    const db::SessionKey& key = winner.record.session.key;
    groups[{key.device.name, search::to_text(key.variants)}].push_back(&winner);
  }
  std::vector<ServedSizes> served;
  for (const auto& [group, members] : groups) {
    std::vector<StoredSize> sizes;
    for (const auto* member : thinned(members)) {
      const db::Store& store = stores.store(member->store);
      const db::SessionRecord& session = member->record.session;
      sizes.push_back({session, store.trials(session.id), store.winner(session.id)});
    }
    served.push_back(served_by_winners(measured_sizes(sizes, default_values)));
  }
  wisdom.rule = learn_size_rule(served);
}

// Returns the winner of the session that --session names, also if another winner was decided later.
std::vector<db::Located<db::BestRecord>> winner_of(const db::Located<db::SessionRecord>& named,
                                                   const db::StoreSet& stores) {
  const auto& [session, index] = named;
  const db::Store& store = stores.store(index);
  const auto winner = store.winner(session.id);
  if (!winner) return {};
  db::BestRecord best{session, *winner, store.trial(winner->trial).value()};
  if (winner->default_trial) best.default_trial = store.trial(*winner->default_trial);
  return {{std::move(best), index}};
}

// Returns the latest winner of each device and problem, and says which winners it hides.
std::vector<db::Located<db::BestRecord>> latest_winners(const db::HistoryFilter& filter, const db::StoreSet& stores) {
  auto found = stores.best(filter);
  for (const auto& [best, store] : found) {
    say_of_a_faster_session(best, stores.store(store));
    say_of_a_later_trial(best, stores.store(store));
  }
  say_of_other_winners(filter, found, stores);
  return found;
}

std::vector<db::Located<db::BestRecord>> chosen_winners(const ExportArguments& options, const db::StoreSet& stores) {
  const db::HistoryFilter& given = options.filter.filter;
  if (!options.session.empty()) {
    const auto session = named_session(options, stores);
    auto found = winner_of(session, stores);
    if (found.empty()) say(fmt::format("session {0} has no winner; `warptune show {0}` says why", options.session));
    return found;
  }
  if (given.kernel.empty())
    throw std::invalid_argument(
        "which kernel's winners? Name the kernel, a session with --session, or a wisdom file with --from");
  const db::HistoryFilter filter = options.filter.resolved(stores);
  auto found = latest_winners(filter, stores);
  if (found.empty()) say(no_winner_matches(filter, stores));
  return found;
}

// Holds what is exported, and the template, as far as it is known.
struct Exported {
  Wisdom wisdom;
  KernelTemplate known;
};

// Returns the store's winners. If there are none, it says so on stderr and returns no entries.
Exported stored_winners(const ExportArguments& options, Context& context) {
  const db::StoreSet stores = context.open_stores();
  auto found = chosen_winners(options, stores);
  if (found.empty()) return {{options.filter.filter.kernel, {}, {}}, {}};
  const std::string kernel = found.front().record.session.key.kernel;
  std::vector<db::SessionId> left_out;
  std::vector<db::BestRecord> winners;
  for (const auto& [best, store] : found) {
    winners.push_back(best);
    say_of_other_points(best, stores.store(store));
  }
  warn_of_stale_winners(options, winners, context);
  KernelTemplate known = known_template(options, winners);
  Wisdom wisdom = wisdom_of(kernel, winners, known.default_values, left_out, known.variants);
  const std::set<db::SessionId> others(left_out.begin(), left_out.end());
  std::erase_if(found, [&](const auto& best) { return others.contains(best.record.session.id); });
  take_rule(found, stores, known.default_values, wisdom);
  for (const db::SessionId session : left_out)
    say(fmt::format("left out session {}: it tuned another version of {}, with other parameters, sizes or variants",
                    session, kernel));
  return {std::move(wisdom), std::move(known)};
}

std::string rendered(const ExportArguments& options, const Wisdom& wisdom) {
  const ExporterEntry& exporter = find_exporter(options.format);
  return options.prefix.empty() ? exporter.render(wisdom) : exporter.render_prefixed(wisdom, options.prefix);
}

void export_winners(const ExportArguments& options, const Exported& exported, Context& context) {
  const auto& [wisdom, known] = exported;
  if (wisdom.entries.empty()) {
    context.exit_code = nothing_correct;
    // Programs get a document without winners on stdout. A file is left as it is, which is better than an empty one.
    if (options.format == "json" && to_stdout(options)) write_output("", find_exporter("json").render(wisdom));
    return;
  }
  if (options.format == "defines" && options.prefix.empty()) warn_of_own_definitions(known);
  if (options.format == "defines") warn_of_choice(wisdom);
  write_output(options.output, rendered(options, wisdom));
  if (to_stdout(options)) return;
  say(fmt::format("wrote {}", options.output));
  if (options.format == "header") say_how_to_include(wisdom, known, options.output);
  if (options.format == "defines") say_how_to_include_macros(wisdom, options.prefix, options.output);
}

// Refuses options that a wisdom file cannot serve. A file has neither sessions nor their names, and what its winners
// were measured with is not compared with today.
void refuse_what_files_lack(const ExportArguments& options, bool holds_trials) {
  const auto refuse = [&](bool given, const char* option) {
    if (given)
      throw std::invalid_argument(
          fmt::format("{} is about sessions of a store, which a wisdom file has none of; with "
                      "--from, choose by --device, --backend, --driver, --size and --variant",
                      option));
  };
  refuse(!options.session.empty(), "--session");
  refuse(!options.filter.filter.name.empty(), "--name");
  refuse(options.require_current, "--require-current");
  if (holds_trials)
    throw std::invalid_argument(
        fmt::format("--format {} holds a session's trials, which a wisdom file lacks", options.format));
}

Exported winners_of_file(const ExportArguments& options) {
  Exported exported{read_matching(options.from, options.filter.parsed()), {}};
  if (!options.kernel_template.empty()) {
    exported.known = template_at(find_template(options.kernel_template));
    require_kernel(exported.known, exported.wisdom.kernel);
    exported.wisdom.defaults = exported.known.default_values;
  }
  return exported;
}

// Refuses a prefix that begins no macro's name, and one for a format without macros, which would ignore it.
void check_prefix(const ExportArguments& options) {
  if (options.prefix.empty()) return;
  const bool has_names = std::ranges::any_of(
      exporters(), [&](const ExporterEntry& entry) { return entry.name == options.format && entry.render_prefixed; });
  if (!has_names)
    throw std::invalid_argument(fmt::format("--prefix is for macros (--format defines); {} has none", options.format));
  if (identifier(options.prefix) != options.prefix)
    throw std::invalid_argument(
        fmt::format("--prefix '{}' begins no macro's name: letters, digits and _, as GEMM_", options.prefix));
}

void run_export(const ExportArguments& options, Context& context) {
  check_prefix(options);
  const auto whole = session_formats().find(options.format);
  if (!options.from.empty()) {
    refuse_what_files_lack(options, whole != session_formats().end() || options.format == own_format);
    return export_winners(options, winners_of_file(options), context);
  }
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  if (options.format == own_format) return export_dumps(options, context);
  if (whole != session_formats().end()) return export_session(options, whole->second, context);
  const Exported exported = stored_winners(options, context);
  if (context.exit_code != success) return;  // --require-current: better nothing than something old
  export_winners(options, exported, context);
}

}  // namespace

void add_export(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand(
      "export",
      "Write the best configurations of a kernel as a header, macros, wisdom or JSON, or a session as a recording");
  auto options = std::make_shared<ExportArguments>();
  std::vector<std::string> formats;
  for (const ExporterEntry& entry : exporters()) formats.emplace_back(entry.name);
  for (const auto& [name, writer] : session_formats()) formats.push_back(name);
  formats.emplace_back(own_format);
  add_kernel_argument(*verb, options->filter, &options->kernel_template, "a kernel template, by name or path");
  verb->option_defaults()->group(group::sessions);
  verb->add_option("--session", options->session, "this session: all its trials, or its winner, as the format holds")
      ->type_name("SESSION");
  verb->add_flag("--require-current", options->require_current,
                 "write nothing and exit with 9 if a winner is out of date");
  verb->add_option("--from", options->from, "take winners from a wisdom file, not from the store")->type_name("FILE");
  verb->option_defaults()->group(group::output);
  verb->add_option("--format", options->format, "what to write")->check(one_of(formats))->capture_default_str();
  verb->add_option("--output,-o", options->output, "write to this file instead of standard output")->type_name("FILE");
  verb->add_option("--prefix", options->prefix, "macros are called PREFIXNAME: for several kernels in one file")
      ->type_name("TEXT");
  add_choice_options(*verb, options->filter);
  add_template_option(*verb, options->kernel_template);
  add_database_option(*verb, context);
  verb->group(verbs::results);
  add_examples(
      *verb,
      {{"a C++ header with the best configuration for every device and size", "warptune export gemm -o gemm_tuned.h"},
       {"all trials of a session, for other tools", "warptune export gemm --session 3 --format csv -o trials.csv"},
       {"whole sessions, to be imported elsewhere", "warptune export --format warptune-json -o sessions.json"}});
  verb->callback([options, &context] { run_export(*options, context); });
}

}  // namespace warptune::tuner::cli
