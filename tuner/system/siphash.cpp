// Computes two rounds for each word of eight bytes, and four rounds for each half of the code.
#include "tuner/system/siphash.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace warptune::tuner::workers {

namespace {

static_assert(std::endian::native == std::endian::little);

std::uint64_t word_at(const void* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

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

}  // namespace warptune::tuner::workers
