// Writes bytes as text, in base64 and in hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner {

// Encodes bytes in base64 (RFC 4648), with padding.
std::string base64(std::string_view bytes);

// Convert bytes to hexadecimal digits in lower case and back. A digit without a second one is left out.
std::string to_hexadecimal(std::string_view bytes);
std::string from_hexadecimal(std::string_view digits);

}  // namespace warptune::tuner
