// Finds how many elements buffers have: as the host allocates them, else as far as the kernel's indices go.

#include <fmt/format.h>

#include <algorithm>

#include "tuner/kernel/draft/passes/arguments.h"
#include "tuner/kernel/draft/passes/values.h"

namespace warptune::tuner::draft {

namespace {

using Kind = CExpression::Kind;
using Result = std::optional<CExpression>;

// Returns the number of elements in so many bytes, by leaving out the factor that is the size of one.
CExpression elements_in(const CExpression& bytes, std::int64_t size) {
  if (size == 1) return bytes;
  std::vector<CExpression> factors = factors_of(bytes);
  for (auto factor = factors.begin(); factor != factors.end(); ++factor)
    if (factor->is_integer() && factor->value % size == 0) {
      factor->value /= size;
      if (factor->value == 1 && factors.size() > 1) factors.erase(factor);
      return simplified(product_of(factors));
    }
  return CExpression::binary("/", bytes, CExpression::integer(size));
}

// Returns how many numbers `count` vectors have. n / 4 vectors of 4 have n, because n numbers have to be there anyway.
CExpression times(const CExpression& count, std::int64_t each) {
  if (each <= 1) return count;
  if (count.is(Kind::binary, "/") && count.parts[1].is_integer() && count.parts[1].value == each) return count.parts[0];
  return simplified(CExpression::binary("*", count, CExpression::integer(each)));
}

SizeOf sizes_in(const Work& work, const Site& site) {
  return [&work, &site](const std::string& name) -> Result {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string axis = std::string(".") + "xyz"[i];
      // An axis that is as long as the grid counts blocks, and not the elements that blocks have.
      if (name == "axis" + axis)
        return site.axis[i] && in_sizes(work.draft, *site.axis[i]) && site.axis[i] != site.grid[i] ? site.axis[i]
                                                                                                   : std::nullopt;
      if (name == "blockIdx" + axis)
        return site.grid[i] && in_sizes(work.draft, *site.grid[i]) ? site.grid[i] : std::nullopt;
      if (name == "threadIdx" + axis)
        return site.block[i] && in_sizes(work.draft, *site.block[i]) ? site.block[i] : std::nullopt;
    }
    if (name.find('.') != std::string::npos) return std::nullopt;
    const CExpression known = resolved_in_kernel(work, site, CExpression::name(name));
    if (known.is(Kind::name, name) && !site.given.contains(name) && !work.facts.find_integer(name)) return std::nullopt;
    return in_sizes(work.draft, known) ? Result(known) : std::nullopt;
  };
}

// Replaces names that the launch does not depend on by the host's numbers. As a size, such a name could be chosen, and
// the launch would not know.
CExpression without_new_sizes(const Draft& draft, const Meanings& meanings, const Site& site,
                              const CExpression& bytes) {
  std::set<std::string> names;
  for (const auto* dimensions : {&site.grid, &site.block, &site.axis})
    for (const Result& dimension : *dimensions)
      if (dimension) names.merge(names_in(*dimension));
  for (const auto& [scalar, value] : site.given) names.merge(names_in(value));
  const Replacement number = [&](const std::string& name) -> Result {
    const auto value = meanings.known_values.find(name);
    const bool is_new =
        !names.contains(name) && std::ranges::find(draft.sizes, name, &SizeDraft::name) == draft.sizes.end();
    return is_new && value != meanings.known_values.end() ? Result(CExpression::integer(value->second)) : std::nullopt;
  };
  return simplified(replaced(bytes, number, 1));
}

}  // namespace

std::optional<std::string> shape_of(Work& work, const Site& site, const FunctionParameter& parameter,
                                    const Element& element, bool& depends_on_parameters) {
  const std::int64_t bytes = static_cast<std::int64_t>(size_bytes(element.type));
  Result allocated;
  if (site.host) {
    const auto arguments = split_at_commas(site.host->arguments);
    for (std::size_t i = 0; i < std::min(arguments.size(), site.kernel->parameters.size()); ++i)
      if (site.kernel->parameters[i].name == parameter.name && !arguments[i].empty())
        if (const auto known = site.scope.allocated_bytes.find(arguments[i].back().text);
            known != site.scope.allocated_bytes.end())
          allocated = resolved_in_host(work, site, known->second);
  }
  const bool told = allocated && manifest_text(*allocated);
  const bool said_in_sizes = told && std::ranges::any_of(names_in(*allocated), [&](const std::string& name) {
                               return work.draft.find_size(name) || work.draft.find_parameter(name) ||
                                      std::ranges::any_of(site.given, [&](const auto& given) {
                                        return names_in(given.second).contains(name);
                                      });
                             });
  if (said_in_sizes) {
    depends_on_parameters = !in_sizes(work.draft, *allocated);
    return text_with_sizes(work, elements_in(*allocated, bytes));
  }
  std::vector<std::string> texts;
  const auto accesses = site.body.accesses.find(parameter.name);
  const bool lost = site.body.lost.contains(parameter.name);
  if (accesses != site.body.accesses.end() && !lost)
    for (const Access& access : accesses->second)
      if (access.index)
        if (const Result count = count_of(*access.index, site.body, sizes_in(work, site));
            count && in_sizes(work.draft, *count)) {
          std::vector<CExpression> factors = {times(*count, access.bytes > 0 ? access.bytes / bytes : element.count)};
          for (const CExpression& extent : parameter.extents) factors.push_back(resolved_in_kernel(work, site, extent));
          const std::string text = text_with_sizes(work, simplified(product_of(factors)));
          if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
        }
  // A single element read beside a whole row says nothing.
  if (texts.size() > 1) std::erase_if(texts, [](const std::string& text) { return text.size() < 2 && text[0] <= '9'; });
  if (texts.size() == 1) return texts.front();
  if (!texts.empty()) {
    std::string text = texts.front();
    for (std::size_t i = 1; i < texts.size(); ++i) text = fmt::format("max({}, {})", text, texts[i]);
    return text;
  }
  if (told && in_sizes(work.draft, *allocated) && !lost)
    return text_with_sizes(work, elements_in(without_new_sizes(work.draft, work.meanings, site, *allocated), bytes));
  return std::nullopt;
}

std::optional<std::string> shape_by_indices(Work& work, const Site& site, const FunctionParameter& parameter,
                                            ArgumentDraft& argument) {
  const auto accesses = site.body.accesses.find(parameter.name);
  if (accesses == site.body.accesses.end()) return std::nullopt;
  for (const Access& access : accesses->second) {
    if (!access.index) continue;
    CExpression index = *access.index;
    if (const auto held = site.body.loaded.find(index.text); index.kind == Kind::name && held != site.body.loaded.end())
      index = {Kind::call, "[]", 0, {CExpression::name(held->second)}};
    if (!index.is(Kind::call, "[]") || index.parts.front().kind != Kind::name) continue;
    const auto by = std::ranges::find(site.kernel->parameters, index.parts.front().text, &FunctionParameter::name);
    if (by == site.kernel->parameters.end()) continue;
    if (element_of(by->type) && element_of(by->type)->type == ElementType::u8) return "256";
    for (const auto& [variable, segments] : site.body.segments)
      if (const Result rows = count_of(segments.row, site.body, sizes_in(work, site));
          rows && in_sizes(work.draft, *rows)) {
        argument.comments.push_back("a guess: the matrix has as many columns as rows");
        return text_with_sizes(work, *rows);
      }
  }
  return std::nullopt;
}

void describe_segments(const Site& site, const FunctionParameter& parameter, ArgumentDraft& argument,
                       std::optional<std::string>& shape) {
  const auto own = std::ranges::find_if(site.body.segments,
                                        [&](const auto& segments) { return segments.second.starts == parameter.name; });
  if (own == site.body.segments.end() || argument.role != "input" || !shape) return;
  *shape += " + 1";
  argument.fill = fmt::format("{{ range = [0, {}] }}", elements_per_row);
  argument.comments.push_back(
      fmt::format("where each row begins. A guess: {} elements in each row; `matrix_market` fills these arrays from a "
                  "matrix in a file",
                  elements_per_row));
}

}  // namespace warptune::tuner::draft
