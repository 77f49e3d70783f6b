#include "tuner/cli/stored_sessions.h"

#include <fmt/format.h>

#include "tuner/kernel/problem.h"

namespace warptune::tuner::cli {

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
  verb.add_option("--template", given, "the template's name, folder or manifest, if it is not where it was tuned");
}

bool warn_if_stale(const db::SessionRecord& session, const Standing& standing) {
  if (standing.current()) return true;
  say(fmt::format("session {} ({} for {}) is not current: {}", session.id, session.key.kernel,
                  search::to_text(session.key.problem()), standing.explanation()));
  return false;
}

}  // namespace warptune::tuner::cli
