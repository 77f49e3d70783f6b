// Numbers that compare in a way of their own, tolerances at their edges, and types too narrow for what they should hold.

/*@ infinite
reference = "y[i] = 1e308 * 10 * x[i];"
*/
// Infinity is expected everywhere: no finite number is near it, whatever the relative tolerance.

//+ writes_infinity: writes infinity
KERNEL { EACH y[i] = __int_as_float(0x7f800000); }

//+ overflows: multiplies until it overflows
KERNEL { EACH y[i] = x[i] * 3e38f * 3e38f; }

//- writes_a_number: writes -7
KERNEL { EACH y[i] = -7; }

//- writes_the_largest: writes the largest finite number
KERNEL { EACH y[i] = 3.4028234e38f; }

//- writes_minus_infinity: writes infinity of the other sign
KERNEL { EACH y[i] = __int_as_float((int)0xff800000); }

//- writes_nan: writes NaN
KERNEL { EACH y[i] = __int_as_float(0x7fc00000); }

//- leaves_infinity: leaves every other element unwritten
KERNEL { EACH if (i % 2) y[i] = __int_as_float(0x7f800000); }

/*@ some_nan
reference = "y[i] = i % 2 ? 2.0 * x[i] : (x[i] - x[i]) / (x[i] - x[i]);"
*/
// NaN is expected in even elements.

//+ writes_both: computes NaN as the reference does
KERNEL { EACH y[i] = i % 2 ? 2 * x[i] : (x[i] - x[i]) / (x[i] - x[i]); }

//+ another_nan: writes a NaN with other bits
KERNEL { EACH y[i] = i % 2 ? 2 * x[i] : __int_as_float((int)0xffc12345); }

//+ root_of_a_negative: has its NaN from a square root
KERNEL { EACH y[i] = i % 2 ? 2 * x[i] : sqrtf(-x[i]); }

//- leaves_nan: writes nothing where NaN is expected
KERNEL { EACH if (i % 2) y[i] = 2 * x[i]; }

//- number_for_nan: writes a number where NaN is expected
KERNEL { EACH y[i] = 2 * x[i]; }

//- infinity_for_nan: writes infinity where NaN is expected
KERNEL { EACH y[i] = i % 2 ? 2 * x[i] : __int_as_float(0x7f800000); }

//- nan_for_a_number: writes NaN everywhere
KERNEL { EACH y[i] = __int_as_float(0x7fc00000); }

//- one_nan_too_many: writes NaN in one element where a number is expected
KERNEL { EACH y[i] = i % 2 && i != 1235 ? 2 * x[i] : __int_as_float(0x7fc00000); }

/*@ zeros
reference = "y[i] = i % 2 ? x[i] * 1e-30 : 0 * x[i];"
*/
// Zeros and very small numbers.

//+ computes_them: writes zeros and small numbers
KERNEL { EACH y[i] = i % 2 ? x[i] * 1e-30f : 0; }

//+ minus_zero: writes zeros with a sign
KERNEL { EACH y[i] = i % 2 ? x[i] * 1e-30f : -0.0f; }

//- flushes: writes zero for what is small
KERNEL { EACH y[i] = 0 * x[i]; }

//- leaves_zeros: writes no zeros
KERNEL { EACH if (i % 2) y[i] = x[i] * 1e-30f; }

//- smallest_for_zero: writes the smallest number where zero is expected
KERNEL { EACH y[i] = i % 2 ? x[i] * 1e-30f : __int_as_float(1); }

/*@ tolerance
reference = "y[i] = 2.0 * x[i];"
tolerance = "{ relative = 0.001 }"
*/
// Within a thousandth.

//+ exact: is exact
KERNEL { EACH y[i] = 2 * x[i]; }

//+ near: is off by nine tenths of the tolerance, to either side
KERNEL { EACH y[i] = 2 * x[i] * (i % 2 ? 1.0009f : 0.9991f); }

//- too_much: is off by eleven tenths of the tolerance
KERNEL { EACH y[i] = 2 * x[i] * 1.0011f; }

//- one_too_much: is off by twice the tolerance, in one element
KERNEL { EACH y[i] = 2 * x[i] * (i == 4095 ? 1.002f : 1); }

//- average: writes the average of all that is expected
KERNEL { EACH y[i] = 101; }

//- shifted: writes what its neighbour should
KERNEL { EACH y[i] = 2 * x[(i + 1) % n]; }

//- reversed: writes the right numbers in the wrong order
KERNEL { EACH y[i] = 2 * x[n - 1 - i]; }

//- negative: has the right magnitude and the wrong sign
KERNEL { EACH y[i] = -2 * x[i]; }

/*@ units
reference = "y[i] = x[i] / 3.0;"
tolerance = "{ ulp = 1 }"
*/
// Within one unit in the last place.

//+ divides: divides
KERNEL { EACH y[i] = x[i] / 3; }

//+ next_number: is off by one in the last place where that is allowed
KERNEL { EACH { const float right = x[i] / 3; const float next = __int_as_float(__float_as_int(right) + 1);
  y[i] = next - x[i] / 3.0 < right - __int_as_float(__float_as_int(right) - 1) ? next : right; } }

//- three_units: is off by three in the last place
KERNEL { EACH y[i] = __int_as_float(__float_as_int(x[i] / 3) + 3); }

//- in_half_precision: has eleven bits of it right
KERNEL { EACH y[i] = __int_as_float(__float_as_int(x[i] / 3) & ~0xfff); }

/*@ doubles
type = "double"
reference = "y[i] = x[i] / 3;"
tolerance = "{ relative = 1e-13 }"
*/

//+ in_double: computes in double precision
KERNEL { EACH y[i] = x[i] / 3; }

//+ times_reciprocal: multiplies by the reciprocal
KERNEL { EACH y[i] = x[i] * (1.0 / 3); }

//- in_float: computes in single precision
KERNEL { EACH y[i] = (float)x[i] / 3; }

//- literal_in_float: multiplies by a third in single precision
KERNEL { EACH y[i] = x[i] * (1.0f / 3); }

//- high_words: writes only the high word of each element
KERNEL { EACH { const double right = x[i] / 3; ((unsigned*)y)[2 * i + 1] = ((const unsigned*)&right)[1]; } }

/*@ wide_integers
type = "int64"
fill = "{ range = [1152921504606846976, 1024] }"
reference = "y[i] = x[i] + 1;"
*/
// Beyond 2^60 two integers may be one double.

//+ adds_one: adds one
KERNEL { EACH y[i] = x[i] + 1; }

//+ counts_up: increments a copy
KERNEL { EACH { T copy = x[i]; y[i] = ++copy; } }

//- adds_nothing: copies, and no double could tell
KERNEL { EACH y[i] = x[i]; }

//- through_a_double: adds in double precision
KERNEL { EACH y[i] = (T)((double)x[i] + 1.0); }

//- narrow: loses the high half
KERNEL { EACH y[i] = (int)(x[i] + 1); }

//- narrow_write: writes only the low half
KERNEL { EACH ((int*)y)[2 * i] = (int)(x[i] + 1); }

/*@ wrapping
type = "uint32"
fill = "{ uniform = [0, 4294967295], seed = 7 }"
reference = "y[i] = (unsigned)(((unsigned long long)x[i] * x[i]) >> 32) + 3000000000u;"
*/
// Sums and products that do not fit 32 bits.

//+ high_product: takes the high half of a product of 64 bits
KERNEL { EACH y[i] = (unsigned)(((unsigned long long)x[i] * x[i]) >> 32) + 3000000000u; }

//+ intrinsic: takes the high half by an intrinsic
KERNEL { EACH y[i] = __umulhi(x[i], x[i]) + 3000000000u; }

//- signed_product: multiplies signed numbers
KERNEL { EACH y[i] = (unsigned)(((long long)(int)x[i] * (int)x[i]) >> 32) + 3000000000u; }

//- low_product: takes the low half
KERNEL { EACH y[i] = x[i] * x[i] + 3000000000u; }

//- saturates: stops at the largest number instead of wrapping
KERNEL { EACH { const unsigned long long sum = (((unsigned long long)x[i] * x[i]) >> 32) + 3000000000ull; y[i] = sum > 0xffffffffull ? 0xffffffffu : (unsigned)sum; } }

/*@ signed_bytes
type = "int8"
size = 1021
fill = "{ uniform = [-128, 127], seed = 3 }"
reference = "y[i] = (signed char)(x[i] / 2);"
*/

//+ rounds_to_zero: divides as C does
KERNEL { EACH y[i] = (T)(x[i] / 2); }

//- rounds_down: shifts, and so rounds negative numbers down
KERNEL { EACH y[i] = (T)(x[i] >> 1); }

//- unsigned_bytes: takes the bytes for unsigned ones
KERNEL { EACH y[i] = (T)((unsigned char)x[i] / 2); }

/*@ near_wide_integers
type = "int64"
fill = "{ range = [1152921504606846976, 1024] }"
reference = "y[i] = x[i];"
tolerance = "{ absolute = 1 }"
*/
// One more and one less are right, and their doubles are the same as those of many others.

//+ one_off: is off by one, to either side
KERNEL { EACH y[i] = x[i] + i % 3 - 1; }

//- two_off: is off by two
KERNEL { EACH y[i] = x[i] + 2; }

//- sixty_less: is sixty too small in one element
KERNEL { EACH y[i] = x[i] - (i == 4000 ? 60 : 0); }

/*@ relative_wide_integers
type = "uint64"
fill = "{ range = [9223372036854775808.0, 1048576] }"
reference = "y[i] = x[i] + 1;"
tolerance = "{ relative = 5e-19 }"
*/
// Of 2^63 and a little more this is 4.6.

//+ four_off: is off by four, to either side
KERNEL { EACH y[i] = x[i] + (i % 2 ? 5 : -3); }

//- five_off: is off by five
KERNEL { EACH y[i] = x[i] + 6; }

//- through_a_double: adds in double precision, and loses more
KERNEL { EACH y[i] = (T)((double)x[i] + 1025.0); }

/*@ least_integers
type = "int64"
fill = "{ constant = -9223372036854775808 }"
reference = "y[i] = i % 2 ? x[i] : -(x[i] + 1);"
tolerance = "{ absolute = 3 }"
*/
// The least and the largest: what is beyond them wraps around.

//+ inwards: is three from each
KERNEL { EACH y[i] = i % 2 ? x[i] + 3 : -(x[i] + 4); }

//- too_far: is four from each
KERNEL { EACH y[i] = i % 2 ? x[i] + 4 : -(x[i] + 5); }

//- other_end: writes the one for the other, which are neighbours to who lets them wrap
KERNEL { EACH y[i] = i % 2 ? -(x[i] + 1) : x[i]; }

/*@ beside_unsigned
type = "int64"
reference_type = "uint64"
fill = "{ range = [1152921504606846976, 1024] }"
reference = "y[i] = i % 5 ? x[i] + 1 : ~0ull - i;"
tolerance = "{ absolute = \"9223372036854775808.0 + 2048\" }"
*/
// The largest unsigned numbers have no signed one of their own, and a negative one with their bits.

//+ as_near_as_can_be: writes the largest signed number for them
KERNEL { EACH y[i] = i % 5 ? x[i] + 1 : 9223372036854775807ll; }

//- their_bits: writes negative numbers with their bits
KERNEL { EACH y[i] = i % 5 ? x[i] + 1 : -1 - i; }

//- least: writes the least signed number for them, more than 2^64 away
KERNEL { EACH y[i] = i % 5 ? x[i] + 1 : -9223372036854775807ll - 1; }

/*@ exactly_beside_unsigned
type = "int64"
reference_type = "uint64"
fill = "{ range = [1152921504606846976, 1024] }"
reference = "y[i] = x[i] + 1;"
*/
// No tolerance.

//+ adds_one_to_it: adds one
KERNEL { EACH y[i] = x[i] + 1; }

//- one_less: is one less
KERNEL { EACH y[i] = x[i]; }

//- sixty_more: is sixty more
KERNEL { EACH y[i] = x[i] + 61; }

/*@ bytes_beside_words
type = "int8"
reference_type = "uint64"
fill = "{ uniform = [-128, 127], seed = 5 }"
reference = "y[i] = x[i] < 0 ? 300 + x[i] : x[i];"
tolerance = "{ absolute = 172 }"
*/

//+ largest_byte: writes the largest byte where the number is too large
KERNEL { EACH y[i] = x[i] < 0 ? 127 : x[i]; }

//- its_bits: writes the number's low byte
KERNEL { EACH y[i] = (T)(x[i] < 0 ? 300 + x[i] : x[i]); }

//- minus_one: writes a negative number, whose bits are those of the largest unsigned one
KERNEL { EACH y[i] = x[i] < 0 ? -1 : x[i]; }

/*@ begins_wide
type = "int64"
size = 4
fill = "{ values = [1, 2, 3, 4] }"
role = "inout"
output = "fill = { values = [1152921504606846977, 9007199254740993, -9007199254740993, 9223372036854775807] }"
reference = "y[i] ^= x[i];"
*/
// The reference begins from these, too, and not from the nearest doubles.

//+ changes_in_place: changes the numbers in place
KERNEL { EACH y[i] ^= x[i]; }

//- from_doubles: changes the nearest doubles
KERNEL { EACH y[i] = (T)(double)(y[i] / 2 * 2) ^ x[i]; }
