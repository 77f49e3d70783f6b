// Turns a request into a prepared session: everything that `warptune tune` and a program that embeds the tuner have in
// common.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tuner/kernel/capture.h"
#include "tuner/session/preparation.h"
#include "tuner/session/session.h"
#include "tuner/session/transfer.h"

namespace warptune::tuner {

// Holds all parts of one session, ready to run. It cannot be moved, because the parts refer to each other.
class Tuning {
 public:
  // Does everything up to the first trial. Throws ManifestError, RequestError (also for an empty space, with the
  // constraints that contradict each other), NoDeviceError, WorkloadError, db::StoreError. The store must outlive the
  // tuning.
  Tuning(TuneRequest request, db::Store& store, const std::atomic<bool>& stop, SessionObserver* observer);
  // Does the same for a problem that a program has prepared by itself (tuner/library/api). The request says how it is
  // tuned, and nothing of what.
  Tuning(TuneRequest request, PreparedProblem problem, db::Store& store, const std::atomic<bool>& stop,
         SessionObserver* observer);
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  const KernelTemplate& kernel() const { return problem_.kernel; }
  const DeviceInfo& device() const { return problem_.device(); }
  const std::vector<DeviceInfo>& devices() const { return problem_.devices; }
  const Problem& problem() const { return problem_.instance; }
  const search::NamedValues& constants() const { return problem_.constants; }
  const search::SearchSpace& space() const { return *space_; }
  std::shared_ptr<const search::SearchSpace> shared_space() const { return space_; }
  const std::vector<Objective>& objectives() const { return objectives_; }
  const TuneRequest& request() const { return request_; }
  // Says who set the limits at which the session ends. The limits are in `request()`.
  enum class BudgetFrom { request, manifest, nobody };
  BudgetFrom budget_from() const { return budget_from_; }
  db::SessionId id() const { return id_; }
  // Returns the earlier sessions that the search began from.
  const std::vector<TransferSource>& transferred() const { return transferred_; }
  // Returns the session as it was before, if this goes on with one.
  const std::optional<db::SessionRecord>& continued() const { return continued_; }
  Session& session() { return *session_; }
  // Returns what is expected of each output that is compared. It is empty before the first device is open, and where
  // nothing is verified.
  const std::vector<search::ExpectedOutput>& expected_outputs() const { return expected_; }
  // Returns what the evaluator has to tell beside its trials; it is empty without workers.
  std::string notes() const;
  // Returns what went wrong and cost only time, as sentences.
  std::vector<std::string> notices() const;
  // Returns the files of the template that have changed since this session read them at its start.
  std::vector<std::filesystem::path> changed_files() const;

 private:
  const std::string& objective_names();
  void require_values_of_objectives() const;
  void prepare_objectives();
  void prepare_same_bits(const db::Store& store);
  std::string origin() const;
  void build_space_or_throw();
  void take_given_budget();
  void note_step(const std::string& step) const;
  void note_setup(const std::string& step);
  void note_expected(db::Store& store, const std::vector<search::ExpectedOutput>& outputs);
  FinalsOptions finals_options() const;
  double spent_s() const;
  std::optional<db::SessionRecord> find_known(const db::Store& store, db::SessionKey key) const;
  db::SessionKey key_of(const CompilerFacts& compiler) const;
  void make_strategy_or_throw(const db::Store& store, const db::SessionKey& key,
                              const std::optional<db::SessionRecord>& known);
  std::function<double(const search::Configuration&)> first_guess() const;
  void let_strategy_think_ahead();
  std::size_t most_in_flight() const;
  db::SessionId continue_or_create(db::Store& store, const db::SessionKey& key,
                                   const std::optional<db::SessionRecord>& known);

  TuneRequest request_;
  SessionObserver* observer_;
  BudgetFrom budget_from_ = BudgetFrom::request;
  PreparedProblem problem_;
  std::vector<Objective> objectives_;
  std::shared_ptr<const search::SearchSpace> space_;
  std::vector<search::ExpectedOutput> expected_;
  OpenEvaluator opened_;
  db::SessionId id_ = 0;
  std::optional<search::Configuration> default_configuration_;  // if it is in the space
  std::vector<TransferSource> transferred_;
  std::optional<db::SessionRecord> continued_;
  std::unique_ptr<search::Strategy> strategy_;
  std::unique_ptr<Session> session_;
};

}  // namespace warptune::tuner
