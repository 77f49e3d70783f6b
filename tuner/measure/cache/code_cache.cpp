// Reads, writes and trims the folder of entries, and converts results to CBOR; README.md has the layout and lists the
// keys.
#include "tuner/measure/cache/code_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "db/bounded_json.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sstream>
#include <tuple>
#include <vector>

#include "tuner/system/file_descriptor.h"

namespace warptune::tuner {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "WTCODE02";
constexpr std::size_t header_bytes = mark.size() + sizeof(XXH128_canonical_t);
constexpr std::string_view temporary_suffix = ".tmp";
// A process trims the folder after it has written the limit divided by this. With some tens of processes the folder
// exceeds its limit by less than the limit itself.
constexpr std::uint64_t trim_share = 64;

// Returns the head of an entry's file. The sum includes the key, so that a file under another key's name is invalid.
std::string header(const std::string& key, std::string_view bytes) {
  const XXH128_hash_t content = XXH3_128bits(bytes.data(), bytes.size());
  const std::string both = fmt::format("{}{:016x}{:016x}", key, content.high64, content.low64);
  XXH128_canonical_t sum;
  XXH128_canonicalFromHash(&sum, XXH3_128bits(both.data(), both.size()));
  return std::string(mark) + std::string(reinterpret_cast<const char*>(sum.digest), sizeof sum.digest);
}

bool is_temporary(const fs::path& file) {
  return file.extension() == temporary_suffix;
}

struct Entry {
  fs::path file;
  fs::file_time_type used;
  std::uint64_t bytes = 0;
};

std::vector<Entry> entries_below(const fs::path& root) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // another process may be deleting too
    if (!it->is_regular_file(gone) || it->path().filename() == "lock") continue;
    Entry entry{it->path(), it->last_write_time(gone), it->file_size(gone)};
    if (!gone) entries.push_back(std::move(entry));
  }
  return entries;
}

// Returns a file's content if only this user can have written it, since machine code runs with the rights of whoever
// loads it.
std::optional<std::string> own_content(const fs::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat about {};
  if (file.get() < 0 || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  if (about.st_uid != geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  std::string content(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t got = 0;
  while (got < content.size()) {
    const ssize_t n = read(file.get(), content.data() + got, content.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    got += static_cast<std::size_t>(n);
  }
  return content;
}

// Returns the hits and misses of the shared cache.
std::pair<std::uint64_t, std::uint64_t> read_counts(int file) {
  std::array<char, 64> text{};
  if (pread(file, text.data(), text.size() - 1, 0) < 0) return {0, 0};
  std::uint64_t hits = 0, misses = 0;
  std::istringstream(text.data()) >> hits >> misses;
  return {hits, misses};
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

CodeCache::CodeCache(CacheOptions options) : options_(std::move(options)) {}

// The version of the layout is part of the path, so that an older program never meets files that it cannot read.
fs::path CodeCache::root() const {
  return options_.folder / "code-2";
}

fs::path CodeCache::counts_file() const {
  return options_.folder / "shared-cache";
}

fs::path CodeCache::file(const std::string& key) const {
  return root() / key.substr(0, 2) / key.substr(2);
}

std::optional<std::string> CodeCache::get(const std::string& key) {
  if (!enabled()) return std::nullopt;
  const fs::path path = file(key);
  const auto content = own_content(path);
  if (!content) return std::nullopt;
  const std::string_view bytes = std::string_view(*content).substr(std::min(header_bytes, content->size()));
  if (content->size() < header_bytes || !content->starts_with(header(key, bytes))) {
    std::error_code ignored;
    fs::remove(path, ignored);
    return std::nullopt;
  }
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return std::string(bytes);
}

void CodeCache::put(const std::string& key, std::string_view bytes) {
  if (!enabled() || !writable_) return;
  const fs::path target = file(key);
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (!write(target, header(key, bytes), bytes)) {
    writable_ = false;
    return;
  }
  if (written_bytes_.fetch_add(bytes.size()) + bytes.size() > options_.limit_bytes / trim_share) trim();
}

bool CodeCache::write(const fs::path& target, const std::string& header, std::string_view bytes) {
  const fs::path temporary =
      fmt::format("{}.{}.{}{}", target.string(), getpid(), next_temporary_.fetch_add(1), temporary_suffix);
  const FileDescriptor stream(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  const bool written = stream.get() >= 0 && write_all(stream.get(), header) && write_all(stream.get(), bytes);
  std::error_code error;
  if (written) fs::rename(temporary, target, error);
  if (written && error && fs::is_directory(target)) {  // the target is not an entry but a folder of that name
    std::error_code ignored;
    fs::remove_all(target, ignored);
    fs::rename(temporary, target, error);
  }
  if (written && !error) return true;
  fs::remove(temporary, error);
  return false;
}

void CodeCache::count_shared(bool hit) {
  if (!enabled()) return;
  std::error_code ignored;
  fs::create_directories(options_.folder, ignored);
  const FileDescriptor file(open(counts_file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (file.get() < 0 || flock(file.get(), LOCK_EX) != 0) return;
  auto [hits, misses] = read_counts(file.get());
  ++(hit ? hits : misses);
  const std::string text = fmt::format("{:020d} {:020d}\n", hits, misses);
  if (pwrite(file.get(), text.data(), text.size(), 0) < 0) return;  // on a full disk the count is lost
}

CacheStats CodeCache::stats() const {
  CacheStats stats;
  const FileDescriptor counts(open(counts_file().c_str(), O_RDONLY | O_CLOEXEC));
  if (counts.get() >= 0) std::tie(stats.shared_hits, stats.shared_misses) = read_counts(counts.get());
  for (const Entry& entry : entries_below(root())) {
    stats.entries += !is_temporary(entry.file);
    stats.bytes += entry.bytes;
  }
  return stats;
}

void CodeCache::trim() {
  written_bytes_ = 0;
  if (!enabled()) return;
  const FileDescriptor lock(open((root() / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (lock.get() < 0 || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
  std::vector<Entry> entries = entries_below(root());
  std::ranges::sort(entries, {}, &Entry::used);
  std::uint64_t total = 0;
  for (const Entry& entry : entries) total += entry.bytes;
  const bool full = total > options_.limit_bytes;
  const auto abandoned = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const Entry& entry : entries) {
    const bool spare = full && total > options_.limit_bytes / 5 * 4;
    const bool leftover = is_temporary(entry.file) && entry.used < abandoned;  // a process that was killed left it
    if (!spare && !leftover) continue;
    std::error_code ignored;
    if (fs::remove(entry.file, ignored)) total -= entry.bytes;
  }
}

void CodeCache::clear() {
  std::error_code ignored;
  for (const char* layout : {"code-1", "code-2"}) fs::remove_all(options_.folder / layout, ignored);
  fs::remove(counts_file(), ignored);
}

namespace {

using nlohmann::json;

json::binary_t binary(const std::vector<std::byte>& bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return json::binary_t({begin, begin + bytes.size()});
}

MachineCode code_from(const json& document) {
  MachineCode code;
  const auto& bytes = document.at("code").get_binary();
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  code.bytes.assign(begin, begin + bytes.size());
  document.at("names").get_to(code.linkage_names);
  return code;
}

}  // namespace

std::string to_bytes(const CompileResult& result) {
  // A compiler's words need not be valid UTF-8 (they quote the source), so they travel as bytes.
  json document = {{"log", json::binary_t({result.log.begin(), result.log.end()})}, {"timed_out", result.timed_out}};
  if (result.code) {
    document["code"] = binary(result.code->bytes);
    document["names"] = result.code->linkage_names;
  }
  std::string bytes;
  json::to_cbor(document, bytes);
  return bytes;
}

std::optional<CompileResult> compile_result_from(std::string_view bytes) {
  try {
    const json document = db::parse_cbor<json>(bytes);
    const auto& log = document.at("log").get_binary();
    CompileResult result{std::nullopt, {log.begin(), log.end()}, document.at("timed_out").get<bool>()};
    if (document.contains("code")) result.code = code_from(document);
    return result;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace warptune::tuner
