// From a request to a prepared session: everything that `warptune tune` and a program that embeds the tuner have in
// common.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "tuner/kernel/capture.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/session.h"

namespace warptune {

struct TuneRequest {
  std::filesystem::path manifest;
  std::filesystem::path capture;  // an application's call to tune on: its sizes and data (tuner/kernel/capture.h)
  std::string preset;  // empty: the host's own on the host, else none
  NamedValues sizes;   // over the preset's
  std::string device;  // empty: the best there is
  std::string strategy = "auto";
  NamedValues strategy_options;
  std::uint64_t seed = 0;
  BudgetLimits budget;
  std::string objective = "time";  // several: "time,joules", the primary one first
  EvaluatorOptions evaluator;
  std::size_t finals = 20;  // candidates measured again side by side at the end, at most; 0: none
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
  const DeviceInfo& device() const { return device_; }
  const NamedValues& sizes() const { return sizes_; }
  const NamedValues& constants() const { return constants_; }
  const SearchSpace& space() const { return *space_; }
  const std::vector<Objective>& objectives() const { return objectives_; }
  const TuneRequest& request() const { return request_; }
  db::SessionId id() const { return id_; }
  Session& session() { return *session_; }

 private:
  void prepare_objectives();
  void build_space_or_throw();
  db::SessionId find_or_create(db::Store& store);

  TuneRequest request_;
  std::optional<Capture> capture_;
  KernelTemplate kernel_;
  DeviceInfo device_;
  NamedValues sizes_;
  NamedValues constants_;
  std::vector<Objective> objectives_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<DeviceEvaluator> evaluator_;
  db::SessionId id_ = 0;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Session> session_;
};

}  // namespace warptune
