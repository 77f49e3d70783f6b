// What the sessions of one kernel at many problem sizes share: workers, a model of all sizes, and so what to compile
// and what to try at each.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <vector>

#include "search/strategies/shared.h"
#include "tuner/measure/workers/shared_pool.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {

// Each size is a session of its own all the same, which may try something whenever it is its turn. Compilers work for
// all of them at any time. For one thread; the sessions' tunings must live as long as this is used.
class SharedSizes {
 public:
  // The sizes of each problem, with the same names in each; problems are told apart by their numbers.
  SharedSizes(const std::vector<search::NamedValues>& problems, std::uint64_t seed);

  // Those before any place cover them all.
  const std::vector<std::size_t>& order() const { return order_; }

  // Before a problem's tuning is made: what its request needs for that.
  void join(std::size_t problem, TuneRequest& request);
  // When it is made: its session begins, with what the store has of it.
  void begin(std::size_t problem, Tuning& tuning);

  // Gives the compilers work, of up to `most` configurations beyond those that they have, for one size after the other.
  // False if they have none, and nothing is left to be compiled.
  bool keep_compiling(std::size_t most);

  struct Choice {
    std::size_t most = 0, least = 0;  // trials
    double worth = 0;                 // the expected improvement that is worth one more
  };
  // What to measure at a size, by all that is known now. On the very first visits it is not even compiled.
  std::vector<search::Configuration> choose(std::size_t problem, const Choice& choice);
  // Has the size's session try that; the default configuration comes first, if it was never tried. The number of
  // trials.
  std::size_t visit(std::size_t problem, std::vector<search::Configuration> configurations,
                    const Session::Meanwhile& meanwhile);
  // Lets the compilers work for so long at most.
  void wait(double seconds);

  workers::WorkerPool* pool() { return shared_->pool(); }

 private:
  struct Member {
    Tuning* tuning = nullptr;
    std::shared_ptr<const search::SearchSpace> space;
    search::Given* given = nullptr;
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
