// Finds the words among a space's parameters, and multiplies or averages their values. A guess from words alone adds up
// the losses of a configuration that departs from rules of thumb.
#include "tuner/session/first_guess/words.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "search/expression/expression.h"

namespace warptune::tuner {

namespace {

bool is_number(const search::Value& value) {
  return !std::holds_alternative<std::string>(value);
}

// Texts have no size: COARSENING_ORDER is no COARSENING.
bool is_numeric(const search::Parameter& parameter) {
  return std::ranges::all_of(parameter.values, is_number);
}

// Returns whether the value names Hopper's instructions for warpgroups, whatever feeds them: "wgmma", "wgmma_packed".
bool is_wgmma(const search::Value& value) {
  const std::string* text = std::get_if<std::string>(&value);
  return text && text->starts_with("wgmma");
}

// Returns whether the value is CUTLASS's name for consumers that take turns.
bool is_pingpong(const search::Value& value) {
  const std::string* text = std::get_if<std::string>(&value);
  return text && *text == "pingpong";
}

bool is_tile(std::string_view name) {
  constexpr std::string_view sides[] = {"TILE_M", "TILE_N", "TILE_X", "TILE_Y", "TILE_Z", "TILE_ROWS", "TILE_COLUMNS"};
  return std::ranges::find(sides, name) != std::end(sides);
}

double below(double value, double least) {
  return std::max(0.0, std::log2(least / value));
}

double above(double value, double most) {
  return std::max(0.0, std::log2(value / most));
}

// The losses are rules of thumb: 128 to 360 threads a block, vectors of four elements, four to sixteen elements a
// thread, no bank conflicts, no bodies of hundreds of elements.
double loss(const Said& said) {
  double sum = 0;
  if (said.threads) sum += 0.2 * below(*said.threads, 128) + 0.15 * above(*said.threads, 360);
  if (said.vector) sum += 0.06 * below(*said.vector, 4);
  const double elements = said.vector.value_or(1) * said.per_thread.value_or(1);
  if (said.per_thread) sum += 0.15 * below(elements, 4) + 0.1 * above(*said.per_axis, 16);
  if (said.conflicts.value_or(false)) sum += 0.15;
  return sum + 0.05 * above(said.per_thread.value_or(1) * said.unroll.value_or(1), 64);
}

}  // namespace

Words::Words(const search::SearchSpace& space) : space_(&space) {
  const auto& parameters = space.parameters();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::string_view name = parameters[p].name;
    Product* word = nullptr;
    if (name == "BLOCK_SIZE" || name.starts_with("BLOCK_DIM_")) word = &threads_;
    if (name.starts_with("COARSENING")) word = &per_thread_;
    if (name.starts_with("VECTOR_WIDTH")) word = &vector_;
    if (is_tile(name)) word = &tile_;
    if (name == "WARP_M" || name == "WARP_N") word = &warp_tile_;
    if (name == "TILE_K") word = &depth_;
    if (name == "UNROLL") word = &unroll_;
    if (name == "STAGES") word = &stages_;
    if (name == "MIN_BLOCKS_PER_SM") word = &least_resident_;
    if (name.starts_with("PADDING") || name.starts_with("SWIZZLE")) word = &against_conflicts_;
    if (!is_numeric(parameters[p])) word = nullptr;
    const bool by_wgmma = name == "ALGORITHM" && std::ranges::any_of(parameters[p].values, is_wgmma);
    if (by_wgmma) instructions_ = p;
    if (name == "PERSISTENT" && is_numeric(parameters[p])) persistent_ = p;
    const bool takes_turns = name == "SCHEDULE" && std::ranges::any_of(parameters[p].values, is_pingpong);
    if (takes_turns) schedule_ = p;
    known_.push_back(by_wgmma || takes_turns || persistent_ == p || word ||
                     name == "TILE_WIDTH" ||  // a side alone says nothing of a block's outputs
                     name == "SLICED_K");     // the launch has these threads
    if (word) word->push_back(p);
    if (name == "TILE_ROWS" || name == "TILE_COLUMNS") sides_.push_back(p);
    if (word == &vector_ && name != "VECTOR_WIDTH_STORE") loads_.push_back(p);
  }
}

double Words::number(std::size_t parameter, const search::Configuration& configuration) const {
  return search::to_double(space_->parameters()[parameter].values[configuration.choices[parameter]]);
}

std::optional<double> Words::product(const Product& parameters, const search::Configuration& configuration) const {
  if (parameters.empty()) return std::nullopt;
  double result = 1;
  for (std::size_t p : parameters) result *= std::max(1.0, number(p, configuration));
  return result;
}

std::optional<double> Words::mean(const Product& parameters, const search::Configuration& configuration) const {
  const auto all = product(parameters, configuration);
  return all ? std::optional(std::pow(*all, 1 / static_cast<double>(parameters.size()))) : std::nullopt;
}

Said Words::of(const search::Configuration& configuration) const {
  Said said;
  said.threads = product(threads_, configuration);
  said.per_thread = product(per_thread_, configuration);
  said.per_axis = mean(per_thread_, configuration);
  said.vector = mean(vector_, configuration);
  said.vector_load = mean(loads_, configuration);
  said.tile = product(tile_, configuration);
  for (std::size_t p : sides_) said.narrowest = std::min(said.narrowest.value_or(HUGE_VAL), number(p, configuration));
  if (tile_.size() == 2) said.edges = number(tile_[0], configuration) + number(tile_[1], configuration);
  said.depth = product(depth_, configuration);
  said.warp_tile = product(warp_tile_, configuration);
  said.unroll = product(unroll_, configuration);
  said.least_resident = product(least_resident_, configuration);
  said.stages = product(stages_, configuration);
  if (persistent_) said.persistent = number(*persistent_, configuration) > 0;
  if (instructions_)
    said.warpgroups = is_wgmma(space_->parameters()[*instructions_].values[configuration.choices[*instructions_]]);
  if (schedule_)
    said.alternating = is_pingpong(space_->parameters()[*schedule_].values[configuration.choices[*schedule_]]);
  if (!against_conflicts_.empty())
    said.conflicts = std::ranges::none_of(against_conflicts_, [&](auto p) { return number(p, configuration) > 0; });
  return said;
}

std::function<double(const search::Configuration&)> word_guess(const search::SearchSpace& space) {
  const Words words(space);
  if (!words.tells_launches()) return {};
  return [words](const search::Configuration& configuration) { return loss(words.of(configuration)); };
}

}  // namespace warptune::tuner
