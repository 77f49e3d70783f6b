// Reads several stores as one: the user's own first, and beneath it others that are only read (a system's, a
// colleague's).
#pragma once

#include "db/store.h"

namespace warptune::db {

// A Located is a record and which of the set's stores it lies in. Numbers of sessions and trials hold within their
// store only.
template <class Record>
struct Located {
  Record record;
  std::size_t store = 0;
};

class StoreSet {
 public:
  // Opens every file for reading; the earlier ones lie on top. Throws StoreError.
  explicit StoreSet(const std::vector<std::filesystem::path>& files);

  std::size_t size() const { return stores_.size(); }
  const Store& store(std::size_t index) const { return stores_.at(index); }

  // Returns the sessions of all stores, in the filter's order and pages. A session that several stores hold (one was
  // merged into another) is listed once for each.
  std::vector<Located<SessionRecord>> history(const HistoryFilter& filter) const;
  // Returns, for each kernel, device and problem size, the winner of the topmost store that has one. What the user
  // measured goes before what came with the system, whichever is newer.
  std::vector<Located<BestRecord>> best(const HistoryFilter& filter) const;

 private:
  HistoryFilter of_this_set(HistoryFilter filter) const;

  std::vector<Store> stores_;
};

}  // namespace warptune::db
