// Hashes contents for keys.
#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner {

// Returns the XXH3-128 of the content as 32 hexadecimal digits. Keys tell contents apart and nobody attacks them, so
// the hash need not be cryptographic.
std::string content_hash(std::string_view content);

}  // namespace warptune::tuner
