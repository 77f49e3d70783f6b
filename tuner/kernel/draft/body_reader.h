// Reads a kernel's body for index_analysis.h, in two passes: what its variables are and stay below, then its accesses.
// Private to this folder.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/kernel/draft/data_conditions.h"
#include "tuner/kernel/draft/index_analysis.h"

namespace warptune::tuner::draft {

class BodyReader {
 public:
  BodyReader(TokenSpan body, const std::set<std::string>& buffers) : body_(body), buffers_(buffers) {}
  BodyAnalysis run();

 private:
  struct Alias {
    std::string buffer;
    std::optional<CExpression> offset;
    std::int64_t bytes = 0;  // as in Access
    bool lost = false;       // it walks, nobody knows how far
  };

  bool is(std::size_t at, std::string_view text) const { return at < body_.size() && body_[at].is(text); }
  TokenSpan until(std::size_t at, std::initializer_list<std::string_view> signs) const;
  std::optional<Alias> known(const std::string& name) const;
  static std::optional<CExpression> plus(const std::optional<CExpression>& a, const std::optional<CExpression>& b);

  // body_bounds.cpp
  void read_definition(std::size_t at);
  // starts[row]: the buffer and the index, of tokens that are that alone.
  std::optional<std::pair<std::string, CExpression>> element_at(TokenSpan value) const;
  // Buffers within the brackets of another: x[columns[j]], or by a variable that holds their element.
  void read_indices(std::size_t open);
  // Where a variable begins at an element of a buffer, and stays below its next one.
  void find_segments();
  // for (k = 1; k < n - 1; …)
  void find_borders();
  static TokenSpan until_sign(TokenSpan tokens, std::string_view sign);
  // An element itself, or the variable that holds it.
  std::optional<std::pair<std::string, CExpression>> element_or_holder(TokenSpan value) const;
  // Whether a thread returns where the condition around this place holds.
  bool leaves_where_true(std::size_t at) const;
  static bool is_radius(const CExpression& bound);
  // variable < bound, variable >= bound, variable + offset < bound
  void read_bound(std::size_t at, std::size_t sign);
  // variable += step; variable + other, variable * other and the other way round, where the
  // other is a name or a built-in's member
  void read_sum(std::size_t at);

  // body_accesses.cpp
  // p = buffer + offset, p = &buffer[offset], or a cast of either.
  bool read_alias(const std::string& name, TokenSpan whole);
  bool set_alias(const std::string& name, TokenSpan value, std::size_t first, const Alias& buffer);
  bool depends_on_data(std::size_t at) const;
  // out[next[i]]
  bool is_scattered(const Access& access) const;
  // *p, which is no product, for p is a pointer; and no declaration, as float* p.
  bool is_dereferenced(std::size_t at) const;
  // p += step; as find_walks understands it.
  bool is_moved(std::size_t at) const { return (is(at + 1, "+") || is(at + 1, "-")) && is(at + 2, "="); }
  // Behind [i].position.x and [i][j].
  std::size_t behind_members(std::size_t after) const;
  // An index with the steps of those of its variables that walk; nothing where one of them cannot be followed.
  std::optional<CExpression> with_walks(const CExpression& index) const;
  std::optional<CExpression> index_in(TokenSpan tokens);
  // What `i += step` makes of the variables that indices are made of, and of pointers.
  void find_walks();
  void lose_what_is_made_of_lost();
  void read_access(std::size_t at);
  // reinterpret_cast<float4*>(x)[i], ((float4*)x)[i], *reinterpret_cast<float4*>(&x[i]), *(float4*)&x[i].
  bool read_cast_access(Access& access, std::size_t at, const Alias& buffer);
  void read_index(Access& access, std::size_t at, std::size_t after) const;

  const TokenSpan body_;
  const std::set<std::string>& buffers_;
  std::map<std::string, Alias> aliases_;
  std::map<std::string, std::pair<std::string, CExpression>> first_elements_, last_elements_;
  std::map<std::string, std::optional<CExpression>> walks_;  // variables, and what their steps come to
  std::set<std::string> lost_;                               // variables whose steps cannot be followed
  bool is_lost_ = false;                                     // the index that is being read is made of one
  Places data_conditions_;
  std::set<std::size_t> alias_origins_;  // tokens of buffers that became an alias: no access
  BodyAnalysis result_;
};

}  // namespace warptune::tuner::draft
