// Writes the findings in columns of fixed width.
#include "tuner/program/doctor/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "search/plain_text.h"
#include "tuner/results/report/text/wrap.h"

namespace warptune::tuner::doctor {

namespace {

constexpr std::size_t status_columns = 9, check_columns = 11, indent = 2 + status_columns + check_columns;

const char* name_of(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warning:
      return "warning";
    default:
      return "error";
  }
}

std::string coloured(Health health, bool colour) {
  const std::string padded = fmt::format("{:<{}}", name_of(health), status_columns);
  if (!colour) return padded;
  const int code = health == Health::ok ? 32 : health == Health::warning ? 33 : 31;
  return fmt::format("\033[{}m{}\033[0m", code, padded);
}

// Appends the text behind `before`, which fills the columns to its left.
void append(std::string& out, const std::string& text, const Page& page, const std::string& before) {
  out += before + wrapped_text(search::printable(text, search::Lines::escape), page.columns, indent) + '\n';
}

}  // namespace

std::string render(const Diagnosis& diagnosis, const Page& page) {
  std::string out, part;
  for (const Line& line : diagnosis.lines) {
    if (line.part != part) out += line.part + '\n';
    part = line.part;
    const Finding& finding = line.finding;
    append(out, finding.what, page,
           fmt::format("  {}{:<{}}", coloured(finding.health, page.colour), line.check, check_columns));
    if (finding.remedy.empty()) continue;
    append(out, "-> " + finding.remedy, page, std::string(indent, ' '));
  }
  return out;
}

std::string conclusion(const Diagnosis& diagnosis) {
  const int errors = diagnosis.count(Health::error), warnings = diagnosis.count(Health::warning);
  const std::string counts =
      fmt::format("{} error{}, {} warning{}", errors, errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
  if (diagnosis.usable.empty())
    return fmt::format("Tuning is not possible: no backend ran a kernel ({}). Mend the first error above.", counts);
  if (!diagnosis.machine_is_fit())
    return fmt::format("Kernels run on {}, but nothing can be kept ({}). Mend the errors of the machine above.",
                       fmt::join(diagnosis.usable, " and "), counts);
  return fmt::format("Tuning is possible on {} ({}).", fmt::join(diagnosis.usable, " and "), counts);
}

Table table_of(const Diagnosis& diagnosis) {
  Table table({"part", "check", "status", "finding", "remedy"});
  for (const Line& line : diagnosis.lines)
    table.add({line.part, line.check, std::string(name_of(line.finding.health)), line.finding.what,
               line.finding.remedy.empty() ? Cell() : Cell(line.finding.remedy)});
  return table;
}

}  // namespace warptune::tuner::doctor
