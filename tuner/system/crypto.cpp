// Follows FIPS 180-4 for SHA-256 (sections 4.1.2, 5 and 6.2, with its names), and the authors' siphash.c for SipHash.
#include "tuner/system/crypto.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "tuner/system/encoding.h"

namespace warptune::tuner {

namespace {

constexpr std::size_t block_bytes = 64;

// These are the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void add_block(State& state, std::string_view block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t) {
    w[t] = 0;
    for (std::size_t i = 0; i < 4; ++i) w[t] = w[t] << 8 | static_cast<unsigned char>(block[4 * t + i]);
  }
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + big1 + ((e & f) ^ (~e & g)) + constants[t] + w[t];
    const std::uint32_t big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = big0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

// Returns the key filled up to a block with zeros, and each byte combined with the mask.
std::string masked(std::string key, char mask) {
  key.resize(block_bytes, '\0');
  for (char& c : key) c = static_cast<char>(c ^ mask);
  return key;
}

// Returns what follows the last whole block: the rest, a one bit, zeros, and the length in bits.
std::string padded(std::string_view rest, std::uint64_t total_bytes) {
  std::string text(rest);
  text.push_back(static_cast<char>(0x80));
  while (text.size() % block_bytes != block_bytes - 8) text.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8) text.push_back(static_cast<char>(total_bytes * 8 >> shift & 0xff));
  return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::uint64_t total = bytes.size();
  for (; bytes.size() >= block_bytes; bytes.remove_prefix(block_bytes)) add_block(state, bytes);
  const std::string last = padded(bytes, total);
  for (std::size_t at = 0; at < last.size(); at += block_bytes) add_block(state, std::string_view(last).substr(at));
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

std::string hmac_sha256(std::string_view key, std::string_view message) {
  const std::string short_key = key.size() > block_bytes ? from_hexadecimal(sha256(key)) : std::string(key);
  return sha256(masked(short_key, 0x5c) + from_hexadecimal(sha256(masked(short_key, 0x36).append(message))));
}

namespace {

static_assert(std::endian::native == std::endian::little);

std::uint64_t word_at(const void* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Two rounds are computed for each word of eight bytes, and four for each half of the code.
struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void rounds(int count) {
    for (; count > 0; --count) {
      v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
      v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
    }
  }
  void take(std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  std::uint64_t sum() const { return v0 ^ v1 ^ v2 ^ v3; }
};

}  // namespace

SipBytes siphash(const SipBytes& key, std::string_view bytes) {
  const std::uint64_t k0 = word_at(key.data()), k1 = word_at(key.data() + 8);
  SipState state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee, k0 ^ 0x6c7967656e657261,
                 k1 ^ 0x7465646279746573};
  std::size_t place = 0;
  for (; place + 8 <= bytes.size(); place += 8) state.take(word_at(bytes.data() + place));
  std::uint64_t last = std::uint64_t{bytes.size()} << 56;
  for (std::size_t i = 0; place + i < bytes.size(); ++i)
    last |= std::uint64_t{static_cast<std::uint8_t>(bytes[place + i])} << (8 * i);
  state.take(last);
  state.v2 ^= 0xee;
  state.rounds(4);
  const std::uint64_t low = state.sum();
  state.v1 ^= 0xdd;
  state.rounds(4);
  const std::uint64_t high = state.sum();
  SipBytes code{};
  std::memcpy(code.data(), &low, 8);
  std::memcpy(code.data() + 8, &high, 8);
  return code;
}

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::system_error(errno, std::generic_category(), "cannot get random numbers for a token");
  return to_hexadecimal({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  // The length of a token is no secret.
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned>(static_cast<unsigned char>(b[i]));
  return difference == 0;
}

}  // namespace warptune::tuner
