// Reports a launch's counts and findings, with the lines of the source that they belong to.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/device/backends/host/compile/source_lines.h"
#include "tuner/device/backends/host/execution/access_tracker.h"

namespace warptune::tuner::host {

namespace {

using Lines = std::map<std::uint64_t, std::string>;

std::string line_of(const Lines& lines, std::uint64_t instruction) {
  const auto found = lines.find(instruction);
  return found == lines.end() ? "a line that is not known" : found->second;
}

const char* did(const SharedAccess& access) {
  if (access.kind == warptune_host::kAtomic) return "updated atomically";
  return access.writes() ? "wrote" : "read";
}

const char* does(const SharedAccess& access) {
  if (access.kind == warptune_host::kAtomic) return "updates atomically";
  return access.writes() ? "writes" : "reads";
}

// Returns the name of a data hazard. It tells the second access first.
const char* hazard_name(const Race& race) {
  if (!race.first.writes()) return "write after read";
  return race.second.writes() ? "write after write" : "read after write";
}

std::string describe(const AccessTracker& tracker, const AccessTracker::Hazard& hazard, const Lines& lines) {
  const Race& race = hazard.race;
  return fmt::format(
      "{} in shared memory, with no barrier between: thread {} {} {} at {}, which thread {} {} at {} (block {})",
      hazard_name(race), text_of_thread(race.second.thread, hazard.block_size), does(race.second),
      tracker.shared_name(race.offset), line_of(lines, race.second.from),
      text_of_thread(race.first.thread, hazard.block_size), did(race.first), line_of(lines, race.first.from),
      text_of(hazard.block));
}

// Holds the one finding for each pair of lines, however many instructions they became. It tells of the first block that
// shows it, whichever worker saw it.
struct Found {
  std::uint64_t block = 0;
  AccessFinding finding;
};

std::uint64_t order_of(const warptune_host::Index3& block) {
  return (std::uint64_t{block.z} << 48) + (std::uint64_t{block.y} << 32) + block.x;
}

void collect(const AccessTracker& tracker, const std::string& kernel, const Lines& lines,
             std::map<std::string, Found>& found) {
  for (const auto& [key, hazard] : tracker.hazards()) {
    const Race& race = hazard.race;
    const std::string places = fmt::format("{} {} {} {}", kernel, hazard_name(race), line_of(lines, race.first.from),
                                           line_of(lines, race.second.from));
    const std::uint64_t block = order_of(hazard.block);
    const auto [at, is_new] = found.try_emplace(places, Found{block, {kernel, places, "", 0}});
    Found& known = at->second;
    known.finding.times += hazard.times;
    if (!known.finding.message.empty() && block >= known.block) continue;
    known.block = block;
    known.finding.message = describe(tracker, hazard, lines);
  }
}

void add_findings(AccessLog& log, const std::map<std::string, Found>& found) {
  for (const auto& [places, each] : found) {
    const auto known = std::ranges::find(log.findings, places, &AccessFinding::key);
    if (known == log.findings.end())
      log.findings.push_back(each.finding);
    else
      known->times += each.finding.times;
  }
}

void add_steps(AccessCounts& counts, const AccessCounter& counter, const Lines& lines) {
  for (const auto& [instruction, steps] : counter.steps()) {
    const auto line = lines.find(instruction);
    if (line != lines.end() && is_of_shim(line->second)) continue;
    counts[Count::warp_steps] += steps.warps;
    counts[Count::lane_steps] += steps.lanes;
    counts[Count::divergent_branches] += steps.divergent;
  }
}

}  // namespace

std::string report(AccessLog& log, LaunchCounts launch, std::span<const std::byte> library,
                   const std::vector<const AccessTracker*>& trackers, std::uint64_t instruction) {
  std::set<std::uint64_t> instructions;
  for (const AccessTracker* tracker : trackers) instructions.merge(tracker->instructions());
  if (instruction != 0) instructions.insert(instruction);
  const Lines lines = source_lines(library, instructions);
  std::map<std::string, Found> found;
  for (const AccessTracker* tracker : trackers) {
    launch.counts.add(tracker->counts());
    add_steps(launch.counts, tracker->counter(), lines);
    collect(*tracker, launch.kernel, lines, found);
  }
  add_findings(log, found);
  if (log.counts) log.launches.push_back(std::move(launch));
  const auto line = lines.find(instruction);
  return line == lines.end() ? "" : line->second;
}

}  // namespace warptune::tuner::host
