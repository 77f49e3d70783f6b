// Describes what the host backend lacks: on a page, and in a sentence in the log of a source that meets such a limit.
#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner::host {

// Returns LIMITS.md, which `warptune help host` shows.
std::string_view limits_page();

// Returns the compiler's log. Its first error ends with a sentence about a limit of this backend if it comes of one.
std::string with_limits_named(std::string log, std::string_view source);

}  // namespace warptune::tuner::host
