#include "tuner/measure/agents/handshake.h"

#include <gtest/gtest.h>

#include "tuner/system/crypto.h"

namespace warptune::tuner::agents {
namespace {

// RFC 4231, test cases 1, 2, 3 and 6.
TEST(Handshake, CodesAreThoseOfTheStandard) {
  EXPECT_EQ(hmac_sha256(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256(std::string(20, '\xaa'), std::string(50, '\xdd')),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Handshake, AProofIsOfOneTokenOneSideAndOneMeeting) {
  const Nonces nonces{random_token(), random_token()};
  const std::string proof = proof_of(Side::agent, "token", nonces);
  EXPECT_TRUE(is_proof(proof, Side::agent, "token", nonces));
  EXPECT_FALSE(is_proof(proof, Side::coordinator, "token", nonces));
  EXPECT_FALSE(is_proof(proof, Side::agent, "other", nonces));
  EXPECT_FALSE(is_proof(proof, Side::agent, "token", {random_token(), nonces.agent}));
  EXPECT_FALSE(is_proof(proof, Side::agent, "token", {nonces.coordinator, random_token()}));
  EXPECT_FALSE(is_proof("", Side::agent, "token", nonces));
  EXPECT_FALSE(is_proof(proof + "0", Side::agent, "token", nonces));
}

TEST(Handshake, TheKeyIsNoProofAndOtherEachTime) {
  const Nonces nonces{random_token(), random_token()};
  EXPECT_EQ(key_of("token", nonces), key_of("token", nonces));
  EXPECT_NE(key_of("token", nonces), key_of("other", nonces));
  EXPECT_NE(key_of("token", nonces), key_of("token", {random_token(), nonces.agent}));
  EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace warptune::tuner::agents
