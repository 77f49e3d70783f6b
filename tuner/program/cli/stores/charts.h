// Loads what pages with charts are made of, for the verbs that write or serve them.
#pragma once

#include "tuner/program/cli/grammar/context.h"
#include "tuner/results/report/page/page.h"
#include "tuner/results/report/page/page_data.h"

namespace warptune::tuner::cli {

// Returns a session as find_session_or_latest finds it, with all that its page shows. Throws RequestError.
PageSession load_page_session(const std::string& reference, const db::StoreSet& stores);

// Fills in what `explain` finds of the session's parameters. Takes a moment (a model is fitted), so it is for pages
// that stay as they are. Domains are the values that were tried: no template is asked.
void explain_page(PageSession& page);

// Returns the chart library beside the program, in the build's folder or as it is installed. If there is none, it
// returns nothing, and says on stderr how to get it.
ChartLibrary chart_library();

}  // namespace warptune::tuner::cli
