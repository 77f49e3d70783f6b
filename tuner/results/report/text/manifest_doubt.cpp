// Reads what was found from the messages of wrong trials, and looks for what they have in common.
#include "tuner/results/report/text/manifest_doubt.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace warptune::tuner {

namespace {

using Trials = std::vector<const search::Trial*>;

// These are the findings as measure/verification/workload.cpp words them.
enum class Kind { past_the_end, never_written, differs, other };

struct Complaint {
  Kind kind = Kind::other;
  std::string argument;
  auto operator<=>(const Complaint&) const = default;
};

std::string word_behind(const std::string& text, const std::string& before) {
  const auto found = text.find(before);
  if (found == std::string::npos) return {};
  const auto begin = found + before.size();
  return text.substr(begin, text.find_first_of(" [:,", begin) - begin);
}

Complaint complaint_of(const std::string& message) {
  if (message.starts_with("out of bounds: ")) return {Kind::past_the_end, word_behind(message, "out of bounds: ")};
  const bool is_sum = message.starts_with("the sum of the ");
  const std::string name = is_sum ? word_behind(message, " elements of ") : message.substr(0, message.find('['));
  if (message.find("never written") != std::string::npos) return {Kind::never_written, name};
  if (message.find(": expected ") != std::string::npos) return {Kind::differs, name};
  return {};
}

// Returns what most of the wrong trials say, and how many do.
std::pair<Complaint, std::size_t> commonest(const Trials& wrong) {
  std::map<Complaint, std::size_t> counts;
  for (const search::Trial* trial : wrong) ++counts[complaint_of(trial->message)];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
  return {most->first, most->second};
}

std::string advice_on(const Complaint& complaint, const KernelTemplate& kernel) {
  const Argument* argument = kernel.find_argument(complaint.argument);
  const std::string place = fmt::format("[arguments.{}]", complaint.argument);
  switch (complaint.kind) {
    case Kind::past_the_end:
      return fmt::format(
          "its shape in {} is smaller than what they write. A shape does not follow parameters: if it holds one "
          "element "
          "a block, give it room for the most blocks and, if only their sum matters, role = \"inout\", a fill of 0 and "
          "compare = \"sum\"",
          place);
    case Kind::never_written:
      return fmt::format(
          "the grid or block of [[launches]] leaves elements out, or the shape in {} is larger than what is computed "
          "(counts = \"EXPRESSION\" says how many elements are)",
          place);
    case Kind::differs:
      if (argument && is_floating(argument->type) && !argument->tolerance.said &&
          !kernel.reference.default_configuration)
        return fmt::format("{} has no tolerance, and rounding alone makes a difference", place);
      return fmt::format("do the order of `arguments`, the reference and the tolerance in {} say what is meant?",
                         place);
    case Kind::other:
      break;
  }
  return "`warptune run --param NAME=VALUE` looks at one of them";
}

std::string words_of(const Complaint& complaint) {
  switch (complaint.kind) {
    case Kind::past_the_end:
      return complaint.argument + " is written out of its bounds";
    case Kind::never_written:
      return "elements of " + complaint.argument + " are never written";
    case Kind::differs:
      return complaint.argument + " differs from what is expected";
    case Kind::other:
      break;
  }
  return "they fail in other ways";
}

// Returns a parameter whose default all right trials have and no wrong one, or null.
const search::Parameter* dividing(const Trials& right, const Trials& wrong, const search::SearchSpace& space,
                                  const KernelTemplate& kernel) {
  for (const search::Parameter& parameter : kernel.parameters) {
    const search::Value* usual = search::find_value(kernel.default_values, parameter.name);
    const auto has_usual = [&](const search::Trial* trial) {
      const search::NamedValues values = space.values(trial->configuration);
      const search::Value* value = search::find_value(values, parameter.name);
      return usual && value && search::same_value(*value, *usual);
    };
    if (!right.empty() && std::ranges::all_of(right, has_usual) && std::ranges::none_of(wrong, has_usual))
      return &parameter;
  }
  return nullptr;
}

}  // namespace

std::string manifest_doubt(const std::vector<search::Trial>& trials, const search::SearchSpace& space,
                           const KernelTemplate& kernel) {
  Trials right, wrong;
  for (const search::Trial& trial : trials) {
    if (trial.correct()) right.push_back(&trial);
    if (trial.outcome == search::Outcome::wrong_result) wrong.push_back(&trial);
  }
  if (wrong.size() < 2 || wrong.size() <= right.size()) return {};
  std::string text =
      fmt::format("{} of {} verified configurations are wrong: this looks like the manifest, not the kernel.",
                  wrong.size(), wrong.size() + right.size());
  if (const search::Parameter* parameter = dividing(right, wrong, space, kernel))
    text += fmt::format(
        " All of them have another {0} than its default, {1}, and no right one has. A parameter must not change the "
        "result; a number that does is a size ([sizes]) or stays as it is.",
        parameter->name, search::to_text(*search::find_value(kernel.default_values, parameter->name)));
  const auto [complaint, count] = commonest(wrong);
  text += fmt::format(" In {}, {}: {}.", count == wrong.size() ? "all of them" : fmt::format("{} of them", count),
                      words_of(complaint), advice_on(complaint, kernel));
  return text;
}

}  // namespace warptune::tuner
