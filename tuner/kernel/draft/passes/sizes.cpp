// Chooses the values of sizes: what the host says, and usual ones where it says nothing.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "tuner/kernel/draft/passes/drafter.h"

namespace warptune::tuner::draft {

// Returns whether each thread goes over all elements: for (j = 0; j < n; ++j), where n is also the number of threads.
bool Drafter::goes_over_pairs() const {
  return std::ranges::any_of(sites_, [&](const Site& site) {
    return std::ranges::any_of(site.body.bounds, [&](const auto& bounds) {
      const auto begin = site.body.definitions.find(bounds.first);
      return begin != site.body.definitions.end() && begin->second.is_integer() && site.axis[0] &&
             std::ranges::any_of(bounds.second, [&](const CExpression& bound) {
               return manifest_text(resolved_in_kernel(site, bound)) == manifest_text(*site.axis[0]);
             });
    });
  });
}

// Returns whether an argument of 16 bits holds the size.
bool Drafter::is_held_in_16_bits(const std::string& size) const {
  return std::ranges::any_of(draft_.arguments, [&](const ArgumentDraft& argument) {
    return argument.value == size && (argument.type == "int16" || argument.type == "uint16");
  });
}

// Notes that calls of the host's function give the size several values. The draft has the first, if all are known.
void Drafter::note_calls(SizeDraft& size) {
  for (const Site& site : sites_) {
    const auto calls = site.scope.several.find(size.name);
    if (calls == site.scope.several.end()) continue;
    size.is_guess = true;
    size.comment = "a guess: " + calls->second;
    return draft_.guesses.push_back(fmt::format("[sizes] {}: {}", size.name, calls->second));
  }
}

// Settles a size that is a variable of the host's and changes on the way to the launch. The number before the change is
// as good as any, if the variable may keep it. Returns false if the size is still without a value.
bool Drafter::settle_changed(SizeDraft& size) {
  for (const Site& site : sites_) {
    const auto change = site.scope.changed.find(size.name);
    if (change == site.scope.changed.end()) continue;
    const std::string what = fmt::format("line {} changes it", change->second.line);
    draft_.guesses.push_back(
        fmt::format("[sizes] {}: {}, and `init` cannot follow how. Write what the launch has", size.name, what));
    if (change->second.first < 1) return false;
    size.value = change->second.first;
    size.comment = "a guess: " + what;
    size.is_guess = true;
    return true;
  }
  return false;
}

void Drafter::settle_sizes() {
  // The usual values keep a GPU busy, and those on the host are soon done by a CPU.
  std::size_t degree = 1;
  for (const ArgumentDraft& argument : draft_.arguments) {
    const auto shape = parse_c(source_tokens(argument.shape));
    if (!shape) {  // a shape with a condition is no C expression
      degree = std::max(degree, 1 + static_cast<std::size_t>(std::ranges::count(argument.shape, '*')));
      continue;
    }
    const auto factors = factors_of(*shape);
    degree = std::max(degree, static_cast<std::size_t>(std::ranges::count_if(factors, [](const CExpression& factor) {
                        return !std::ranges::all_of(names_in(factor), is_stride);
                      })));
  }
  degree = std::max(degree, axes_of_unknown_lengths());
  const bool pairs = degree == 1 && goes_over_pairs();
  const std::int64_t usual = pairs ? 1 << 14 : degree == 1 ? 1 << 22 : degree == 2 ? 1024 : 128;
  const std::int64_t most_on_host = pairs ? 1 << 11 : degree == 1 ? 1 << 18 : degree == 2 ? 256 : 32;
  for (SizeDraft& size : draft_.sizes) {
    const bool is_r = draft_.sizes.size() > 1 && (size.name == "r" || size.name == "R");
    const bool radius = is_r || use_of(size.name, 0) == Use::radius;
    if (size.value == 0 && !settle_shift(size) && !settle_changed(size)) {
      size.value = radius ? 3 : is_stride(size.name) ? 1 : counts_bins(size.name) ? 256 : usual;
      if (is_held_in_16_bits(size.name)) size.value = std::min<std::int64_t>(size.value, 1 << 14);
      const bool changes =
          std::ranges::any_of(sites_, [&](const Site& site) { return site.scope.changed.contains(size.name); });
      size.comment = changes ? "a guess: the host changes it before the launch" : "a guess: no host code says it";
      size.is_guess = true;
    }
    note_calls(size);
    size.on_host = size.value;
    if (!radius)
      while (size.on_host > most_on_host) size.on_host = size.on_host % 2 == 0 ? size.on_host / 2 : most_on_host;
  }
  keep_buffers_small();
}

// Returns how many elements an argument has. Returns 0 if it has no shape or a fraction of an element, and the largest
// number if its shape cannot be evaluated.
std::int64_t Drafter::elements_of(const ArgumentDraft& argument, std::int64_t SizeDraft::*of_size) const {
  if (argument.shape.empty()) return 0;
  try {
    return value_of(argument.shape, of_size).value_or(std::numeric_limits<std::int64_t>::max());
  } catch (const std::invalid_argument&) {  // a fraction
    return 0;
  }
}

// Returns how many sizes a length may be made of. Where something is blank, these may be more than the lengths say, so
// it returns the number of axes of a launch's grid. Returns 1 where nothing is blank.
std::size_t Drafter::axes_of_unknown_lengths() const {
  if (draft_.blanks.empty()) return 1;
  const auto has_name = [](const std::string& extent) { return extent.find_first_not_of("0123456789") == 0; };
  std::size_t most = 1;
  for (const LaunchDraft& launch : draft_.launches)
    most = std::max(most, static_cast<std::size_t>(std::ranges::count_if(launch.grid, has_name)));
  return most;
}

// Sizes that are guessed one by one may make a buffer together that no device holds.
void Drafter::keep_buffers_small() {
  constexpr std::int64_t most = 1 << 26, most_on_host = 1 << 22;
  for (const ArgumentDraft& argument : draft_.arguments) {
    if (argument.shape == blank) continue;
    const auto tokens = source_tokens(argument.shape);
    std::vector<SizeDraft*> factors, guessed;
    for (SizeDraft& size : draft_.sizes) {
      if (!contains_word(tokens, size.name)) continue;
      factors.push_back(&size);
      if (size.is_guess) guessed.push_back(&size);
    }
    if (guessed.size() > 1 && elements_of(argument, &SizeDraft::value) > most)
      for (SizeDraft* size : guessed) {
        size->value = std::min<std::int64_t>(size->value, guessed.size() == 2 ? 1024 : 128);
        size->on_host = std::min<std::int64_t>(size->value, guessed.size() == 2 ? 256 : 32);
      }
    while (!factors.empty() && elements_of(argument, &SizeDraft::on_host) > most_on_host) {
      SizeDraft& largest = **std::ranges::max_element(factors, {}, &SizeDraft::on_host);
      if (largest.on_host < 2) break;
      largest.on_host /= 2;
    }
  }
}

}  // namespace warptune::tuner::draft
