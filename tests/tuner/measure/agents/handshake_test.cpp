#include "tuner/measure/agents/handshake.h"

#include <gtest/gtest.h>

#include "tuner/system/crypto.h"

namespace warptune::tuner::agents {
namespace {

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
