// Evaluates the lists that T1 files write as Python. Nothing is evaluated but what such files hold: a general evaluator
// would run code from a data file.
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <stdexcept>

#include "search/expression/expression.h"
#include "tuner/kernel/t1/t1.h"

namespace warptune::tuner {

namespace {

// T1 files hold Python: lists, range(...), list(...), [… for i in …] and their sums. Nothing is evaluated but these.
class ValuesReader {
 public:
  explicit ValuesReader(const std::string& text) : text_(text) {}

  std::vector<search::Value> read() {
    std::vector<search::Value> values = term();
    while (accept("+"))
      for (search::Value& value : term()) values.push_back(std::move(value));
    skip_space();
    if (at_ != text_.size()) fail();
    return values;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::invalid_argument(
        fmt::format("'{}': expected a list, range(…), list(…) or a sum of them (column {})", text_, at_ + 1));
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  bool accept(std::string_view token) {
    skip_space();
    if (std::string_view(text_).substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail();
  }

  std::vector<search::Value> term() {
    // Python nests no deeper than this in practice, and recursion on hostile text must end.
    if (++depth_ > 16) fail();
    std::vector<search::Value> values = nested_term();
    --depth_;
    return values;
  }

  std::vector<search::Value> nested_term() {
    if (accept("list(")) {
      std::vector<search::Value> values = term();
      expect(")");
      return values;
    }
    return accept("range(") ? range() : list();
  }

  std::vector<search::Value> range() {
    std::vector<std::int64_t> bounds{integer_sum()};
    while (accept(",")) bounds.push_back(integer_sum());
    expect(")");
    const std::int64_t first = bounds.size() > 1 ? bounds[0] : 0, end = bounds.size() > 1 ? bounds[1] : bounds[0];
    const std::int64_t step = bounds.size() > 2 ? bounds[2] : 1;
    if (step <= 0 || bounds.size() > 3 || (end - first) / step > 1'000'000) fail();
    std::vector<search::Value> values;
    for (std::int64_t value = first; value < end; value += step) values.emplace_back(value);
    return values;
  }

  std::vector<search::Value> list() {
    expect("[");
    if (const auto end = comprehension_end()) return comprehension(*end);
    std::vector<search::Value> values;
    if (accept("]")) return values;
    do values.push_back(item());
    while (accept(","));
    expect("]");
    return values;
  }

  // Returns where the expression of "EXPRESSION for NAME in RANGE]" ends, if that is what follows.
  std::optional<std::size_t> comprehension_end() const {
    const std::size_t word = text_.find(" for ", at_), close = text_.find(']', at_);
    if (word == std::string::npos || close == std::string::npos || word > close) return std::nullopt;
    return word;
  }

  std::vector<search::Value> comprehension(std::size_t end) {
    const search::Expression expression = search::Expression::parse(std::string_view(text_).substr(at_, end - at_));
    at_ = end + 5;
    skip_space();
    const std::size_t name = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    search::NamedValues scope{{text_.substr(name, at_ - name), false}};
    expect("in ");
    std::vector<search::Value> values;
    for (search::Value& value : term()) {
      scope.front().second = std::move(value);
      values.push_back(expression.evaluate(scope));
    }
    expect("]");
    return values;
  }

  search::Value item() {
    for (const char* quote : {"'", "\""})
      if (accept(quote)) {
        const std::size_t end = text_.find(quote[0], at_);
        if (end == std::string::npos) fail();
        const std::string content = text_.substr(at_, end - at_);
        at_ = end + 1;
        return content;
      }
    if (accept("True")) return true;
    if (accept("False")) return false;
    return number();
  }

  search::Value number() {
    skip_space();
    const char *begin = text_.data() + at_, *last = text_.data() + text_.size();
    std::int64_t integer = 0;
    double real = 0;
    const auto whole = std::from_chars(begin, last, integer);
    const auto full = std::from_chars(begin, last, real);
    if (full.ec != std::errc()) fail();
    at_ += static_cast<std::size_t>(full.ptr - begin);
    if (whole.ec == std::errc() && whole.ptr == full.ptr) return integer;
    return real;
  }

  // Reads sums such as "1024+1", which files write for an inclusive end.
  std::int64_t integer_sum() {
    std::int64_t sum = integer_term();
    for (;;) {
      if (accept("+"))
        sum += integer_term();
      else if (accept("-"))
        sum -= integer_term();
      else
        return sum;
    }
  }

  std::int64_t integer_term() {
    const search::Value value = number();
    if (const auto* integer = std::get_if<std::int64_t>(&value);
        integer && std::abs(*integer) < (std::int64_t{1} << 40))
      return *integer;
    fail();
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<search::Value> t1_values(const std::string& text) {
  try {
    return ValuesReader(text).read();
  } catch (const search::ExpressionError& error) {
    throw std::invalid_argument(fmt::format("'{}': {}", text, error.what()));
  }
}

}  // namespace warptune::tuner
