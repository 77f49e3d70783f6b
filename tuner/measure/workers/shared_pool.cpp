// Gives each problem a view of the one pool. Rejected: a pool for each problem, whose compilers end, or idle, with its
// turn.
#include "tuner/measure/workers/shared_pool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"

namespace warptune::tuner::workers {

namespace {

// Returns all that is compiled as one text. The separator appears in no source.
std::string text_of(const CompileRequest& request) {
  std::string text = request.name + '\0' + request.source + '\0';
  for (const auto& [name, value] : request.defines) text += name + '=' + value + '\0';
  for (const auto* list : {&request.options, &request.kernels, &request.symbols}) {
    for (const std::string& one : *list) text += one + '\0';
    text += '\0';
  }
  return text;
}

}  // namespace

std::string code_name(const KernelTemplate& kernel, const std::string& backend, const search::NamedValues& constants,
                      const search::NamedValues& values) {
  try {
    std::string text;
    for (const CompileRequest& request : compile_requests(kernel, backend, values, scope_of(constants, values)))
      text += text_of(request);
    return content_hash(text);
  } catch (const search::ExpressionError&) {  // the trial will report it
    return {};
  }
}

// The evaluator of one problem. Submitting to it turns the devices to its problem.
class SharedPool::View : public Evaluator {
 public:
  View(SharedPool& shared, const Problem& problem, OnExpected on_expected)
      : shared_(shared), problem_(problem), on_expected_(std::move(on_expected)) {}
  ~View() override {
    shared_.on_setup_ = {};
    if (shared_.present_ == this) shared_.present_ = nullptr;
  }

  const DeviceInfo& device() const override { return pool().device(); }
  std::size_t capacity() const override { return pool().capacity(); }
  void submit(const Evaluation& evaluation) override {
    require_fitting(problem_.space, evaluation.configuration);
    shared_.present_ = this;
    pool().turn_to(problem_.constants);
    pool().race_against(rivals_);
    search::NamedValues values = problem_.space.values(evaluation.configuration);
    std::string name;  // empty for counting, which on the host needs code that is compiled otherwise
    if (evaluation.purpose != Purpose::counted)
      name = code_name(problem_.kernel, device().backend, problem_.constants, values);
    pool().submit(evaluation, std::move(values), std::move(name));
  }
  search::Trial next() override { return pool().next(); }
  bool wait(double seconds) override { return pool().wait(seconds); }
  void race_against(const Rivals& rivals) override {
    rivals_ = rivals;
    if (shared_.present_ == this) pool().race_against(rivals);
  }
  std::size_t cancel() override { return shared_.present_ == this ? pool().cancel() : 0; }
  double now_s() const override { return pool().now_s(); }

  // Reports what is expected of the outputs, once only. The devices come back to a problem again and again, but this
  // does not change.
  void tell(const std::vector<search::ExpectedOutput>& outputs) {
    if (const OnExpected once = std::exchange(on_expected_, {})) once(outputs);
  }

 private:
  WorkerPool& pool() const { return *shared_.pool_; }

  SharedPool& shared_;
  const Problem problem_;
  OnExpected on_expected_;
  Rivals rivals_;
};

void SharedPool::know(std::shared_ptr<const SessionFiles> files, std::vector<DeviceInfo> devices) {
  files_ = std::move(files);
  devices_ = std::move(devices);
}

CompilerFacts SharedPool::facts(const Program& program, FirstWorker* first_worker, const Setup& setup,
                                const KernelTemplate& kernel) {
  const std::string name = code_name(kernel, devices_.front().backend, setup.constants, kernel.default_values);
  const auto known = facts_.find(name);
  if (known != facts_.end() && !name.empty()) return known->second;
  if (!first_worker && !first_worker_) first_worker_ = std::make_unique<FirstWorker>(program);
  CompilerFacts found = (first_worker ? first_worker : first_worker_.get())->compiler_facts(setup, devices_.front());
  facts_[name] = found;
  return found;
}

std::unique_ptr<Evaluator> SharedPool::open(const Problem& problem, const MakePool& make, OnSetup on_setup,
                                            OnExpected on_expected) {
  if (!pool_ || !on_setup_) on_setup_ = std::move(on_setup);
  if (!pool_)
    pool_ = make(
        [this](const std::string& step) {
          if (on_setup_) on_setup_(step);
        },
        [this](const std::vector<search::ExpectedOutput>& outputs) {
          if (present_) present_->tell(outputs);
        });
  return std::make_unique<View>(*this, problem, std::move(on_expected));
}

std::string SharedPool::compile_ahead(const Problem& problem, const search::Configuration& configuration) {
  search::NamedValues values = problem.space.values(configuration);
  std::string name = code_name(problem.kernel, pool_->device().backend, problem.constants, values);
  if (!name.empty())
    pool_->compile_ahead(std::move(values), std::make_shared<const search::NamedValues>(problem.constants), name);
  return name;
}

}  // namespace warptune::tuner::workers
