// Keeps the stores that pages show open from request to request: opening one compares its whole schema, which takes
// longer than a page. They are opened anew when there are others: a store that came, went, or was put in another's
// place.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/store_set.h"

namespace warptune::tuner::serve {

// The class is for one thread. Between requests no statement runs, so no reader's lock is held.
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

}  // namespace warptune::tuner::serve
