// Implements the handshake that lets only holders of the session's token take part. Neither side sends the token. Each
// proves that it has it by a code over random bytes of both sides (HMAC-SHA-256, RFC 2104), so that a listener learns
// nothing and cannot replay the proof. The key of the frames that follow is derived in the same way, so that nobody
// else can change, drop or repeat a frame unnoticed. The messages are not encrypted: a network that others can read
// needs a tunnel (ssh -L), which README.md shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tuner/measure/workers/channel.h"

namespace warptune::tuner::agents {

// The version of the protocol. It is raised with every change of what the messages mean.
inline constexpr int protocol_version = 3;

// The size limit of messages from a peer that has not proved yet who it is.
inline constexpr std::uint64_t most_greeting_bytes = 4096;

// The random texts that both sides have sent at the beginning, each a random_token(). Both sides use them in this
// order.
struct Nonces {
  std::string coordinator, agent;
};

enum class Side { coordinator, agent };
std::string proof_of(Side side, const std::string& token, const Nonces& nonces);
bool is_proof(const std::string& said, Side side, const std::string& token, const Nonces& nonces);

workers::ChannelKey key_of(const std::string& token, const Nonces& nonces);

}  // namespace warptune::tuner::agents
