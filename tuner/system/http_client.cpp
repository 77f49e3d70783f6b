// Sends and receives over sockets that are polled with what is left of the time.
#include "tuner/system/http_client.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace warptune::tuner {

namespace {

namespace beast = boost::beast;

// No cache entry of ours has more bytes.
constexpr std::uint64_t most_body_bytes = std::uint64_t{1} << 28;

[[noreturn]] void fail(const std::string& attempted) {
  throw std::system_error(errno, std::generic_category(), attempted);
}

void send_all(int socket, std::string_view bytes, const Deadline& deadline, const std::string& attempted) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    else if (errno == EAGAIN)
      wait_for_socket(socket, POLLOUT, deadline, attempted);
    else if (errno != EINTR)
      fail(attempted);
  }
}

// Returns how many bytes came; 0 at the connection's end.
std::size_t receive(int socket, void* bytes, std::size_t room, const Deadline& deadline, const std::string& attempted) {
  for (;;) {
    const ssize_t got = recv(socket, bytes, room, 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN)
      wait_for_socket(socket, POLLIN, deadline, attempted);
    else if (errno != EINTR)
      fail(attempted);
  }
}

using AnswerParser = beast::http::response_parser<beast::http::string_body>;

// Parses the head alone first. There the parser compares the length that a server names with the limit. A parser that
// may go on at once (eager) forgets what it found (Boost 1.74), and reserves the length, whatever it is.
void parse(AnswerParser& parser, beast::flat_buffer& buffer, beast::error_code& error) {
  if (!parser.is_header_done()) {
    buffer.consume(parser.put(buffer.data(), error));
    if (error || !parser.is_header_done()) return;
    parser.eager(true);
  }
  if (buffer.size() > 0 && !parser.is_done()) buffer.consume(parser.put(buffer.data(), error));
}

HttpAnswer read_answer(int socket, const Deadline& deadline, const std::string& attempted) {
  constexpr std::size_t step = 65536;
  AnswerParser parser;
  parser.body_limit(most_body_bytes);
  beast::flat_buffer buffer;
  while (!parser.is_done()) {
    const auto room = buffer.prepare(step);
    const std::size_t got = receive(socket, room.data(), room.size(), deadline, attempted);
    buffer.commit(got);
    beast::error_code error;
    if (got == 0)
      parser.put_eof(error);
    else
      parse(parser, buffer, error);
    if (error == beast::http::error::need_more) error = {};
    if (error) throw std::runtime_error(fmt::format("{}: {}", attempted, error.message()));
    if (got == 0) break;
  }
  auto& message = parser.get();
  return {message.result_int(), std::string(message.reason()), std::move(message.body())};
}

[[noreturn]] void refuse(const std::string& url, const char* why) {
  throw std::invalid_argument(
      fmt::format("'{}' is no address of a shared cache: {}; expected http://HOST[:PORT][/PATH]", url, why));
}

bool is_clean(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

HttpAddress parse_http_address(const std::string& url) {
  constexpr std::string_view scheme = "http://";
  if (url.starts_with("https://"))
    refuse(url, "this program has no TLS; let a proxy on this machine, as nginx or stunnel, speak it for http");
  if (!url.starts_with(scheme)) refuse(url, "it does not begin with http://");
  if (!is_clean(url)) refuse(url, "it has spaces or characters that are not ASCII's");
  std::string rest = url.substr(scheme.size());
  if (rest.find_first_of("?#") != std::string::npos) refuse(url, "names of entries are appended, behind ? and # too");
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  HttpAddress address{rest.substr(0, slash), "80", rest.substr(slash)};
  while (address.path.ends_with('/')) address.path.pop_back();
  if (address.host.find('@') != std::string::npos)
    refuse("http://…@…", "passwords belong into WARPTUNE_CACHE_LOGIN, since others see command lines");
  const std::size_t bracket = address.host.rfind(']'), colon = address.host.rfind(':');
  if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
    address.port = address.host.substr(colon + 1);
    address.host.resize(colon);
  }
  if (address.host.starts_with('[') && address.host.ends_with(']'))
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host.empty()) refuse(url, "it names no host");
  if (address.port.empty() || address.port.find_first_not_of("0123456789") != std::string::npos)
    refuse(url, "its port is no number");
  return address;
}

HttpClient::HttpClient(const std::string& url, std::string authorization)
    : address_(parse_http_address(url)),
      server_(address_.host, address_.port),
      authorization_(std::move(authorization)) {
  if (authorization_.find_first_of("\r\n") != std::string::npos)
    throw std::invalid_argument("the shared cache's token or login has a line break, which no header may have");
}

std::string HttpClient::head(std::string_view method, const std::string& name) const {
  const bool is_v6 = address_.host.find(':') != std::string::npos;
  std::string text =
      fmt::format("{} {}/{} HTTP/1.1\r\nHost: {}{}{}:{}\r\nUser-Agent: warptune\r\nConnection: close\r\n", method,
                  address_.path, name, is_v6 ? "[" : "", address_.host, is_v6 ? "]" : "", address_.port);
  if (!authorization_.empty()) text += "Authorization: " + authorization_ + "\r\n";
  return text;
}

HttpAnswer HttpClient::exchange(const std::string& head, std::string_view body, int patience_ms) {
  const std::string server = fmt::format("{}:{}", address_.host, address_.port);
  const Deadline deadline = Deadline::in_ms(patience_ms);
  const FileDescriptor socket = server_.connect(deadline);
  send_all(socket.get(), head, deadline, "asking " + server);
  try {
    send_all(socket.get(), body, deadline, "sending to " + server);
  } catch (const std::system_error& error) {
    // A server that refuses may answer and close before it has read all. The answer says more than this error.
    if (error.code() != std::errc::broken_pipe && error.code() != std::errc::connection_reset) throw;
  }
  return read_answer(socket.get(), deadline, "waiting for the answer of " + server);
}

HttpAnswer HttpClient::get(const std::string& name, int patience_ms) {
  return exchange(head("GET", name) + "\r\n", {}, patience_ms);
}

HttpAnswer HttpClient::put(const std::string& name, std::string_view body, int patience_ms) {
  const std::string text = head("PUT", name) + fmt::format(
                                                   "Content-Type: application/octet-stream\r\n"
                                                   "Content-Length: {}\r\n\r\n",
                                                   body.size());
  return exchange(text, body, patience_ms);
}

}  // namespace warptune::tuner
