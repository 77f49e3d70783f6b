// Reads and writes text files in pieces, gzip or plain.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>

#include "db/interchange/write_place.h"
#include "search/error.h"

struct gzFile_s;

namespace warptune::db {

// An InterchangeError is about a file that cannot be read or written, or does not hold what it should. It says which
// file, where in it, and what was expected.
using InterchangeError = search::ErrorOf<search::ErrorKind::interchange>;

// An InputText is a read buffer over a file; gzip is recognised by content. Throws InterchangeError when reading fails.
class InputText : public std::streambuf {
 public:
  explicit InputText(const std::filesystem::path& file);
  ~InputText() override;

  const std::string& name() const { return name_; }
  // Return the place of the next character in the (uncompressed) text. Lines count from 1, bytes from 0.
  std::size_t line() const;
  std::size_t byte() const;
  // Returns "FILE, line 12 (byte 3456)", which errors begin with.
  std::string where() const;
  // Returns what comes next without taking it: the whole text, or some 64 kB. Throws InterchangeError when reading
  // fails.
  std::string_view beginning();

 protected:
  int_type underflow() override;

 private:
  std::string name_;
  gzFile_s* file_;
  std::array<char, 1 << 16> buffer_;
  std::size_t bytes_before_ = 0;  // before the buffer's first character
  std::size_t lines_before_ = 0;
};

// An OutputText is a write buffer over a file that appears complete or not at all: it is written beside its place and
// moved there by `commit`. The text is compressed if the name ends in ".gz". A device or a pipe is written into. Throws
// Error of the kind `internal`, which says what to do. The kind is not `interchange`, since nothing is wrong with what
// another tool or a request said.
class OutputText : public std::streambuf {
 public:
  explicit OutputText(const std::filesystem::path& file);
  ~OutputText() override;  // without a commit, nothing remains
  void commit();

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  void flush_buffer();
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path target_;
  std::optional<OutputFile> output_;
  gzFile_s* file_ = nullptr;  // writes into a copy of the output's descriptor
  std::array<char, 1 << 16> buffer_;
};

}  // namespace warptune::db
