// How long calls took: collected by each worker, put together at the end.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warptune::tuner::bench {

using WallClock = std::chrono::steady_clock;

inline double ms_since(WallClock::time_point start) {
  return 1e3 * std::chrono::duration<double>(WallClock::now() - start).count();
}

class Latencies {
 public:
  void add(const std::string& call, double ms) { ms_[call].push_back(ms); }
  void add(const Latencies& others) {
    for (const auto& [call, ms] : others.ms_) ms_[call].insert(ms_[call].end(), ms.begin(), ms.end());
  }
  // What `work` returns, timed.
  template <class Work>
  auto timed(const std::string& call, Work work) {
    const auto start = WallClock::now();
    auto result = work();
    add(call, ms_since(start));
    return result;
  }
  // By call: how many, their median, 99th percentile and longest, in milliseconds.
  nlohmann::json summary() const {
    nlohmann::json calls = nlohmann::json::object();
    for (auto [call, ms] : ms_) {
      std::sort(ms.begin(), ms.end());
      calls[call] = {{"count", ms.size()},
                     {"median_ms", ms[ms.size() / 2]},
                     {"p99_ms", ms[ms.size() * 99 / 100]},
                     {"longest_ms", ms.back()}};
    }
    return calls;
  }

 private:
  std::map<std::string, std::vector<double>> ms_;
};

}  // namespace warptune::tuner::bench
