// How a tensor core adds: the sum and the products of one multiplication are added up as if exactly, and what the float
// they make has no bits for is cut off, towards zero. A device cuts off more (it aligns the summands first), so that
// its errors are a little larger; but that errors do not cancel is the same. Source: Fasi et al., "Numerical behavior
// of NVIDIA tensor cores" (PeerJ CS 2021).
#pragma once

#include "parts.cuh"

__device__ inline float cut_off(double value) {
  const float nearest = static_cast<float>(value);
  const double magnitude = value < 0 ? -value : value;
  const double of_nearest = nearest < 0 ? -static_cast<double>(nearest) : static_cast<double>(nearest);
  return of_nearest > magnitude ? __uint_as_float(__float_as_uint(nearest) - 1) : nearest;
}

__device__ inline float add_products(float sum, const float (&a)[step_k], const float (&b)[step_k]) {
  double exact = sum;
  for (int i = 0; i < step_k; ++i) exact += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return cut_off(exact);
}
