// Classifies outputs by what was surveyed of them, and suggests changes to the manifest.
#include "tuner/measure/verification/expected_outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/measure/verification/workload.h"

namespace warptune::tuner {

namespace {

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

bool same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool is_launched_with(const KernelTemplate& kernel, const std::string& output, const std::string& name) {
  return std::ranges::any_of(kernel.launches, [&](const Launch& launch) {
    const auto takes = [&](const std::string& argument) {
      return std::ranges::find(launch.arguments, argument) != launch.arguments.end();
    };
    return takes(output) && takes(name);
  });
}

// Returns the arguments whose data may decide what becomes of an output: the buffers beside it in a launch and those in
// symbols, else scalar values.
std::vector<std::string> arguments_behind(const KernelTemplate& kernel, const std::string& output) {
  constexpr std::size_t most = 4;
  std::vector<std::string> buffers, values;
  for (const Argument& argument : kernel.arguments) {
    const bool is_size = argument.value && search::find_value(kernel.sizes, argument.value->text());
    if (argument.role == Role::scalar && !is_size && is_launched_with(kernel, output, argument.name))
      values.push_back(fmt::format("[arguments.{}]", argument.name));
    const bool is_read = argument.role == Role::input || argument.role == Role::inout;
    if (is_read && (!argument.symbol.empty() || is_launched_with(kernel, output, argument.name)))
      buffers.push_back(fmt::format("[arguments.{}]", argument.name));
  }
  std::vector<std::string>& found = buffers.empty() ? values : buffers;
  if (found.size() > most) found.resize(most);
  return found;
}

std::string other_data(const KernelTemplate& kernel, const std::string& output) {
  const std::vector<std::string> arguments = arguments_behind(kernel, output);
  if (arguments.empty()) return "Other sizes may change that";
  return fmt::format("Choose other data in {}", fmt::join(arguments, " or "));
}

// Says why a silent output is one.
std::string silence_of(const search::ExpectedOutput& output) {
  if (output.elements == 0) return fmt::format("nothing of {} is compared, for its `counts` are 0", output.name);
  if (output.begins_so)
    return fmt::format("{} is expected to end as it begins, within its tolerance, in all of its {} elements",
                       output.name, output.elements);
  return fmt::format(
      "the tolerance of {} covers every value that is expected: the largest is {:.3g}, and an error of "
      "{:.3g} is allowed",
      output.name, output.largest(), output.room);
}

// Says what would let a silent output tell something.
std::string remedy_of(const KernelTemplate& kernel, const search::ExpectedOutput& output) {
  if (output.elements == 0)
    return fmt::format("Leave `counts` in [arguments.{}] out, or say how many elements count", output.name);
  if (output.begins_so) return other_data(kernel, output.name);
  return fmt::format("Say a smaller `tolerance` in [arguments.{}], or larger inputs by `fill` and `value`",
                     output.name);
}

// Returns whether an output is one element that ends as it begins, as arrays of variants that are not chosen are.
bool is_one_unchanged(const search::ExpectedOutput& output) {
  return output.begins_so && output.elements == 1;
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// Returns the number up to which a floating-point type represents every integer.
double largest_of_all_integers(ElementType floating) {
  switch (floating) {
    case ElementType::f64:
      return 0x1p53;
    case ElementType::f32:
      return 0x1p24;
    case ElementType::f16:
      return 0x1p11;
    default:
      return 0x1p8;
  }
}

// Returns a note on integers whose reference is in a floating-point type that cannot represent all of them; empty if
// there is nothing to note.
std::string note_on_integers(const Argument& argument, const search::ExpectedOutput& output) {
  if (is_floating(argument.type) || !is_floating(argument.reference_type)) return {};
  const double most = largest_of_all_integers(argument.reference_type);
  if (output.largest() <= most) return {};
  return fmt::format(
      "{0} has integers of up to {1:.3g}, and its reference_type, {2}, has not all of those beyond {3:.0f}: a kernel "
      "that writes one beside them is right. reference_type = \"{4}\" compares integers",
      output.name, output.largest(), to_string(argument.reference_type), most, to_string(argument.type));
}

}  // namespace

void take_both(search::ExpectedOutput& known, const search::ExpectedOutput& other) {
  const bool is_same = same_number(known.commonest, other.commonest);
  known.one_value = known.one_value && other.one_value && is_same;
  if (is_same) known.same = std::min(known.same, other.same);
  if (known.least > known.most) known.least = other.least, known.most = other.most;
  if (other.least <= other.most)
    known.least = std::min(known.least, other.least), known.most = std::max(known.most, other.most);
  known.nan = std::max(known.nan, other.nan);
  known.infinite = std::max(known.infinite, other.infinite);
  known.begins_so = known.begins_so && other.begins_so;
  known.told = std::min(known.told, other.told);
  known.room = std::max(known.room, other.room);
}

// One output that is really compared is enough. Others may well be about zero, such as the remainder of an error.
void require_telling(const KernelTemplate& kernel, const ExpectedOutputs& outputs) {
  if (outputs.empty() || !std::ranges::all_of(outputs, &search::ExpectedOutput::is_silent)) return;
  const bool only_unchanged = std::ranges::all_of(outputs, is_one_unchanged);
  std::vector<std::string> why, what;
  for (const search::ExpectedOutput& output : outputs) {
    if (is_one_unchanged(output) && !only_unchanged) continue;
    why.push_back(silence_of(output));
    what.push_back(remedy_of(kernel, output));
  }
  throw WorkloadError(
      fmt::format("nothing that {} writes can be verified, for a kernel that computes nothing would be right: {}. {}",
                  kernel.name, fmt::join(why, "; "), fmt::join(what, ". ")));
}

std::vector<std::string> notes_on(const KernelTemplate& kernel, const ExpectedOutputs& outputs) {
  constexpr auto not_told = "This cannot tell right from wrong";
  std::vector<std::string> notes;
  for (const search::ExpectedOutput& output : outputs) {
    const std::string& name = output.name;
    const bool may_not_count = output.elements > 0 && kernel.find_argument(name)->role == Role::inout;
    const std::string or_else =
        may_not_count ? fmt::format("; if it does not matter what {} holds, say counts = 0", name) : "";
    if (output.is_silent() && !is_one_unchanged(output))
      notes.push_back(fmt::format("{}. {}: a kernel that {} is right. {}{}", silence_of(output), not_told,
                                  output.is_covered() && !output.begins_so ? "writes zeros" : "leaves it alone",
                                  remedy_of(kernel, output), or_else));
    else if (output.one_value)
      notes.push_back(fmt::format(
          "{0} is expected to be {1} everywhere, in all of its {2} elements. {3}: a kernel that writes {1} "
          "and computes nothing is right. {4}{5}",
          name, number_text(output.commonest), output.elements, not_told, other_data(kernel, name), or_else));
    if (std::string note = note_on_integers(*kernel.find_argument(name), output); !note.empty())
      notes.push_back(std::move(note));
  }
  return notes;
}

std::string why_it_tells_nothing(const KernelTemplate& kernel, const ExpectedOutputs& outputs) {
  if (outputs.empty() || std::ranges::any_of(outputs, &search::ExpectedOutput::tells)) return {};
  constexpr auto looked_for = "NaN, infinity and what is never written were looked for, and nothing else";
  if (const auto silent = std::ranges::find_if(outputs, &search::ExpectedOutput::is_silent); silent != outputs.end())
    return fmt::format("{}. {}", silence_of(*silent), looked_for);
  if (const auto notes = notes_on(kernel, outputs); !notes.empty()) return notes.front();
  return fmt::format("{} is expected to be {}, and a zero is right within its tolerance. {}", outputs.front().name,
                     number_text(outputs.front().commonest), looked_for);
}

std::string variety_text(const search::ExpectedOutput& output) {
  if (output.elements == 0) return "nothing is compared";
  if (output.one_value) return fmt::format("{} in all {} elements", number_text(output.commonest), output.elements);
  std::string text = output.least > output.most    ? "no finite value"
                     : output.least == output.most ? number_text(output.least)
                                                   : number_text(output.least) + " to " + number_text(output.most);
  if (output.nan > 0) text += fmt::format(", {} NaN", output.nan);
  if (output.infinite > 0) text += fmt::format(", {} infinite", output.infinite);
  const double share =
      static_cast<double>(output.same) / static_cast<double>(std::max<std::int64_t>(output.elements, 1));
  if (output.elements == 1) return text;
  // The share is rounded down, for nearly all would otherwise read as all.
  if (share >= 0.5)
    return text + fmt::format("; {} in {:.4g} % of {} elements", number_text(output.commonest),
                              std::floor(share * 1e4) / 1e2, output.elements);
  return text + fmt::format("; {} elements", output.elements);
}

Json json_of(const ExpectedOutputs& outputs) {
  Json list = Json::array();
  for (const search::ExpectedOutput& output : outputs) {
    const bool any_finite = output.least <= output.most;
    list.push_back({{"name", output.name},
                    {"elements", output.elements},
                    {"least", any_finite ? Json(output.least) : Json(nullptr)},
                    {"most", any_finite ? Json(output.most) : Json(nullptr)},
                    {"nan", output.nan},
                    {"infinite", output.infinite},
                    {"commonest", finite_or_null(output.commonest)},
                    {"same", output.same},
                    {"one_value", output.one_value},
                    {"begins_so", output.begins_so},
                    {"told", output.told},
                    {"room", finite_or_null(output.room)}});
  }
  return list;
}

}  // namespace warptune::tuner
