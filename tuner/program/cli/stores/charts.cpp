// Reads sessions from their stores, and the chart library from the program's data.
#include "tuner/program/cli/stores/charts.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/results/explain/explanation.h"
#include "tuner/results/report/explanation/explanation.h"

namespace warptune::tuner::cli {

namespace fs = std::filesystem;

PageSession load_page_session(const std::string& reference, const db::StoreSet& stores) {
  auto [session, index] = find_session_or_latest(reference, stores);
  const db::Store& store = stores.store(index);
  PageSession page;
  page.reference = index == 0 ? std::to_string(session.id) : fmt::format("{}:{}", index + 1, session.id);
  page.trials = store.trials(session.id);
  page.winner = store.winner(session.id);
  page.checks = store.checks(session.id);
  page.roofs = store.roofs(session.key.device);
  page.session = std::move(session);
  return page;
}

void explain_page(PageSession& page) {
  Evidence evidence{page.session, std::move(page.trials), page.winner, page.roofs};
  page.explained = explanation_json(evidence, explain(evidence), {})["explanation"];
  page.trials = std::move(evidence.trials);
}

ChartLibrary chart_library() {
  std::string searched;
  for (const fs::path& folder : data_folders()) {
    const fs::path file = (folder / "charts/vega.js").lexically_normal();
    std::ifstream stream(file, std::ios::binary);
    std::string script(std::istreambuf_iterator<char>(stream), {});
    if (!script.empty()) return {std::move(script), WARPTUNE_CHARTS_SHA256};
    searched += "\n  " + file.string();
  }
  say("the chart library is not there, so the page has tables only; `./bootstrap charts` in Warptune's source tree "
      "takes "
      "it from PyPI. Looked for" +
      searched);
  return {};
}

}  // namespace warptune::tuner::cli
