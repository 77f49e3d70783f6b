// Computes SipHash-2-4 with 128 bits of output (Aumasson and Bernstein 2012; the authors' siphash.c). It is a message
// authentication code that costs a small part of what HMAC-SHA-256 does. Whoever does not know the key cannot make a
// code that fits. Rejected: XXH3 over the key, which finds mistakes, but was never meant to withstand somebody who
// wants to fool it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace warptune::tuner::workers {

using SipBytes = std::array<std::uint8_t, 16>;

SipBytes siphash(const SipBytes& key, std::string_view bytes);

}  // namespace warptune::tuner::workers
