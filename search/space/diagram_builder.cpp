// Searches by backtracking, and merges equal states and equal nodes as it goes.
#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "search/space/bounds.h"
#include "search/space/diagram.h"

namespace warptune::search {

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0xff51afd7ed558ccd;
  return hash ^ (hash >> 32);
}

// An Encoder turns scalars into single words, which are equal exactly when kind and value are. Most scalars are small
// whole numbers and are packed; the rest are numbered as they appear.
class Encoder {
 public:
  std::uint64_t operator()(Scalar value) {
    const auto kind = static_cast<std::uint64_t>(value.kind);
    if (value.kind == Scalar::Kind::real) return encode_real(value.real);
    constexpr std::int64_t limit = std::int64_t{1} << 60;
    if (value.integer >= -limit && value.integer < limit) return static_cast<std::uint64_t>(value.integer) << 3 | kind;
    return rare(static_cast<std::uint64_t>(value.integer), kind);
  }

 private:
  std::uint64_t encode_real(double number) {
    constexpr double limit = 0x1p53;
    constexpr auto kind = static_cast<std::uint64_t>(Scalar::Kind::real);
    const auto bits = std::bit_cast<std::uint64_t>(number);
    if (!(number > -limit && number < limit)) return rare(bits, kind);
    const auto whole = static_cast<std::int64_t>(number);
    if (std::bit_cast<std::uint64_t>(static_cast<double>(whole)) != bits) return rare(bits, kind);
    return static_cast<std::uint64_t>(whole) << 3 | kind;
  }
  std::uint64_t rare(std::uint64_t bits, std::uint64_t kind) {
    constexpr std::uint64_t tag = 5;  // no kind has it
    return numbers_.try_emplace({kind, bits}, numbers_.size()).first->second << 3 | tag;
  }

  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> numbers_;
};

// A StateTable holds the states met at one level, and the node that each leads to.
class StateTable {
 public:
  using NodeIndex = Diagram::NodeIndex;

  explicit StateTable(std::size_t width) : width_(width) {}

  std::size_t width() const { return width_; }
  std::size_t size() const { return nodes_.size(); }
  // Returns the entry of a state; `added` says that the state is new and its node not known yet.
  std::size_t find_or_add(const std::uint64_t* state, bool& added) {
    if (3 * (nodes_.size() + 1) > 2 * buckets_.size()) grow();
    const std::size_t bucket = bucket_of(state);
    added = buckets_[bucket] == 0;
    if (!added) return buckets_[bucket] - 1;
    states_.insert(states_.end(), state, state + width_);
    nodes_.push_back(Diagram::leaf);
    buckets_[bucket] = static_cast<std::uint32_t>(nodes_.size());
    return nodes_.size() - 1;
  }
  NodeIndex& node(std::size_t entry) { return nodes_[entry]; }

 private:
  std::size_t bucket_of(const std::uint64_t* state) const {
    std::uint64_t hash = width_;
    for (std::size_t i = 0; i < width_; ++i) hash = mix(hash, state[i]);
    const std::size_t mask = buckets_.size() - 1;
    std::size_t bucket = hash & mask;
    while (buckets_[bucket] != 0 &&
           !std::equal(state, state + width_, states_.data() + (buckets_[bucket] - 1) * width_))
      bucket = (bucket + 1) & mask;
    return bucket;
  }
  void grow() {
    buckets_.assign(std::max<std::size_t>(64, 2 * buckets_.size()), 0);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) buckets_[bucket_of(states_.data() + i * width_)] = i + 1;
  }

  std::size_t width_;
  std::vector<std::uint64_t> states_;
  std::vector<NodeIndex> nodes_;
  std::vector<std::uint32_t> buckets_;  // entry + 1, or 0
};

// An Outlook finds which values of a level's parameter still have a chance after the values before it. It is for wide
// domains, where trying each value would take longer than all the rest.
class Outlook {
 public:
  Outlook(const ConstraintProblem& problem, const SearchPlan& plan, std::size_t index)
      : graph_(problem.graph()),
        variable_(plan.levels[index].variable),
        steps_(std::span(plan.steps).subspan(plan.levels[index].first_step)) {
    const std::vector<std::uint32_t>& domain = problem.domains()[plan.levels[index].parameter];
    if (variable_ == SearchPlan::no_node || domain.size() < Blocks::least_values) return;
    blocks_.emplace(problem.values(plan.levels[index].parameter), domain);
    if (index > 0) inputs_ = plan.levels[index - 1].live;
    for (Scalar value : graph_.slots()) bounds_.push_back(Bounds::of(value));
    for (std::size_t later = index + 1; later < plan.levels.size(); ++later)
      if (const SearchPlan::Level& level = plan.levels[later]; level.variable != SearchPlan::no_node)
        bounds_[level.variable] = Blocks(problem.values(level.parameter), problem.domains()[level.parameter]).all();
  }

  // Returns whether to call `find`. Narrow domains, and those of which next to nothing is ever ruled out, are tried as
  // they are.
  bool worthwhile() const { return blocks_ && (looked_ < enough_looks || ruled_out_ > looked_ / 16); }

  // Appends the ranges of the domain that are not ruled out. Returns how many looks it took.
  std::size_t find(const std::vector<Scalar>& slots, std::vector<std::pair<std::size_t, std::size_t>>& ranges) {
    for (NodeId input : inputs_) bounds_[input] = Bounds::of(slots[input]);
    const std::size_t looks =
        blocks_->search([this](const Bounds& block) { return rules_out(block); },
                        [&](std::size_t first, std::size_t last) { ranges.emplace_back(first, last); });
    looked_ += looks;
    return looks;
  }

 private:
  static constexpr std::size_t enough_looks = 10'000;

  // Returns whether a check rules a block out. This includes checks that become due later, whatever the later
  // parameters are.
  bool rules_out(const Bounds& block) {
    bounds_[variable_] = block;
    for (const Computation& step : steps_) {
      const Node& node = step.node;
      bounds_[step.target] = node.kind == Node::Kind::predicate
                                 ? Bounds{}
                                 : bounds_of(node, bounds_[node.a], bounds_[node.b], bounds_[node.c]);
      if (!step.check || !bounds_[step.target].always_false()) continue;
      ++ruled_out_;
      return true;
    }
    return false;
  }

  const Graph& graph_;
  const NodeId variable_;
  const std::span<const Computation> steps_;
  std::optional<Blocks> blocks_;
  std::vector<NodeId> inputs_;
  std::vector<Bounds> bounds_;  // of all nodes
  std::size_t looked_ = 0, ruled_out_ = 0;
};

class DiagramBuilder {
 public:
  DiagramBuilder(const ConstraintProblem& problem, const SearchPlan& plan, std::size_t max_nodes)
      : problem_(problem),
        plan_(plan),
        budget_(max_nodes),
        visits_left_(visits_per_node * max_nodes),
        slots_(problem.graph().slots()),
        buckets_(64) {
    open_.reserve(64);
    states_.reserve(plan.levels.size());
    outlooks_.reserve(plan.levels.size());
    for (const SearchPlan::Level& level : plan.levels) states_.emplace_back(level.live.size());
    for (std::size_t level = 0; level < plan.levels.size(); ++level) outlooks_.emplace_back(problem, plan, level);
  }

  std::optional<Diagram> build() {
    const NodeIndex root = expand(0);
    if (exceeded_) return std::nullopt;
    diagram_.finish(root == dead ? Diagram::leaf : root, root == dead ? 0 : plan_.levels.size());
    return std::move(diagram_);
  }

 private:
  using NodeIndex = Diagram::NodeIndex;
  static constexpr NodeIndex dead = ~NodeIndex{0};  // no valid completion
  // Visits are bounded too: where nothing merges and nothing is valid, searching takes time without taking memory.
  static constexpr std::size_t visits_per_node = 8;
  // Tries are bounded as well, because trying all of two large domains for the few pairs that a constraint allows takes
  // time without memory, too. Ordinary spaces keep a hundredth of what is tried, or are done long before.
  static constexpr std::size_t tries_at_first = 16'000'000;
  static constexpr std::size_t tries_per_choice = 256;

  NodeIndex expand(std::size_t level);
  void find_ranges(std::size_t level);
  void try_choices(std::size_t level, std::span<const std::uint32_t> choices);
  NodeIndex child_of(std::size_t level);
  NodeIndex intern(std::span<const Diagram::Edge> edges);
  void grow();
  void spend(std::size_t amount) {
    exceeded_ |= amount > budget_;
    budget_ -= std::min(amount, budget_);
  }

  const ConstraintProblem& problem_;
  const SearchPlan& plan_;
  std::size_t budget_;
  std::size_t visits_left_;
  std::size_t tried_ = 0, kept_ = 0;  // choices
  bool exceeded_ = false;
  std::vector<Scalar> slots_;
  std::vector<StateTable> states_;
  std::vector<Outlook> outlooks_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  // to be tried, of every level on the current path
  Encoder encode_;
  std::vector<std::uint64_t> state_;
  std::vector<Diagram::Edge> open_;  // the edges found so far of every node on the current path
  Diagram diagram_;
  std::vector<NodeIndex> buckets_;  // the diagram's nodes by their edges; 0 is free, for the leaf has no edges
};

// Returns the node for the level and those below, given what the levels above have put into the slots.
DiagramBuilder::NodeIndex DiagramBuilder::expand(std::size_t index) {
  const std::span<const std::uint32_t> domain = problem_.domains()[plan_.levels[index].parameter];
  const std::size_t first = open_.size(), first_range = ranges_.size();
  find_ranges(index);
  exceeded_ |= visits_left_-- == 0 || (tried_ > tries_at_first && kept_ < tried_ / tries_per_choice);
  for (std::size_t i = first_range; i < ranges_.size() && !exceeded_; ++i) {
    const auto [begin, end] = ranges_[i];
    try_choices(index, domain.subspan(begin, end - begin));
  }
  ranges_.resize(first_range);
  if (exceeded_) return dead;
  const NodeIndex node = open_.size() == first ? dead : intern({open_.data() + first, open_.data() + open_.size()});
  kept_ += open_.size() - first;
  open_.resize(first);
  return node;
}

// Finds the ranges of a level's domain that are to be tried.
void DiagramBuilder::find_ranges(std::size_t index) {
  const std::size_t first = ranges_.size();
  if (outlooks_[index].worthwhile())
    tried_ += outlooks_[index].find(slots_, ranges_);
  else
    ranges_.emplace_back(0, problem_.domains()[plan_.levels[index].parameter].size());
  for (std::size_t i = first; i < ranges_.size(); ++i) tried_ += ranges_[i].second - ranges_[i].first;
}

void DiagramBuilder::try_choices(std::size_t index, std::span<const std::uint32_t> choices) {
  const SearchPlan::Level& level = plan_.levels[index];
  const std::span<const Computation> steps = plan_.steps_of(level);
  const Scalar* values = problem_.values(level.parameter);
  const bool last = index + 1 == plan_.levels.size();
  for (std::uint32_t choice : choices) {
    if (level.variable != SearchPlan::no_node) slots_[level.variable] = values[choice];
    if (!problem_.graph().run(steps, slots_.data())) continue;
    const NodeIndex child = last ? Diagram::leaf : child_of(index);
    if (exceeded_) return;
    if (child != dead) open_.push_back({choice, child});
  }
}

DiagramBuilder::NodeIndex DiagramBuilder::child_of(std::size_t index) {
  const SearchPlan::Level& level = plan_.levels[index];
  if (!level.merges) return expand(index + 1);
  state_.clear();
  for (NodeId node : level.live) state_.push_back(encode_(slots_[node]));
  StateTable& table = states_[index];
  bool added = false;
  const std::size_t entry = table.find_or_add(state_.data(), added);
  if (!added) return table.node(entry);
  // The unit of the budget is a node or an edge, about 32 bytes.
  spend(1 + table.width() / 4);
  const NodeIndex node = exceeded_ ? dead : expand(index + 1);
  table.node(entry) = node;
  return node;
}

// Returns the one node that has these edges, because states that differ may still allow the same completions.
DiagramBuilder::NodeIndex DiagramBuilder::intern(std::span<const Diagram::Edge> edges) {
  if (3 * (diagram_.node_count() + 1) > 2 * buckets_.size()) grow();
  std::uint64_t hash = edges.size();
  for (const Diagram::Edge& edge : edges) hash = mix(hash, std::uint64_t{edge.choice} << 32 | edge.child);
  const std::size_t mask = buckets_.size() - 1;
  std::size_t bucket = hash & mask;
  for (; buckets_[bucket] != 0; bucket = (bucket + 1) & mask)
    if (std::ranges::equal(diagram_.edges(buckets_[bucket]), edges)) return buckets_[bucket];
  spend(1 + edges.size());
  const std::optional<NodeIndex> node = diagram_.add(edges);
  exceeded_ |= !node;
  if (!node) return dead;
  return buckets_[bucket] = *node;
}

void DiagramBuilder::grow() {
  buckets_.assign(2 * buckets_.size(), 0);
  const std::size_t mask = buckets_.size() - 1;
  for (NodeIndex node = 1; node < diagram_.node_count(); ++node) {
    const std::span<const Diagram::Edge> edges = diagram_.edges(node);
    std::uint64_t hash = edges.size();
    for (const Diagram::Edge& edge : edges) hash = mix(hash, std::uint64_t{edge.choice} << 32 | edge.child);
    std::size_t bucket = hash & mask;
    while (buckets_[bucket] != 0) bucket = (bucket + 1) & mask;
    buckets_[bucket] = node;
  }
}

}  // namespace

std::optional<Diagram> build_diagram(const ConstraintProblem& problem, const SearchPlan& plan, std::size_t max_nodes) {
  return DiagramBuilder(problem, plan, max_nodes).build();
}

}  // namespace warptune::search
