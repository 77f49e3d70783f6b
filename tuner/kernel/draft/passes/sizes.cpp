// Chooses the values of sizes: what the host says, and usual ones where it says nothing. A scalar that moves all
// indices of a buffer, as in y[i + offset], is no length; the buffer then has that many elements more.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/passes/values.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;

// Returns whether the name is a term of an index itself. A factor does not count, as in y[i * offset], and neither does
// a term of a variable that the index only contains.
bool is_term_of_index(const BodyAnalysis& body, const std::string& name) {
  const auto has_term = [&](const CExpression& index) {
    const auto terms = terms_of(index);
    return terms.size() > 1 &&
           std::ranges::any_of(terms, [&](const CExpression& term) { return term.is(Kind::name, name); });
  };
  for (const auto& [buffer, accesses] : body.accesses)
    for (const Access& access : accesses) {
      if (!access.index) continue;
      if (has_term(*access.index)) return true;
      const auto definition = body.definitions.find(access.index->text);
      if (access.index->kind == Kind::name && definition != body.definitions.end() && has_term(definition->second))
        return true;
    }
  return false;
}

// A scalar that is compared is a length, one that is multiplied a stride, and a radius reaches to both sides.
bool is_shift(const Site& site, const std::string& name) {
  const BodyAnalysis& body = site.body;
  if (use_of(name, 0) == Use::radius || name == "r" || name == "R") return false;
  if (body.compared.contains(name) || body.multiplied.contains(name) || body.definitions.contains(name)) return false;
  const auto is_in = [&](const CExpression& expression) { return names_in(expression).contains(name); };
  for (const auto& [variable, bounds] : body.bounds)
    if (variable == name || std::ranges::any_of(bounds, is_in)) return false;
  for (const auto& [variable, step] : body.steps)
    if (is_in(step)) return false;
  return is_term_of_index(body, name);
}

// Settles a shift that the source gives no value at 1, the smallest that a manifest takes for a size. Returns false for
// other sizes.
bool choose_shift(const std::vector<Site>& sites, Draft& draft, SizeDraft& size) {
  const bool is_one =
      std::ranges::any_of(sites, [&](const Site& site) { return site.body.shifts.contains(size.name); });
  if (!is_one) return false;
  size.value = 1;
  size.comment = "a guess: it moves an index, and no host code says how far";
  draft.guesses.push_back(fmt::format(
      "[sizes] {0}: 1 is a guess. It moves an index, so buffers have {0} elements more than the kernel goes through",
      size.name));
  return true;
}

// Returns whether each thread goes over all elements: for (j = 0; j < n; ++j), where n is also the number of threads.
bool goes_over_pairs(const Work& work) {
  return std::ranges::any_of(work.sites, [&](const Site& site) {
    return std::ranges::any_of(site.body.bounds, [&](const auto& bounds) {
      const auto begin = site.body.definitions.find(bounds.first);
      return begin != site.body.definitions.end() && begin->second.is_integer() && site.axis[0] &&
             std::ranges::any_of(bounds.second, [&](const CExpression& bound) {
               return manifest_text(resolved_in_kernel(work, site, bound)) == manifest_text(*site.axis[0]);
             });
    });
  });
}

// Returns whether an argument of 16 bits holds the size.
bool is_held_in_16_bits(const Draft& draft, const std::string& size) {
  return std::ranges::any_of(draft.arguments, [&](const ArgumentDraft& argument) {
    return argument.value == size && (argument.type == "int16" || argument.type == "uint16");
  });
}

// Notes that calls of the host's function give the size several values. The draft has the first, if all are known.
void note_calls(const std::vector<Site>& sites, Draft& draft, SizeDraft& size) {
  for (const Site& site : sites) {
    const auto calls = site.scope.several.find(size.name);
    if (calls == site.scope.several.end()) continue;
    size.is_guess = true;
    size.comment = "a guess: " + calls->second;
    return draft.guesses.push_back(fmt::format("[sizes] {}: {}", size.name, calls->second));
  }
}

// Settles a size that is a variable of the host's and changes on the way to the launch. The number before the change is
// as good as any, if the variable may keep it. Returns false if the size is still without a value.
bool choose_changed_size(const std::vector<Site>& sites, Draft& draft, SizeDraft& size) {
  for (const Site& site : sites) {
    const auto change = site.scope.changed.find(size.name);
    if (change == site.scope.changed.end()) continue;
    const std::string what = fmt::format("line {} changes it", change->second.line);
    draft.guesses.push_back(
        fmt::format("[sizes] {}: {}, and `init` cannot follow how. Write what the launch has", size.name, what));
    if (change->second.first < 1) return false;
    size.value = change->second.first;
    size.comment = "a guess: " + what;
    size.is_guess = true;
    return true;
  }
  return false;
}

// Returns how many elements an argument has. Returns 0 if it has no shape or a fraction of an element, and the largest
// number if its shape cannot be evaluated.
std::int64_t elements_of(const Draft& draft, const ArgumentDraft& argument, std::int64_t SizeDraft::*of_size) {
  if (argument.shape.empty()) return 0;
  try {
    return value_by_default(draft, argument.shape, of_size).value_or(std::numeric_limits<std::int64_t>::max());
  } catch (const std::invalid_argument&) {  // a fraction
    return 0;
  }
}

// Returns how many sizes a length may be made of. Where something is blank, these may be more than the lengths say, so
// it returns the number of axes of a launch's grid. Returns 1 where nothing is blank.
std::size_t axes_of_unknown_lengths(const Draft& draft) {
  if (draft.blanks.empty()) return 1;
  const auto has_name = [](const std::string& extent) { return extent.find_first_not_of("0123456789") == 0; };
  std::size_t most = 1;
  for (const LaunchDraft& launch : draft.launches)
    most = std::max(most, static_cast<std::size_t>(std::ranges::count_if(launch.grid, has_name)));
  return most;
}

// Sizes that are guessed one by one may make a buffer together that no device holds.
void keep_buffers_small(Draft& draft) {
  constexpr std::int64_t most = 1 << 26, most_on_host = 1 << 22;
  for (const ArgumentDraft& argument : draft.arguments) {
    if (argument.shape == blank) continue;
    const auto tokens = source_tokens(argument.shape);
    std::vector<SizeDraft*> factors, guessed;
    for (SizeDraft& size : draft.sizes) {
      if (!contains_word(tokens, size.name)) continue;
      factors.push_back(&size);
      if (size.is_guess) guessed.push_back(&size);
    }
    if (guessed.size() > 1 && elements_of(draft, argument, &SizeDraft::value) > most)
      for (SizeDraft* size : guessed) {
        size->value = std::min<std::int64_t>(size->value, guessed.size() == 2 ? 1024 : 128);
        size->on_host = std::min<std::int64_t>(size->value, guessed.size() == 2 ? 256 : 32);
      }
    while (!factors.empty() && elements_of(draft, argument, &SizeDraft::on_host) > most_on_host) {
      SizeDraft& largest = **std::ranges::max_element(factors, {}, &SizeDraft::on_host);
      if (largest.on_host < 2) break;
      largest.on_host /= 2;
    }
  }
}

}  // namespace

void find_shifts(Site& site) {
  for (const FunctionParameter& parameter : site.kernel->parameters)
    if (parameter.pointers == 0 && may_be_size(parameter.type) && is_shift(site, parameter.name))
      site.body.shifts.insert(parameter.name);
}

void choose_sizes(Work& work) {
  // The usual values keep a GPU busy, and those on the host are soon done by a CPU.
  std::size_t degree = 1;
  for (const ArgumentDraft& argument : work.draft.arguments) {
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
  degree = std::max(degree, axes_of_unknown_lengths(work.draft));
  const bool pairs = degree == 1 && goes_over_pairs(work);
  const std::int64_t usual = pairs ? 1 << 14 : degree == 1 ? 1 << 22 : degree == 2 ? 1024 : 128;
  const std::int64_t most_on_host = pairs ? 1 << 11 : degree == 1 ? 1 << 18 : degree == 2 ? 256 : 32;
  for (SizeDraft& size : work.draft.sizes) {
    const bool is_r = work.draft.sizes.size() > 1 && (size.name == "r" || size.name == "R");
    const bool radius = is_r || use_of(size.name, 0) == Use::radius;
    if (size.value == 0 && !choose_shift(work.sites, work.draft, size) &&
        !choose_changed_size(work.sites, work.draft, size)) {
      size.value = radius ? 3 : is_stride(size.name) ? 1 : counts_bins(size.name) ? 256 : usual;
      if (is_held_in_16_bits(work.draft, size.name)) size.value = std::min<std::int64_t>(size.value, 1 << 14);
      const bool changes =
          std::ranges::any_of(work.sites, [&](const Site& site) { return site.scope.changed.contains(size.name); });
      size.comment = changes ? "a guess: the host changes it before the launch" : "a guess: no host code says it";
      size.is_guess = true;
    }
    note_calls(work.sites, work.draft, size);
    size.on_host = size.value;
    if (!radius)
      while (size.on_host > most_on_host) size.on_host = size.on_host % 2 == 0 ? size.on_host / 2 : most_on_host;
  }
  keep_buffers_small(work.draft);
}

}  // namespace warptune::tuner::draft
