// A diagnosis as text for people: a line a finding, grouped by part, remedies beneath, wrapped to a width.
#pragma once

#include <string>

#include "tuner/program/doctor/diagnosis.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner::doctor {

struct Page {
  std::size_t columns = 80;
  bool colour = false;
};
// Ends with a newline.
std::string render(const Diagnosis& diagnosis, const Page& page);

// "Tuning is possible on host." or why it is not, and what to do first.
std::string conclusion(const Diagnosis& diagnosis);

// The same findings for programs.
Table table_of(const Diagnosis& diagnosis);

}  // namespace warptune::tuner::doctor
