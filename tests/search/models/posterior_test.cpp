#include "search/models/gaussian/posterior.h"

#include <gtest/gtest.h>

#include "search/random.h"

namespace warptune::search {

namespace {

class PosteriorTest : public ::testing::Test {
 protected:
  PosteriorTest() : rows_(random_rows(20)), candidates_(random_rows(50)), values_(20) {
    for (Eigen::Index i = 0; i < values_.size(); ++i) values_(i) = rng_.normal();
  }

  Eigen::MatrixXf random_rows(Eigen::Index n) {
    Eigen::MatrixXf rows(n, 3);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index c = 0; c < 3; ++c) rows(i, c) = static_cast<float>(rng_.uniform());
    return rows;
  }

  Eigen::MatrixXd covariance(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b) const {
    Eigen::MatrixXd result(a.rows(), b.rows());
    for (Eigen::Index i = 0; i < b.rows(); ++i) result.col(i) = kernel_.with(a, b.row(i)).cast<double>().matrix();
    return result;
  }

  // By the textbook, all at once.
  void expect_textbook(const Posterior& posterior) const {
    Eigen::MatrixXd noisy = covariance(rows_, rows_);
    noisy.diagonal().array() += kernel_.noise_variance();
    const Eigen::MatrixXd cross = covariance(rows_, candidates_), solved = noisy.llt().solve(cross);
    for (Eigen::Index i = 0; i < candidates_.rows(); ++i) {
      EXPECT_NEAR(posterior.mean()(i), solved.col(i).dot(values_), 1e-3);
      EXPECT_NEAR(posterior.variance()(i), kernel_.variance() - solved.col(i).dot(cross.col(i)), 1e-3);
    }
  }

  Rng rng_{11};
  CovarianceKernel kernel_ = prior_kernel({false, false, false});
  Eigen::MatrixXf rows_, candidates_;
  Eigen::VectorXd values_;
};

TEST_F(PosteriorTest, GrownTrialByTrialIsTheTextbooks) {
  Posterior posterior(kernel_);
  posterior.set_candidates(candidates_);
  for (Eigen::Index i = 0; i < rows_.rows(); ++i) posterior.append(rows_.row(i), values_(i), 0);
  expect_textbook(posterior);
}

TEST_F(PosteriorTest, GivenItsCandidatesLateIsTheTextbooks) {
  Posterior posterior(kernel_);
  for (Eigen::Index i = 0; i < rows_.rows(); ++i) posterior.append(rows_.row(i), values_(i), 0);
  posterior.set_candidates(candidates_);
  expect_textbook(posterior);
  const Eigen::ArrayXf anywhere = posterior.mean_at(candidates_);
  for (Eigen::Index i = 0; i < anywhere.size(); ++i) EXPECT_NEAR(anywhere(i), posterior.mean()(i), 1e-3);
}

TEST_F(PosteriorTest, GivenAllObservationsAtOnceIsTheTextbooks) {
  Posterior posterior(kernel_);
  posterior.append(candidates_.row(0), 7, 0);  // forgotten
  posterior.assign(rows_.topRows(15), values_.head(15), Eigen::VectorXd::Zero(15));
  posterior.set_candidates(candidates_);
  for (Eigen::Index i = 15; i < rows_.rows(); ++i) posterior.append(rows_.row(i), values_(i), 0);
  expect_textbook(posterior);
}

TEST_F(PosteriorTest, CorrectedValuesAreAsIfTheyHadBeenKnown) {
  Posterior posterior(kernel_);
  posterior.set_candidates(candidates_);
  for (Eigen::Index i = 0; i < rows_.rows(); ++i) posterior.append(rows_.row(i), i % 3 == 0 ? 5.0 : values_(i), 0);
  for (Eigen::Index i = 0; i < rows_.rows(); i += 3) posterior.set_value(i, values_(i));
  expect_textbook(posterior);
}

TEST_F(PosteriorTest, TakesAllValuesAnewAtOnce) {
  Posterior posterior(kernel_);
  posterior.set_candidates(candidates_);
  for (Eigen::Index i = 0; i < rows_.rows(); ++i) posterior.append(rows_.row(i), 7, 0);
  posterior.set_values(values_);
  expect_textbook(posterior);
}

TEST_F(PosteriorTest, DoubtsNoisyObservations) {
  Posterior sure(kernel_), doubtful(kernel_);
  sure.set_candidates(rows_);
  doubtful.set_candidates(rows_);
  sure.append(rows_.row(0), 3, 0);
  doubtful.append(rows_.row(0), 3, 1);
  EXPECT_GT(sure.mean()(0), 2.8f);
  EXPECT_LT(doubtful.mean()(0), 2);
  EXPECT_GT(doubtful.variance()(0), 5 * sure.variance()(0));
}

TEST_F(PosteriorTest, SurvivesTheSameRowManyTimes) {
  Posterior posterior(kernel_);
  posterior.set_candidates(candidates_);
  for (int i = 0; i < 100; ++i) posterior.append(rows_.row(0), 1, 0);
  EXPECT_TRUE(posterior.mean().allFinite());
  EXPECT_GT(posterior.variance().minCoeff(), 0);
}

TEST_F(PosteriorTest, BelievesTheSameWhetherItWasAskedInBetweenOrNot) {
  const Eigen::MatrixXf many = random_rows(300);
  Posterior asked(kernel_), silent(kernel_);
  for (Posterior* posterior : {&asked, &silent}) posterior->set_candidates(many);
  for (Eigen::Index i = 0; i < rows_.rows(); ++i) {
    for (Posterior* posterior : {&asked, &silent}) posterior->append(rows_.row(i), values_(i), 0);
    asked.mean();
  }
  for (Posterior* posterior : {&asked, &silent}) posterior->set_value(7, 2.5);
  EXPECT_TRUE((asked.mean() == silent.mean()).all());
  EXPECT_TRUE((asked.variance() == silent.variance()).all());
}

TEST_F(PosteriorTest, RestartedIsAsNew) {
  Posterior posterior(prior_kernel({true, true, true}));
  posterior.append(rows_.row(3), 4, 0);
  posterior.set_candidates(candidates_);
  posterior.restart(kernel_);
  EXPECT_EQ(posterior.size(), 0);
  for (Eigen::Index i = 0; i < rows_.rows(); ++i) posterior.append(rows_.row(i), values_(i), 0);
  posterior.set_candidates(candidates_);
  expect_textbook(posterior);
}

}  // namespace

}  // namespace warptune::search
