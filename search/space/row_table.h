// Lists configurations one by one, and finds them in both directions. This header is private to search/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warptune::search {

// A RowTable holds rows of `width` choices each, all different. `find` goes through a hash over the rows, or by halves
// through rows that came sorted and need no hash.
class RowTable {
 public:
  using Row = std::span<const std::uint32_t>;

  explicit RowTable(std::size_t width) : width_(width) {}
  // `cells` are rows in ascending order.
  RowTable(std::size_t width, std::vector<std::uint32_t> cells);

  // Appends the row unless it is there, and returns whether it was new. There may be at most 2^32 - 2 rows. A table
  // whose rows came sorted takes no more.
  bool insert(Row row);
  std::size_t size() const { return size_; }
  Row operator[](std::size_t index) const { return {cells_.data() + index * width_, width_}; }
  std::optional<std::size_t> find(Row row) const;
  // Returns for each column the choices that occur, ascending.
  std::vector<std::vector<std::uint32_t>> used() const;
  std::size_t bytes() const;

 private:
  std::optional<std::size_t> find_sorted(Row row) const;
  std::size_t bucket_of(Row row) const;  // the row's, or the empty one where it belongs
  void grow();

  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<std::uint32_t> cells_;
  std::vector<std::uint32_t> buckets_;  // row + 1, or 0; a power of two of them, at most two thirds taken
};

}  // namespace warptune::search
