// Writes an explanation (tuner/results/explain) in words and figures, and as JSON.
#pragma once

#include <string>

#include "tuner/kernel/json_values.h"
#include "tuner/results/explain/explanation.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// Holds the trial that is explained beside the session's own figures.
struct ExplainedTrial {
  const db::StoredTrial* trial = nullptr;  // null: the session alone
  TrialView view = {};
  std::vector<TrialDifference> differences = {};
};

// Returns the explanation in short plain sentences under headings, in lines of `width` characters (0: as they come). If
// there is a trial, it explains that alone.
std::string explanation_text(const Evidence& evidence, const Explanation& explanation, const ExplainedTrial& trial,
                             std::size_t width);

// Returns every single change from the winner: parameter, the winner's value, the other one, what became of it, what it
// costs.
Table change_table(const Explanation& explanation);

Json explanation_json(const Evidence& evidence, const Explanation& explanation, const ExplainedTrial& trial);

// Returns one piece of advice as a sentence.
std::string advice_text(const Advice& advice);

}  // namespace warptune::tuner
