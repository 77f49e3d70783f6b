// Writes a diagnosis as text for people: a line for each finding, grouped by part, with remedies beneath, wrapped to a
// width.
#pragma once

#include <string>

#include "tuner/program/doctor/diagnosis.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner::doctor {

struct Page {
  std::size_t columns = 80;
  bool colour = false;
};
// Returns the text, which ends with a newline.
std::string render(const Diagnosis& diagnosis, const Page& page);

// Returns "Tuning is possible on host." or why it is not, and what to do first.
std::string conclusion(const Diagnosis& diagnosis);

// Returns the same findings for programs.
Table table_of(const Diagnosis& diagnosis);

}  // namespace warptune::tuner::doctor
