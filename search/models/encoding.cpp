// Computes the rows and the penalties of configurations.
#include "search/models/encoding.h"

#include <algorithm>
#include <cmath>

namespace warptune::search {

namespace {

std::optional<double> number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;  // booleans and strings have no distances
}

bool ordinal(const Parameter& parameter) {
  return std::ranges::all_of(parameter.values, [](const Value& value) { return number(value).has_value(); });
}

// Returns log2 of the odd factor: 0 for powers of two, 1.6 for 48, 3.9 for 240.
double odd_log2(const Value& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (!integer || *integer <= 0) return 0;
  std::int64_t odd = *integer;
  while (odd % 2 == 0) odd /= 2;
  return std::log2(static_cast<double>(odd));
}

double positive_log2(const Value& value) {
  const auto n = number(value);
  return n && *n > 0 ? std::log2(*n) : 0;
}

}  // namespace

Encoding::Encoding(const SearchSpace& space, ThreadsPerBlock threads_per_block, FirstGuess first_guess)
    : space_(space), threads_per_block_(std::move(threads_per_block)), first_guess_(std::move(first_guess)) {
  for (std::size_t p = 0; p < space.parameters().size(); ++p) {
    note_numbers(p);
    if (space.domains()[p].size() > 1) add_parameter(p);
  }
  if (threads_per_block_ || block_.size() > 1) categorical_.push_back(false);
  if (work_.size() > 1) categorical_.push_back(false);
  if (has_odd_) categorical_.push_back(false);
}

void Encoding::add_parameter(std::size_t parameter) {
  const auto& declared = space_.parameters()[parameter];
  auto order = space_.domains()[parameter];
  const bool ranked = ordinal(declared);
  if (ranked) std::ranges::sort(order, {}, [&](std::uint32_t choice) { return *number(declared.values[choice]); });
  Axis axis{parameter, std::vector<float>(declared.values.size())};
  const float last = ranked ? static_cast<float>(order.size() - 1) : 1;
  for (std::size_t rank = 0; rank < order.size(); ++rank) axis.position[order[rank]] = static_cast<float>(rank) / last;
  axes_.push_back(std::move(axis));
  categorical_.push_back(!ranked);
}

void Encoding::note_numbers(std::size_t parameter) {
  const auto& declared = space_.parameters()[parameter];
  log2_.emplace_back();
  odd_log2_.emplace_back();
  for (const Value& value : declared.values) {
    log2_.back().push_back(positive_log2(value));
    odd_log2_.back().push_back(odd_log2(value));
  }
  if (space_.domains()[parameter].size() > 1 && std::ranges::max(odd_log2_.back()) > 0) has_odd_ = true;
  if (declared.name.starts_with("block_size_")) block_.push_back(parameter);
  if (declared.name.starts_with("tile_size_") || declared.name.starts_with("work_per_thread_"))
    work_.push_back(parameter);
}

double Encoding::threads(const Configuration& configuration) const {
  if (threads_per_block_) return std::log2(std::max(threads_per_block_(configuration), 1.0));
  double sum = 0;
  for (std::size_t p : block_) sum += log2_[p][configuration.choices[p]];
  return sum;
}

double Encoding::odd_part(const Configuration& configuration) const {
  double sum = 0;
  for (std::size_t p = 0; p < odd_log2_.size(); ++p) sum += odd_log2_[p][configuration.choices[p]];
  return sum;
}

Eigen::RowVectorXf Encoding::row(const Configuration& configuration) const {
  Eigen::RowVectorXf row(columns());
  Eigen::Index column = 0;
  for (const Axis& axis : axes_) row(column++) = axis.position[configuration.choices[axis.parameter]];
  if (threads_per_block_ || block_.size() > 1) row(column++) = static_cast<float>(threads(configuration) / 5);
  if (work_.size() > 1) {
    double work = 0;
    for (std::size_t p : work_) work += log2_[p][configuration.choices[p]];
    row(column++) = static_cast<float>(work / 5);
  }
  if (has_odd_) row(column++) = static_cast<float>(odd_part(configuration) / 4);
  return row;
}

Eigen::MatrixXf Encoding::rows(const std::vector<Configuration>& configurations) const {
  Eigen::MatrixXf result(static_cast<Eigen::Index>(configurations.size()), columns());
  for (std::size_t i = 0; i < configurations.size(); ++i)
    result.row(static_cast<Eigen::Index>(i)) = row(configurations[i]);
  return result;
}

double Encoding::penalty(const Configuration& configuration) const {
  if (first_guess_) return first_guess_(configuration);
  double sum = 0;
  if (threads_per_block_ || !block_.empty()) {
    const double log2_threads = threads(configuration);
    sum += 0.3 * std::max(0.0, 7 - log2_threads) + 0.15 * std::max(0.0, log2_threads - 8.5);
  }
  return sum + 0.2 * std::min(odd_part(configuration), 5.0);
}

}  // namespace warptune::search
