// Declares a cache of files under hexadecimal keys in one folder, which any number of processes share, and the bytes by
// which it keeps a compile's result.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/device/compile/compiler.h"
#include "tuner/measure/cache/cache_options.h"

namespace warptune::tuner {

struct CacheStats {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t shared_hits = 0, shared_misses = 0;  // lookups in a shared cache since `clear`
};

// Keeps every entry as a file of its own, FOLDER/code-2/KEY's first two digits/the rest. The file holds the mark
// "WTCODE02", then the XXH3-128 of the key and of the bytes' own XXH3-128, both in hexadecimal, then the bytes. It is
// written under another name and renamed, so that a reader sees all of it or nothing. A damaged entry counts as absent
// and is deleted. An entry that belongs to another user, or that others may write, counts as absent, too. A failure (a
// full disk, no permission) costs the entry and never reaches the caller. The class is safe with many threads and
// processes.
class CodeCache {
 public:
  explicit CodeCache(CacheOptions options);

  bool enabled() const { return !options_.folder.empty(); }
  // Returns the entry's bytes. A hit makes it the most recently used entry.
  std::optional<std::string> get(const std::string& key);
  // Stores an entry. `key` is hexadecimal and has at least two digits. After the first failure this object writes no
  // more entries.
  void put(const std::string& key, std::string_view bytes);

  // Counts an answer of the shared cache for `stats`. The counts are in FOLDER/shared-cache.
  void count_shared(bool hit);

  CacheStats stats() const;
  // If there is more than the limit, deletes the least recently used entries down to four fifths of it. Only one
  // process does so at a time; the others go on.
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

std::string to_bytes(const CompileResult& result);
// Returns nothing for bytes that are no such result.
std::optional<CompileResult> compile_result_from(std::string_view bytes);

}  // namespace warptune::tuner
