// The one way in which JSON and CBOR from outside are read: files, cache entries, messages of workers, texts in a
// store.
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

// What makes a tree of the parser's events, until it gets too deep.
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

// Throws Json::exception for what is no JSON or nests too deep; `input` is a text or a stream.
template <class Json, class Input>
Json parse_json(Input&& input) {
  Json result;
  BoundedJson<Json> reader(result);
  Json::sax_parse(std::forward<Input>(input), &reader);
  return result;
}

// The same of CBOR.
template <class Json>
Json parse_cbor(std::string_view bytes) {
  Json result;
  BoundedJson<Json> reader(result);
  Json::sax_parse(bytes, &reader, nlohmann::detail::input_format_t::cbor);
  return result;
}

}  // namespace warptune::db
