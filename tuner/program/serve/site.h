// All addresses of the pages, over the stores that there are at each request.
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
  // A session that runs in this program; may be null.
  std::shared_ptr<LiveState> live = nullptr;
  // What reports draw with; asked once, by the first report.
  std::function<ChartLibrary()> charts = nullptr;
};

// To be put behind a Gate.
Handler make_site(SiteOptions options);

}  // namespace warptune::tuner::serve
