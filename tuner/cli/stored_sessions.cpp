#include "tuner/cli/stored_sessions.h"

#include <fmt/format.h>

#include "tuner/cli/filter.h"
#include "tuner/cli/options.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner::cli {

namespace {

db::Located<db::SessionRecord> newest_of(const std::string& given, const db::StoreSet& stores) {
  const std::string kernel = stored_kernel_name(given);
  db::HistoryFilter filter;
  filter.kernel = kernel;
  if (is_template_path(given)) leave_out_others(filter, given, stores);
  filter.limit = 1;
  auto sessions = stores.history(filter);
  if (!sessions.empty()) return std::move(sessions.front());
  throw RequestError(kernel.empty()
                         ? "there is no session yet; `warptune tune` makes one"
                         : fmt::format("'{}' is no session, and no kernel that was tuned; `warptune history` lists the "
                                       "sessions there are",
                                       kernel));
}

}  // namespace

db::Located<db::SessionRecord> find_session_or_newest(const std::string& what, const db::StoreSet& stores) {
  if (what.empty()) return newest_of("", stores);
  try {
    return find_session(what, stores);
  } catch (const RequestError&) {
    if (what.find_first_not_of("0123456789:") == std::string::npos) throw;
    db::HistoryFilter named;
    named.name = what;
    if (!stores.history(named).empty()) throw;  // several have this name
  }
  return newest_of(what, stores);
}

TemplateFinder template_finder(const std::string& given) {
  return [given](const db::SessionRecord& session) -> std::filesystem::path {
    if (!given.empty()) return find_template(given);
    if (!session.manifest.empty() && std::filesystem::is_regular_file(session.manifest)) return session.manifest;
    try {
      return find_template(session.key.kernel);
    } catch (const RequestError&) {
      return {};
    }
  };
}

Today make_today(const std::string& given) {
  return Today(backend_options(), template_finder(given), worker_program());
}

void add_template_option(CLI::App& verb, std::string& given) {
  verb.add_option("--template", given, "where the template is, if not where it was tuned")
      ->group(group::sessions)
      ->type_name("TEMPLATE");
}

bool warn_if_stale(const db::SessionRecord& session, const Standing& standing) {
  if (standing.current()) return true;
  say(fmt::format("session {} ({} for {}) is not current: {}", session.id, session.key.kernel,
                  search::to_text(session.key.problem()), standing.explanation()));
  return false;
}

}  // namespace warptune::tuner::cli
