// Computes the proofs and the channel's key, each as an HMAC-SHA-256 over a text that names its purpose.
#include "tuner/measure/agents/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tuner/system/crypto.h"

namespace warptune::tuner::agents {

namespace {

constexpr std::size_t block_bytes = 64;

std::string bytes_of(const std::string& hexadecimal) {
  std::string bytes(hexadecimal.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned value = 0;
    std::from_chars(hexadecimal.data() + 2 * i, hexadecimal.data() + 2 * i + 2, value, 16);
    bytes[i] = static_cast<char>(value);
  }
  return bytes;
}

std::string masked(std::string key, char mask) {
  key.resize(block_bytes, '\0');
  for (char& c : key) c = static_cast<char>(c ^ mask);
  return key;
}

std::string coded(const std::string& token, std::string_view purpose, const Nonces& nonces) {
  return hmac_sha256(
      token, fmt::format("warptune agents {} {} {} {}", protocol_version, purpose, nonces.coordinator, nonces.agent));
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view message) {
  const std::string short_key = key.size() > block_bytes ? bytes_of(sha256(key)) : std::string(key);
  return sha256(masked(short_key, 0x5c) + bytes_of(sha256(masked(short_key, 0x36).append(message))));
}

std::string proof_of(Side side, const std::string& token, const Nonces& nonces) {
  return coded(token, side == Side::coordinator ? "coordinator" : "agent", nonces);
}

bool is_proof(const std::string& said, Side side, const std::string& token, const Nonces& nonces) {
  return equal_in_constant_time(said, proof_of(side, token, nonces));
}

workers::ChannelKey key_of(const std::string& token, const Nonces& nonces) {
  const std::string bytes = bytes_of(coded(token, "key", nonces));
  workers::ChannelKey key{};
  std::copy_n(bytes.begin(), key.size(), key.begin());
  return key;
}

}  // namespace warptune::tuner::agents
