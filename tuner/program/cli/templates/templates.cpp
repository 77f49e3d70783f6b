// Implements `warptune templates`, which lists the kernel templates, or describes one.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tuner/kernel/files/template_file.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/templates/template_lookup.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/results/report/template_report.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner::cli {

namespace {

ListedTemplate listed(const std::filesystem::path& manifest) {
  ListedTemplate one{manifest.parent_path().filename().string(), manifest, {}, ""};
  try {
    one.kernel = load_template(manifest);
  } catch (const std::exception& error) {  // one that is being written is no reason to hide the others
    one.error = error.what();
  }
  return one;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Lists each template under the folder that it lies in. The folders are in the order in which a name is looked for.
std::string list_text(const std::vector<ListedTemplate>& templates) {
  std::string text;
  for (const std::filesystem::path& folder : template_folders()) {
    Entries entries;
    for (const ListedTemplate& one : templates)
      if (one.manifest.parent_path().parent_path() == folder)
        entries.emplace_back(one.name,
                             one.error.empty() ? one.kernel.summary : "cannot be read: " + first_line(one.error));
    if (entries.empty()) continue;
    text += fmt::format("{}In {}:\n{}", text.empty() ? "" : "\n", folder.string(), two_columns(entries, help_width()));
  }
  return text;
}

std::string section(const std::string& heading, const Entries& entries) {
  return entries.empty() ? "" : fmt::format("\n{}:\n{}", heading, two_columns(entries, help_width()));
}

Entries size_entries(const KernelTemplate& kernel) {
  Entries entries;
  for (const auto& [name, value] : kernel.sizes) {
    const auto limit = kernel.size_limits.find(name);
    const std::string most = limit == kernel.size_limits.end() ? "" : fmt::format(", at most {}", limit->second);
    entries.emplace_back(name, fmt::format("[{}]{}", search::to_text(value), most));
  }
  return entries;
}

Entries variant_entries(const KernelTemplate& kernel) {
  Entries entries;
  for (const search::Parameter& variant : kernel.variants)
    entries.emplace_back(variant.name, domain_with_default(variant, variant.values.front()));
  return entries;
}

Entries parameter_entries(const KernelTemplate& kernel) {
  Entries entries;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const search::Parameter& parameter = kernel.parameters[i];
    const search::Value* chosen = search::find_value(kernel.default_values, parameter.name);
    const std::string values = domain_with_default(parameter, chosen ? *chosen : parameter.values.front());
    const std::string about = i < kernel.about.size() ? kernel.about[i] : "";
    entries.emplace_back(parameter.name, about.empty() ? values : about + ": " + values);
  }
  return entries;
}

Entries technique_entries(const KernelTemplate& kernel) {
  Entries entries;
  for (const Technique& technique : kernel.techniques) entries.emplace_back(technique.name, technique.about);
  return entries;
}

// Returns what to type next, with the word that the user named the template by.
std::string next_steps(const KernelTemplate& kernel, const std::string& name) {
  std::string text = fmt::format("\nNext:\n  warptune space {}\n  warptune tune {} --budget 60s\n", name, name);
  if (!kernel.techniques.empty())
    text += fmt::format("  warptune run {} --technique {}\n", name, kernel.techniques.front().name);
  return text;
}

std::string description(const KernelTemplate& kernel, const std::string& name) {
  const std::size_t width = help_width();
  std::string text = wrapped_text(kernel.name + ": " + kernel.summary, width, 0) + '\n';
  text += "Manifest  " + kernel.manifest.string() + '\n';
  std::string backends;
  for (const std::string& backend : kernel.backends) backends += (backends.empty() ? "" : ", ") + backend;
  if (!backends.empty()) text += "Runs on   " + backends + " alone\n";
  text += section("Sizes (--size)", size_entries(kernel));
  text += section("Variants (--variant)", variant_entries(kernel));
  Entries presets;
  for (const auto& [preset, values] : kernel.presets) presets.emplace_back(preset, search::to_text(values));
  text += section("Presets (--preset)", presets);
  text += section("Parameters", parameter_entries(kernel));
  text += section("Techniques (run --technique)", technique_entries(kernel));
  std::string metrics = "time, joules";
  for (const Metric& metric : kernel.metrics) metrics += ", " + metric.name;
  text += "\n" + wrapped_text("Objectives (--objective): " + metrics, width, 2) + '\n';
  text += fmt::format("\n[ ] shows the default. {} constraints; `warptune space` says what each rejects.\n",
                      kernel.constraints.size());
  return text + next_steps(kernel, name);
}

void describe(const std::string& name, const Context& context) {
  const KernelTemplate kernel = load_template(find_template(name));
  switch (context.output_format()) {
    case Format::json: {
      Json json = document("templates");
      json["template"] = template_json(kernel);
      return write_output("", text_of(json));
    }
    case Format::csv:
      return write_output("", template_rows(kernel).render(Format::csv));
    case Format::table:
      return write_output("", description(kernel, name));
  }
}

void list(const Context& context) {
  std::vector<ListedTemplate> templates;
  for (const std::filesystem::path& manifest : all_templates()) templates.push_back(listed(manifest));
  if (templates.empty()) say("there are no templates; WARPTUNE_TEMPLATES names a folder of them");
  switch (context.output_format()) {
    case Format::json: {
      Json json = document("templates", "templates", template_table(templates));
      json["folders"] = Json::array();
      for (const std::filesystem::path& folder : template_folders()) json["folders"].push_back(folder.string());
      return write_output("", text_of(json));
    }
    case Format::csv:
      return write_output("", template_table(templates).render(Format::csv));
    case Format::table:
      if (templates.empty()) return;
      return write_output("", list_text(templates) + "\n`warptune templates NAME` describes one.\n");
  }
}

}  // namespace

void add_templates(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("templates", "List the kernel templates, or describe one");
  auto name = std::make_shared<std::string>();
  verb->add_option("template", *name, "a template's name, folder or manifest")->type_name("TEMPLATE");
  add_format_option(*verb, context);
  verb->group(verbs::start);
  add_examples(*verb, {{"what there is", "warptune templates"},
                       {"sizes, variants and parameters of one", "warptune templates gemm"},
                       {"of your own", "warptune templates ./mykernel"}});
  verb->callback([name, &context] { name->empty() ? list(context) : describe(*name, context); });
}

}  // namespace warptune::tuner::cli
