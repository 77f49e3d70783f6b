// Parses JSON and CBOR from outside with a limit on nesting. Files, cache entries, messages of workers and texts in a
// store are to be read in this way only.
//
// The library reads JSON text without recursion, but what it then does with a deeply nested value (copying, writing,
// comparing), and all reading of CBOR, recurses once a level: a file of 200 kB could exhaust the stack. Nothing that is
// read here has more than a dozen levels. Rejected: counting brackets before parsing, which reads everything twice and
// cannot be done on streams or CBOR.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace warptune::db {

inline constexpr int most_json_levels = 64;

// Builds a tree from the parser's events. It throws Json::other_error when the nesting exceeds `most_json_levels`.
template <class Json>
class BoundedJson : public nlohmann::detail::json_sax_dom_parser<Json> {
  using Base = nlohmann::detail::json_sax_dom_parser<Json>;

 public:
  using Base::Base;
  bool start_object(std::size_t size) { return descend() && Base::start_object(size); }
  bool start_array(std::size_t size) { return descend() && Base::start_array(size); }
  bool end_object() { return --level_, Base::end_object(); }
  bool end_array() { return --level_, Base::end_array(); }

 private:
  bool descend() {
    if (++level_ <= most_json_levels) return true;
    throw Json::other_error::create(598, "more than 64 objects and arrays in each other", nullptr);
  }

  int level_ = 0;
};

// Parses `input`, a text or a stream. Throws Json::exception if it is not JSON or nests too deeply.
template <class Json, class Input>
Json parse_json(Input&& input) {
  Json result;
  BoundedJson<Json> reader(result);
  Json::sax_parse(std::forward<Input>(input), &reader);
  return result;
}

// Parses CBOR, and throws as parse_json() does.
template <class Json>
Json parse_cbor(std::string_view bytes) {
  Json result;
  BoundedJson<Json> reader(result);
  Json::sax_parse(bytes, &reader, nlohmann::detail::input_format_t::cbor);
  return result;
}

}  // namespace warptune::db
