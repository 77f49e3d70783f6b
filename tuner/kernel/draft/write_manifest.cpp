// Writes the tables of a manifest one after the other, and wraps the comments between them.
#include "tuner/kernel/draft/write_manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "tuner/kernel/manifest/keys.h"

namespace warptune::tuner::draft {

namespace {

constexpr std::size_t widest = 100;

// Returns the text as a string of TOML.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + '"';
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) parts.push_back(quoted(text));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// Returns a number as it is, and everything else as an expression in quotes.
std::string expression(const std::string& text) {
  const bool number = !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
  return number ? text : quoted(text);
}

std::string expressions(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return expression(texts.front());
  std::vector<std::string> parts;
  for (const std::string& text : texts) parts.push_back(expression(text));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// Return a value as the key's form has it. Tables are written already.
std::string value_of(const Key& key, const std::string& text) {
  if (key.form == Form::table) return text;
  if (key.form == Form::expression) return expression(text);
  return key.form == Form::extents ? fmt::format("[{}]", expression(text)) : quoted(text);
}
std::string value_of(const Key& key, const std::vector<std::string>& texts) {
  return key.form == Form::dimensions ? expressions(texts) : quoted_list(texts);
}

// Adds a text as lines of a comment; `first` and `next` are what the lines begin with.
void add_comment(std::string& out, const std::string& text, const std::string& first, const std::string& next) {
  std::string line = first;
  bool empty = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    std::ranges::replace_if(
        word, [](unsigned char c) { return c < 0x20; }, '?');
    if (!empty && line.size() + 1 + word.size() > widest) {
      out += line + '\n';
      line = next;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
    begin = end + 1;
  }
  out += line + '\n';
}

class Writer {
 public:
  Writer(const Draft& draft, const std::string& schema) : draft_(draft), schema_(schema) {}

  std::string run() {
    head();
    sizes();
    for (const ParameterDraft& parameter : draft_.parameters) add_parameter(parameter, "");
    proposals();
    for (const ArgumentDraft& argument : draft_.arguments)
      if (!argument.temporary) add_argument(argument);
    for (const ArgumentDraft& argument : draft_.arguments)
      if (argument.temporary) add_temporary(argument);
    for (const LaunchDraft& launch : draft_.launches) add_launch(launch, "launches");
    reference();
    work();
    return std::move(out_);
  }

 private:
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
    out_ += '\n';
  }

  // Add a key of a table with its value, and a remark behind it.
  void add(const KeyTable& table, std::string_view key, const std::string& text, const std::string& remark = {}) {
    add_written(table[key], value_of(table[key], text), remark);
  }
  void add(const KeyTable& table, std::string_view key, const std::vector<std::string>& texts) {
    add_written(table[key], value_of(table[key], texts), "");
  }
  void add_true(const KeyTable& table, std::string_view key, const std::string& remark = {}) {
    add_written(table[key], "true", remark);
  }
  void add_written(const Key& key, const std::string& value, const std::string& remark) {
    line("{} = {}{}", key.name, value, remark.empty() ? "" : "  # " + remark);
  }

  void comment(const std::string& text) { add_comment(out_, text, "# ", "# "); }

  void head() {
    line("#:schema {}", schema_);
    comment(
        fmt::format("How Warptune calls {}, checks it and tunes it. `warptune init` wrote this from the source; it is "
                    "yours to change. MANIFEST.md beside Warptune's templates is the reference of every key.",
                    draft_.source));
    if (!draft_.blanks.empty()) {
      out_ += "#\n# To be filled in, each marked TODO below:\n";
      for (const std::string& what : draft_.blanks) add_comment(out_, what, "# TODO: ", "#       ");
    }
    if (!draft_.guesses.empty()) {
      out_ += "#\n# To be looked at:\n";
      for (const std::string& what : draft_.guesses) add_comment(out_, what, "# - ", "#   ");
    }
    add(keys::manifest, "name", draft_.name);
    add(keys::manifest, "source", draft_.source);
    if (draft_.whole_program) {
      comment(
          "The file is compiled as it is: host code in it and in its own headers is left out, and parameters replace "
          "its own #defines.");
      add_true(keys::manifest, "whole_program");
      add(keys::manifest, "options_cuda", std::vector<std::string>{"-default-device"});
    }
    if (draft_.constraints.empty()) return;
    line("");
    const auto is_memory = [](const std::string& constraint) { return constraint.ends_with("<= 49152"); };
    const auto is_rest = [](const std::string& constraint) { return constraint.find('%') != std::string::npos; };
    if (std::ranges::any_of(draft_.constraints, is_memory))
      comment("A block's static shared memory is 48 KiB at most.");
    if (std::ranges::any_of(draft_.constraints, [](const std::string& constraint) {
          return constraint.ends_with(fmt::format("<= {}", most_threads_of_block));
        }))
      comment("A block has 1024 threads at most, and few do not keep a GPU busy.");
    if (std::ranges::any_of(draft_.constraints, is_rest))
      comment("Where % stands, the kernel expects that nothing is left over.");
    add(keys::manifest, "constraints", draft_.constraints);
  }

  void sizes() {
    if (!draft_.sizes.empty()) {
      line("\n# The problem: `--size {}=…` chooses another.\n[sizes]", draft_.sizes.front().name);
      for (const SizeDraft& size : draft_.sizes)
        line("{} = {}{}", size.name, size.value, size.comment.empty() ? "" : "  # " + size.comment);
    }
    const auto smaller = [](const SizeDraft& size) { return size.on_host != size.value; };
    if (std::ranges::any_of(draft_.sizes, smaller)) {
      line("\n# What the CPU gets where there is no GPU.\n[presets.host]");
      for (const SizeDraft& size : draft_.sizes)
        if (smaller(size)) line("{} = {}", size.name, size.on_host);
    }
    defines();
  }

  void defines() {
    const auto is_renamed = [](const ParameterDraft& parameter) { return !parameter.macro.empty(); };
    const bool renamed = std::ranges::any_of(draft_.parameters, is_renamed);
    if (!renamed && std::ranges::none_of(draft_.sizes, &SizeDraft::define)) return;
    line("\n# {} that the source knows as macros or constants.\n[defines]", renamed ? "Numbers" : "Sizes");
    for (const SizeDraft& size : draft_.sizes)
      if (size.define) line("{} = {}", size.macro.empty() ? size.name : size.macro, quoted(size.name));
    for (const ParameterDraft& parameter : draft_.parameters)
      if (is_renamed(parameter)) line("{} = {}", parameter.macro, quoted(parameter.name));
  }

  void add_parameter(const ParameterDraft& parameter, const char* mark) {
    line("\n{}[parameters.{}]", mark, parameter.name);
    std::vector<std::string> values;
    if (parameter.flag)
      values = {"false", "true"};
    else
      for (const std::int64_t value : parameter.values) values.push_back(std::to_string(value));
    line("{}values = [{}]", mark, fmt::join(values, ", "));
    const std::string fallback =
        parameter.flag ? (parameter.fallback != 0 ? "true" : "false") : std::to_string(parameter.fallback);
    line("{}default = {}{}", mark, fallback, parameter.comment.empty() ? "" : "  # " + parameter.comment);
    if (!parameter.about.empty()) line("{}about = {}", mark, quoted(parameter.about));
  }

  void proposals() {
    if (draft_.proposals.empty()) return;
    line("");
    comment("Numbers that the source gives a name. Where any value gives the right result, take the marks away:");
    for (const ParameterDraft& parameter : draft_.proposals) add_parameter(parameter, "# ");
  }

  void add_argument(const ArgumentDraft& argument) {
    line("");
    for (const std::string& text : argument.comments) comment(text);
    line("[arguments.{}]", argument.name);
    const KeyTable& table = keys::argument;
    add(table, "type", argument.type);
    if (!argument.value.empty()) {
      const bool is_real = argument.type == "float" || argument.type == "double";
      return add_written(table["value"], is_real ? real(argument.value) : expression(argument.value), "");
    }
    add(table, "shape", argument.shape);
    if (argument.role != "input") add(table, "role", argument.role);
    if (!argument.symbol.empty()) add(table, "symbol", argument.symbol);
    if (!argument.fill.empty() && argument.role != "output") add(table, "fill", argument.fill);
    if (argument.compares_sum) add(table, "compare", "sum");
    if (!argument.tolerance.empty())
      add(table, "tolerance", argument.tolerance, "a guess: the error that rounding may make");
    if (!argument.reference_type.empty())
      add(table, "reference_type", argument.reference_type, "as the reference has it");
    if (argument.nondeterministic) add_true(table, "nondeterministic", "blocks add in the order in which they end");
  }

  // Returns a plain number as it is, and everything else as an expression in quotes.
  static std::string real(const std::string& text) {
    const bool number = text.find_first_not_of("0123456789.e-+") == std::string::npos &&
                        std::isdigit(static_cast<unsigned char>(text.front()));
    return number ? text : quoted(text);
  }

  void add_temporary(const ArgumentDraft& argument) {
    line("");
    comment("memory between two launches");
    line("[temporaries.{}]", argument.name);
    add(keys::temporary, "type", argument.type);
    add(keys::temporary, "shape", argument.shape);
    if (argument.role == "inout") add_true(keys::temporary, "zero");
  }

  void add_launch(const LaunchDraft& launch, const char* key) {
    line("");
    for (const std::string& text : launch.comments) comment(text);
    line("[[{}]]", key);
    const KeyTable& table = keys::launch;
    add(table, "kernel", launch.kernel);
    add(table, "grid", launch.grid);
    add(table, "block", launch.block);
    if (!launch.shared.empty() && launch.shared != "0") add(table, "shared", launch.shared);
    if (launch.cooperative) add_true(table, "cooperative");
    add(table, "arguments", launch.arguments);
  }

  void reference() {
    line("");
    if (draft_.reference.source.empty()) {
      comment(
          "What is right: the kernel's own result at the default configuration. So a mistake that all configurations "
          "share is not found. A reference finds it, as a kernel or as a function (MANIFEST.md, [reference]):");
      std::vector<std::string> names;
      for (const ArgumentDraft& argument : draft_.arguments)
        if (!argument.temporary && argument.symbol.empty()) names.push_back(argument.name);
      line("#   source = \"reference.cpp\"  # extern \"C\" void reference(…): pointers and scalars");
      line("#   function = \"reference\"");
      line("#   arguments = {}", quoted_list(names));
      line("[reference]");
      add_true(keys::reference, "default_configuration");
      return;
    }
    line("[reference]");
    add(keys::reference, "source", draft_.reference.source);
    if (draft_.reference.function.empty()) {
      for (const LaunchDraft& launch : draft_.reference.launches) add_launch(launch, "reference.launches");
      return;
    }
    add(keys::reference, "function", draft_.reference.function);
    add(keys::reference, "arguments", draft_.reference.arguments);
  }

  // Adds a comment that shows the table [work], for nothing in a source says what is in it.
  void work() {
    line("");
    comment(
        "What one run has to do at least. With it, results are held against what the device can do (`warptune roofs`, "
        "`warptune explain`):");
    line("#   [work]");
    line("#   flops = \"…\"  # operations, as 2 * M * N * K; \"0\" for none");
    line("#   bytes = \"…\"  # from and to the device's memory, each byte once");
  }

  const Draft& draft_;
  const std::string& schema_;
  std::string out_;
};

}  // namespace

std::string write_manifest(const Draft& draft, const std::string& schema) {
  return Writer(draft, schema).run();
}

}  // namespace warptune::tuner::draft
