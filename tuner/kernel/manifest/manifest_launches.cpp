// Reads the launches of a manifest (manifest_parts.h).
#include <fmt/format.h>

#include "tuner/kernel/manifest/keys.h"
#include "tuner/kernel/manifest/manifest_parts.h"

namespace warptune::tuner {

namespace {

std::array<search::Expression, 3> read_dimensions(const Node& node) {
  std::array<search::Expression, 3> result{Launch::one(), Launch::one(), Launch::one()};
  const auto given = node.expressions();
  if (given.empty() || given.size() > 3) node.fail("expected one to three dimensions");
  for (std::size_t i = 0; i < given.size(); ++i) result[i] = given[i];
  return result;
}

Copy read_copy(const Node& node) {
  check_keys(node, keys::copy);
  Copy copy{node.at("from").string(), node.at("to").string(), node.at("elements").expression()};
  if (const Node* offset = node.find("from_offset")) copy.from_offset = offset->expression();
  if (const Node* offset = node.find("to_offset")) copy.to_offset = offset->expression();
  return copy;
}

// Reads what the driver is told of a launch (launch_attributes.h).
LaunchAttributeTexts read_attributes(const Node& node) {
  LaunchAttributeTexts texts;
  for (const auto& [key, member] : {std::pair{"cluster", &LaunchAttributeTexts::cluster},
                                    {"preferred_cluster", &LaunchAttributeTexts::preferred_cluster}})
    if (const Node* found = node.find(key)) texts.*member = read_dimensions(*found);
  for (const auto& [key, member] : {std::pair{"carveout", &LaunchAttributeTexts::carveout},
                                    {"programmatic", &LaunchAttributeTexts::programmatic},
                                    {"cooperative", &LaunchAttributeTexts::cooperative},
                                    {"priority", &LaunchAttributeTexts::priority}})
    if (const Node* found = node.find(key)) texts.*member = found->expression();
  if (texts.preferred_cluster && !texts.cluster)
    node.at("preferred_cluster").fail("it takes the place of a cluster; expected the key 'cluster' beside it");
  return texts;
}

void read_kernel(const Node& node, Launch& launch) {
  launch.kernel = node.at("kernel").string();
  launch.place = node.path();
  launch.grid = read_dimensions(node.at("grid"));
  launch.block = read_dimensions(node.at("block"));
  launch.arguments = node.at("arguments").strings();
  const Node* shared = node.find("shared");
  launch.says_shared = shared != nullptr;
  if (shared) launch.shared_bytes = shared->expression();
  launch.attributes = read_attributes(node);
  if (const Node* set = node.find("set"))
    for (const auto& [name, value] : set->table()) launch.set.emplace_back(name, value.expression());
}

PageStep read_prefetch(const Node& node) {
  check_keys(node, keys::pages, "prefetch");
  const bool to_device = read_word(node.at("to"), keys::pages["to"]) == "device";
  return {to_device ? PageStep::Kind::to_device : PageStep::Kind::to_host, node.at("buffer").string()};
}

PageStep read_touch(const Node& node) {
  check_keys(node, keys::pages, "touch");
  return {PageStep::Kind::touch, node.at("buffer").string()};
}

PageStep read_pages(const Node& node, PageStep step) {
  if (const Node* elements = node.find("elements")) step.elements = elements->expression();
  if (const Node* offset = node.find("offset")) step.offset = offset->expression();
  return step;
}

// Reads one step: a kernel, a copy, or what is done to pages. The caller reads how often it is repeated.
Launch read_step(const Node& node) {
  Launch launch;
  if (const Node* copy = node.find("copy")) {
    check_keys(node, keys::launch, "copy");
    launch.copy = read_copy(*copy);
  } else if (const Node* prefetch = node.find("prefetch")) {
    check_keys(node, keys::launch, "prefetch");
    launch.pages = read_pages(*prefetch, read_prefetch(*prefetch));
  } else if (const Node* touch = node.find("touch")) {
    check_keys(node, keys::launch, "touch");
    launch.pages = read_pages(*touch, read_touch(*touch));
  } else {
    check_keys(node, keys::launch, "kernel");
    read_kernel(node, launch);
  }
  if (const Node* when = node.find("when")) launch.when = when->expression();
  if (const Node* clear = node.find("clear")) launch.clear = clear->strings();
  if (const Node* stream = node.find("stream")) launch.stream = stream->expression();
  if (const Node* after = node.find("after")) launch.after = after->expressions();
  return launch;
}

search::Expression both(const search::Expression& a, const search::Expression& b) {
  return search::Expression::parse(fmt::format("({}) and ({})", a.text(), b.text()));
}

// Reads steps that run together in each pass.
std::vector<Launch> read_group(const Node& node) {
  check_keys(node, keys::launch, "steps");
  std::vector<Launch> steps;
  for (const Node& step : node.at("steps").array()) {
    if (const Node* repeat = step.find("repeat"))
      repeat->fail("the steps of a launch are repeated together, not alone");
    steps.push_back(read_step(step));
  }
  if (steps.empty()) node.at("steps").fail("expected at least one step");
  steps.front().together = steps.size();
  const Node* when = node.find("when");
  for (Launch& step : steps)
    if (when) step.when = step.when ? both(when->expression(), *step.when) : when->expression();
  return steps;
}

}  // namespace

std::vector<Launch> read_launches(const Node& node) {
  std::vector<Launch> launches;
  for (const Node& launch : node.array()) {
    std::vector<Launch> group = launch.find("steps") ? read_group(launch) : std::vector{read_step(launch)};
    if (const Node* repeat = launch.find("repeat")) group.front().repeat = repeat->expression();
    launches.insert(launches.end(), group.begin(), group.end());
  }
  if (launches.empty()) node.fail("expected at least one launch");
  return launches;
}

}  // namespace warptune::tuner
