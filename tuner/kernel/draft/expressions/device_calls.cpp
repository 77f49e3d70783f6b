// Appends the bodies of the called functions to a kernel's body.
// Rejected: a summary of each function, for indices are made of what the caller hands over.
#include "tuner/kernel/draft/expressions/device_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tuner/kernel/draft/expressions/declarations.h"
#include "tuner/kernel/draft/expressions/function_macros.h"

namespace warptune::tuner::draft {

namespace {

struct DeviceFunction {
  TokenSpan list;                     // of parameters, as written
  std::vector<TokenSpan> parameters;  // one by one
  std::vector<FunctionParameter> read;
  std::vector<SourceToken> body;
};

// Returns the device functions that take a pointer, by name. A name that several of them have has no function.
std::map<std::string, std::optional<DeviceFunction>> functions_of(const SourceOutline& outline) {
  std::map<std::string, std::optional<DeviceFunction>> functions;
  for (const SourceItem& item : outline.items) {
    if (item.kind != SourceItem::Kind::function || !item.is_definition || !contains_word(item.head, "__device__"))
      continue;
    DeviceFunction function{item.parameters, split_at_commas(item.parameters, true), read_parameters(item.parameters),
                            with_macros_expanded(item.body, outline)};
    if (std::ranges::none_of(function.read, [](const FunctionParameter& any) { return any.pointers > 0; })) continue;
    const auto [known, is_new] = functions.emplace(item.name, std::move(function));
    if (!is_new) known->second.reset();
  }
  return functions;
}

class CallFollower {
 public:
  explicit CallFollower(const SourceOutline& outline) : functions_(functions_of(outline)) {}

  std::vector<SourceToken> run(std::vector<SourceToken> body) {
    if (functions_.empty()) return body;
    append(std::move(body), 4);
    return std::move(result_);
  }

 private:
  static constexpr std::size_t most_tokens = 100'000;

  using Tokens = std::vector<SourceToken>;

  void append(const Tokens& body, int depth) {
    std::vector<Tokens> called;
    const Tokens own = without_calls(body, depth, called);
    result_.insert(result_.end(), own.begin(), own.end());
    for (const Tokens& other : called) append(other, depth - 1);
  }

  // Returns the body with its calls as append_call writes them, and adds the bodies of the called functions to
  // `called`. Inner calls come first: f(g(in), i).
  Tokens without_calls(TokenSpan body, int depth, std::vector<Tokens>& called) {
    Tokens out;
    for (std::size_t at = 0; at < body.size(); ++at) {
      out.push_back(body[at]);
      const auto function = functions_.find(body[at].text);
      const std::size_t open = at + 1;
      const bool is_call = function != functions_.end() && function->second && open < body.size() &&
                           body[open].is("(") && depth > 0 && result_.size() < most_tokens;
      const std::size_t close = is_call ? closing(body, open) : body.size();
      if (close >= body.size()) continue;
      std::vector<Tokens> arguments;
      for (const TokenSpan argument : split_at_commas(body.subspan(open + 1, close - open - 1)))
        arguments.push_back(without_calls(argument, depth, called));
      if (arguments.size() != function->second->read.size()) continue;
      append_call(*function->second, body[open], arguments, body[close], out);
      called.push_back(body_of(*function->second, function->first, arguments));
      at = close;
    }
    return out;
  }

  // Appends the call with 0 for each pointer: f(0, i). The function's body, which is appended later, has the pointers.
  static void append_call(const DeviceFunction& function, const SourceToken& open, const std::vector<Tokens>& arguments,
                          const SourceToken& close, Tokens& out) {
    out.push_back(open);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) out.push_back({.text = ",", .line = open.line});
      if (function.read[i].pointers > 0)
        out.push_back({SourceToken::Kind::number, "0", open.line});
      else
        out.insert(out.end(), arguments[i].begin(), arguments[i].end());
    }
    out.push_back(close);
  }

  // Returns the function's body in a block that first declares the parameters: { TYPE p#f1 = argument; … }.
  std::vector<SourceToken> body_of(const DeviceFunction& function, const std::string& name,
                                   const std::vector<Tokens>& arguments) {
    const std::string mark = fmt::format("#{}{}", name, ++calls_);
    const std::set<std::string> names = declared_names(function.list, function.body);
    const auto append_renamed = [&](TokenSpan tokens, std::vector<SourceToken>& out) {
      for (std::size_t at = 0; at < tokens.size(); ++at) {
        out.push_back(tokens[at]);
        const bool is_member = at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("->"));
        if (!is_member && names.contains(tokens[at].text)) out.back().text += mark;
      }
    };
    std::vector<SourceToken> out = {{.text = "{"}};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const int line = arguments[i].empty() ? 0 : arguments[i].front().line;
      TokenSpan declared = function.parameters[i];  // float p[] is float* p
      if (const auto bracket =
              std::ranges::find_if(declared, [](const SourceToken& token) { return token.is("[") || token.is("="); });
          bracket != declared.end())
        declared = declared.first(static_cast<std::size_t>(bracket - declared.begin()));
      append_renamed(declared, out);
      out.push_back({.text = "=", .line = line});
      out.insert(out.end(), arguments[i].begin(), arguments[i].end());
      out.push_back({.text = ";", .line = line});
    }
    append_renamed(function.body, out);
    out.push_back({.text = "}"});
    return out;
  }

  const std::map<std::string, std::optional<DeviceFunction>> functions_;
  std::vector<SourceToken> result_;
  int calls_ = 0;
};

}  // namespace

std::vector<SourceToken> with_calls_followed(std::vector<SourceToken> body, const SourceOutline& outline) {
  return CallFollower(outline).run(std::move(body));
}

}  // namespace warptune::tuner::draft
