#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner {

// XXH3-128 as 32 hexadecimal digits: keys tell contents apart, nobody attacks them.
std::string content_hash(std::string_view content);

}  // namespace warptune::tuner
