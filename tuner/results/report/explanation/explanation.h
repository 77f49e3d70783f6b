// An explanation (tuner/results/explain) in words and figures, and as JSON.
#pragma once

#include <string>

#include "tuner/kernel/json_values.h"
#include "tuner/results/explain/explanation.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// What is told beside a session's own figures.
struct ExplainedTrial {
  const db::StoredTrial* trial = nullptr;  // null: the session alone
  TrialView view = {};
  std::vector<TrialDifference> differences = {};
};

// In short plain sentences under headings, in lines of `width` characters (0: as they come). Of a trial it says that
// alone.
std::string explanation_text(const Evidence& evidence, const Explanation& explanation, const ExplainedTrial& trial,
                             std::size_t width);

// Every single change from the winner: parameter, the winner's value, the other one, what became of it, what it costs.
Table change_table(const Explanation& explanation);

Json explanation_json(const Evidence& evidence, const Explanation& explanation, const ExplainedTrial& trial);

// One piece of advice as a sentence.
std::string advice_text(const Advice& advice);

}  // namespace warptune::tuner
