// Finds rows by open addressing, or by binary search where they came sorted.
#include "search/space/row_table.h"

#include <algorithm>

namespace warptune::search {

namespace {

std::uint64_t hash_of(RowTable::Row row) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (std::uint32_t choice : row) {
    hash = (hash ^ choice) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

RowTable::RowTable(std::size_t width, std::vector<std::uint32_t> cells)
    : width_(width), size_(cells.size() / width), cells_(std::move(cells)) {}

std::size_t RowTable::bucket_of(Row row) const {
  const std::size_t mask = buckets_.size() - 1;
  std::size_t bucket = hash_of(row) & mask;
  while (buckets_[bucket] != 0 && !std::ranges::equal((*this)[buckets_[bucket] - 1], row)) bucket = (bucket + 1) & mask;
  return bucket;
}

void RowTable::grow() {
  buckets_.assign(std::max<std::size_t>(16, buckets_.size() * 2), 0);
  for (std::size_t i = 0; i < size_; ++i) buckets_[bucket_of((*this)[i])] = static_cast<std::uint32_t>(i + 1);
}

bool RowTable::insert(Row row) {
  if (3 * (size_ + 1) > 2 * buckets_.size()) grow();
  const std::size_t bucket = bucket_of(row);
  if (buckets_[bucket] != 0) return false;
  cells_.insert(cells_.end(), row.begin(), row.end());
  buckets_[bucket] = static_cast<std::uint32_t>(++size_);
  return true;
}

std::optional<std::size_t> RowTable::find(Row row) const {
  if (buckets_.empty()) return find_sorted(row);
  const std::uint32_t entry = buckets_[bucket_of(row)];
  if (entry == 0) return std::nullopt;
  return entry - 1;
}

std::optional<std::size_t> RowTable::find_sorted(Row row) const {
  std::size_t low = 0;
  std::size_t high = size_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const Row candidate = (*this)[middle];
    if (std::lexicographical_compare(candidate.begin(), candidate.end(), row.begin(), row.end())) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == size_ || !std::ranges::equal((*this)[low], row)) return std::nullopt;
  return low;
}

std::vector<std::vector<std::uint32_t>> RowTable::used() const {
  std::vector<std::vector<std::uint32_t>> choices(width_);
  std::vector<bool> marked;
  for (std::size_t column = 0; column < width_; ++column) {
    marked.clear();
    for (std::size_t i = 0; i < size_; ++i) {
      const std::uint32_t choice = (*this)[i][column];
      if (choice >= marked.size()) marked.resize(choice + 1);
      marked[choice] = true;
    }
    for (std::uint32_t choice = 0; choice < marked.size(); ++choice)
      if (marked[choice]) choices[column].push_back(choice);
  }
  return choices;
}

std::size_t RowTable::bytes() const {
  return (cells_.capacity() + buckets_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace warptune::search
