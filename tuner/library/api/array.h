// Holds a tuner's arrays: what kernels are called with, and what a reference computes. The program gives them types
// (`get<float>`), and they are kept as bytes: a class for each type would be a template in every signature behind it.
// They are plain data, for one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/device/element_type.h"
#include "tuner/kernel/role.h"

namespace warptune {

template <class T>
constexpr tuner::ElementType element_type_of() {
  if constexpr (std::is_same_v<T, float>)
    return tuner::ElementType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return tuner::ElementType::f64;
  else {
    static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>, "arrays hold float, double or integers");
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1)
      return is_signed ? tuner::ElementType::i8 : tuner::ElementType::u8;
    else if constexpr (sizeof(T) == 2)
      return is_signed ? tuner::ElementType::i16 : tuner::ElementType::u16;
    else if constexpr (sizeof(T) == 4)
      return is_signed ? tuner::ElementType::i32 : tuner::ElementType::u32;
    else
      return is_signed ? tuner::ElementType::i64 : tuner::ElementType::u64;
  }
}

// A result is right if |got - expected| <= absolute + relative * |expected|.
struct Accuracy {
  double absolute = 0;
  double relative = 0;
  bool nondeterministic = false;  // may differ from run to run within this, as sums of atomics do
};

// An ArraySpec is one array on the host: an input's contents, or room for an output's.
struct ArraySpec {
  std::string name;
  tuner::ElementType type = tuner::ElementType::f32;
  tuner::Role role = tuner::Role::input;  // input, output, inout or temporary
  std::vector<std::byte> contents;
  Accuracy accuracy;

  std::size_t elements() const { return contents.size() / size_bytes(type); }
};

// A reference function works on HostArrays: inputs as they are before a run, and outputs to be filled (zero at first).
// They are for the thread that called the function, until it returns.
class HostArrays {
 public:
  // `contents` go by name. They are moved from, and `take` gives them back.
  HostArrays(const std::vector<ArraySpec>& specs, std::map<std::string, std::vector<std::byte>>& contents);

  // Throws std::invalid_argument for an unknown name or another element type.
  template <class T>
  std::span<T> get(const std::string& name) {
    ArraySpec& found = find(name, element_type_of<T>());
    return {reinterpret_cast<T*>(found.contents.data()), found.elements()};
  }
  std::vector<std::byte> take(const std::string& name) { return std::move(arrays_.at(name).contents); }

 private:
  ArraySpec& find(const std::string& name, tuner::ElementType type);

  std::map<std::string, ArraySpec> arrays_;
};

}  // namespace warptune
