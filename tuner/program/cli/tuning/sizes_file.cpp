// Reads problems line by line, and names the line in errors.
#include "tuner/program/cli/tuning/sizes_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tuner/kernel/files/named_file.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner::cli {

namespace {

// Returns "M=512,N=512" of the line "M=512, N=512 # comment".
std::string items_in(std::string line) {
  line = line.substr(0, line.find('#'));
  std::ranges::replace_if(
      line, [](char c) { return c == ',' || c == '\t' || c == '\r'; }, ' ');
  std::string list;
  for (std::size_t begin = 0; (begin = line.find_first_not_of(' ', begin)) != std::string::npos;) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    list += (list.empty() ? "" : ",") + line.substr(begin, end - begin);
    begin = end;
  }
  return list;
}

// Requires that every item has a name and a value. A line of numbers alone, or "M: 512", lacks the names of this
// template's sizes.
void require_names(const std::string& list, const KernelTemplate& kernel) {
  std::string example = search::to_text(kernel.sizes.empty() ? resolve_problem(kernel, "", {}).values() : kernel.sizes);
  std::ranges::replace(example, ',', ' ');
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    const std::size_t equals = item.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == item.size())
      throw RequestError(fmt::format("'{}': expected sizes, as {}", item, example));
    begin = end + 1;
  }
}

}  // namespace

std::vector<Problem> read_problems(const std::filesystem::path& file, const KernelTemplate& kernel) {
  std::istringstream lines(text_of_named_file(file));
  std::vector<Problem> problems, complete;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string list = items_in(std::move(line));
    if (list.empty()) continue;
    try {
      require_names(list, kernel);
      problems.push_back(parse_problem(list));
      complete.push_back(resolve_problem(kernel, "", problems.back()));
      if (std::ranges::count(complete, complete.back()) > 1) throw RequestError(list + " is there twice");
    } catch (const RequestError& error) {
      throw RequestError(fmt::format("{}, line {}: {}", file.string(), number, error.what()));
    }
  }
  if (problems.empty())
    throw RequestError(fmt::format("{}: expected problem sizes, one a line as M=512 N=512; found none", file.string()));
  return problems;
}

}  // namespace warptune::tuner::cli
