// Queues sessions to be tuned, which nodes that share a store on a server take one by one. A claim is a lock that its
// connection holds. It goes with the process, the node or the network that held it, and then another node takes the
// work up. Rejected: leases that expire, which need clocks that agree and a time that is both short and long enough.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/quota.h"
#include "db/store.h"

namespace warptune::db {

using WorkId = std::int64_t;

enum class WorkState { queued, running, done, failed, cancelled };
std::string_view to_string(WorkState state);
std::optional<WorkState> work_state_from_string(std::string_view text);
constexpr bool has_ended(WorkState state) {
  return state != WorkState::queued && state != WorkState::running;
}

// A WorkFile is a file of a template: its name in the folder that it is unpacked in, and its bytes.
struct WorkFile {
  std::string path, content;
};

// A WorkOrder is what a user submits.
struct WorkOrder {
  std::string kernel;                  // the template's name
  search::NamedValues problem;         // whole: sizes and variants, in the manifest's order
  std::string gpu;                     // part of the name of devices that may serve it; empty: any
  std::vector<std::string> arguments;  // of `warptune tune`, without template, store, device and --budget of time
  std::optional<double> budget_s;
  std::int64_t priority = 0;
  std::string manifest;  // its path among the files
};

struct WorkRecord {
  WorkId id = 0;
  WorkOrder order;
  WorkState state = WorkState::queued;
  std::string submitted_by, submitted_at, started_at, ended_at, worker;
  std::int64_t attempts = 0;
  double spent_s = 0;
  std::int64_t devices = 1;  // that measure it, or did last
  std::optional<SessionId> session;
  std::string message;  // why it failed
  std::string damage;   // why its order cannot be read, as SQL by hand may leave it; empty: it can
};

// A WorkQueue is one connection to a queue. A process has one claim at a time.
class WorkQueue {
 public:
  // Opens the queue of a store on a server. Throws StoreError, for a file too.
  static WorkQueue open(const std::filesystem::path& store, OpenMode mode,
                        Clock clock = std::chrono::system_clock::now);
  WorkQueue(WorkQueue&&) noexcept;
  WorkQueue& operator=(WorkQueue&&) noexcept;
  ~WorkQueue();

  // Submits all orders or none, and returns their numbers. Their template's files are kept once.
  std::vector<WorkId> submit(std::span<const WorkOrder> orders, std::span<const WorkFile> files);
  // Returns the running work, then the queued work in the order in which it is taken, then the `ended` works that ended
  // last. Queued work that a quota holds back comes behind what is given out.
  std::vector<WorkRecord> list(std::size_t ended) const;
  std::optional<WorkRecord> find(WorkId id) const;
  // Cancels work, and returns those of the numbers that had not ended. Whoever runs one learns it from the next beat().
  std::vector<WorkId> cancel(std::span<const WorkId> ids);

  // Claims the next work that one of these devices (their names) can serve: work that is queued, or that was claimed by
  // somebody who is gone. The highest priority goes first. Of equal priority, it takes that of the user with the fewest
  // devices at work, then with the least device time spent in the last 24 hours, then the oldest. It takes nothing of a
  // user whose quota is spent. Work whose claims died `most_attempts` times fails, and so does what cannot be read.
  std::optional<WorkRecord> claim(std::span<const std::string> devices, const std::string& worker);
  // Returns the files of the work's template. Throws StoreError with the cause `corrupt` if they are not those that
  // were submitted.
  std::vector<WorkFile> files(WorkId id) const;
  // Says that the work goes on, and charges its submitter. Returns false if it is not this process's any more: it was
  // cancelled, or another process took it up while the server was away.
  bool beat(const WorkRecord& claimed, double spent_s);
  // Ends a claim. It has no effect if the work is not this process's any more.
  void finish(const WorkRecord& claimed, WorkState state, std::optional<SessionId> session, const std::string& message);
  // Throws StoreError unless the server takes more than it holds now; what it takes is not kept. This tells whether the
  // store fails, or what was tuned.
  void require_space();
  // Puts the work back into the queue. If `counted`, the attempt counts: something went wrong, which must not go on for
  // ever.
  void give_back(const WorkRecord& claimed, bool counted, const std::string& message);

  // Returns all users who have work, have spent something in a month, or have a quota, by name.
  std::vector<WorkUser> users() const;
  // Sets the quota of a user who exists. Only owners of the store may; the server sees to that.
  void set_quota(const std::string& user, const Quota& quota);
  bool remove_quota(const std::string& user);  // false if there was none

  static constexpr std::int64_t most_attempts = 5;

 private:
  struct Impl;
  explicit WorkQueue(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warptune::db
