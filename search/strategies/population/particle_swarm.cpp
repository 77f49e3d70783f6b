// Moves particles by their velocities, and repairs where they land.
#include "search/space/moves.h"
#include "search/strategies/entries.h"
#include "search/strategies/stepwise.h"

namespace warptune::search {

namespace {

struct Particle {
  Position at, velocity, best;
  double best_value = failed_value;
};

class ParticleSwarm : public Stepwise {
 public:
  explicit ParticleSwarm(const StrategyContext& context)
      : Stepwise(context, count_option(context, "samples", 0)),
        capacity_(count_option(context, "particles", 1)),
        inertia_(real_option(context, "inertia")),
        own_(real_option(context, "own")),
        common_(real_option(context, "common")) {}

 private:
  std::optional<Proposal> propose() override {
    if (particles_.empty()) return std::nullopt;
    const std::size_t index = next_++ % particles_.size();
    Particle& particle = particles_[index];
    const Configuration before = choices_at(space(), particle.at);
    fly(particle);
    Configuration landed = repaired(space(), choices_at(space(), particle.at), before, rng());
    if (landed == before) landed = kicked(space(), landed, 1, rng());  // at rest it would find nothing more
    particle.at = position_of(space(), landed);
    return Proposal{std::move(landed), index};
  }

  void fly(Particle& particle) {
    const Position top = position_of(space(), *best());
    for (std::size_t p = 0; p < top.size(); ++p) {
      double& velocity = particle.velocity[p];
      velocity = inertia_ * velocity + own_ * rng().uniform() * (particle.best[p] - particle.at[p]) +
                 common_ * rng().uniform() * (top[p] - particle.at[p]);
      particle.at[p] += velocity;
    }
  }

  void learn(const Configuration& configuration, double value, Owner owner) override {
    if (value == failed_value) return;
    const Position at = position_of(space(), configuration);
    if (owner == nobody && particles_.size() < capacity_)
      return particles_.push_back({at, Position(at.size(), 0.0), at, value});
    if (owner == nobody) return;
    Particle& particle = particles_[owner];
    if (value < particle.best_value) particle.best = at, particle.best_value = value;
  }

  std::size_t capacity_;
  double inertia_, own_, common_;
  std::vector<Particle> particles_;
  std::size_t next_ = 0;
};

}  // namespace

StrategyEntry particle_swarm_strategy() {
  return {"particle_swarm",
          "particles drawn to their own best and to the swarm's",
          {{"samples", std::int64_t{10}, "spread configurations to begin with"},
           {"particles", std::int64_t{10}, "size of the swarm"},
           {"inertia", 0.5, "velocity kept from step to step"},
           {"own", 1.5, "pull of a particle's own best"},
           {"common", 2.0, "pull of the swarm's best"}},
          make_stepwise<ParticleSwarm>};
}

}  // namespace warptune::search
