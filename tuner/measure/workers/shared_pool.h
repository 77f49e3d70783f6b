// One pool of workers for a row of problems of one template that are measured by turns.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/kernel/files/session_files.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/measure/compilation/compiler_facts.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/measure/workers/pool.h"

namespace warptune::tuner::workers {

// Equal where the machine code is: a hash of all that is compiled. Problems whose sizes are arguments of the kernel
// share their code; where a size is a macro they do not. Empty if a macro cannot be computed.
std::string code_name(const KernelTemplate& kernel, const std::string& backend, const search::NamedValues& constants,
                      const search::NamedValues& values);

// What the first problem's session finds out serves the others: the template's texts, the devices, the compiler's
// facts, the workers. One session at a time may have something to be measured; configurations are compiled ahead for
// any of them all the while. For one thread. The evaluators must not outlive it.
class SharedPool {
 public:
  using OnSetup = std::function<void(const std::string& step)>;
  using OnExpected = std::function<void(const std::vector<search::ExpectedOutput>&)>;
  using MakePool = std::function<std::unique_ptr<WorkerPool>(OnSetup on_setup, OnExpected on_expected)>;
  struct Problem {
    const KernelTemplate& kernel;
    const search::SearchSpace& space;
    const search::NamedValues& constants;
  };

  // Empty before the first problem was prepared.
  const std::shared_ptr<const SessionFiles>& texts() const { return texts_; }
  const std::vector<DeviceInfo>& devices() const { return devices_; }
  void know(std::shared_ptr<const SessionFiles> texts, std::vector<DeviceInfo> devices);

  // `first_worker`: who may be asked; null: another one is started where nobody asked before.
  CompilerFacts facts(const Program& program, FirstWorker* first_worker, const Setup& setup,
                      const KernelTemplate& kernel);

  // An evaluator for a problem; all that it refers to must outlive it. The first call makes the pool.
  std::unique_ptr<Evaluator> open(const Problem& problem, const MakePool& make, OnSetup on_setup,
                                  OnExpected on_expected);
  // Null before that.
  WorkerPool* pool() { return pool_.get(); }

  // To have its machine code at hand later; an evaluation that comes earlier waits for it.
  // The code's name; empty if there is nothing to compile.
  std::string compile_ahead(const Problem& problem, const search::Configuration& configuration);

 private:
  class View;

  std::shared_ptr<const SessionFiles> texts_;
  std::vector<DeviceInfo> devices_;
  std::map<std::string, CompilerFacts> facts_;  // by the name of the default configuration's code
  std::unique_ptr<FirstWorker> first_worker_;
  OnSetup on_setup_;  // of the session that opened first
  std::unique_ptr<WorkerPool> pool_;
  View* present_ = nullptr;  // to which the devices turned last
};

}  // namespace warptune::tuner::workers
