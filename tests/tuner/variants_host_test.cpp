// Variants on the host backend: what kernels, references and fills compute follows them, and each has a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/variant_template.h"
#include "tuner/kernel/problem.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner {
namespace {

class HostVariants : public testing::Test {
 protected:
  HostVariants() { write_variant_template(folder_); }

  db::SessionId tune(const std::string& variants) {
    TuneRequest request;
    request.manifest = folder_.path();
    request.device = "host";
    request.strategy = "exhaustive";
    request.variants = parse_variants(variants);
    request.evaluator.policy.min_samples = request.evaluator.policy.max_samples = 1;
    request.evaluator.policy.warmup_seconds = 0;
    request.finals = 0;
    Tuning tuning(request, store_, stop_, nullptr);
    tuning.session().run();
    for (const search::Trial& trial : tuning.session().result().trials)
      EXPECT_TRUE(trial.correct()) << variants << ": " << trial.message;
    return tuning.id();
  }

  TemporaryFolder folder_;
  db::Store store_ = db::Store::open(folder_.path() / "s.db", db::OpenMode::read_write);
  std::atomic<bool> stop_{false};
};

TEST_F(HostVariants, KernelReferenceAndDataFollowThemAndEachIsASession) {
  const db::SessionId plain = tune("");
  const db::SessionId turned = tune("PRECISION=double,NEGATED=true,ORDER=backward");
  EXPECT_NE(turned, plain);
  EXPECT_EQ(tune("PRECISION=float"), plain);  // the default, by name: resumed
  const db::SessionKey key = store_.session(turned)->key;
  EXPECT_EQ(search::to_text(key.problem_size), "n=1000,count=1");
  EXPECT_EQ(search::to_text(key.variants), "PRECISION=double,NEGATED=true,ORDER=backward");
}

}  // namespace
}  // namespace warptune::tuner
