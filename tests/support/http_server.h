// An HTTP server for tests, on a free port of this machine: keeps what is put, gives it to whoever gets it, and
// misbehaves when told to.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace warptune {

class HttpServer {
 public:
  HttpServer();
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // By path, "/…".
  std::map<std::string, std::string> files() const;
  void set(const std::string& path, const std::string& content);
  void set_all(const std::string& content);
  void clear();

  int gets() const { return gets_; }
  int puts() const { return puts_; }

  // Set before requests come.
  std::atomic<int> get_status{0}, put_status{0};  // answered with, whatever is asked; 0: as it should be
  std::atomic<bool> silent{false};                // takes requests and never answers
  std::atomic<bool> cuts_answers{false};          // closes in the middle of a body
  std::atomic<std::size_t> claims_length{0};      // what a body's length is said to be; 0: what it is
  std::string authorization;                      // what requests must bring; empty: nothing

 private:
  void serve();
  void answer(int socket);

  int listening_ = -1, port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> gets_{0}, puts_{0};
  mutable std::mutex mutex_;
  std::map<std::string, std::string> files_;
  std::vector<std::jthread> answering_;
  std::jthread accepting_;
};

}  // namespace warptune
