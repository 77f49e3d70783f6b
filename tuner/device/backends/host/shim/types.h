// What NVRTC offers without an include: C headers only, which cost a few milliseconds together. And the few type
// computations that the other files need; <type_traits> would cost more than all of the shim.

#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

namespace warptune_host {

template <bool C, class A, class B>
struct Pick {
  using type = A;
};
template <class A, class B>
struct Pick<false, A, B> {
  using type = B;
};

template <class T>
struct Same {
  using type = T;
};
template <class T>
using Operand = typename Same<T>::type;  // a parameter that takes no part in deducing T

template <class T>
struct Stored {
  using type = T;
};
template <class T>
struct Stored<const T> {
  using type = T;
};

template <class A, class B>
struct AreSame {
  static constexpr bool value = false;
};
template <class A>
struct AreSame<A, A> {
  static constexpr bool value = true;
};

template <unsigned... I>
struct Indices {};
template <unsigned N, unsigned... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <unsigned... I>
struct MakeIndices<0, I...> {
  using type = Indices<I...>;
};

template <class T>
struct Number {
  static constexpr bool integral = false, floating = false;
};
template <>
struct Number<float> {
  static constexpr bool integral = false, floating = true;
};
template <>
struct Number<double> : Number<float> {};
template <>
struct Number<int> {
  static constexpr bool integral = true, floating = false;
};
template <>
struct Number<bool> : Number<int> {};
template <>
struct Number<char> : Number<int> {};
template <>
struct Number<signed char> : Number<int> {};
template <>
struct Number<unsigned char> : Number<int> {};
template <>
struct Number<short> : Number<int> {};
template <>
struct Number<unsigned short> : Number<int> {};
template <>
struct Number<unsigned int> : Number<int> {};
template <>
struct Number<long> : Number<int> {};
template <>
struct Number<unsigned long> : Number<int> {};
template <>
struct Number<long long> : Number<int> {};
template <>
struct Number<unsigned long long> : Number<int> {};

template <bool C, class T>
struct If {};
template <class T>
struct If<true, T> {
  using type = T;
};

// double, for an integer T: sqrt(2) is computed in double.
template <class T>
using FromInteger = typename If<Number<T>::integral, double>::type;

template <class A, class B>
constexpr bool both_numbers() {
  return (Number<A>::integral || Number<A>::floating) && (Number<B>::integral || Number<B>::floating);
}

// double, for two different types of number: pow(x, 2) with a float x is computed in double, as C++ does.
template <class A, class B>
using FromMixed = typename If<both_numbers<A, B>() && !(AreSame<A, B>::value && Number<A>::floating), double>::type;

// What the usual arithmetic conversions make of two numbers.
template <class A, class B, bool = both_numbers<A, B>()>
struct Common {};
template <class A, class B>
struct Common<A, B, true> {
  using type = decltype(true ? A() : B());
};

}  // namespace warptune_host
