// Reads JSON as Python's json module writes it: with NaN and Infinity, which JSON lacks and every other reader refuses.
// One such number would cost the whole file.
#pragma once

#include <streambuf>
#include <string>

namespace warptune::db {

// Reads another buffer with null in place of NaN, Infinity, -Infinity, nan and inf outside of strings. It never takes
// more than a word from the other buffer, so that the other's position is that of this one's reader.
class PythonJson : public std::streambuf {
 public:
  explicit PythonJson(std::streambuf& from) : from_(from) {}
  // Returns whether the reader has met the end.
  bool at_end() const { return at_end_; }

 protected:
  int_type underflow() override;

 private:
  void take(char c);
  void take_word();

  std::streambuf& from_;
  std::string piece_;
  bool in_string_ = false;
  bool escaped_ = false;
  bool at_end_ = false;
};

}  // namespace warptune::db
