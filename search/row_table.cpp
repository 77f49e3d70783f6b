#include "search/row_table.h"

#include <algorithm>

namespace warptune {

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
  if (size_ == 0) return std::nullopt;
  const std::uint32_t entry = buckets_[bucket_of(row)];
  if (entry == 0) return std::nullopt;
  return entry - 1;
}

std::size_t RowTable::bytes() const {
  return (cells_.capacity() + buckets_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace warptune
