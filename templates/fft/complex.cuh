// Complex numbers, and Fourier transforms of a few of them in a thread's registers. The parameters are described in
// kernel.cu.
#pragma once

enum class Direction { forward, inverse };

constexpr bool inverse = Direction::DIRECTION == Direction::inverse;

struct alignas(8) Complex {
  float re;
  float im;
};

__device__ inline Complex operator+(Complex a, Complex b) {
  return {a.re + b.re, a.im + b.im};
}
__device__ inline Complex operator-(Complex a, Complex b) {
  return {a.re - b.re, a.im - b.im};
}
__device__ inline Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// a * exp(-2 pi i * sixteenths / 16), or its conjugate's for the inverse; sixteenths from 0 to 7, known at compile
// time.
__device__ inline Complex turned(Complex a, int sixteenths) {
  constexpr float sign = inverse ? 1.0f : -1.0f;
  constexpr float root = 0.70710678f, near = 0.92387953f, far = 0.38268343f;
  if (sixteenths == 0) return a;
  if (sixteenths == 4) return {-sign * a.im, sign * a.re};
  if (sixteenths == 2) return {root * (a.re - sign * a.im), root * (a.im + sign * a.re)};
  if (sixteenths == 6) return {-root * (a.re + sign * a.im), root * (sign * a.re - a.im)};
  const float c = sixteenths == 1 ? near : sixteenths == 3 ? far : sixteenths == 5 ? -far : -near;
  const float s = sign * (sixteenths == 1 || sixteenths == 7 ? far : near);
  return a * Complex{c, s};
}

// The transform of 2, 4, 8 or 16 numbers, in order before and after: of those with even and with odd numbers,
// recursively (Cooley & Tukey, 1965).
template <int Radix>
__device__ inline void transform(Complex (&values)[Radix]) {
  if constexpr (Radix > 1) {
    constexpr int half = Radix / 2;
    Complex even[half], odd[half];
#pragma unroll
    for (int i = 0; i < half; ++i) {
      even[i] = values[2 * i];
      odd[i] = values[2 * i + 1];
    }
    transform(even);
    transform(odd);
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const Complex right = turned(odd[i], i * (16 / Radix));
      values[i] = even[i] + right;
      values[i + half] = even[i] - right;
    }
  }
}
