// Decides by the parameters of the source's own functions, and by the names of CUDA's and the C library's functions.
#include "tuner/kernel/draft/host_writes.h"

#include <algorithm>
#include <set>

namespace warptune::tuner::draft {

namespace {

// Returns for each parameter of a function in the source whether it is a pointer or reference that may be written
// through.
std::vector<bool> written_parameters(const SourceFacts& facts, const std::string& name) {
  std::vector<bool> result;
  for (const SourceItem& item : facts.host.functions())
    if (item.name == name)
      for (const FunctionParameter& parameter : read_parameters(item.parameters))
        result.push_back(parameter.pointers > 0 && !parameter.is_const);
  return result;
}

// Returns whether the argument is an address, as &n and (void**)&n are.
bool is_address(TokenSpan argument) {
  const std::size_t size = argument.size();
  return size > 1 && argument[size - 2].is("&") && (size == 2 || argument[size - 3].is(")"));
}

bool only_reads(const std::string& function) {
  static const std::set<std::string> readers = {"if",
                                                "while",
                                                "for",
                                                "switch",
                                                "return",
                                                "printf",
                                                "fprintf",
                                                "fwrite",
                                                "cudaLaunchKernel",
                                                "sizeof",
                                                "cudaMemcpyToSymbol"};
  return readers.contains(function);
}

}  // namespace

std::vector<WrittenArgument> arguments_written_by(const SourceFacts& facts, TokenSpan body, std::size_t at) {
  const std::string& function = body[at].text;
  const std::size_t close = closing(body, at + 1);
  if (only_reads(function) || close >= body.size()) return {};
  const std::vector<bool> own = written_parameters(facts, function);
  auto arguments = split_arguments(body.subspan(at + 2, close - at - 2));
  if ((function.starts_with("cudaMemcpy") || function == "memcpy") && arguments.size() > 1) arguments.resize(1);
  std::vector<WrittenArgument> result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TokenSpan argument = arguments[i];
    const bool is_own = i < own.size();
    const bool is_written = is_address(argument) ? !is_own || own[i] : argument.size() == 1 && is_own && own[i];
    if (is_written && argument.back().kind == SourceToken::Kind::word)
      result.push_back({static_cast<std::size_t>(&argument.back() - body.data()), i});
  }
  return result;
}

}  // namespace warptune::tuner::draft
