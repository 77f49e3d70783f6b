// Decides on calls by the parameters of the source's own functions and by the names of CUDA's and the C library's
// functions, and on statements by keywords and signs.
#include "tuner/kernel/draft/facts/host_writes.h"

#include <algorithm>
#include <set>

#include "tuner/kernel/draft/expressions/statements.h"

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

bool is_at(TokenSpan tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at].is(text);
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

std::vector<ControlledCode> controlled_code(TokenSpan body) {
  std::vector<ControlledCode> result;
  for (std::size_t at = 0; at < body.size(); ++at) {
    const bool is_loop = body[at].is("for") || body[at].is("while");
    ControlledCode code{.is_loop = is_loop};
    if (body[at].is("else") || body[at].is("do")) {
      code.is_loop = body[at].is("do");
      code.header = code.begin = at + 1;
    } else if (is_loop || body[at].is("if") || body[at].is("switch")) {
      const std::size_t open = is_at(body, at + 1, "constexpr") ? at + 2 : at + 1;
      const std::size_t close = is_at(body, open, "(") ? closing(body, open) : body.size();
      if (close >= body.size()) continue;
      code.header = open + 1;
      code.begin = close + 1;
      if (body[at].is("if")) code.condition = body.subspan(open + 1, close - open - 1);
    } else {
      continue;
    }
    code.end = std::min(behind_statement(body, code.begin), body.size());
    result.push_back(code);
  }
  return result;
}

bool is_step(TokenSpan tokens, std::size_t at) {
  return (is_at(tokens, at, "+") && is_at(tokens, at + 1, "+")) ||
         (is_at(tokens, at, "-") && is_at(tokens, at + 1, "-"));
}

bool is_compound_assignment(TokenSpan tokens, std::size_t at) {
  for (const char* sign : {"+", "-", "*", "/", "%", "&", "|", "^"})
    if (is_at(tokens, at, sign) && is_at(tokens, at + 1, "=")) return true;
  for (const char* sign : {"<", ">"})
    if (is_at(tokens, at, sign) && is_at(tokens, at + 1, sign) && is_at(tokens, at + 2, "=")) return true;
  return false;
}

std::set<std::string> assigned_names(TokenSpan tokens) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].kind != SourceToken::Kind::word) continue;
    const bool is_stepped_before = at > 1 && is_step(tokens, at - 2);
    if (!is_at(tokens, at + 1, "=") && !is_compound_assignment(tokens, at + 1) && !is_step(tokens, at + 1) &&
        !is_stepped_before)
      continue;
    const bool is_member = at > 1 && tokens[at - 1].is(".");
    names.insert((is_member ? tokens[at - 2].text + "." : "") + tokens[at].text);
  }
  return names;
}

}  // namespace warptune::tuner::draft
