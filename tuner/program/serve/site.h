// Answers all addresses of the pages, over the stores that there are at each request.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store_set.h"
#include "tuner/program/serve/http.h"
#include "tuner/results/report/page/page.h"

namespace warptune::tuner::serve {

// Keeps the stores that pages show open from request to request: opening one compares its whole schema, which takes
// longer than a page. They are opened anew when there are others: a store that came, went, or was put in another's
// place. The class is for one thread. Between requests no statement runs, so no reader's lock is held.
class OpenStores {
 public:
  // Returns which files there are to read, as of each request.
  using Files = std::function<std::vector<std::filesystem::path>()>;
  explicit OpenStores(Files files) : files_(std::move(files)) {}

  // Returns the stores; null as long as there is no store. Throws StoreError.
  const db::StoreSet* now();
  // Closes the stores, since something is wrong with them: the next request opens them again.
  void forget() { stores_.reset(); }

 private:
  Files files_;
  std::optional<db::StoreSet> stores_;
  std::vector<std::string> identities_;  // of the stores that are open
  std::string state_;                    // sizes and times of the files, where one is a snapshot
};

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
