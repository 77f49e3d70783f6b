// Runs the steps of `warptune init`, and checks the draft as the manifest's users would.
#include "tuner/kernel/draft/init.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tuner/kernel/draft/facts/own_headers.h"
#include "tuner/kernel/draft/facts/taken_branches.h"
#include "tuner/kernel/draft/guessed.h"
#include "tuner/kernel/draft/passes/passes.h"
#include "tuner/kernel/draft/reference.h"
#include "tuner/kernel/draft/write_manifest.h"
#include "tuner/kernel/files/named_file.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/macro_check.h"
#include "tuner/kernel/source/source_check.h"
#include "tuner/kernel/source/whole_program.h"

namespace warptune::tuner::draft {

namespace {

namespace fs = std::filesystem;

// Returns the file's path as seen from the manifest's folder, or the whole path where there is no relative one.
std::string seen_from(const fs::path& manifest, const fs::path& file) {
  const fs::path folder = fs::absolute(manifest).lexically_normal().parent_path();
  const fs::path whole = fs::absolute(file).lexically_normal();
  const fs::path relative = whole.lexically_relative(folder);
  return (relative.empty() ? whole : relative).string();
}

std::string name_of(const std::string& kernel) {
  std::string name = name_without_scope(kernel);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '_';
  return name;
}

std::set<std::string> given_names(const Draft& draft) {
  std::set<std::string> names;
  for (const ParameterDraft& parameter : draft.parameters)
    names.insert(parameter.macro.empty() ? parameter.name : parameter.macro);
  for (const SizeDraft& size : draft.sizes)
    if (size.define) names.insert(size.macro.empty() ? size.name : size.macro);
  return names;
}

// Returns the error that whoever runs the manifest would be told: by its reader, by the checks of the source, or at the
// first launch. The text is empty if the manifest is fine.
std::string fault_of(const std::string& manifest, const InitRequest& request) {
  try {
    const KernelTemplate kernel = parse_manifest(manifest, request.manifest);
    check_macros(kernel);
    if (request.any_size) return "";  // a user who judges a kernel may state its launch, and is told of the rest there
    check_sources(kernel);
    const Problem problem = resolve_problem(kernel, "", {});
    const search::NamedValues scope =
        scope_of(problem_constants(problem.values(), DeviceInfo{}), kernel.default_values);
    make_plan(kernel, scope);
    for (const Argument& argument : kernel.arguments)
      if (argument.role != Role::scalar) plan_buffer(argument, scope);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// Adds a blank for each line of the error that fault_of returns: a manifest that is refused is not drafted as if it
// were whole.
void check(const InitRequest& request, Draft& draft) {
  if (!draft.blanks.empty()) return;
  std::istringstream faults(fault_of(write_manifest(draft, request.schema), request));
  for (std::string line; std::getline(faults, line);)
    if (!line.empty()) draft.blanks.push_back(line);
}

void refuse_opencl(const SourceFacts& facts) {
  if (facts.kernels.empty() &&
      (contains_word(facts.outline.code, "__kernel") || contains_word(facts.outline.code, "get_global_id")))
    throw RequestError(no_opencl);
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code error;
  return !other.empty() && fs::equivalent(one, other, error);
}

}  // namespace

void check_place(const InitRequest& request) {
  const bool source = is_same_file(request.manifest, request.source);
  if (!source && !is_same_file(request.manifest, request.reference)) return;
  throw RequestError(fmt::format("the manifest would replace {}, which is the {} itself; -o names another file, as {}",
                                 request.manifest.string(), source ? "kernel's source" : "reference",
                                 fs::path(request.manifest).replace_extension(".toml").string()));
}

InitResult describe_source(const InitRequest& request) {
  const std::string source = text_of_named_file(request.source);
  OwnHeaders headers(request.source);
  TakenBranches branches(headers.reader());
  const SourceFacts facts(branches.of_source(source), branches.reader());
  Draft draft;
  try {
    refuse_opencl(facts);
    draft = make_draft(facts, request.kernel, request.any_size);
  } catch (const RequestError& error) {
    throw RequestError(fmt::format("{}: {}", request.source.string(), error.what()));
  }
  rename_reserved(draft);
  InitResult result;
  for (const LaunchDraft& launch : draft.launches) result.kernels.push_back(name_of(launch.kernel));
  draft.name = result.kernels.front();
  draft.source = seen_from(request.manifest, request.source);
  draft.whole_program = is_whole_program(source, given_names(draft)) || headers.have_host_part();
  for (const auto* sentences : {&branches.notes(), &headers.missing()})
    draft.guesses.insert(draft.guesses.end(), sentences->begin(), sentences->end());
  if (!request.reference.empty()) {
    OwnHeaders others(request.reference);
    add_reference(seen_from(request.manifest, request.reference), text_of_named_file(request.reference),
                  others.reader(), draft);
    for (const std::string& sentence : others.missing()) draft.guesses.push_back("reference: " + sentence);
  }
  check(request, draft);
  result.text = write_manifest(draft, request.schema);
  result.blanks = draft.blanks;
  result.guesses = draft.guesses;
  result.guessed = guessed(draft);
  result.parameters = draft.parameters.size();
  return result;
}

}  // namespace warptune::tuner::draft
