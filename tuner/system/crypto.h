// Computes hashes and authentication codes that withstand an attacker, and makes and compares secrets. XXH3, which
// serves elsewhere, finds damage but no forgery. Rejected: OpenSSL, which would be a library for few functions in a
// program that starts thousands of workers (DECISIONS.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptune::tuner {

// Returns SHA-256 (FIPS 180-4) as 64 hexadecimal digits in lower case.
std::string sha256(std::string_view bytes);
// Returns HMAC-SHA-256 (RFC 2104) of a message as 64 hexadecimal digits.
std::string hmac_sha256(std::string_view key, std::string_view message);

// Computes SipHash-2-4 with 128 bits of output (Aumasson and Bernstein 2012; the authors' siphash.c). It is a message
// authentication code that costs a small part of what HMAC-SHA-256 does. Whoever does not know the key cannot make a
// code that fits. Rejected: XXH3 over the key, which finds mistakes, but was never meant to withstand somebody who
// wants to fool it.
using SipBytes = std::array<std::uint8_t, 16>;

SipBytes siphash(const SipBytes& key, std::string_view bytes);

// Returns 128 random bits, in hexadecimal digits. Throws std::system_error.
std::string random_token();
// Returns whether two texts are equal. It takes equally long wherever they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace warptune::tuner
