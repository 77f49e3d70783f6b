// Reports what a judgement says: a row a case and a sentence for people, a document for programs.
#pragma once

#include "tuner/results/judge/judge.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

Table case_table(const judge::Judgement& judgement);
// Returns the cases, the times, and the verdict with its reason.
std::string judgement_text(const judge::Judgement& judgement, std::size_t width);
Json json_of(const judge::Judgement& judgement);

}  // namespace warptune::tuner
