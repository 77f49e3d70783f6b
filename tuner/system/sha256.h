// Computes SHA-256 (FIPS 180-4), for keys and entries that strangers may have made. XXH3, which serves elsewhere, finds
// damage but no forgery. Rejected: OpenSSL, a library for one function in a program that starts thousands of workers.
#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner {

// Returns 64 hexadecimal digits in lower case.
std::string sha256(std::string_view bytes);

}  // namespace warptune::tuner
