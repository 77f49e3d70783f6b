// Declares the client of a cache of machine code that machines share. The entries lie under their keys behind any HTTP
// server that answers GET and PUT (nginx with WebDAV, bazel-remote, front ends of S3), as ccache and sccache use them.
// Rejected: a server of our own, for sites have one; a shared folder, for then every node could change every other's
// code. README.md describes the entry.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "tuner/measure/cache/cache_options.h"
#include "tuner/system/http_client.h"

namespace warptune::tuner {

// `shared_entry` returns an entry in the server's format; `bytes_of_shared_entry` reads it. The latter returns nothing,
// and the reason in `why_not`, if there is no valid entry under this key.
std::string shared_entry(const std::string& key, std::string_view bytes);
std::optional<std::string> bytes_of_shared_entry(const std::string& key, std::string_view entry, std::string& why_not);

// Reads and writes entries on the server. At worst it costs time: an absent, slow or lying server is a miss. After
// `most_failures_in_a_row` failures, or `most_failures` in all, this object does not ask the server again. The class is
// safe with many threads.
class SharedCache {
 public:
  static constexpr int most_failures_in_a_row = 3;
  static constexpr int most_failures = 8;

  // Throws std::invalid_argument for an invalid address.
  explicit SharedCache(SharedCacheOptions options);
  ~SharedCache();  // sends what waits, within the time limit of one entry
  SharedCache(const SharedCache&) = delete;
  SharedCache& operator=(const SharedCache&) = delete;

  // `key` is a SHA-256 in hexadecimal digits.
  std::optional<std::string> get(const std::string& key);
  // Queues an entry, which a separate thread sends. The entry is dropped if too many others wait.
  void put(const std::string& key, std::string_view bytes);
  // Waits until all is sent, for `patience_ms` at most.
  void flush(int patience_ms);

  bool left_alone() const;
  // Returns what the user should hear: a sentence for each kind of trouble, by a name of the kind.
  std::map<std::string, std::string> notices() const;

 private:
  struct Outgoing {
    std::string key, entry;
  };
  void send(const std::stop_token& stop);
  void send_one(const Outgoing& outgoing);
  void succeeded();
  void failed(const std::string& what);
  void tell(const std::string& kind, std::string text);

  SharedCacheOptions options_;
  HttpClient client_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Outgoing> outgoing_;
  bool sending_ = false;
  int failures_in_a_row_ = 0, failures_ = 0;
  bool left_alone_ = false, writable_ = true;
  std::map<std::string, std::string> notices_;
  std::jthread sender_;  // last: it uses all of the above
};

}  // namespace warptune::tuner
