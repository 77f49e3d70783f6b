// Implements `warptune man`, which writes manual pages of the program and of each verb from what help is made of.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "search/plain_text.h"
#include "tuner/program/cli/grammar/help.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/start/guide.h"
#include "tuner/program/cli/terminal/output.h"
#include "tuner/session/provenance.h"

namespace warptune::tuner::cli {

namespace {

// Returns the first character of a text in UTF-8, and how many bytes it has.
std::pair<std::uint32_t, std::size_t> code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {byte(0), 1};
  std::uint32_t point = byte(0) & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) point = point << 6U | (byte(i) & 0x3fU);
  return {point, bytes};
}

// Escapes text for roff: nothing in it is a request or an escape, and hyphens can be copied into a shell.
std::string roff(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [point, bytes] = code_point(text);
    const bool begins = result.empty() || result.back() == '\n';
    if (begins && (text.front() == '.' || text.front() == '\'')) result += "\\&";
    if (bytes > 1)
      result += fmt::format("\\[u{:04X}]", point);
    else if (text.front() == '\\')
      result += "\\e";
    else if (text.front() == '-')
      result += "\\-";
    else
      result += text.front();
    text.remove_prefix(bytes);
  }
  return result;
}

std::string title(const std::string& page) {
  return fmt::format(".TH {} 1 \"\" \"warptune {}\" \"Warptune\"\n", roff(search::upper_case(page)), tool_version);
}

std::string heading_line(const std::string& heading) {
  return fmt::format(".SH {}\n", roff(heading));
}

std::string entry(const std::string& name, const std::string& meaning) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(name), meaning.empty() ? "\\&" : roff(meaning));
}

// Returns what follows the options. Examples stay as they are, and other words are filled.
std::string footer_page(const CLI::App& verb) {
  std::string text;
  bool literal = false;
  std::istringstream lines(verb.get_footer());
  for (std::string line; std::getline(lines, line);) {
    if (line == "Examples:") {
      text += heading_line("EXAMPLES") + ".nf\n";
      literal = true;
    } else if (line.empty()) {
      text += literal ? "" : ".PP\n";
    } else {
      text += roff(line) + '\n';
    }
  }
  return literal ? text + ".fi\n" : text;
}

std::string options_page(const CLI::App& verb) {
  std::string text;
  for (const OptionGroup& options : option_groups(verb)) {
    text += heading_line(options.heading);
    for (const CLI::Option* option : options.options) text += entry(name_and_type(*option), meaning(*option));
  }
  return text;
}

std::string environment_text() {
  std::string text = heading_line("ENVIRONMENT");
  for (const auto& [name, meaning] : environment_variables()) text += entry(name, meaning);
  return text;
}

std::string verbs_page(const CLI::App& verb) {
  std::string text;
  for (const VerbGroup& verbs : verb_groups(verb)) {
    text += heading_line(verbs.heading);
    for (const CLI::App* one : verbs.verbs) text += entry(one->get_name(), one->get_description());
  }
  return text;
}

// Returns a manual page. `name` is the verb as the user types it; the page's own name has hyphens for its spaces.
std::string page_of(const CLI::App& verb, const std::string& name) {
  std::string page = name;
  std::replace(page.begin(), page.end(), ' ', '-');
  const bool whole_program = verb.get_parent() == nullptr;
  std::string text = title(page) + heading_line("NAME") + roff(page + " - " + verb.get_description()) + '\n';
  text += heading_line("SYNOPSIS") + roff(usage_of(verb, name)) + '\n';
  text += verbs_page(verb) + options_page(verb);
  for (const CLI::App* one : verb.get_subcommands([](const CLI::App*) { return true; }))
    if (!whole_program)
      text += fmt::format(".SS {}\n", roff(usage_of(*one, name + ' ' + one->get_name()))) + options_page(*one);
  if (whole_program) text += heading_line("NOTES");
  text += footer_page(verb);
  if (whole_program) text += environment_text();
  text += heading_line("SEE ALSO");
  return text + (whole_program ? roff("warptune-tune(1) and the pages of the other verbs") : roff("warptune(1)")) +
         '\n';
}

// Writes all pages into a folder, as an installation has them.
void write_pages(const CLI::App& program, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::string name = program.get_name();
  write_output((folder / (name + ".1")).string(), page_of(program, name));
  for (const VerbGroup& verbs : verb_groups(program))
    for (const CLI::App* verb : verbs.verbs)
      write_output((folder / (name + '-' + verb->get_name() + ".1")).string(),
                   page_of(*verb, name + ' ' + verb->get_name()));
}

}  // namespace

void add_man(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("man", "Print a manual page, or write all of them");
  auto words = std::make_shared<std::vector<std::string>>();
  auto folder = std::make_shared<std::string>();
  auto* name = verb->add_option("verb", *words, "the verb; default: the program itself");
  verb->add_option("--all", *folder, "write all pages into this folder")->type_name("FOLDER")->excludes(name);
  verb->group(verbs::program);
  add_examples(*verb, {{"read one", "warptune man tune | man -l -"},
                       {"install them", "warptune man --all ~/.local/share/man/man1"}});
  verb->callback([words, folder, &program] {
    if (!folder->empty()) return write_pages(program, *folder);
    std::string page = program.get_name();
    for (const std::string& word : *words) page += ' ' + word;
    write_output("", page_of(find_verb(program, *words), page));
  });
}

}  // namespace warptune::tuner::cli
