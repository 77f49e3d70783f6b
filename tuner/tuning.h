// From a request to a prepared session: everything that `warptune tune` and a program that embeds the tuner have in
// common.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tuner/measure/compiler_facts.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/session.h"
#include "tuner/workers/process.h"

namespace warptune {

namespace workers {
struct Setup;
class WorkerPool;
}  // namespace workers

struct TuneRequest {
  std::filesystem::path manifest;
  std::string preset;  // empty: the host's own on the host, else none
  NamedValues sizes;   // over the preset's
  std::string device;  // one or more (device_choice.h); empty: the best there is
  std::vector<std::filesystem::path> include_directories;  // searched for the kernel's headers beside the template's own
  std::string strategy = "local_search";
  NamedValues strategy_options;
  std::uint64_t seed = 0;
  BudgetLimits budget;
  std::string objective = "time";
  EvaluatorOptions evaluator;
  // Compile and measure in processes of their own, so that what a kernel or a compiler does to its process costs one
  // trial. Without a program everything happens in this process, on one device.
  std::optional<workers::Program> workers;
  std::size_t lookahead = 0;   // configurations in flight with workers; 0: as many as keep all of them busy
  bool deterministic = false;  // with workers: tell the strategy in the order in which it asked
};

// All parts of one session, ready to run. Immovable: they refer to each other.
class Tuning {
 public:
  // Does everything up to the first trial. Throws ManifestError, RequestError (also for an empty space, with the
  // constraints that contradict each other), NoDeviceError, WorkloadError, db::StoreError. The store must outlive the
  // tuning.
  Tuning(TuneRequest request, db::Store& store, const std::atomic<bool>& stop, SessionObserver* observer);
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  const KernelTemplate& kernel() const { return kernel_; }
  const DeviceInfo& device() const { return devices_.front(); }
  const std::vector<DeviceInfo>& devices() const { return devices_; }
  const NamedValues& sizes() const { return sizes_; }
  const NamedValues& constants() const { return constants_; }
  const SearchSpace& space() const { return *space_; }
  const Objective& objective() const { return objective_; }
  const TuneRequest& request() const { return request_; }
  db::SessionId id() const { return id_; }
  Session& session() { return *session_; }
  // What the evaluator has to tell beside its trials; empty without workers.
  std::string notes() const;

 private:
  void build_space_or_throw();
  CompilerFacts learn_of_compiler() const;
  db::SessionId find_or_create(db::Store& store, const CompilerFacts& compiler);
  void open_evaluator(const std::atomic<bool>& stop);
  workers::Setup worker_setup() const;

  TuneRequest request_;
  KernelTemplate kernel_;
  std::vector<DeviceInfo> devices_;
  NamedValues sizes_;
  NamedValues constants_;
  Objective objective_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<Evaluator> evaluator_;
  workers::WorkerPool* pool_ = nullptr;  // the evaluator, if it has workers
  db::SessionId id_ = 0;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Session> session_;
};

}  // namespace warptune
