// Computes the proofs and the channel's key, each as an HMAC-SHA-256 over a text that names its purpose.
#include "tuner/measure/agents/handshake.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/system/crypto.h"
#include "tuner/system/encoding.h"

namespace warptune::tuner::agents {

namespace {

std::string coded(const std::string& token, std::string_view purpose, const Nonces& nonces) {
  return hmac_sha256(
      token, fmt::format("warptune agents {} {} {} {}", protocol_version, purpose, nonces.coordinator, nonces.agent));
}

}  // namespace

std::string proof_of(Side side, const std::string& token, const Nonces& nonces) {
  return coded(token, side == Side::coordinator ? "coordinator" : "agent", nonces);
}

bool is_proof(const std::string& said, Side side, const std::string& token, const Nonces& nonces) {
  return equal_in_constant_time(said, proof_of(side, token, nonces));
}

workers::ChannelKey key_of(const std::string& token, const Nonces& nonces) {
  const std::string bytes = from_hexadecimal(coded(token, "key", nonces));
  workers::ChannelKey key{};
  std::copy_n(bytes.begin(), key.size(), key.begin());
  return key;
}

}  // namespace warptune::tuner::agents
