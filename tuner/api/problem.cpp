#include "tuner/api/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/kernel/content_hash.h"
#include "tuner/session/provenance.h"

namespace warptune {

namespace {

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void Tuner::Problem::require_complete() const {
  const auto require = [&](bool there, const char* what) {
    if (!there) throw std::invalid_argument(fmt::format("the tuner of {} needs {}", kernel.name, what));
  };
  require(!sources.empty(), "a source: source(text, {kernel names})");
  require(!kernel.parameters.empty(), "a parameter: parameter(name, values)");
  require(static_cast<bool>(launcher), "a launcher: launcher(function)");
  require(!verify || reference, "a reference: reference(function), or unverified()");
  bool any_output = false;
  for (const ArraySpec& array : arrays)
    any_output |= array.role == tuner::Role::output || array.role == tuner::Role::inout;
  require(!verify || any_output, "an output or inout array to be verified, or unverified()");
}

std::vector<tuner::CompileRequest> Tuner::Problem::requests(const search::NamedValues& scope) const {
  std::vector<tuner::CompileRequest> made;
  for (const Source& source : sources) {
    tuner::CompileRequest request;
    request.name = fmt::format("{}/source{}.cu", kernel.name, made.size());
    request.source = source.text;
    request.options = source.options;
    request.kernels = source.kernels;
    for (const auto* named : {&kernel.parameters, &kernel.variants})
      for (const search::Parameter& parameter : *named) {
        const search::Value& value = *search::find_value(scope, parameter.name);
        const bool* flag = std::get_if<bool>(&value);
        request.defines.emplace_back(parameter.name, flag ? (*flag ? "1" : "0") : search::to_text(value));
      }
    made.push_back(std::move(request));
  }
  return made;
}

db::SessionKey Tuner::Problem::key(const tuner::DeviceInfo& info, tuner::Compiler& compiler,
                                   const search::NamedValues& constants, const tuner::MeasurePolicy& policy) const {
  search::NamedValues scope = constants;
  scope.insert(scope.end(), kernel.default_values.begin(), kernel.default_values.end());
  std::string source, description = version;
  for (const tuner::CompileRequest& request : requests(scope))
    source += compiler.preprocess(request) + request.source + fmt::format("{}", fmt::join(request.options, " "));
  for (const search::Parameter& parameter : kernel.parameters) {
    description += '\n' + parameter.name;
    for (const search::Value& value : parameter.values) description += ' ' + search::to_text(value);
  }
  for (const search::Constraint& constraint : constraints) description += '\n' + constraint.text;
  for (const ArraySpec& array : arrays)
    description +=
        fmt::format("\n{} {} {} {} {} {}", array.name, to_string(array.type), static_cast<int>(array.role),
                    array.accuracy.absolute, array.accuracy.relative, tuner::content_hash(text_of(array.contents)));
  db::SessionKey key;
  key.kernel = kernel.name;
  key.device = device_record(info);
  key.compiler = compiler.version();
  key.source_hash = tuner::content_hash(source);
  key.manifest_hash = tuner::content_hash(description);
  key.problem_size = kernel.sizes;
  for (const search::Parameter& variant : kernel.variants)
    key.variants.emplace_back(variant.name, variant.values.front());
  key.policy = policy.text();
  return key;
}

}  // namespace warptune
