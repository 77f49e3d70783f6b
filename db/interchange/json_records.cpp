// Splits JSON text into records with a SAX parser, and converts the fields that the headers of several formats share.
#include "db/interchange/json_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <istream>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

#include "db/bounded_json.h"
#include "db/interchange/json_values.h"
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

// A PythonJson reads JSON as Python's json module writes it, with NaN and Infinity, which JSON lacks and every other
// reader refuses. One such number would cost the whole file. It reads another buffer with null in place of NaN,
// Infinity, -Infinity, nan and inf outside of strings, for which it follows quotes and escapes. It never takes more
// than a word from the other buffer, so that the other's position is that of this one's reader.
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

// Builds one value at a time, a member of the outer object or a record, and forgets it once delivered.
class RecordSplitter : public nlohmann::json_sax<Json> {
 public:
  RecordSplitter(const std::vector<std::string>& collections, const RecordHandler& handle)
      : collections_(collections), handle_(handle) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool flag) override { return add(flag); }
  bool number_integer(number_integer_t number) override { return add(number); }
  bool number_unsigned(number_unsigned_t number) override { return add(number); }
  bool number_float(number_float_t number, const string_t&) override { return add(number); }
  bool string(string_t& text) override { return add(std::move(text)); }
  bool binary(binary_t&) override { return false; }  // JSON text has none
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    (open_.empty() ? member_ : keys_.back()) = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    problem_ = error.what();
    return false;
  }

  // Returns whether the text may end here as if only its last brackets were missing. It may end after or in the
  // collection, but not so deep in a record that a bracket must have been lost earlier.
  bool may_end_here() const {
    if (header_.collection.empty() || open_.size() > 2) return false;
    return std::none_of(value_.begin(), value_.end(), [](const Json& member) { return member.is_object(); });
  }

  const std::string& problem() const { return problem_; }
  JsonHeader& header() { return header_; }

 private:
  enum class Level { outside, outer, collection };

  bool add(Json value) {
    if (level_ == Level::outside) return refuse("expected an object");
    if (open_.empty()) {
      deliver(std::move(value));
    } else {
      insert(std::move(value));
    }
    return true;
  }

  bool open(Json container) {
    if (open_.size() >= most_json_levels) return refuse("more than 64 objects and arrays in each other");
    if (level_ == Level::outside) {
      level_ = Level::outer;
      return container.is_object() || refuse("expected an object");
    }
    if (level_ == Level::outer && open_.empty() && starts_collection()) {
      header_.collection = member_;
      level_ = Level::collection;
      return true;
    }
    if (open_.empty()) {
      value_ = std::move(container);
      open_.push_back(&value_);
    } else {
      open_.push_back(&insert(std::move(container)));
    }
    keys_.emplace_back();
    return true;
  }

  bool close() {
    if (open_.empty()) {
      if (level_ == Level::collection) level_ = Level::outer;
      return true;
    }
    open_.pop_back();
    keys_.pop_back();
    if (open_.empty()) deliver(std::exchange(value_, Json()));
    return true;
  }

  bool starts_collection() const {
    return header_.collection.empty() &&
           std::find(collections_.begin(), collections_.end(), member_) != collections_.end();
  }

  // Only the innermost open container grows, so the addresses of the others stay valid.
  Json& insert(Json value) {
    Json& container = *open_.back();
    if (container.is_object()) return container[keys_.back()] = std::move(value);
    container.push_back(std::move(value));
    return container.back();
  }

  void deliver(Json value) {
    if (level_ == Level::collection)
      handle_(header_, value);
    else
      header_.members[member_] = std::move(value);
  }

  bool refuse(const char* problem) {
    problem_ = problem;
    return false;
  }

  const std::vector<std::string>& collections_;
  const RecordHandler& handle_;
  JsonHeader header_;
  Level level_ = Level::outside;
  std::string member_;  // of the outer object, or the record's key
  Json value_;          // being built
  std::vector<Json*> open_;
  std::vector<std::string> keys_;  // the latest key of each open container
  std::string problem_;
};

// Returns the parser's message without its error number: "syntax error while parsing object - unexpected …".
std::string plain(const std::string& problem) {
  const auto start = problem.find("syntax error");
  return start == std::string::npos ? problem : problem.substr(start);
}

}  // namespace

JsonHeader read_json_records(InputText& text, const std::vector<std::string>& collections,
                             const RecordHandler& handle) {
  RecordSplitter splitter(collections, handle);
  PythonJson json(text);
  std::istream stream(&json);
  if (Json::sax_parse(stream, &splitter)) return std::move(splitter.header());
  if (!json.at_end() || !splitter.may_end_here())
    throw InterchangeError(fmt::format("{}: not valid JSON: {}", text.where(), plain(splitter.problem())));
  splitter.header().unfinished = true;
  return std::move(splitter.header());
}

Json senses_to_json(const RecordedSpace& space) {
  Json senses = Json::array();
  bool suggested = true;
  for (std::size_t i = 0; i < space.objectives.size(); ++i) {
    senses.push_back(higher_is_better(space, i));
    suggested = suggested && senses.back() == higher_is_better(space.objectives[i]);
  }
  if (suggested) return nullptr;
  return senses.size() == 1 ? senses.front() : senses;
}

void read_senses(const Json& header, RecordedSpace& space) {
  const auto found = header.find(senses_field);
  if (found == header.end() || found->is_null()) return;
  const Json senses = found->is_array() ? *found : Json::array({*found});
  for (const Json& sense : senses) {
    if (!sense.is_boolean()) throw std::invalid_argument(fmt::format("{}: expected true or false", senses_field));
    space.higher_is_better.push_back(sense.get<bool>());
  }
}

Json problem_names_to_json(const RecordedSpace& space) {
  if (space.size_names.empty() && space.variant_names.empty()) return nullptr;
  return {{"sizes", space.size_names}, {"variants", space.variant_names}};
}

void read_problem_names(const Json& header, RecordedSpace& space) {
  const auto found = header.find(problem_names_field);
  if (found == header.end() || found->is_null()) return;
  space.size_names = names_from_json(member(*found, "sizes", problem_names_field), "problem_names.sizes");
  space.variant_names = names_from_json(member(*found, "variants", problem_names_field), "problem_names.variants");
  if (space.size_names.size() + space.variant_names.size() != space.problem_size.size())
    throw std::invalid_argument(fmt::format("{}: names {} sizes and {} variants, and problem_size has {} values",
                                            problem_names_field, space.size_names.size(), space.variant_names.size(),
                                            space.problem_size.size()));
  for (std::size_t i = 0; i < space.size_names.size(); ++i)
    if (!std::holds_alternative<std::int64_t>(space.problem_size[i]))
      throw std::invalid_argument(fmt::format("problem_size: {} is a size; expected an integer, found {}",
                                              space.size_names[i], search::to_text(space.problem_size[i])));
}

}  // namespace warptune::db
