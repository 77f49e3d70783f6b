// Replaces words outside of strings. It follows quotes and escapes to know where strings are.
#include "db/interchange/python_json.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "search/plain_text.h"

namespace warptune::db {

namespace {

// No word of JSON, and no name that Python gives a number, is longer.
constexpr std::size_t most_letters = 16;

bool is_no_number(std::string word) {
  constexpr std::array<std::string_view, 3> names{"nan", "inf", "infinity"};
  if (word.starts_with('-')) word.erase(0, 1);
  word = search::lower_case(std::move(word));
  return std::find(names.begin(), names.end(), word) != names.end();
}

}  // namespace

PythonJson::int_type PythonJson::underflow() {
  const int_type next = from_.sbumpc();
  at_end_ = traits_type::eq_int_type(next, traits_type::eof());
  if (at_end_) return next;
  piece_.clear();
  take(traits_type::to_char_type(next));
  setg(piece_.data(), piece_.data(), piece_.data() + piece_.size());
  return traits_type::to_int_type(piece_[0]);
}

void PythonJson::take(char c) {
  piece_ += c;
  if (in_string_) {
    in_string_ = escaped_ || c != '"';
    escaped_ = !escaped_ && c == '\\';
  } else if (c == '"') {
    in_string_ = true;
  } else if (c == '-' || std::isalpha(static_cast<unsigned char>(c))) {
    take_word();
  }
}

void PythonJson::take_word() {
  for (int_type next = from_.sgetc(); piece_.size() < most_letters; next = from_.snextc()) {
    if (traits_type::eq_int_type(next, traits_type::eof()) || !std::isalpha(next)) break;
    piece_ += traits_type::to_char_type(next);
  }
  if (is_no_number(piece_)) piece_ = "null";
}

}  // namespace warptune::db
