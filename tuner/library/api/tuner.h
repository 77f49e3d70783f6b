// Tunes kernels from a program: sources are strings, constraints may be lambdas, launches and references are functions.
//
//   const int n = 1 << 20;
//   warptune::Tuner tuner("twice");
//   tuner.source(R"(extern "C" __global__ void twice(const float* x, float* y, int n) {
//     const int i = blockIdx.x * BLOCK + threadIdx.x;
//     if (i < n) y[i] = 2 * x[i];
//   })", {"twice"});
//   tuner.parameter("BLOCK", {64, 128, 256});
//   tuner.input("x", std::vector<float>(n, 0.5f)).output<float>("y", n);
//   tuner.launcher([n](const warptune::Run& run) {
//     const std::int64_t block = run["BLOCK"];
//     run.launch("twice", {{(n + block - 1) / block}, {block}}, run.array("x"), run.array("y"), n);
//   });
//   tuner.reference([](warptune::HostArrays& arrays) {
//     const auto x = arrays.get<float>("x"), y = arrays.get<float>("y");
//     for (std::size_t i = 0; i < y.size(); ++i) y[i] = 2 * x[i];
//   });
//   const warptune::TunerResult result = tuner.run({.trials = 3});
//
// It works on every backend. The library neither prints nor reads the environment; the program may. Tuner is a builder
// with one function for each thing said, because one call with forty arguments is what other tuners regret.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/budget.h"
#include "tuner/library/api/array.h"
#include "tuner/library/api/names.h"
#include "tuner/library/api/run.h"
#include "tuner/library/api/tuner_result.h"
#include "tuner/library/api/values.h"

namespace warptune {

// A Tuner is for one thread at a time. Several tuners may run in several threads, if they measure on devices of their
// own. What a tuner is told to call (launcher, reference, observer, metrics, predicates) is called on the thread that
// called run().
class Tuner {
 public:
  using Launcher = std::function<void(const Run&)>;
  using ReferenceFunction = std::function<void(HostArrays&)>;
  // A metric's function takes the configuration, sizes, limits and `time` (seconds), and returns the metric.
  using MetricFunction = std::function<double(const Values&)>;

  explicit Tuner(std::string name);
  ~Tuner();
  Tuner(Tuner&&) noexcept;
  Tuner& operator=(Tuner&&) noexcept;

  // Adds CUDA C++ and the kernels in it that are launched (name expressions such as "reduce<float>"). Each source is a
  // module of its own; every parameter is a macro in all of them.
  Tuner& source(std::string text, std::vector<std::string> kernels, std::vector<std::string> options = {"-std=c++17"});

  // Parameters, sizes and variants must have different names, none of them a device limit's or a measurement's
  // (`time`), as in a manifest. A name that breaks this rule throws std::invalid_argument, and so do two metrics of one
  // name.
  //
  // Adds a parameter with its domain, in which neighbouring values stand next to each other. The first value is the
  // default's unless default_values() says otherwise.
  Tuner& parameter(std::string name, std::vector<search::Value> values);
  // Sets the default values of some parameters or all. run() refuses other names, and values outside the domain.
  Tuner& default_values(search::NamedValues values);
  Tuner& size(std::string name, std::int64_t value);  // a positive one
  // Adds a choice of the problem, such as {"PRECISION", "double"}. It is a macro, and a part of the session's key that
  // look-ups match exactly.
  Tuner& variant(std::string name, search::Value value);

  // Adds a constraint: an expression over parameters, sizes and device limits (search/README.md), or a predicate over
  // some parameters.
  Tuner& constraint(std::string expression);
  Tuner& constraint(std::vector<std::string> parameters, std::function<bool(const Values&)> predicate);

  // Arrays hold float, double, or integers of 8 to 64 bits. `bool`, half, bfloat16 and structures are not supported.
  // Lengths are in elements, contents are copied at once. An array that is empty, or whose name is there already,
  // throws std::invalid_argument.
  template <class T>
  Tuner& input(std::string name, const std::vector<T>& contents) {
    return add(std::move(name), element_type_of<T>(), tuner::Role::input, contents.data(), contents.size(), {});
  }
  template <class T>
  Tuner& output(std::string name, std::size_t elements, Accuracy accuracy = {}) {
    return add(std::move(name), element_type_of<T>(), tuner::Role::output, nullptr, elements, accuracy);
  }
  // Adds an array that is restored before every run.
  template <class T>
  Tuner& inout(std::string name, const std::vector<T>& contents, Accuracy accuracy = {}) {
    return add(std::move(name), element_type_of<T>(), tuner::Role::inout, contents.data(), contents.size(), accuracy);
  }
  // Adds an array that is overwritten with unknown values (poison) before every run, verified or timed.
  template <class T>
  Tuner& scratch(std::string name, std::size_t elements) {
    return add(std::move(name), element_type_of<T>(), tuner::Role::temporary, nullptr, elements, {});
  }

  // Sets the function that queues one run. What it queues is launched afterwards, many times (run.h).
  Tuner& launcher(Launcher launch);
  // Sets the function that computes what is right. Without one, unverified() must be called, and the record then says
  // so.
  Tuner& reference(ReferenceFunction compute);
  Tuner& unverified();

  Tuner& metric(std::string name, MetricFunction compute, bool higher_is_better = true);
  // Sets the objective: "time", "joules", "max_error", "rms_error" or a metric's name. Several are written
  // "time,joules", the primary one first.
  Tuner& objective(std::string name);
  Tuner& strategy(std::string name, search::NamedValues options = {});  // "auto" unless said
  Tuner& seed(std::uint64_t seed);
  Tuner& device(std::string id);  // "cuda:0", "host"; the best there is unless said
  Tuner& options(tuner::EvaluatorOptions options);
  // Sets how many of the best, at most, are measured again side by side at the end. It is 20 unless said; 0 means none.
  Tuner& finals(std::size_t candidates);
  // Sets an observer, which is told of every trial on the calling thread. It must outlive run().
  Tuner& observer(tuner::SessionObserver& observer);
  // Sets where trials are kept, and resumed from. They are in memory unless said. Functions cannot be compared: give
  // another `version` when the launcher, the reference, a lambda or a metric has changed.
  Tuner& store(std::filesystem::path file, std::string version = "");

  // Tunes until the budget is spent or `stop` is set. May be called again; with a store in a file it then goes on.
  // Throws std::invalid_argument for an incomplete tuner, and as `tune` throws (tune.h).
  TunerResult run(const search::BudgetLimits& budget, const std::atomic<bool>* stop = nullptr);

  struct Problem;

 private:
  Tuner& add(std::string name, tuner::ElementType type, tuner::Role role, const void* contents, std::size_t elements,
             Accuracy accuracy);

  std::unique_ptr<Problem> problem_;
};

}  // namespace warptune
