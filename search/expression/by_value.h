// Maps values to data of any type, without looking through all of them: a parameter may have as many values as a
// session has trials. Values that are the same number (same_value: 1, 1.0 and true) share one entry.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/expression/expression.h"
#include "search/value.h"

namespace warptune::search {

// Const functions may be called from several threads. Pointers and references hold until the next operator[].
template <class T>
class ByValue {
 public:
  // Returns null if nothing was put under the value.
  const T* find(const Value& value) const {
    const auto bucket = buckets_.find(hash(value));
    if (bucket == buckets_.end()) return nullptr;
    for (const auto& [key, held] : bucket->second)
      if (same_value(key, value)) return &held;
    return nullptr;
  }
  // Returns the entry under the value, which is made anew if there was none.
  T& operator[](const Value& value) {
    auto& bucket = buckets_[hash(value)];
    for (auto& [key, held] : bucket)
      if (same_value(key, value)) return held;
    return bucket.emplace_back(value, T{}).second;
  }

 private:
  // The hash is equal where values are the same. A sorted map was no alternative: no order was found that agrees with
  // same_value, because only some large integers equal a double.
  static std::size_t hash(const Value& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text ? std::hash<std::string>{}(*text) : std::hash<double>{}(to_double(value));
  }

  std::unordered_map<std::size_t, std::vector<std::pair<Value, T>>> buckets_;
};

}  // namespace warptune::search
