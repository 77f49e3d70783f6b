// What the host backend lacks, as a page; and a word about it where somebody meets it.
#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner::host {

// LIMITS.md, which `warptune help host` shows.
std::string_view limits_page();

// The compiler's log, whose first error ends with a sentence if it comes of a limit of this backend.
std::string with_limits_named(std::string log, std::string_view source);

}  // namespace warptune::tuner::host
