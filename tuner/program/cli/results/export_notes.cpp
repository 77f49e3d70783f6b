// Writes the notes of export_notes.h; some of them need a look into the kernel's source.
#include "tuner/program/cli/results/export_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "db/objectives.h"
#include "tuner/device/compile/source_tokens.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/whole_program.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/exporters/header_parts.h"
#include "tuner/results/exporters/source_text.h"
#include "tuner/results/report/best_report.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cli {

namespace {

using Winners = std::vector<db::Located<db::BestRecord>>;

bool has_session(const Winners& winners, const db::Located<db::BestRecord>& one) {
  return std::ranges::any_of(winners, [&](const auto& other) {
    return other.store == one.store && other.record.session.id == one.record.session.id;
  });
}

// Returns whether both stand for the same device and problem, so that the first hides the second.
bool hides(const db::BestRecord& shown, const db::BestRecord& hidden) {
  const db::SessionKey &a = shown.session.key, &b = hidden.session.key;
  return a.device.backend == b.device.backend && a.device.name == b.device.name && a.problem() == b.problem();
}

// Returns how the exported session differs from the one that is left out: it "has another objective" or "was tuned on
// call.bin".
std::string difference(const Winners& exported, const db::BestRecord& left_out) {
  const auto shown = std::ranges::find_if(exported, [&](const auto& one) { return hides(one.record, left_out); });
  if (shown == exported.end() || shown->record.session.objective != left_out.session.objective)
    return "has another objective";
  const db::SessionRecord& session = shown->record.session;
  return session.key.capture.empty() ? "was tuned on the template's own data" : "was tuned on " + capture_text(session);
}

bool is_value_condition(const SourceToken& word) {
  return word.is("if") || word.is("elif");
}

std::set<std::string> parameter_names(const KernelTemplate& known) {
  std::set<std::string> names;
  for (const auto& [name, value] : known.default_values) names.insert(name);
  return names;
}

// Returns "line 12 of k.cu asks for TILE in an #if"; empty if no line does. The preprocessor does not know constants,
// and takes such a name for 0 without a word.
std::string condition_that_reads(const KernelTemplate& known) {
  const auto source = read_file(known.source);
  if (!source) return {};
  const std::set<std::string> names = parameter_names(known);
  const std::vector<SourceToken> tokens = source_tokens(*source);
  bool in_condition = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].first) in_condition = tokens[i].is("#") && i + 1 < tokens.size() && is_value_condition(tokens[i + 1]);
    const bool is_asked = i >= 2 && (tokens[i - 1].is("defined") || tokens[i - 2].is("defined"));
    if (in_condition && !is_asked && names.contains(tokens[i].text))
      return fmt::format("line {} of {} asks for {} in an #if", tokens[i].line, known.source.filename().string(),
                         tokens[i].text);
  }
  return {};
}

}  // namespace

void say_of_other_winners(db::HistoryFilter filter, const Winners& exported, const db::StoreSet& stores) {
  filter.each_question = true;
  for (const auto& one : stores.best(filter)) {
    if (has_session(exported, one)) continue;
    const db::SessionRecord& session = one.record.session;
    const std::string reference =
        one.store == 0 ? std::to_string(session.id) : fmt::format("{}:{}", one.store + 1, session.id);
    say(
        fmt::format("note: the winner of session {} by {}{} is not exported, since a later session of this size {}. To "
                    "export it, say --session {}",
                    session.id, session.objective, session.key.capture.empty() ? "" : " on " + capture_text(session),
                    difference(exported, one.record), reference));
  }
}

void say_of_other_points(const db::BestRecord& best, const db::Store& store) {
  const std::size_t points = shown_trials(best, store).size();
  if (points < 2) return;
  say(fmt::format(
      "note: session {} was tuned for {}: of its {} best compromises the one that is best by {} is exported; "
      "`warptune best` shows the others",
      best.session.id, best.session.objective, points, db::objective_names(best.session.objective).front()));
}

void warn_of_own_definitions(const KernelTemplate& known) {
  const auto source = read_file(known.source);
  if (!source) return;
  const std::string file = known.source.filename().string();
  for (const OwnDefinition& own : own_definitions(*source, parameter_names(known)))
    if (own.is_constant)
      say(
          fmt::format("{}, line {}: {} is a constant there, which a macro of that name breaks: delete that line where "
                      "the source includes the macros",
                      file, own.line, own.name));
    else if (!own.is_guarded)
      say(
          fmt::format("{0}, line {1} defines {2} again, and what is exported has no effect: write #ifndef {2} before "
                      "it and #endif behind it, and include the macros above it",
                      file, own.line, own.name));
}

void say_how_to_include(const Wisdom& wisdom, const KernelTemplate& known, const std::string& output) {
  const std::string file = std::filesystem::path(output).filename().string(), macro = constants_macro(wisdom);
  if (const std::string reader = condition_that_reads(known); macro.empty() || !reader.empty()) {
    const std::string why = macro.empty() ? "a parameter is text, which no constant can be" : reader;
    return say(fmt::format("for host code; the kernel's own source takes macros (--format defines), since {}", why));
  }
  say(
      fmt::format("the kernel's source takes constants with these two lines, and can still be tuned:\n"
                  "  #include \"{}\"\n  {}(0);",
                  file, macro));
  if (wisdom.entries.size() > 1)
    say(fmt::format("0 is for {} on {}; the header numbers the others",
                    Problem{wisdom.entries[0].sizes, wisdom.entries[0].variants}.text(), wisdom.entries[0].device));
  if (const auto source = read_file(known.source))
    for (const OwnDefinition& own : own_definitions(*source, parameter_names(known)))
      say(fmt::format("they stand in place of line {} of {}, which defines {}", own.line,
                      known.source.filename().string(), own.name));
}

void say_how_to_include_macros(const Wisdom& wisdom, const std::string& prefix, const std::string& output) {
  const std::string file = std::filesystem::path(output).filename().string();
  const std::string name = identifiers(wisdom.defaults).front();
  const std::string names = prefix.empty() ? "" : fmt::format(", says {0}{1} where it said {1}", prefix, name);
  say(fmt::format("the kernel's source takes the macros with this line{}, and can still be tuned:\n  #include \"{}\"",
                  names, file));
}

void warn_of_choice(const Wisdom& wisdom) {
  if (wisdom.entries.size() > 1)
    say(
        fmt::format("{} entries: where host code launches with these macros, choose one with -D WARPTUNE_{}_ENTRY=1 to "
                    "{}, or it has the default's",
                    wisdom.entries.size(), macro_name(wisdom.kernel), wisdom.entries.size()));
}

}  // namespace warptune::tuner::cli
