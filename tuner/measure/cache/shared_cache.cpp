// Checks each entry that a server returns, and stops asking a server that fails.
#include "tuner/measure/cache/shared_cache.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <system_error>

#include "tuner/system/crypto.h"

namespace warptune::tuner {

namespace {

constexpr std::string_view entry_mark = "warptune-code 1 ";
// The most entries that wait to be sent. More are dropped: the compiler is not held up by a slow network, and memory
// does not fill.
constexpr std::size_t most_waiting = 64;

// Returns the server's answer for display, without characters that a terminal would interpret.
std::string said(const HttpAnswer& answer) {
  std::string text = std::to_string(answer.status) + ' ';
  for (const char c : answer.reason.substr(0, 100))
    if (c >= ' ' && c < 0x7f) text += c;
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// Returns the error's message, with the system's code if it has one.
std::string words_of(const std::exception& error) {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  return system ? fmt::format("{} ({})", error.what(), system->code().value()) : error.what();
}

// Removes the text before `end`, and `end` itself, from `text`, and returns that text.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

}  // namespace

std::string shared_entry(const std::string& key, std::string_view bytes) {
  return fmt::format("{}{} {} {}\n{}", entry_mark, key, sha256(bytes), bytes.size(), bytes);
}

std::optional<std::string> bytes_of_shared_entry(const std::string& key, std::string_view entry, std::string& why_not) {
  if (!entry.starts_with(entry_mark)) return why_not = "is no entry of this cache", std::nullopt;
  entry.remove_prefix(entry_mark.size());
  std::string_view head = take_until(entry, '\n');
  const std::string_view its_key = take_until(head, ' '), digest = take_until(head, ' ');
  std::size_t length = 0;
  if (std::from_chars(head.data(), head.data() + head.size(), length).ec != std::errc() || length > entry.size())
    return why_not = "is cut short", std::nullopt;
  if (its_key != key) return why_not = "belongs to another key", std::nullopt;
  // The length must be written exactly as here: with no zeros before it and nothing behind it.
  if (head != std::to_string(entry.size()) || sha256(entry) != digest) return why_not = "is damaged", std::nullopt;
  return std::string(entry);
}

SharedCache::SharedCache(SharedCacheOptions options)
    : options_(std::move(options)), client_(options_.url, options_.authorization) {}

SharedCache::~SharedCache() {
  flush(options_.patience_ms);
}

std::optional<std::string> SharedCache::get(const std::string& key) {
  if (left_alone()) return std::nullopt;
  try {
    const HttpAnswer answer = client_.get(key, options_.patience_ms);
    if (answer.status == 404 || answer.status == 410) return succeeded(), std::nullopt;
    if (answer.status != 200) return failed(fmt::format("it answered a GET with {}", said(answer))), std::nullopt;
    succeeded();
    std::string why_not;
    auto bytes = bytes_of_shared_entry(key, answer.body, why_not);
    if (!bytes)
      tell("bad entry", fmt::format("what the shared cache {} has under {} {}; such entries are compiled here",
                                    options_.url, key, why_not));
    return bytes;
  } catch (const std::exception& error) {
    failed(words_of(error));
    return std::nullopt;
  }
}

void SharedCache::put(const std::string& key, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (options_.read_only || left_alone_ || !writable_ || outgoing_.size() >= most_waiting) return;
  outgoing_.push_back({key, shared_entry(key, bytes)});
  if (!sender_.joinable()) {
    // The sender's thread blocks all signals, which are for the main thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sender_ = std::jthread([this](const std::stop_token& stop) { send(stop); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  changed_.notify_all();
}

void SharedCache::send(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !outgoing_.empty(); }) && !stop.stop_requested()) {
    const Outgoing next = std::move(outgoing_.front());
    outgoing_.pop_front();
    sending_ = true;
    lock.unlock();
    send_one(next);
    lock.lock();
    sending_ = false;
    changed_.notify_all();
  }
}

void SharedCache::send_one(const Outgoing& outgoing) {
  try {
    const HttpAnswer answer = client_.put(outgoing.key, outgoing.entry, options_.patience_ms);
    if (answer.status >= 200 && answer.status < 300)
      return;  // not a reset of the failures in a row: a write that works says nothing about reading
    if (answer.status < 400 || answer.status >= 500)
      return failed(fmt::format("it answered a PUT with {}", said(answer)));
    {
      const std::lock_guard lock(mutex_);
      writable_ = false;
      outgoing_.clear();
    }
    tell("not writable", fmt::format("the shared cache {} takes no entries: it answered a PUT with {}. Give this node "
                                     "a token that may write, or say --cache-read-only",
                                     options_.url, said(answer)));
  } catch (const std::exception& error) {
    failed(words_of(error));
  }
}

void SharedCache::flush(int patience_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(patience_ms), [this] { return outgoing_.empty() && !sending_; });
}

bool SharedCache::left_alone() const {
  const std::lock_guard lock(mutex_);
  return left_alone_;
}

std::map<std::string, std::string> SharedCache::notices() const {
  const std::lock_guard lock(mutex_);
  return notices_;
}

void SharedCache::succeeded() {
  const std::lock_guard lock(mutex_);
  failures_in_a_row_ = 0;
}

void SharedCache::failed(const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    ++failures_in_a_row_, ++failures_;
    if (failures_in_a_row_ < most_failures_in_a_row && failures_ < most_failures) return;
    left_alone_ = true;
    outgoing_.clear();
  }
  tell("left alone", fmt::format("the shared cache {} is left alone from here on: {}. Results do not depend on it",
                                 options_.url, what));
}

void SharedCache::tell(const std::string& kind, std::string text) {
  const std::lock_guard lock(mutex_);
  notices_.emplace(kind, std::move(text));
}

}  // namespace warptune::tuner
