// The program's arguments, NAME=VALUE each: a driver writes them, not people, so there is no parser of a library's.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace warptune::tuner::bench {

class Options {
 public:
  // Throws std::invalid_argument for a word without '='.
  explicit Options(const std::vector<std::string>& words);

  // Throws std::invalid_argument if it was not given.
  std::string text(const std::string& name) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  // Throw std::invalid_argument for what is no number.
  double number(const std::string& name, double otherwise) const;
  std::size_t count(const std::string& name, std::size_t otherwise) const;
  // Separated by commas.
  std::vector<std::string> list(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace warptune::tuner::bench
