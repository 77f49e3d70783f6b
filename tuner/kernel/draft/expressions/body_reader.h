// Reads a kernel's body for body_analysis.h, in two passes: what its variables are and stay below, then its accesses.
// Private to this folder.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/kernel/draft/expressions/body_analysis.h"
#include "tuner/kernel/draft/expressions/conditions.h"

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
    bool lost = false;       // true: steps move the pointer, and it is unknown how far
  };

  bool is(std::size_t at, std::string_view text) const { return at < body_.size() && body_[at].is(text); }
  TokenSpan until(std::size_t at, std::initializer_list<std::string_view> signs) const;
  std::optional<Alias> known(const std::string& name) const;
  static std::optional<CExpression> plus(const std::optional<CExpression>& a, const std::optional<CExpression>& b);

  // body_bounds.cpp
  void read_definition(std::size_t at);
  // Returns the buffer and the index of tokens that are an element alone: starts[row].
  std::optional<std::pair<std::string, CExpression>> element_at(TokenSpan value) const;
  // Notes the buffers whose elements stand in these brackets, directly as in x[columns[j]] or held by a variable.
  void read_indices(std::size_t open);
  // Finds the variables that begin at an element of a buffer and stay below the buffer's next element.
  void find_segments();
  // Finds the variables that leave out both borders: for (k = 1; k < n - 1; …).
  void find_borders();
  static TokenSpan until_sign(TokenSpan tokens, std::string_view sign);
  // Returns the element that the tokens are, or that the variable in them holds.
  std::optional<std::pair<std::string, CExpression>> element_or_holder(TokenSpan value) const;
  // Returns whether a thread returns where the condition around this place holds.
  bool leaves_where_true(std::size_t at) const;
  static bool is_radius(const CExpression& bound);
  // Reads a comparison with a bound: variable < bound, variable >= bound, variable + offset < bound.
  void read_bound(std::size_t at, std::size_t sign);
  // Reads variable += step, and variable + other and variable * other in either order, where the other is a name or a
  // built-in's member.
  void read_sum(std::size_t at);

  // body_accesses.cpp
  // Notes the alias p = buffer + offset, p = &buffer[offset], or a cast of either. Returns false for any other value.
  bool read_alias(const std::string& name, TokenSpan whole);
  bool set_alias(const std::string& name, TokenSpan value, std::size_t first, const Alias& buffer);
  bool depends_on_data(std::size_t at) const;
  // Returns whether the index is made of data: out[next[i]].
  bool is_scattered(const Access& access) const;
  // Returns whether the pointer here is dereferenced: *p. A product is not possible, because p is a pointer. The
  // declaration float* p does not count.
  bool is_dereferenced(std::size_t at) const;
  // Returns whether `p += step` stands here, which find_walks reads.
  bool is_moved(std::size_t at) const { return (is(at + 1, "+") || is(at + 1, "-")) && is(at + 2, "="); }
  // Returns the place behind indices and members such as [i].position.x and [i][j].
  std::size_t behind_members(std::size_t after) const;
  // Adds to an index the steps that the body adds to the index's variables. Returns std::nullopt where the steps of one
  // of them cannot be followed.
  std::optional<CExpression> with_walks(const CExpression& index) const;
  std::optional<CExpression> index_in(TokenSpan tokens);
  // Finds how far `i += step` moves the variables of indices, and the pointers.
  void find_walks();
  void lose_what_is_made_of_lost();
  void read_access(std::size_t at);
  // Reads an access through a cast: reinterpret_cast<float4*>(x)[i], ((float4*)x)[i],
  // *reinterpret_cast<float4*>(&x[i]), *(float4*)&x[i]. Returns false if there is none.
  bool read_cast_access(Access& access, std::size_t at, const Alias& buffer);
  void read_index(Access& access, std::size_t at, std::size_t after) const;

  const TokenSpan body_;
  const std::set<std::string>& buffers_;
  std::map<std::string, Alias> aliases_;
  std::map<std::string, std::pair<std::string, CExpression>> first_elements_, last_elements_;
  std::map<std::string, std::optional<CExpression>> walks_;  // variables, and the sum of the steps of each
  std::set<std::string> lost_;                               // variables whose steps cannot be followed
  bool is_lost_ = false;                                     // the current index uses one of `lost_`
  Places data_conditions_;
  std::set<std::size_t> alias_origins_;  // tokens of buffers that became an alias: no access
  BodyAnalysis result_;
};

}  // namespace warptune::tuner::draft
