#include "tests/support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace warptune {

namespace {

// The header's value; empty if there is none.
std::string header(const std::string& head, const std::string& name) {
  const std::size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

struct Asked {
  std::string method, path, head, body;
};

Asked read_request(int socket) {
  std::string text;
  std::array<char, 65536> buffer{};
  const auto more = [&] {
    const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  };
  while (text.find("\r\n\r\n") == std::string::npos && more()) {
  }
  const std::size_t head_end = text.find("\r\n\r\n");
  if (head_end == std::string::npos) return {};
  Asked asked{"", "", text.substr(0, head_end + 2), ""};
  const std::string length = header(asked.head, "Content-Length");
  const std::size_t bytes = length.empty() ? 0 : std::stoul(length);
  while (text.size() < head_end + 4 + bytes && more()) {
  }
  asked.body = text.substr(head_end + 4);
  const std::size_t space = text.find(' ');
  asked.method = text.substr(0, space);
  asked.path = text.substr(space + 1, text.find(' ', space + 1) - space - 1);
  return asked;
}

void say(int socket, int status, const std::string& body, bool cut, std::size_t claimed = 0) {
  const std::string text = "HTTP/1.1 " + std::to_string(status) +
                           " Said\r\nContent-Length: " + std::to_string(claimed == 0 ? body.size() : claimed) +
                           "\r\nConnection: close\r\n\r\n" + (cut ? body.substr(0, body.size() / 2) : body);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t sent = send(socket, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (sent <= 0) return;
    at += static_cast<std::size_t>(sent);
  }
}

}  // namespace

HttpServer::HttpServer() : listening_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listening_, 128) != 0 ||
      getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error(std::string("the test's HTTP server cannot listen: ") + std::strerror(errno));
  port_ = ntohs(address.sin_port);
  accepting_ = std::jthread([this] { serve(); });
}

HttpServer::~HttpServer() {
  stop_ = true;
  accepting_.join();
  answering_.clear();
  close(listening_);
}

void HttpServer::serve() {
  while (!stop_) {
    pollfd polled{listening_, POLLIN, 0};
    if (poll(&polled, 1, 20) <= 0) continue;
    const int socket = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0)
      answering_.emplace_back([this, socket] {
        answer(socket);
        close(socket);
      });
  }
}

void HttpServer::answer(int socket) {
  const Asked asked = read_request(socket);
  ++(asked.method == "PUT" ? puts_ : gets_);
  while (silent && !stop_) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (silent) return;
  if (!authorization.empty() && header(asked.head, "Authorization") != authorization)
    return say(socket, 401, "", false);
  const bool puts = asked.method == "PUT";
  if (const int status = puts ? put_status : get_status; status != 0) return say(socket, status, "refused", false);
  std::unique_lock lock(mutex_);
  if (puts) {
    files_[asked.path] = asked.body;
    lock.unlock();
    return say(socket, 201, "", false);
  }
  const auto found = files_.find(asked.path);
  const std::string body = found == files_.end() ? "nothing" : found->second;
  const int status = found == files_.end() ? 404 : 200;
  lock.unlock();
  say(socket, status, body, cuts_answers && status == 200, claims_length);
}

std::map<std::string, std::string> HttpServer::files() const {
  const std::lock_guard lock(mutex_);
  return files_;
}

void HttpServer::set(const std::string& path, const std::string& content) {
  const std::lock_guard lock(mutex_);
  files_[path] = content;
}

void HttpServer::set_all(const std::string& content) {
  const std::lock_guard lock(mutex_);
  for (auto& [path, file] : files_) file = content;
}

void HttpServer::clear() {
  const std::lock_guard lock(mutex_);
  files_.clear();
}

}  // namespace warptune
