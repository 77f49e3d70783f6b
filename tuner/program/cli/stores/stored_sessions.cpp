// Finds sessions in the stores, and compares winners, trials and templates for the notes on them.
#include "tuner/program/cli/stores/stored_sessions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/session/provenance.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cli {

namespace {

// Returns the session that was tuned last, which may have been begun before others.
db::Located<db::SessionRecord> latest_of(const std::string& given, const db::StoreSet& stores) {
  const std::string kernel = stored_kernel_name(given);
  db::HistoryFilter filter;
  filter.kernel = kernel;
  if (is_template_path(given)) leave_out_others(filter, given, stores);
  filter.sort = db::HistorySort::updated;
  filter.limit = 1;
  auto sessions = stores.history(filter);
  if (!sessions.empty()) return std::move(sessions.front());
  throw RequestError(
      kernel.empty() ? "there is no session yet; `warptune tune` makes one"
                     : fmt::format("'{}' is no session, and no kernel that was tuned{}; `warptune history` lists the "
                                   "sessions there are",
                                   kernel, did_you_mean_kernel(kernel, stores)));
}

std::string restrictions_text(const db::SessionRecord& session) {
  return session.key.restrictions.empty()
             ? ""
             : fmt::format(", restricted to {},", fmt::join(session.key.restrictions, ", "));
}

// Returns "templates/gemm/template.toml", which is the same in every place where Warptune's own are installed.
std::filesystem::path installed_name(const std::filesystem::path& manifest) {
  const std::filesystem::path folder = manifest.parent_path();
  return folder.parent_path().filename() / folder.filename() / manifest.filename();
}

// Returns whether a template that was found by name is the session's. Names may be given twice: a user's own kernel may
// be called as one that comes with the program.
bool is_its_template(const std::filesystem::path& found, const db::SessionRecord& session) {
  if (session.manifest.empty() || installed_name(found) == installed_name(session.manifest)) return true;
  try {
    return has_manifest_of(load_template(found), session.key);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

void say_of_a_faster_session(const db::BestRecord& best, const db::Store& store) {
  const auto session = store.faster_session(best.session.id);
  if (!session) return;
  const db::Winner faster = store.winner(*session).value();
  const double errors = best.winner.time_error.value_or(0) + faster.time_error.value_or(0);
  if (*faster.time_ms * (1 + errors) >= *best.winner.time_ms) return;
  say(
      fmt::format("note: session {} has a faster winner of {}: {} instead of {}. Session {}{} was tuned later, so it "
                  "counts. To choose session {}, name it (`warptune history name`) and say --name",
                  *session, best.session.key.kernel, duration_text(*faster.time_ms),
                  duration_text(*best.winner.time_ms), best.session.id, restrictions_text(best.session), *session));
}

void say_of_a_later_trial(const db::BestRecord& best, const db::Store& store) {
  if (best.session.state != db::SessionState::running) return;
  db::TrialPageRequest first;
  first.order = db::TrialOrder::best;
  first.limit = 1;
  for (const db::StoredTrial& trial : store.trial_page(best.session.id, first).trials) {
    if (trial.recorded_at <= best.winner.decided_at || trial.trial.objectives.front() >= best.winner.objective)
      continue;
    say(
        fmt::format("note: session {} did not end, and its winner was decided before. Its trial {} is better; the same "
                    "`warptune tune` goes on from there and decides again",
                    best.session.id, trial.id));
  }
}

void say_of_an_uncertain_winner(db::SessionId session, const db::Winner& winner, double precision) {
  constexpr double far = 10, always_fine = 0.05;  // times the precision; a relative error
  const double error = winner.time_error.value_or(0);
  if (!std::isfinite(error) || error <= std::max(far * precision, always_fine)) return;
  say(
      fmt::format("note: the time of session {}'s winner is known to {} only, and it may have won by luck. The same "
                  "command with a larger --budget measures it again",
                  session, error_text(error)));
}

db::Located<db::SessionRecord> find_session_or_latest(const std::string& what, const db::StoreSet& stores) {
  if (what.empty()) return latest_of("", stores);
  try {
    return find_session(what, stores);
  } catch (const RequestError&) {
    if (what.find_first_not_of("0123456789:") == std::string::npos) throw;
    db::HistoryFilter named;
    named.name = what;
    if (!stores.history(named).empty()) throw;  // several have this name
  }
  return latest_of(what, stores);
}

TemplateFinder template_finder(const std::string& given) {
  return [given](const db::SessionRecord& session) -> std::filesystem::path {
    if (!given.empty()) return find_template(given);
    if (!session.manifest.empty() && is_file(session.manifest)) return session.manifest;
    try {
      const std::filesystem::path found = find_template(session.key.kernel);
      return is_its_template(found, session) ? found : std::filesystem::path();
    } catch (const RequestError&) {
      return {};
    }
  };
}

Today make_today(const std::string& given) {
  return Today(backend_options(), template_finder(given), worker_program());
}

void add_template_option(CLI::App& verb, std::string& given) {
  verb.add_option("--template", given, "the template's place, if it was moved since it was tuned")
      ->group(group::sessions)
      ->type_name("TEMPLATE");
}

bool left_out_as_recording(const db::SessionRecord& session) {
  if (session.key.device.backend != "replay") return false;
  say(fmt::format("left out session {} ({} for {}): it is a recording of {}, which cannot be measured again",
                  session.id, session.key.kernel, search::to_text(session.key.problem()), session.key.device.name));
  return true;
}

std::string why_not_checkable(const db::SessionRecord& session) {
  return fmt::format(
      "the sources of {} were not kept: nobody can look whether they are the same, or measure it again. In Python, "
      "warptune.tune(…, template=\"FOLDER\") keeps them, and session.save_template(\"FOLDER\") does so later; "
      "--template names them here",
      session.key.kernel);
}

bool warn_if_stale(const db::SessionRecord& session, const Standing& standing) {
  if (standing.sources_not_kept) say(fmt::format("note: session {}: {}", session.id, why_not_checkable(session)));
  if (standing.current()) return true;
  say(fmt::format("session {} ({} for {}) is not current: {}", session.id, session.key.kernel,
                  search::to_text(session.key.problem()), standing.explanation()));
  return false;
}

}  // namespace warptune::tuner::cli
