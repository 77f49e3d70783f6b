// Who may take part: whoever has the session's token. Neither side sends it. Each proves that it has it by a code over
// random bytes of both (HMAC-SHA-256, RFC 2104), so that who listens learns nothing and cannot say the same again; and
// the key of the frames that follow comes of the same, so that nobody else can change, drop or repeat one unnoticed.
// What travels is not encrypted: a network that others read wants a tunnel (ssh -L), which README.md shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tuner/measure/workers/channel.h"

namespace warptune::tuner::agents {

// 64 hexadecimal digits.
std::string hmac_sha256(std::string_view key, std::string_view message);

// Raised with every change of what the messages mean.
inline constexpr int protocol_version = 3;

// Of a message of a peer that has not proved yet who it is.
inline constexpr std::uint64_t most_greeting_bytes = 4096;

// What both have said at the beginning, each a random_token(), in this order on both sides.
struct Nonces {
  std::string coordinator, agent;
};

enum class Side { coordinator, agent };
std::string proof_of(Side side, const std::string& token, const Nonces& nonces);
bool is_proof(const std::string& said, Side side, const std::string& token, const Nonces& nonces);

workers::ChannelKey key_of(const std::string& token, const Nonces& nonces);

}  // namespace warptune::tuner::agents
