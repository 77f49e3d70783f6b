// Vectors: 2 to 16 bytes that a thread loads or stores by one instruction, and the same bytes as elements.
//
//   using Vector = warptune::device::VectorOf<float, 4>::type;   // float4
//   Vector v = load_vector<CacheHint::streaming>(reinterpret_cast<const Vector*>(input) + i);
//   const auto& pack = reinterpret_cast<const Pack<float, 4>&>(v);
//   pack.at[0] + pack.at[1] + pack.at[2] + pack.at[3];
//
// A vector's address must be a multiple of its size. CUDA aligns allocations to 256 bytes; rows within them are aligned
// only if their length is a multiple of the width. No shared memory; any number of threads.
//
// Sources: CUDA C++ Programming Guide, "Device Memory Accesses" (size and alignment); PTX ISA, "Cache Operators";
// Luitjens, "Increase Performance with Vectorized Memory Access" (NVIDIA developer blog, 2013).
#pragma once

namespace warptune::device {

// CUDA's vector of Width elements as `type`; one element is its own vector.
template <class Element, int Width>
struct VectorOf;
template <class Element>
struct VectorOf<Element, 1> {
  using type = Element;
};
template <>
struct VectorOf<unsigned char, 2> {
  using type = uchar2;
};
template <>
struct VectorOf<unsigned char, 4> {
  using type = uchar4;
};
template <>
struct VectorOf<int, 2> {
  using type = int2;
};
template <>
struct VectorOf<int, 4> {
  using type = int4;
};
template <>
struct VectorOf<unsigned, 2> {
  using type = uint2;
};
template <>
struct VectorOf<unsigned, 4> {
  using type = uint4;
};
template <>
struct VectorOf<float, 2> {
  using type = float2;
};
template <>
struct VectorOf<float, 4> {
  using type = float4;
};
template <>
struct VectorOf<double, 2> {
  using type = double2;
};

// The unsigned type of so many bytes as `type`: for whatever is moved and not computed with.
template <int Bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using type = unsigned char;
};
template <>
struct WordOf<2> {
  using type = unsigned short;
};
template <>
struct WordOf<4> {
  using type = unsigned;
};
template <>
struct WordOf<8> {
  using type = uint2;
};
template <>
struct WordOf<16> {
  using type = uint4;
};

// Elements that lie, and are aligned, as their vector is. Loops over `at` must be unrolled, or it goes to local memory.
template <class Element, int Width>
struct alignas(sizeof(Element) * Width) Pack {
  Element at[Width];
};

// What the caches do with a line that is accessed.
enum class CacheHint {
  plain,     // the device's own choice: all levels
  global,    // the L2 cache only
  streaming  // evicted first: it will not be used again
};

// A vector, or one number, from global memory.
template <CacheHint Hint = CacheHint::plain, class Vector>
__device__ inline Vector load_vector(const Vector* source) {
  if constexpr (Hint == CacheHint::streaming) return __ldcs(source);
  if constexpr (Hint == CacheHint::global) return __ldcg(source);
  return *source;
}

// The same to global memory.
template <CacheHint Hint = CacheHint::plain, class Vector>
__device__ inline void store_vector(Vector* target, Vector value) {
  if constexpr (Hint == CacheHint::streaming) {
    __stcs(target, value);
  } else if constexpr (Hint == CacheHint::global) {
    __stcg(target, value);
  } else {
    *target = value;
  }
}

// Width elements from an aligned address in global memory.
template <int Width, CacheHint Hint = CacheHint::plain, class Element>
__device__ inline Pack<Element, Width> load_pack(const Element* source) {
  if constexpr (Hint == CacheHint::plain) {
    return *reinterpret_cast<const Pack<Element, Width>*>(source);
  } else {
    using Word = typename WordOf<sizeof(Pack<Element, Width>)>::type;
    const Word value = load_vector<Hint>(reinterpret_cast<const Word*>(source));
    return reinterpret_cast<const Pack<Element, Width>&>(value);
  }
}

// The same to an aligned address in global memory.
template <CacheHint Hint = CacheHint::plain, class Element, int Width>
__device__ inline void store_pack(Element* target, const Pack<Element, Width>& pack) {
  if constexpr (Hint == CacheHint::plain) {
    *reinterpret_cast<Pack<Element, Width>*>(target) = pack;
  } else {
    using Word = typename WordOf<sizeof(Pack<Element, Width>)>::type;
    store_vector<Hint>(reinterpret_cast<Word*>(target), reinterpret_cast<const Word&>(pack));
  }
}

}  // namespace warptune::device
