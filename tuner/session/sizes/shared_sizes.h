// Holds what the sessions of one kernel at many problem sizes share: workers and a model of all sizes, which says what
// to compile and what to try at each.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <vector>

#include "search/strategies/model_based/shared_model.h"
#include "tuner/measure/workers/shared_pool.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {

// Each size is a session of its own all the same, which may try something whenever it is its turn. Compilers work for
// all sizes at any time. This is for one thread, and the sessions' tunings must live as long as it is used.
class SharedSizes {
 public:
  // `problems` are the sizes of each problem, with the same names in each. Elsewhere problems are told apart by their
  // numbers in this list.
  SharedSizes(const std::vector<search::NamedValues>& problems, std::uint64_t seed);

  // Returns the problems in an order in which those before any place cover them all
  // (search/strategies/model_based/shared_model.h).
  const std::vector<std::size_t>& order() const { return order_; }

  // Must be called before a problem's tuning is made; it sets what the tuning's request needs.
  void join(std::size_t problem, TuneRequest& request);
  // Must be called when the tuning is made. Its session begins, with what the store has of it.
  void begin(std::size_t problem, Tuning& tuning);

  // Gives the compilers work for one size after the other, of up to `most` configurations beyond those that they have.
  // Returns false if they have none, and nothing is left to be compiled.
  bool keep_compiling(std::size_t most);

  struct Choice {
    std::size_t most = 0, least = 0;  // trials
    double worth = 0;                 // the expected improvement that is worth one more
  };
  // Returns what to measure at a size, by all that is known now. On the very first visits the configurations are not
  // even compiled.
  std::vector<search::Configuration> choose(std::size_t problem, const Choice& choice);
  // Has the size's session try the configurations, behind the default configuration if that was never tried. Returns
  // the number of trials.
  std::size_t visit(std::size_t problem, std::vector<search::Configuration> configurations,
                    const Session::Meanwhile& meanwhile);
  // Lets the compilers work for so many seconds at most.
  void wait(double seconds);

  workers::WorkerPool* pool() { return shared_->pool(); }

 private:
  struct Member {
    Tuning* tuning = nullptr;
    std::shared_ptr<const search::SearchSpace> space;
    search::GivenStrategy* given = nullptr;
    std::function<double(const search::Configuration&)> guess, threads;
  };
  struct Coming {
    std::size_t problem = 0;
    search::Configuration configuration;
    std::string code_name;
  };
  workers::SharedPool::Problem place(const Member& member) const;
  void compile(std::size_t problem, search::Configuration configuration);
  void note_compiled();

  std::vector<std::vector<double>> sizes_;
  std::vector<std::size_t> order_;
  std::uint64_t seed_;
  std::shared_ptr<workers::SharedPool> shared_ = std::make_shared<workers::SharedPool>();
  std::map<std::size_t, Member> members_;
  std::size_t begun_ = 0;
  std::list<Coming> coming_;
  std::shared_ptr<const search::SearchSpace> common_;
  std::unique_ptr<search::SharedModel> model_;
};

}  // namespace warptune::tuner
