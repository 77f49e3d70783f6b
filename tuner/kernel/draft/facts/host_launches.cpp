// Finds launches by <<< and by the names of the launch functions, and sorts them by their place.
#include <algorithm>

#include "tuner/kernel/draft/facts/source_facts.h"

namespace warptune::tuner::draft {

namespace {

// Returns the index of the `<` of k<T>, given that of its `>`; the same index if there is none.
std::size_t template_begin(TokenSpan body, std::size_t end) {
  int depth = 0;
  for (std::size_t at = end + 1; at-- > 0;) {
    depth += body[at].is(">") - body[at].is("<");
    if (depth == 0) return at;
    if (body[at].is(";") || body[at].is("{")) break;
  }
  return end;
}

bool within_loop(TokenSpan body, std::size_t place) {
  for (std::size_t at = 0; at < place; ++at) {
    if (!body[at].is("for") && !body[at].is("while")) continue;
    const std::size_t header = closing(body, at + 1);
    if (header + 1 >= body.size()) continue;
    std::size_t end = header + 1;
    if (body[end].is("{")) {
      end = closing(body, end);
    } else {
      while (end < body.size() && !body[end].is(";")) ++end;
    }
    if (header < place && place < end) return true;
  }
  return false;
}

// Reads launches of the form kernel<T><<<grid, block, shared>>>(arguments).
void read_chevrons(const SourceItem& function, std::vector<HostLaunch>& launches) {
  const TokenSpan body = function.body;
  const auto three = [&](std::size_t at, std::string_view sign) {
    return at + 2 < body.size() && body[at].is(sign) && body[at + 1].is(sign) && body[at + 2].is(sign);
  };
  for (std::size_t at = 1; at < body.size(); ++at) {
    if (!three(at, "<")) continue;
    std::size_t end = at + 3;
    for (; end < body.size() && !three(end, ">") && !body[end].is(";"); ++end)
      if (body[end].is("(") || body[end].is("{")) end = closing(body, end);
    if (!three(end, ">") || end + 3 >= body.size() || !body[end + 3].is("(")) continue;
    HostLaunch launch{.line = body[at].line, .function = &function, .place = at};
    std::size_t name = at - 1;
    if (body[name].is(">")) {
      const std::size_t open = template_begin(body, name);
      if (open == 0 || open == name) continue;
      launch.templates = body.subspan(open + 1, name - open - 1);
      name = open - 1;
    }
    launch.kernel = body[name].text;
    launch.configuration = split_arguments(body.subspan(at + 3, end - at - 3));
    const std::size_t close = closing(body, end + 3);
    launch.arguments = body.subspan(end + 4, std::min(close, body.size()) - end - 4);
    launch.in_loop = within_loop(body, at);
    launches.push_back(launch);
    at = std::min(close, body.size());
  }
}

// Returns the index of the last value that `name` gets before `end`: the index behind `=`, or that of `{`. The two
// brackets of an array may stand behind the name. Returns the body's size if there is no value.
std::size_t last_value(TokenSpan body, const std::string& name, std::size_t end) {
  for (std::size_t at = end; at-- > 0;) {
    if (!body[at].is(name)) continue;
    std::size_t next = at + 1;
    if (next + 1 < body.size() && body[next].is("[") && body[next + 1].is("]")) next += 2;
    if (next + 1 < body.size() && body[next].is("=")) return next + 1;
    if (next < body.size() && body[next].is("{")) return next;
  }
  return body.size();
}

TokenSpan braced_list(TokenSpan body, std::size_t open) {
  if (open >= body.size() || !body[open].is("{")) return {};
  const std::size_t close = closing(body, open);
  return close < body.size() ? body.subspan(open + 1, close - open - 1) : TokenSpan();
}

// Returns the last value before `end` of a member of the configuration: config.gridDim = …; or { .gridDim = … }. Where
// the member's own members are set one by one, it returns the member itself.
TokenSpan member_of_config(TokenSpan body, const std::string& member, std::size_t end) {
  for (std::size_t at = end; at-- > 1;) {
    if (!body[at].is(member) || !body[at - 1].is(".") || at + 1 >= body.size()) continue;
    if (body[at + 1].is(".")) return body.subspan(at, 1);
    if (!body[at + 1].is("=")) continue;
    std::size_t stop = at + 2;
    for (; stop < end && !body[stop].is(";") && !body[stop].is(",") && !body[stop].is("}"); ++stop)
      if (body[stop].is("(") || body[stop].is("{")) stop = closing(body, stop);
    return body.subspan(at + 2, std::min(stop, end) - at - 2);
  }
  return {};
}

std::vector<TokenSpan> configuration_of(TokenSpan body, const std::string& config, std::size_t end) {
  const TokenSpan list = braced_list(body, last_value(body, config, end));
  if (!list.empty() && !list.front().is(".") && list.size() > 1) {
    auto parts = split_at_commas(list);
    if (parts.size() > 3) parts.resize(3);
    return parts;
  }
  std::vector<TokenSpan> parts;
  for (const char* member : {"gridDim", "blockDim", "dynamicSmemBytes"})
    parts.push_back(member_of_config(body, member, end));
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

// Sets the kernel's name and the template's values from (void*)kernel<256>, &kernel or kernel.
void set_kernel(TokenSpan written, HostLaunch& launch) {
  if (!written.empty() && written.front().is("(")) {
    const std::size_t close = closing(written, 0);
    if (close + 1 < written.size()) written = written.subspan(close + 1);
  }
  if (!written.empty() && written.front().is("&")) written = written.subspan(1);
  if (written.empty()) return;
  launch.kernel = written.front().text;
  if (written.size() > 3 && written[1].is("<") && written.back().is(">"))
    launch.templates = written.subspan(2, written.size() - 3);
}

// Sets the launch's arguments to the variables whose addresses an array holds: { &n, &x, &y }.
void set_arguments(TokenSpan addresses, HostLaunch& launch) {
  auto variables = std::make_shared<std::vector<SourceToken>>();
  for (const SourceToken& token : addresses)
    if (!token.is("&")) variables->push_back(token);
  // The casts of addresses, as in (void*)&n, are left out.
  std::vector<SourceToken> bare;
  for (std::size_t at = 0; at < variables->size(); ++at) {
    const std::size_t close = (*variables)[at].is("(") ? closing(*variables, at) : at;
    if (close > at && close < variables->size() && (*variables)[close - 1].is("*"))
      at = close;
    else
      bare.push_back((*variables)[at]);
  }
  *variables = std::move(bare);
  launch.arguments = *variables;
  launch.own_tokens = std::move(variables);
}

void read_call(const SourceItem& function, std::size_t at, std::vector<HostLaunch>& launches) {
  const TokenSpan body = function.body;
  const std::size_t close = closing(body, at + 1);
  if (close >= body.size()) return;
  const auto parts = split_at_commas(body.subspan(at + 2, close - at - 2), true);
  HostLaunch launch{.line = body[at].line, .function = &function, .place = at, .in_loop = within_loop(body, at)};
  if (body[at].is("cudaLaunchKernelEx")) {
    if (parts.size() < 2 || parts[0].empty()) return;
    launch.configuration = configuration_of(body, parts[0].back().text, at);
    set_kernel(parts[1], launch);
    if (parts.size() > 2)
      launch.arguments = body.subspan(static_cast<std::size_t>(parts[2].data() - body.data()),
                                      close - static_cast<std::size_t>(parts[2].data() - body.data()));
  } else {
    if (parts.size() < 4 || parts[3].empty()) return;
    set_kernel(parts[0], launch);
    launch.configuration = {parts[1], parts[2]};
    if (parts.size() > 4) launch.configuration.push_back(parts[4]);
    launch.cooperative = body[at].is("cudaLaunchCooperativeKernel");
    set_arguments(braced_list(body, last_value(body, parts[3].back().text, at)), launch);
  }
  launches.push_back(std::move(launch));
}

}  // namespace

void read_launches(const SourceItem& function, std::vector<HostLaunch>& launches) {
  const auto before = static_cast<std::ptrdiff_t>(launches.size());
  read_chevrons(function, launches);
  for (std::size_t at = 0; at + 1 < function.body.size(); ++at) {
    const SourceToken& token = function.body[at];
    if (!function.body[at + 1].is("(")) continue;
    if (token.is("cudaLaunchKernel") || token.is("cudaLaunchCooperativeKernel") || token.is("cudaLaunchKernelEx"))
      read_call(function, at, launches);
  }
  std::sort(launches.begin() + before, launches.end(),
            [](const HostLaunch& a, const HostLaunch& b) { return a.place < b.place; });
}

}  // namespace warptune::tuner::draft
