// The elements of Q, K, V and O: half or bfloat16, as their bits.
#pragma once

#include <warptune/device/numbers16.cuh>

using warptune::device::from_float;
using warptune::device::NumberFormat;
using warptune::device::StoredNumber;
using warptune::device::to_float;

using Element = unsigned short;
