// Answers all addresses of the pages, over the stores that there are at each request.
#pragma once

#include <functional>
#include <memory>

#include "tuner/program/serve/http.h"
#include "tuner/program/serve/open_stores.h"
#include "tuner/results/report/page/page.h"

namespace warptune::tuner::serve {

class LiveState;

struct SiteOptions {
  OpenStores::Files files;
  // This is the state of a session that runs in this program; it may be null.
  std::shared_ptr<LiveState> live = nullptr;
  // Returns the library that reports draw with. Every report calls it.
  std::function<ChartLibrary()> charts = nullptr;
};

// Returns the handler of all pages, which is to be put behind a Gate.
Handler make_site(SiteOptions options);

}  // namespace warptune::tuner::serve
