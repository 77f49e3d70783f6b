// Lists the options of `tune` that describe a session wherever it runs: nothing about a machine, a store or a file.
#include "tuner/session/queue/order_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/session/transfer.h"

namespace warptune::tuner {

namespace {

// A new option of `submit` joins this list, as its test says.
constexpr std::array<std::string_view, 25> ordered{"--as",
                                                   "--budget",
                                                   "--cache",
                                                   "--clock",
                                                   "--counters",
                                                   "--deterministic",
                                                   "--finals",
                                                   "--keep-going",
                                                   "--kernel-timeout",
                                                   "--lookahead",
                                                   "--name",
                                                   "--no-workers",
                                                   "--objective",
                                                   "--power-cap",
                                                   "--precision",
                                                   "--race",
                                                   "--restrict",
                                                   "--same-bits-as",
                                                   "--seed",
                                                   "--size",
                                                   "--strategy",
                                                   "--strategy-option",
                                                   "--transfer",
                                                   "--variant",
                                                   "--verify"};

}  // namespace

bool is_ordered(std::string_view option) {
  return std::ranges::find(ordered, option) != ordered.end();
}

std::string refusal_of_arguments(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const std::size_t end = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, end), value = argument.substr(std::min(end + 1, argument.size()));
    const bool names_no_file = name != "--transfer" || !names_file(value);
    if (!is_ordered(name) || !names_no_file)
      return fmt::format("its row in the store asks for '{}', which `warptune submit` does not write", argument);
  }
  return {};
}

}  // namespace warptune::tuner
