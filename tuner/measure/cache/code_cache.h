// A folder of files under hexadecimal keys, shared by any number of processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/measure/cache/cache_options.h"

namespace warptune::tuner {

struct CacheStats {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t shared_hits = 0, shared_misses = 0;  // of what was asked of a shared cache, since `clear`
};

// Every entry is a file of its own, FOLDER/code-2/KEY's first two digits/the rest: the mark "WTCODE02", the XXH3-128 of
// the key and of the bytes' own XXH3-128, both in hexadecimal, the bytes. It is written beside and renamed, so that a
// reader sees all of it or nothing; a damaged one counts as absent and is deleted. One that belongs to another user, or
// that others may write, counts as absent too. Whatever fails (a full disk, no permission) costs the entry, never the
// caller. Safe with many threads and processes.
class CodeCache {
 public:
  explicit CodeCache(CacheOptions options);

  bool enabled() const { return !options_.folder.empty(); }
  // The entry's bytes; a hit makes it the most recently used.
  std::optional<std::string> get(const std::string& key);
  // `key` is hexadecimal, two digits at least. After the first failure nothing more is written by this object.
  void put(const std::string& key, std::string_view bytes);

  // Counts an answer of the shared cache, for `stats`; the counts are in FOLDER/shared-cache.
  void count_shared(bool hit);

  CacheStats stats() const;
  // Deletes the least recently used entries while there is more than the limit, down to four fifths of it. One process
  // at a time does so; the others go on.
  void trim();
  void clear();

 private:
  std::filesystem::path root() const;
  std::filesystem::path file(const std::string& key) const;
  std::filesystem::path counts_file() const;
  bool write(const std::filesystem::path& target, const std::string& header, std::string_view bytes);

  CacheOptions options_;
  std::atomic<bool> writable_{true};
  std::atomic<std::uint64_t> written_bytes_{0};  // since the last trim
  std::atomic<std::uint64_t> next_temporary_{0};
};

}  // namespace warptune::tuner
