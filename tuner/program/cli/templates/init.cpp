// Implements `warptune init`, which writes the manifest of a kernel from its source.
#include "tuner/program/cli/templates/init.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "tuner/kernel/draft/init.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/results/report/text/figures.h"
#include "tuner/system/files.h"

namespace warptune::tuner::cli {

namespace {

namespace fs = std::filesystem;

struct InitArguments {
  std::string source, reference, kernel, output;
  bool force = false;
};

void report(const draft::InitResult& result, const std::string& file) {
  say(fmt::format("wrote {}: {}, {}", file, fmt::join(result.kernels, ", "), counted(result.parameters, "parameter")));
  for (const std::string& line : result.guessed) say("  guessed " + line);
  for (const std::string& guess : result.guesses) say("  look at: " + guess);
  for (const std::string& what : result.blanks) say("  to do: " + what);
}

void say_what_is_next(const draft::InitResult& result, const fs::path& manifest) {
  const std::string folder = manifest.filename() == "template.toml" ? manifest.parent_path().string() : "";
  const std::string name = shell_word(manifest.filename() != "template.toml" ? manifest.string()
                                      : folder.empty()                       ? "."
                                                                             : folder);
  if (result.blanks.empty())
    say(fmt::format("next: warptune tune {} --budget 30s", name));
  else
    say(fmt::format("next: fill in what is marked TODO, then: warptune tune {} --budget 30s", name));
}

void write_manifest(const fs::path& manifest, const std::string& text) {
  try {
    write_output(manifest.string(), text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}; -o puts the manifest elsewhere", error.what()));
  }
}

// Returns where the manifest lies: beside the source, unless -o names a file or the folder for it. On the standard
// output it is written as if it were beside the source.
fs::path manifest_of(const InitArguments& options) {
  if (options.output.empty() || options.output == "-") return fs::path(options.source).parent_path() / "template.toml";
  const fs::path output = options.output;
  return is_folder(output) ? output / "template.toml" : output;
}

void run_init(const InitArguments& options, Context& context) {
  draft::InitRequest request{.source = options.source, .reference = options.reference, .kernel = options.kernel};
  const bool to_stdout = options.output == "-";
  request.manifest = manifest_of(options);
  request.schema = manifest_schema();
  if (!to_stdout) draft::check_place(request);
  if (!to_stdout && !options.force && fs::exists(request.manifest))
    throw RequestError(
        fmt::format("{} is there already; --force replaces it, -o names another file", request.manifest.string()));
  const draft::InitResult result = draft::describe_source(request);
  write_manifest(to_stdout ? "-" : request.manifest, result.text);
  report(result, to_stdout ? "the manifest" : request.manifest.string());
  if (!to_stdout) say_what_is_next(result, request.manifest);
  if (!result.blanks.empty()) context.exit_code = request_error;
}

bool describes(const fs::path& manifest, const fs::path& source) {
  std::error_code error;
  return fs::equivalent(load_manifest(manifest).source, source, error);
}

}  // namespace

bool is_kernel_source(const fs::path& file) {
  const fs::path extension = file.extension();
  return extension == ".cu" || extension == ".cuh" || extension == ".cpp" || extension == ".cc";
}

bool is_opencl_source(const fs::path& file) {
  return (file.extension() == ".cl" || file.extension() == ".ocl") && is_file(file);
}

fs::path manifest_of_source(const fs::path& source) {
  const fs::path manifest = source.parent_path() / "template.toml";
  const std::string command = fmt::format("warptune init {}", shell_word(source.string()));
  if (is_file(manifest)) {
    if (describes(manifest, source)) return manifest;
    throw RequestError(fmt::format(
        "{} is a kernel's source, and {} describes another. `{} -o {}` writes a manifest for it", source.string(),
        manifest.string(), command, shell_word(fs::path(source).replace_extension(".toml").string())));
  }
  const std::string what = fmt::format(
      "{} is a kernel's source, and a template is a source with a manifest, which says how "
      "to call it.",
      source.string());
  if (!can_ask() || !ask(fmt::format("{} Write the manifest now, from the source?", what), true))
    throw RequestError(fmt::format("{} `{}` writes it from the source", what, command));
  Context context;
  run_init({.source = source.string()}, context);
  if (context.exit_code != success)
    throw RequestError(fmt::format("{} has blanks to be filled in first", manifest.string()));
  return manifest;
}

fs::path manifest_of_folder(const fs::path& folder) {
  std::vector<fs::path> sources;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (is_kernel_source(entry.path()) && entry.is_regular_file(error)) sources.push_back(entry.path());
  if (sources.size() == 1) return manifest_of_source(sources.front().lexically_normal());
  throw RequestError(fmt::format(
      "the folder {} has no template.toml, which says how a kernel is called. `warptune init FILE.cu` writes "
      "it from a kernel's source, of which there {} in the folder; `warptune templates` lists the kernels "
      "that come with Warptune",
      folder.string(), sources.empty() ? "is none" : fmt::format("are {}", sources.size())));
}

void add_init(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("init", "Write the manifest of your own kernel, from its source");
  auto options = std::make_shared<InitArguments>();
  verb->add_option("source", options->source, "the file with the kernel; a whole program with main() will do")
      ->required()
      ->check(CLI::ExistingFile);
  verb->add_option("reference", options->reference,
                   "what is right: kernels (.cu), or an extern \"C\" function (.cpp); default the kernel itself at its "
                   "default configuration")
      ->check(CLI::ExistingFile);
  verb->add_option("--kernel", options->kernel,
                   "the kernel's name; default: the first that the file launches or defines");
  verb->add_option("--output,-o", options->output,
                   "the manifest or its folder; default: template.toml beside the source; -: standard output");
  verb->add_flag("--force", options->force, "overwrite an existing manifest");
  verb->footer("A blank that the source does not fill is marked TODO and named; then the exit code is 3.");
  verb->group(verbs::start);
  add_examples(*verb, {{"write template.toml beside the source", "warptune init my_kernel.cu"},
                       {"with the function that says what is right", "warptune init my_kernel.cu my_reference.cpp"}});
  verb->callback([options, &context] { run_init(*options, context); });
}

}  // namespace warptune::tuner::cli
