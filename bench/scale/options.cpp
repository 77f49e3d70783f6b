#include "bench/scale/options.h"

#include <sstream>
#include <stdexcept>

namespace warptune::tuner::bench {

Options::Options(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("expected NAME=VALUE, found " + word);
    values_[word.substr(0, equals)] = word.substr(equals + 1);
  }
}

std::string Options::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::invalid_argument("an argument is missing: " + name + "=");
  return found->second;
}

std::string Options::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

double Options::number(const std::string& name, double otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : std::stod(found->second);
}

std::size_t Options::count(const std::string& name, std::size_t otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : std::stoul(found->second);
}

std::vector<std::string> Options::list(const std::string& name) const {
  std::vector<std::string> items;
  std::istringstream stream(text(name));
  for (std::string item; std::getline(stream, item, ',');) items.push_back(item);
  return items;
}

}  // namespace warptune::tuner::bench
