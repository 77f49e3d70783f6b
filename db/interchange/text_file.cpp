// Reads and writes text files through zlib, which passes plain text as it is.
#include "db/interchange/text_file.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace warptune::db {

namespace {

// Returns zlib's words for what went wrong with an open file.
std::string zlib_message(gzFile file) {
  int code = Z_OK;
  const char* message = gzerror(file, &code);
  if (code == Z_ERRNO) return std::strerror(errno);
  return message && *message ? message : "unknown zlib error";
}

}  // namespace

InputText::InputText(const std::filesystem::path& file) : name_(file.string()), file_(gzopen(name_.c_str(), "rb")) {
  if (!file_)
    throw InterchangeError(
        fmt::format("cannot read {}: {}; check the path and its permissions", name_, std::strerror(errno)));
  gzbuffer(file_, static_cast<unsigned>(buffer_.size()));
}

InputText::~InputText() {
  gzclose(file_);
}

InputText::int_type InputText::underflow() {
  const auto held = static_cast<std::size_t>(egptr() - eback());
  lines_before_ += static_cast<std::size_t>(std::count(eback(), egptr(), '\n'));
  bytes_before_ += held;
  setg(buffer_.data(), buffer_.data(), buffer_.data());
  const int got = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  // zlib reports a gzip stream that was cut short only when asked, once all that was there has been read.
  int code = Z_OK;
  gzerror(file_, &code);
  if (got < 0 || (got == 0 && code != Z_OK && code != Z_STREAM_END))
    throw InterchangeError(
        fmt::format("{}: cannot be unpacked: {}; the file is damaged or was cut short", where(), zlib_message(file_)));
  setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
  return got == 0 ? traits_type::eof() : traits_type::to_int_type(buffer_[0]);
}

std::string_view InputText::beginning() {
  sgetc();
  return {gptr(), static_cast<std::size_t>(egptr() - gptr())};
}

std::size_t InputText::line() const {
  return 1 + lines_before_ + static_cast<std::size_t>(std::count(eback(), gptr(), '\n'));
}

std::size_t InputText::byte() const {
  return bytes_before_ + static_cast<std::size_t>(gptr() - eback());
}

std::string InputText::where() const {
  return fmt::format("{}, line {} (byte {})", name_, line(), byte());
}

OutputText::OutputText(const std::filesystem::path& file) : target_(file) {
  try {
    output_.emplace(file);
  } catch (const std::system_error& error) {
    fail(error.code().message());
  }
  // 'T' writes without compression.
  file_ = gzdopen(dup(output_->descriptor()), file.extension() == ".gz" ? "wb" : "wbT");
  if (!file_) fail(std::strerror(errno));
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

OutputText::~OutputText() {
  if (file_) gzclose(file_);
}

void OutputText::fail(const std::string& what) const {
  throw search::Error(search::ErrorKind::internal,
                      fmt::format("cannot write {}: {}; {}", target_.string(), what, advice_on_writing(target_)));
}

void OutputText::flush_buffer() {
  const auto held = static_cast<unsigned>(pptr() - pbase());
  if (held > 0 && gzwrite(file_, pbase(), held) != static_cast<int>(held)) fail(zlib_message(file_));
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

OutputText::int_type OutputText::overflow(int_type character) {
  flush_buffer();
  if (!traits_type::eq_int_type(character, traits_type::eof())) sputc(traits_type::to_char_type(character));
  return traits_type::not_eof(character);
}

int OutputText::sync() {
  flush_buffer();
  return 0;
}

void OutputText::commit() {
  flush_buffer();
  const int closed = gzclose(file_);
  file_ = nullptr;
  if (closed != Z_OK) fail(std::strerror(errno));
  try {
    output_->commit();
  } catch (const std::system_error& error) {
    fail(error.code().message());
  }
}

}  // namespace warptune::db
