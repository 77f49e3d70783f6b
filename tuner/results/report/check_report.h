// Reports checks of sessions as a table and as JUnit XML.
#pragma once

#include <string>
#include <vector>

#include "tuner/results/check/check.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// Returns one row for each configuration that was measured, and one at least for each session.
Table check_table(const std::vector<SessionCheck>& checks);

// Returns the whole as JUnit XML, one test case a session. Regression, stale and wrong are failures of that type. What
// could not be measured, or only on a slower machine, is an error. An absent device, and sources that nobody kept, are
// skipped.
std::string junit_xml(const std::vector<SessionCheck>& checks);

}  // namespace warptune::tuner
