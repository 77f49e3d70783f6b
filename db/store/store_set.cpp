// Puts the rows of several stores together in one order, and cuts pages from them.
#include "db/store_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "db/tables/json.h"
#include "search/plain_text.h"

namespace warptune::db {

namespace {

template <class Row>
using Rows = std::vector<Located<Row>>;

bool newer(const SessionRecord& a, const SessionRecord& b) {
  return std::tie(a.started_at, a.id) > std::tie(b.started_at, b.id);
}

// Returns a text that orders models and tells them apart as the columns of `devices` do, but for the driver.
std::string model_text(const DeviceRecord& device) {
  return device.name + '\0' + device.architecture + '\0' +
         fmt::format("{:020} {:020}", device.memory_gib, device.multiprocessors);
}

// Returns what a list is ordered by before age, as SQL does it in one store.
std::string order_text(const SessionRecord& session, HistorySort sort) {
  switch (sort) {
    case HistorySort::kernel:
      return session.key.kernel;
    case HistorySort::device:
      return model_text(session.key.device);
    case HistorySort::driver:
      return session.key.device.driver;
    case HistorySort::size:
      return to_sorted_json(session.key.problem());
    case HistorySort::state:
      return std::string(to_string(session.state));
    default:
      return {};
  }
}

bool before(const SessionRecord& a, const SessionRecord& b, HistorySort sort) {
  if (sort == HistorySort::oldest) return newer(b, a);
  if (sort == HistorySort::updated && a.updated_at != b.updated_at) return a.updated_at > b.updated_at;
  if (sort == HistorySort::trials && a.trials != b.trials) return a.trials > b.trials;
  const std::string first = order_text(a, sort), second = order_text(b, sort);
  return first != second ? first < second : newer(a, b);
}

// Each store is asked for everything up to the page's end; the page is cut from all of them together.
HistoryFilter from_the_start(HistoryFilter filter) {
  if (filter.limit > 0) filter.limit += filter.offset;
  filter.offset = 0;
  return filter;
}

template <class Row>
void cut_page(Rows<Row>& rows, const HistoryFilter& filter) {
  const auto skipped = static_cast<std::ptrdiff_t>(std::min(filter.offset, rows.size()));
  rows.erase(rows.begin(), rows.begin() + skipped);
  if (filter.limit > 0 && rows.size() > filter.limit)
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(filter.limit), rows.end());
}

// Returns a text for what one row of `best` is about: equal texts mean that one row hides the other.
std::string subject(const SessionRecord& session, bool each_question) {
  const SessionKey& key = session.key;
  std::string text;
  for (const std::string* part : {&key.kernel, &key.device.backend}) text += *part + '\0';
  if (each_question) text += session.objective + '\0' + key.capture + '\0';
  return text + model_text(key.device) + to_sorted_json(key.problem());
}

}  // namespace

// Returns the filter for every store of the set. If one of the stores knows the device's name, no other store takes it
// for a part of another device's name.
HistoryFilter StoreSet::of_this_set(HistoryFilter filter) const {
  if (filter.device.empty() || stores_.size() == 1) return filter;
  for (const Store& store : stores_)
    for (const std::string& known : store.summary().devices)
      filter.whole_device_name =
          filter.whole_device_name || search::lower_case(known) == search::lower_case(filter.device);
  return filter;
}

StoreSet::StoreSet(const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files) stores_.push_back(Store::open(file, OpenMode::read_only));
}

Rows<SessionRecord> StoreSet::history(const HistoryFilter& filter) const {
  Rows<SessionRecord> rows;
  if (stores_.size() == 1) {  // a store skips what is before a page without reading it
    for (SessionRecord& session : stores_.front().history(filter)) rows.push_back({std::move(session), 0});
    return rows;
  }
  const HistoryFilter everything = from_the_start(of_this_set(filter));
  for (std::size_t i = 0; i < stores_.size(); ++i)
    for (SessionRecord& session : stores_[i].history(everything)) rows.push_back({std::move(session), i});
  std::ranges::stable_sort(rows, [&](const auto& a, const auto& b) { return before(a.record, b.record, filter.sort); });
  cut_page(rows, filter);
  return rows;
}

Rows<BestRecord> StoreSet::best(const HistoryFilter& filter) const {
  HistoryFilter everything = of_this_set(filter);
  everything.limit = everything.offset = 0;  // a row of a lower store may be hidden, so pages are cut at the end
  Rows<BestRecord> rows;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < stores_.size(); ++i)
    for (BestRecord& best : stores_[i].best(everything))
      if (taken.insert(subject(best.session, filter.each_question)).second) rows.push_back({std::move(best), i});
  std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.record.session.key.kernel; });
  cut_page(rows, filter);
  return rows;
}

}  // namespace warptune::db
