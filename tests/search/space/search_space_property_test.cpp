// Random small spaces against brute force: every combination, each constraint evaluated by the bytecode.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/space/search_space.h"

namespace warptune::search {
namespace {

struct RandomSpace {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  NamedValues constants{{"limit", std::int64_t{12}}, {"half", 0.5}};
  std::vector<Configuration> all;
  std::set<Configuration> valid;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : rng_(seed) {}

  // Two parameters with so many values that they are not tried one by one.
  RandomSpace make_wide() {
    RandomSpace space;
    for (const char* name : {"a", "b"}) space.parameters.push_back({name, wide_domain()});
    names_ = 2;
    for (std::uint64_t c = 1 + rng_.below(2); c > 0; --c) space.constraints.push_back({.text = comparison(2)});
    enumerate(space);
    return space;
  }

  RandomSpace make() {
    RandomSpace space;
    const std::size_t count = 1 + rng_.below(5);
    for (std::size_t p = 0; p < count; ++p)
      space.parameters.push_back({std::string(1, static_cast<char>('a' + p)), domain()});
    names_ = count;
    for (std::uint64_t c = rng_.below(4); c > 0; --c) space.constraints.push_back(constraint());
    enumerate(space);
    return space;
  }

 private:
  std::vector<Value> wide_domain() {
    constexpr std::int64_t size = 270;
    std::vector<Value> values;
    const std::uint64_t shape = rng_.below(5);
    for (std::int64_t i = 0; i < size; ++i) {
      if (shape == 0) values.emplace_back(i + 1);
      if (shape == 1) values.emplace_back(size / 2 - i);
      if (shape == 2) values.emplace_back(0.25 * static_cast<double>(i) - 3);
      if (shape == 3) values.emplace_back((i * 101) % size);
      if (shape == 4) values.emplace_back(i < 5 ? INT64_MAX - i : i);
    }
    return values;
  }
  std::vector<Value> domain() {
    static const std::vector<std::vector<Value>> shapes{
        {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, std::int64_t{8}},
        {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{5}},
        {false, true},
        {std::int64_t{7}},
        {-2.5, 0.0, 1.5, 2.0},
        {std::string("fp16"), std::string("fp32")},
        {std::int64_t{-3}, std::int64_t{INT64_MAX}, std::int64_t{2}},
    };
    // Mostly numbers: strings make most constraints fail.
    const std::uint64_t pick = rng_.below(12);
    return shapes[pick < shapes.size() ? pick : pick % 2];
  }

  Constraint constraint() {
    if (rng_.below(8) > 0 || names_ < 2) return {.text = comparison(2)};
    const std::string first(1, static_cast<char>('a' + rng_.below(names_)));
    const std::string second(1, static_cast<char>('a' + rng_.below(names_)));
    return {.text = "a predicate", .names = {first, second}, .predicate = [](const std::vector<Value>& values) {
              return values[0].index() != values[1].index() || to_text(values[0]) <= to_text(values[1]);
            }};
  }

  std::string pick(std::initializer_list<const char*> choices) { return choices.begin()[rng_.below(choices.size())]; }

  std::string leaf() {
    if (rng_.below(4) == 0) return pick({"0", "1", "2", "3", "limit", "half", "'fp16'"});
    return std::string(1, static_cast<char>('a' + rng_.below(names_)));
  }

  std::string number(int depth) {
    if (depth == 0 || rng_.below(4) == 0) return leaf();
    switch (rng_.below(4)) {
      case 0:
        return "max(" + number(depth - 1) + ", " + number(depth - 1) + ")";
      case 1:
        return "(" + number(depth - 1) + " if " + comparison(depth - 1) + " else " + number(depth - 1) + ")";
      default:
        return "(" + number(depth - 1) + pick({" + ", " - ", " * ", " // ", " % ", " / "}) + number(depth - 1) + ")";
    }
  }

  std::string comparison(int depth) {
    if (depth > 0) {
      switch (rng_.below(6)) {
        case 0:
          return "(" + comparison(depth - 1) + pick({" and ", " or "}) + comparison(depth - 1) + ")";
        case 1:
          return "not " + comparison(depth - 1);
        case 2:
          return number(1) + " in [1, 2, " + number(1) + "]";
        case 3:
          return number(1) + pick({" <= ", " < "}) + number(depth) + pick({" <= ", " != "}) + number(1);
        default:
          break;
      }
    }
    return number(depth) + pick({" <= ", " < ", " == ", " != ", " > ", " >= "}) + number(depth);
  }

  static bool satisfied(const Constraint& constraint, const Expression& expression, const NamedValues& values) {
    if (constraint.predicate) {
      std::vector<Value> arguments;
      for (const std::string& name : constraint.names) arguments.push_back(*find_value(values, name));
      return constraint.predicate(arguments);
    }
    try {
      return truth(expression.evaluate(values));
    } catch (const ExpressionError&) {
      return false;
    }
  }

  static void enumerate(RandomSpace& space) {
    std::vector<Expression> expressions;
    for (const Constraint& constraint : space.constraints)
      expressions.push_back(constraint.predicate ? Expression::constant(true) : Expression::parse(constraint.text));
    Configuration next{std::vector<std::uint32_t>(space.parameters.size())};
    for (;;) {
      NamedValues values = space.constants;
      for (std::size_t p = 0; p < next.choices.size(); ++p)
        values.emplace_back(space.parameters[p].name, space.parameters[p].values[next.choices[p]]);
      space.all.push_back(next);
      bool valid = true;
      for (std::size_t c = 0; valid && c < expressions.size(); ++c)
        valid = satisfied(space.constraints[c], expressions[c], values);
      if (valid) space.valid.insert(next);
      std::size_t p = 0;
      while (p < next.choices.size() && ++next.choices[p] == space.parameters[p].values.size()) next.choices[p++] = 0;
      if (p == next.choices.size()) return;
    }
  }

  Rng rng_;
  std::size_t names_ = 0;
};

std::string describe(const RandomSpace& random) {
  std::string text;
  for (const Parameter& parameter : random.parameters) {
    text += parameter.name + ":";
    for (const Value& value : parameter.values) text += " " + to_text(value);
    text += "\n";
  }
  for (const Constraint& constraint : random.constraints) text += constraint.text + "\n";
  return text;
}

std::vector<Configuration> brute_neighbours(const RandomSpace& random, const Configuration& from, Neighbourhood kind) {
  std::vector<Configuration> found;
  for (std::size_t p = 0; p < from.choices.size(); ++p) {
    std::vector<Configuration> below;
    std::vector<Configuration> above;
    for (std::uint32_t choice = 0; choice < random.parameters[p].values.size(); ++choice) {
      Configuration candidate = from;
      candidate.choices[p] = choice;
      if (choice == from.choices[p] || !random.valid.contains(candidate)) continue;
      (choice < from.choices[p] ? below : above).push_back(candidate);
    }
    if (kind == Neighbourhood::adjacent) {
      if (below.size() > 1) below.erase(below.begin(), below.end() - 1);
      if (above.size() > 1) above.resize(1);
    }
    found.insert(found.end(), below.begin(), below.end());
    found.insert(found.end(), above.begin(), above.end());
  }
  return found;
}

void expect_same_configurations(const RandomSpace& random, const SearchSpace& space) {
  ASSERT_TRUE(space.exact());
  ASSERT_EQ(to_text(space.size()), std::to_string(random.valid.size()));
  ASSERT_EQ(to_text(space.cartesian_size()), std::to_string(random.all.size()));
  std::set<Configuration> listed;
  for (Count i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.at(i);
    ASSERT_EQ(space.index_of(configuration), i);
    listed.insert(configuration);
  }
  ASSERT_EQ(listed, random.valid);
  for (const Configuration& configuration : random.all) {
    ASSERT_EQ(space.contains(configuration), random.valid.contains(configuration));
    ASSERT_EQ(space.index_of(configuration).has_value(), random.valid.contains(configuration));
  }
}

void expect_same_domains(const RandomSpace& random, const SearchSpace& space) {
  for (std::size_t p = 0; p < random.parameters.size(); ++p) {
    std::set<std::uint32_t> used;
    for (const Configuration& configuration : random.valid) used.insert(configuration.choices[p]);
    ASSERT_EQ(space.domains()[p], std::vector<std::uint32_t>(used.begin(), used.end()));
  }
}

void expect_same_neighbours(const RandomSpace& random, const SearchSpace& space, Rng& rng) {
  for (int i = 0; i < 4; ++i) {
    const Configuration& from = random.all[rng.below(random.all.size())];
    for (Neighbourhood kind : {Neighbourhood::hamming, Neighbourhood::adjacent})
      ASSERT_EQ(space.neighbours(from, kind), brute_neighbours(random, from, kind));
  }
}

void expect_sound_samples(const RandomSpace& random, const SearchSpace& space, Rng& rng) {
  if (space.empty()) return;
  ASSERT_TRUE(random.valid.contains(space.sample(rng)));
  for (std::size_t n : {std::size_t{3}, random.valid.size() + 1}) {
    for (const auto& drawn : {space.sample_distinct(n, rng), space.spread(n, rng)}) {
      const std::set<Configuration> distinct(drawn.begin(), drawn.end());
      ASSERT_EQ(distinct.size(), drawn.size());
      ASSERT_LE(drawn.size(), n);
      ASSERT_TRUE(std::ranges::includes(random.valid, distinct));
    }
    ASSERT_EQ(space.sample_distinct(n, rng).size(), std::min(n, random.valid.size()));
  }
}

TEST(SearchSpaceProperty, AgreesWithBruteForceOnThousandsOfRandomSpaces) {
  Generator generator(20);
  Rng rng(21);
  int empty = 0;
  for (int round = 0; round < 3000; ++round) {
    const RandomSpace random = generator.make();
    SCOPED_TRACE(describe(random));
    const SearchSpace space = SearchSpace::build(random.parameters, random.constraints, random.constants);
    expect_same_configurations(random, space);
    expect_same_domains(random, space);
    expect_same_neighbours(random, space, rng);
    expect_sound_samples(random, space, rng);
    empty += space.empty();
    if (HasFatalFailure()) return;
  }
  EXPECT_LT(empty, 1500);  // else the generator tests little
}

TEST(SearchSpaceProperty, AgreesWithBruteForceWhereDomainsAreWide) {
  Generator generator(28);
  Rng rng(29);
  int thin = 0;
  for (int round = 0; round < 60; ++round) {
    const RandomSpace random = generator.make_wide();
    SCOPED_TRACE(random.constraints.front().text + " and " + random.constraints.back().text + " on " +
                 to_text(random.parameters[0].values[1]) + ", " + to_text(random.parameters[1].values[1]));
    const SearchSpace space = SearchSpace::build(random.parameters, random.constraints, random.constants);
    ASSERT_TRUE(space.exact());
    ASSERT_EQ(to_text(space.size()), std::to_string(random.valid.size()));
    for (const Configuration& configuration : random.valid) ASSERT_TRUE(space.index_of(configuration).has_value());
    expect_same_neighbours(random, space, rng);
    thin += !random.valid.empty() && random.valid.size() < random.all.size() / 100;
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(thin, 3);
}

TEST(SearchSpaceProperty, ASpaceGivenByItsRowsAnswersTheSame) {
  Generator generator(22);
  Rng rng(23);
  for (int round = 0; round < 500; ++round) {
    const RandomSpace random = generator.make();
    const SearchSpace space = SearchSpace::from_rows(random.parameters, {random.valid.begin(), random.valid.end()});
    expect_same_configurations(random, space);
    expect_same_domains(random, space);
    expect_same_neighbours(random, space, rng);
    expect_sound_samples(random, space, rng);
    if (HasFatalFailure()) return;
  }
}

TEST(SearchSpaceProperty, KillCountsAreWhatEachConstraintRejectsAlone) {
  Generator generator(24);
  for (int round = 0; round < 500; ++round) {
    const RandomSpace random = generator.make();
    const SearchSpace space = SearchSpace::build(random.parameters, random.constraints, random.constants);
    const std::vector<KillCount> counts = space.kill_counts();
    ASSERT_EQ(counts.size(), random.constraints.size());
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const SearchSpace alone = SearchSpace::build(random.parameters, {random.constraints[c]}, random.constants);
      ASSERT_EQ(counts[c].alone, alone.cartesian_size() - alone.size()) << describe(random);
    }
  }
}

// With a limit this tight most components fall back to a superset and rejection.
TEST(SearchSpaceProperty, TheFallbackStillContainsAndSamplesExactlyTheValidOnes) {
  Generator generator(26);
  Rng rng(27);
  int inexact = 0;
  for (int round = 0; round < 300; ++round) {
    const RandomSpace random = generator.make();
    const SearchSpace space =
        SearchSpace::build(random.parameters, random.constraints, random.constants, {.max_nodes = 6});
    for (const Configuration& configuration : random.all)
      ASSERT_EQ(space.contains(configuration), random.valid.contains(configuration)) << describe(random);
    ASSERT_GE(space.size(), random.valid.size());
    expect_same_neighbours(random, space, rng);
    inexact += !space.exact();
    if (random.valid.empty()) continue;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(random.valid.contains(space.sample(rng))) << describe(random);
  }
  EXPECT_GT(inexact, 30);
}

}  // namespace
}  // namespace warptune::search
