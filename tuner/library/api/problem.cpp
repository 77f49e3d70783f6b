// Makes what a tuner was told into a template with functions for its parts, and writes down what a launcher queues as a
// plan, which is checked first. Functions have no hash: what they do is in a session's key only by the version that the
// program gives.
#include "tuner/library/api/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "search/spelling.h"
#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/manifest/domain.h"
#include "tuner/kernel/names.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/program.h"

namespace warptune {

namespace {

void require_positive(const std::string& kernel, const tuner::Dim3& extent, const char* what) {
  if (extent.x >= 1 && extent.y >= 1 && extent.z >= 1) return;
  throw std::invalid_argument(fmt::format("the launcher gives {} a {} of {} x {} x {}; expected at least 1 each",
                                          kernel, what, extent.x, extent.y, extent.z));
}

// A PlanRecorder is for one call of a launcher.
class PlanRecorder : public RunQueue {
 public:
  // The problem must outlive the recorder.
  explicit PlanRecorder(const Tuner::Problem& problem) : problem_(problem) {}

  void launch(const std::string& kernel, const tuner::LaunchGeometry& geometry,
              std::vector<RunArgument> arguments) override;
  DeviceArray array(const std::string& name) override;
  void clear(const std::string& name) override;

  // Returns the launches. Throws std::invalid_argument if there are none, and for an array that is cleared after the
  // last launch.
  std::vector<tuner::PlannedLaunch> take();

 private:
  const Tuner::Problem& problem_;
  std::vector<tuner::PlannedLaunch> launches_;
  std::vector<std::string> to_clear_;  // before the next launch
};

void PlanRecorder::launch(const std::string& kernel, const tuner::LaunchGeometry& geometry,
                          std::vector<RunArgument> arguments) {
  const auto has = [&](const Tuner::Problem::Source& source) {
    return std::ranges::find(source.kernels, kernel) != source.kernels.end();
  };
  if (std::ranges::none_of(problem_.sources, has))
    throw std::invalid_argument(
        fmt::format("the launcher names a kernel '{}' that no source was declared with", kernel));
  require_positive(kernel, geometry.grid, "grid");
  require_positive(kernel, geometry.block, "block");
  tuner::PlannedLaunch planned;
  planned.kernel = kernel;
  planned.geometry = geometry;
  planned.clear = std::move(to_clear_);
  to_clear_.clear();
  for (RunArgument& argument : arguments) {
    tuner::PlannedArgument& bound = planned.arguments.emplace_back();
    bound.buffer = std::move(argument.array);
    bound.scalar = argument.bytes;
    bound.bytes = argument.size;
    bound.label = bound.buffer.empty() ? "a number" : bound.buffer;
  }
  launches_.push_back(std::move(planned));
}

DeviceArray PlanRecorder::array(const std::string& name) {
  if (std::ranges::find(problem_.arrays, name, &ArraySpec::name) == problem_.arrays.end())
    throw std::invalid_argument(
        fmt::format("the launcher of {} names an array '{}' that there is none of", problem_.name, name));
  return {name};
}

void PlanRecorder::clear(const std::string& name) {
  to_clear_.push_back(array(name).name);
}

std::vector<tuner::PlannedLaunch> PlanRecorder::take() {
  if (!to_clear_.empty())
    throw std::invalid_argument(
        fmt::format("the launcher of {} clears '{}' after its last launch, where nothing reads it", problem_.name,
                    to_clear_.front()));
  if (launches_.empty()) throw std::invalid_argument(fmt::format("the launcher of {} launches nothing", problem_.name));
  return std::move(launches_);
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

tuner::Argument argument_of(const ArraySpec& array) {
  tuner::Argument argument;
  argument.name = array.name;
  argument.type = argument.reference_type = array.type;
  argument.role = array.role;
  argument.shape = {search::Expression::constant(static_cast<std::int64_t>(array.elements()))};
  argument.tolerance.absolute = search::Expression::constant(array.accuracy.absolute);
  argument.tolerance.relative = search::Expression::constant(array.accuracy.relative);
  argument.nondeterministic = search::Expression::constant(array.accuracy.nondeterministic);
  if (array.role == tuner::Role::input || array.role == tuner::Role::inout) {
    argument.fill.kind = tuner::Fill::Kind::given;
    argument.fill.contents = std::make_shared<const std::vector<std::byte>>(array.contents);
  }
  return argument;
}

// Returns the domain's own value: 64 where 64.0 is given.
const search::Value* find_known(const search::Parameter& parameter, const search::Value& given) {
  const auto is_it = [&](const search::Value& known) { return search::same_value(known, given); };
  const auto found = std::ranges::find_if(parameter.values, is_it);
  return found == parameter.values.end() ? nullptr : &*found;
}

}  // namespace

void Tuner::Problem::refuse(const char* what, const std::string& called, const std::string& why) const {
  throw std::invalid_argument(fmt::format("the {} '{}' of {}: {}", what, called, name, why));
}

void Tuner::Problem::require_new(const char* what, const std::string& called) const {
  if (const std::string wrong = tuner::wrong_name(called); !wrong.empty()) refuse(what, called, wrong);
  const auto refuse_other = [&](const char* other) {
    refuse(what, called, fmt::format("a {} has the same name; expected another name", other));
  };
  const auto among = [&](const std::vector<search::Parameter>& list) {
    return std::ranges::find(list, called, &search::Parameter::name) != list.end();
  };
  if (search::find_value(sizes, called)) refuse_other("size");
  if (among(variants)) refuse_other("variant");
  if (among(parameters)) refuse_other("parameter");
}

void Tuner::Problem::require_new_metric(const std::string& called) const {
  if (const std::string wrong = tuner::wrong_metric_name(called); !wrong.empty()) refuse("metric", called, wrong);
  if (std::ranges::find(metrics, called, &tuner::Metric::name) != metrics.end())
    refuse("metric", called, "a metric has the same name; expected another name");
}

void Tuner::Problem::require_complete() const {
  const auto require = [&](bool there, const char* what) {
    if (!there) throw std::invalid_argument(fmt::format("the tuner of {} needs {}", name, what));
  };
  require(!sources.empty(), "a source: source(text, {kernel names})");
  require(!parameters.empty(), "a parameter: parameter(name, values)");
  require_defaults();
  require(static_cast<bool>(launcher), "a launcher: launcher(function)");
  require(!verify || reference, "a reference: reference(function), or unverified()");
  bool any_output = false;
  for (const ArraySpec& array : arrays)
    any_output |= array.role == tuner::Role::output || array.role == tuner::Role::inout;
  require(!verify || any_output, "an output or inout array to be verified, or unverified()");
}

void Tuner::Problem::require_defaults() const {
  std::vector<std::string> names;
  for (const search::Parameter& parameter : parameters) names.push_back(parameter.name);
  for (const auto& [called, value] : default_values) {
    const auto parameter = std::ranges::find(parameters, called, &search::Parameter::name);
    if (parameter == parameters.end())
      throw std::invalid_argument(
          fmt::format("default_values of {} name '{}', which is no parameter{}; the parameters are {}", name, called,
                      search::did_you_mean(called, names), fmt::join(names, ", ")));
    if (!find_known(*parameter, value))
      refuse("default value", called,
             fmt::format("{} is not in the domain; expected one of {}", search::to_text(value),
                         tuner::shown_domain(parameter->values)));
  }
}

tuner::KernelTemplate Tuner::Problem::kernel_template() const {
  tuner::KernelTemplate kernel;
  kernel.name = name;
  kernel.parameters = parameters;
  kernel.default_values = complete_defaults();
  kernel.sizes = sizes;
  kernel.variants = variants;
  kernel.metrics = metrics;
  for (const ArraySpec& array : arrays)
    (array.role == tuner::Role::temporary ? kernel.temporaries : kernel.arguments).push_back(argument_of(array));
  tuner::ProgramParts parts;
  parts.requests = [this](const search::NamedValues& scope) { return requests(scope); };
  parts.launches = [this](const search::NamedValues& scope) {
    PlanRecorder recorder(*this);
    const Values values(scope);
    launcher(Run(values, recorder));
    return recorder.take();
  };
  parts.reference = [this](tuner::BufferContents& buffers) {
    HostArrays host(arrays, buffers);
    reference(host);
    for (auto& [array, contents] : buffers) contents = host.take(array);
  };
  parts.constraints = constraints;
  parts.description = description();
  kernel.program = std::make_shared<const tuner::ProgramParts>(std::move(parts));
  return kernel;
}

std::vector<tuner::CompileRequest> Tuner::Problem::requests(const search::NamedValues& scope) const {
  std::vector<tuner::CompileRequest> made;
  for (const Source& source : sources) {
    tuner::CompileRequest module;
    module.name = fmt::format("{}/source{}.cu", name, made.size());
    module.source = source.text;
    module.options = source.options;
    module.kernels = source.kernels;
    for (const auto* named : {&parameters, &variants})
      for (const search::Parameter& each : *named) {
        const search::Value& value = *search::find_value(scope, each.name);
        const bool* flag = std::get_if<bool>(&value);
        module.defines.emplace_back(each.name, flag ? (*flag ? "1" : "0") : search::to_text(value));
      }
    made.push_back(std::move(module));
  }
  return made;
}

search::NamedValues Tuner::Problem::complete_defaults() const {
  search::NamedValues values;
  for (const search::Parameter& parameter : parameters) {
    const search::Value* chosen = search::find_value(default_values, parameter.name);
    const search::Value* known = chosen ? find_known(parameter, *chosen) : nullptr;
    values.emplace_back(parameter.name, known ? *known : parameter.values.front());
  }
  return values;
}

std::string Tuner::Problem::description() const {
  std::string text = version;
  for (const Source& source : sources) text += fmt::format("\n{}", fmt::join(source.options, " "));
  for (const search::Parameter& parameter : parameters) {
    text += '\n' + parameter.name;
    for (const search::Value& value : parameter.values) text += ' ' + search::to_text(value);
  }
  text += '\n' + search::to_text(complete_defaults());
  for (const search::Constraint& constraint : constraints) text += '\n' + constraint.text;
  for (const ArraySpec& array : arrays)
    text += fmt::format("\n{} {} {} {} {} {} {}", array.name, to_string(array.type), static_cast<int>(array.role),
                        array.accuracy.absolute, array.accuracy.relative, array.accuracy.nondeterministic,
                        tuner::content_hash(text_of(array.contents)));
  return text;
}

}  // namespace warptune
