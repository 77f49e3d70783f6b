// Decodes the targets of requests, and encodes parts of them.
#include "tuner/program/serve/http.h"

#include <fmt/format.h>

#include <charconv>

namespace warptune::tuner::serve {

namespace {

std::string value_or_empty(const std::map<std::string, std::string>& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? std::string() : found->second;
}

enum class Plus { is_space, is_itself };

std::optional<std::string> decoded(std::string_view text, Plus plus) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i] == '+' && plus == Plus::is_space ? ' ' : text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2 || value == 0) return std::nullopt;
    result += static_cast<char>(value);
    i += 2;
  }
  return result;
}

bool add_parameter(Request& request, std::string_view pair) {
  const std::size_t equals = std::min(pair.find('='), pair.size());
  const auto name = decoded(pair.substr(0, equals), Plus::is_space);
  const auto value = decoded(pair.substr(std::min(equals + 1, pair.size())), Plus::is_space);
  if (!name || !value) return false;
  const auto [known, added] = request.query.emplace(*name, *value);
  if (!added) known->second += ',' + *value;
  return true;
}

}  // namespace

std::string Request::header(const std::string& name) const {
  return value_or_empty(headers, name);
}

std::string Request::parameter(const std::string& name) const {
  return value_or_empty(query, name);
}

std::optional<Request> parse_target(std::string_view target) {
  Request request;
  const std::size_t mark = std::min(target.find('?'), target.size());
  const auto path = decoded(target.substr(0, mark), Plus::is_itself);
  if (!path || path->empty() || path->front() != '/') return std::nullopt;
  request.path = *path;
  std::string_view rest = target.substr(std::min(mark + 1, target.size()));
  request.query_text = rest;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    if (end > 0 && !add_parameter(request, rest.substr(0, end))) return std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return request;
}

std::string url_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

}  // namespace warptune::tuner::serve
