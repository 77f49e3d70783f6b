// Compares the files' devices and inodes to find out whether there are other stores.
#include "tuner/program/serve/open_stores.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace warptune::tuner::serve {

namespace {

std::string identity_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return file.string();
  return fmt::format("{} {} {}", file.string(), status.st_dev, status.st_ino);
}

// Returns a file's size and time of change, by which a change is noticed: a snapshot does not see what is written to
// its file.
std::string state_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  return fmt::format(" {} {}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

bool any_snapshot(const std::optional<db::StoreSet>& stores) {
  for (std::size_t i = 0; stores && i < stores->size(); ++i)
    if (!stores->store(i).notice().empty()) return true;
  return false;
}

}  // namespace

const db::StoreSet* OpenStores::now() {
  const std::vector<std::filesystem::path> files = files_();
  std::vector<std::string> identities;
  for (const auto& file : files) identities.push_back(identity_of(file));
  std::string state;
  if (any_snapshot(stores_))
    for (const auto& file : files) state += state_of(file);
  if (stores_ && identities == identities_ && state == state_) return &*stores_;
  stores_.reset();
  if (files.empty()) return nullptr;
  stores_.emplace(files);
  identities_ = std::move(identities);
  state_.clear();
  if (any_snapshot(stores_))
    for (const auto& file : files) state_ += state_of(file);
  return &*stores_;
}

}  // namespace warptune::tuner::serve
