// Shares one pool of workers among several problems of one template that are measured in turn.
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

// Returns a name that is equal for equal machine code: a hash of all that is compiled. Problems whose sizes are
// arguments of the kernel share their code; where a size is a macro they do not. The name is empty if a macro cannot be
// computed.
std::string code_name(const KernelTemplate& kernel, const std::string& backend, const search::NamedValues& constants,
                      const search::NamedValues& values);

// Shares what the first problem's session finds out with the others: the template's texts, the devices, the compiler's
// facts, the workers. Only one session at a time may have something to be measured. Configurations are compiled ahead
// for any of them meanwhile. The class is for one thread. The evaluators must not outlive it.
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

  // These are empty before the first problem was prepared.
  const std::shared_ptr<const SessionFiles>& files() const { return files_; }
  const std::vector<DeviceInfo>& devices() const { return devices_; }
  void know(std::shared_ptr<const SessionFiles> files, std::vector<DeviceInfo> devices);

  // Returns the compiler's facts. `first_worker` is the worker to ask. If it is null, another one is started, unless
  // one was asked before.
  CompilerFacts facts(const Program& program, FirstWorker* first_worker, const Setup& setup,
                      const KernelTemplate& kernel);

  // Returns an evaluator for a problem; all that it refers to must outlive it. The first call makes the pool.
  std::unique_ptr<Evaluator> open(const Problem& problem, const MakePool& make, OnSetup on_setup,
                                  OnExpected on_expected);
  // Returns the pool; null before the first `open`.
  WorkerPool* pool() { return pool_.get(); }

  // Compiles a configuration ahead, so that its machine code is there later. An evaluation that comes earlier waits for
  // it. Returns the code's name; empty if there is nothing to compile.
  std::string compile_ahead(const Problem& problem, const search::Configuration& configuration);

 private:
  class View;

  std::shared_ptr<const SessionFiles> files_;
  std::vector<DeviceInfo> devices_;
  std::map<std::string, CompilerFacts> facts_;  // by the code_name of the default configuration
  std::unique_ptr<FirstWorker> first_worker_;
  OnSetup on_setup_;  // the callback of the session that opened first
  std::unique_ptr<WorkerPool> pool_;
  View* present_ = nullptr;  // the view to which the devices turned last
};

}  // namespace warptune::tuner::workers
