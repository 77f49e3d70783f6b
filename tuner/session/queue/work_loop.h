// Works through the queue of a shared store: claims work, tunes it in a process of its own, and records what its end
// means.
#pragma once

#include <atomic>
#include <optional>
#include <random>
#include <vector>

#include "db/queue.h"
#include "tuner/session/queue/work.h"
#include "tuner/session/queue/worked_session.h"

namespace warptune::tuner {

// A process has one claim at a time, so one loop runs at a time in a process. This is for one thread.
class WorkLoop {
 public:
  // Once `stop` is set, the current session ends and its work is given back. All references must outlive this. Throws
  // db::StoreError, for a file too, and std::invalid_argument for a setting that has no name.
  WorkLoop(const WorkRequest& request, const std::atomic<bool>& stop, WorkObserver& observer);

  // Works until the queue is empty, if the request drains it, or until it has been so for long, or until it is stopped.
  // Throws NoDeviceError for devices that are not there, db::StoreError for a server that cannot be reached.
  void run();

  // Returns the work that was taken and has ended, in this order.
  const std::vector<TakenWork>& taken() const { return taken_; }
  // Returns the store's error that ended the loop before its time: nothing else could be kept in this store either.
  const std::optional<db::StoreError>& trouble() const { return trouble_; }

 private:
  void serve(const db::WorkRecord& work);
  std::string unpack_order(const db::WorkRecord& work, const std::filesystem::path& folder) const;
  std::vector<std::string> arguments_for(const db::WorkRecord& work, const std::filesystem::path& folder) const;
  bool watch(const db::WorkRecord& work, WorkedSession& session);
  void settle(const db::WorkRecord& work, WorkedSession& session);
  bool store_is_well();
  void note(const db::WorkRecord& work, WorkEnd end, std::optional<db::SessionId> session);
  bool may_wait(double idle_s) const;
  double pause_s(double idle_s);
  void rest(double seconds) const;

  const WorkRequest& request_;
  const std::atomic<bool>& stop_;
  WorkObserver& observer_;
  db::WorkQueue queue_;
  std::vector<TakenWork> taken_;
  std::optional<db::StoreError> trouble_;
  std::minstd_rand generator_{std::random_device{}()};
};

}  // namespace warptune::tuner
