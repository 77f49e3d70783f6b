#pragma once

#include <string>
#include <vector>

#include "tuner/results/check/check.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// One row for each configuration that was measured, one at least for each session.
Table check_table(const std::vector<SessionCheck>& checks);

// The whole as JUnit XML, one test case a session: regression, stale and wrong are failures of that type, what could
// not be measured, or only on a slower machine, is an error; an absent device, and sources that nobody kept, are
// skipped.
std::string junit_xml(const std::vector<SessionCheck>& checks);

}  // namespace warptune::tuner
