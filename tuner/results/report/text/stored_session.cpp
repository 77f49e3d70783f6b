// Puts a session's trials and checks into a table and a document.
#include "tuner/results/report/text/stored_session.h"

#include "db/objective_value.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner {

Table check_history(const std::vector<db::TrialCheck>& checks, const db::SessionRecord& session) {
  Table table({"checked_at", "trial", "outcome", "recorded", "measured", "differs", "message"});
  const auto figure = [&](std::optional<double> value) {
    if (value) value = db::objective_value(*value, session);
    return objective_cell(session.objective, value);
  };
  const auto text = [](const std::string& content) { return content.empty() ? Cell() : Cell(content); };
  for (const db::TrialCheck& check : checks)
    table.add({moment_cell(check.checked_at), check.trial, std::string(to_string(check.outcome)),
               figure(check.recorded_objective), figure(check.objective), text(check.differs), text(check.message)});
  return table;
}

Json session_document(const db::SessionRecord& session, const std::vector<db::StoredTrial>& trials,
                      const std::optional<db::Winner>& winner, const std::vector<db::TrialCheck>& checks) {
  Json json = document("show");
  add_findings(session, trials, winner, json);
  json["trials"] = Json::array();
  for (const db::StoredTrial& trial : trials) json["trials"].push_back(json_of(trial, winner, session));
  json["checks"] = Json::parse(check_history(checks, session).render(Format::json));
  return json;
}

}  // namespace warptune::tuner
