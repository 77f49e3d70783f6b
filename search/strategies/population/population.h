// Holds members with their values, for the strategies that have a population.
#pragma once

#include <algorithm>
#include <vector>

#include "search/configuration.h"
#include "search/random.h"

namespace warptune::search {

struct Member {
  Configuration configuration;
  double value = 0;
};

// A Population has up to `capacity` correct members. A place keeps its number, which is what strategies give as a
// Proposal's owner.
class Population {
 public:
  explicit Population(std::size_t capacity) : capacity_(capacity) {}

  bool full() const { return members_.size() == capacity_; }
  std::size_t size() const { return members_.size(); }
  const Member& operator[](std::size_t place) const { return members_[place]; }

  // Adds a member, for which there must be room.
  void join(Member member) { members_.push_back(std::move(member)); }
  void replace(std::size_t place, Member member) { members_[place] = std::move(member); }
  bool contains(const Configuration& configuration) const {
    return std::ranges::count(members_, configuration, &Member::configuration) > 0;
  }

  std::size_t best() const { return place_of(std::ranges::min_element(members_, {}, &Member::value)); }
  std::size_t worst() const { return place_of(std::ranges::max_element(members_, {}, &Member::value)); }
  std::size_t any(Rng& rng) const { return rng.below(members_.size()); }
  // Returns the place of the best of `rounds` drawn members.
  std::size_t tournament(std::size_t rounds, Rng& rng) const {
    std::size_t winner = any(rng);
    for (std::size_t i = 1; i < rounds; ++i)
      if (const std::size_t rival = any(rng); members_[rival].value < members_[winner].value) winner = rival;
    return winner;
  }

 private:
  std::size_t place_of(std::vector<Member>::const_iterator member) const {
    return static_cast<std::size_t>(member - members_.begin());
  }

  std::size_t capacity_;
  std::vector<Member> members_;
};

}  // namespace warptune::search
