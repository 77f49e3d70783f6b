// A benchmark's figure beside the bound that it must keep.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace warptune::tuner::bench {

class Claims {
 public:
  void at_most(const std::string& what, double value, double bound, const std::string& unit) {
    add(what, value, bound, unit, "<=", value <= bound);
  }
  void at_least(const std::string& what, double value, double bound, const std::string& unit) {
    add(what, value, bound, unit, ">=", value >= bound);
  }
  void report(const std::string& what, double value, const std::string& unit) {
    fmt::print("{:<58} {:>12.6g} {}\n", what, value, unit);
  }
  bool all_kept() const { return kept_; }

 private:
  void add(const std::string& what, double value, double bound, const std::string& unit, const char* relation,
           bool kept) {
    fmt::print("{:<58} {:>12.6g} {:<10} ({} {:g}) {}\n", what, value, unit, relation, bound, kept ? "ok" : "NOT KEPT");
    std::fflush(stdout);
    kept_ = kept_ && kept;
  }

  bool kept_ = true;
};

}  // namespace warptune::tuner::bench
