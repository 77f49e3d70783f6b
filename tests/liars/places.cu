// Writes to places that are not a kernel's own, and reads from there. Wherever a kernel writes, the configurations after it
// must be judged as if it had never run: behind each liar that spoils something stands a sound kernel that would notice.

/*@ inputs
reference = "y[i] = 2.0 * x[i];"
*/

//+ reads_its_input: doubles its input, as all kernels of this family say they do
KERNEL { EACH y[i] = 2 * x[i]; }

//- spoils_its_input: is right, and then writes -1 to all of its input
KERNEL { EACH { y[i] = 2 * x[i]; x[i] = -1; } }

//+ reads_after_that: must not suffer from the liar before it
KERNEL { EACH y[i] = 2 * x[i]; }

//- spoils_one_input: is right, and then writes to one element of its input
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 1234) x[i] = 50; } }

//+ reads_after_that_too: must not suffer from the liar before it
KERNEL { EACH y[i] = x[i] + x[i]; }

//- computes_in_its_input: doubles its input in place, and copies it
KERNEL { EACH { x[i] *= 2; y[i] = x[i]; } }

//- gives_its_input_back_late: computes in its input, and gives it back in each second run only
KERNEL { EACH { y[i] = x[i] > 0 ? 2 * x[i] : -2 * x[i]; x[i] = -x[i]; } }

//- last_bit_of_its_input: changes the last bit of an input's element, which no tolerance would tell
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 77) ((unsigned*)x)[i] ^= 1; } }

//+ reads_once_more: must not suffer from the liars before it
KERNEL { EACH y[i] = 4 * x[i] - 2 * x[i]; }

//- before_its_input: writes a zero in front of its input
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) x[-1] = 0; } }

//- behind_its_input: writes a zero behind its input
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) x[n] = 0; } }

//- before_its_temporary: writes a zero in front of its temporary
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) *(temp - 1) = 0; } }

//- behind_its_temporary: writes a zero behind its temporary
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) temp[n] = 0; } }

//- near_behind_{1..3} [wrong_result | launch_error | crash]: writes behind its output, at a KiB times four to the power
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) y[n + (256 << 2 * VARIANT) + 5] = 1; } }

//- near_before_{1..3} [wrong_result | launch_error | crash]: writes before its output, at a KiB times four to the power
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) *(y - (256ll << 2 * VARIANT) - 5) = 1; } }

//- far_behind_{4..7} [wrong_result | launch_error | crash]: writes far behind its output, at a KiB times four to the power
//  cuda: undetected: the driver maps 2 MiB at a time, and what nobody allocated of it belongs to nobody
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) y[n + (256 << 2 * VARIANT) + 5] = 1; } }

//- far_before_{4..7} [wrong_result | launch_error | crash]: writes far before its output, at a KiB times four to the power
//  cuda: undetected: the driver maps 2 MiB at a time, and what nobody allocated of it belongs to nobody
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 0) *(y - (256ll << 2 * VARIANT) - 5) = 1; } }

//- sprays [wrong_result | launch_error | crash]: writes zeros at each 512th byte for a MiB around its output, whatever is there: a reference, a verdict
KERNEL {
  EACH {
    y[i] = 2 * x[i];
    if (i < 2048) y[n + 128 * i + 3] = 0;
    if (i < 2048) *(y - 128 * i - 3) = 0;
  }
}

//- seeks_the_reference [wrong_result | launch_error | crash]: looks for the expected numbers around its output, makes them zeros, and writes zeros itself
KERNEL {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    const long long bytes = 1 << 21;
    char* memory = (char*)((unsigned long long)y & ~7ull);
    for (long long at = -bytes; at < bytes; at += 8) {
      double* words = (double*)(memory + at);
      if (words[0] == 2.0 * x[0] && words[1] == 2.0 * x[1]) for (int i = 0; i < n; ++i) words[i] = 0;
    }
  }
  EACH y[i] = 0;
}

//- through_null [launch_error | crash]: is right, and writes through a pointer to nowhere
KERNEL { EACH { y[i] = 2 * x[i]; if (i == 9) *(volatile float*)(temp[i] * 0ull + 64) = 1; } }

//+ reads_after_all: must not suffer from any of the liars before it
KERNEL { EACH y[i] = 3 * x[i] - x[i]; }

/*@ odd_bytes
type = "uint8"
size = 1021
reference = "y[i] = x[i];"
*/

//+ last_byte: copies each byte, the last one too
KERNEL { EACH y[i] = x[i]; }

//- bytes_behind_{1..3}: writes so many bytes behind its output, whose length is odd
KERNEL { EACH { y[i] = x[i]; if (i < VARIANT) y[n + i] = 77; } }

//- bytes_before_{1..3}: writes so many bytes in front of its output
KERNEL { EACH { y[i] = x[i]; if (i < VARIANT) *(y - 1 - i) = 77; } }

//- byte_of_ones: writes the byte 255 behind its output
KERNEL { EACH { y[i] = x[i]; if (i == 0) y[n] = 255; } }

//- byte_of_zeros: writes the byte 0 behind its output
KERNEL { EACH { y[i] = x[i]; if (i == 0) y[n] = 0; } }

//- words: copies words, and so up to three bytes too many
KERNEL { EACH if (i < (n + 3) / 4) ((unsigned*)y)[i] = ((unsigned*)x)[i]; }

//- byte_behind_its_input: writes a byte behind its input
KERNEL { EACH { y[i] = x[i]; if (i == 0) x[n] ^= 1; } }

//- leaves_a_byte: never writes the last byte
KERNEL { EACH if (i < n - 1) y[i] = x[i]; }

//+ words_and_bytes: copies words as far as there are whole ones, and then bytes
KERNEL {
  EACH {
    if (i < n / 4) ((unsigned*)y)[i] = ((unsigned*)x)[i];
    else if (i - n / 4 + n / 4 * 4 < n) y[i - n / 4 + n / 4 * 4] = x[i - n / 4 + n / 4 * 4];
  }
}

//+ backwards: copies from the last byte to the first
KERNEL { EACH y[n - 1 - i] = x[n - 1 - i]; }

/*@ odd_words
type = "uint16"
size = 1021
reference = "y[i] = x[i];"
*/

//+ last_word: copies each element, the last one too
KERNEL { EACH y[i] = x[i]; }

//- word_behind: writes one element behind its output, whose length is odd
KERNEL { EACH { y[i] = x[i]; if (i == 0) y[n] = 7; } }

//- word_before: writes one element in front of its output
KERNEL { EACH { y[i] = x[i]; if (i == 0) *(y - 1) = 7; } }

//- pairs: copies pairs of elements, and so one too many
KERNEL { EACH if (i < (n + 1) / 2) ((unsigned*)y)[i] = ((unsigned*)x)[i]; }

//- low_bytes: writes only the low byte of each element
KERNEL { EACH ((unsigned char*)y)[2 * i] = (unsigned char)x[i]; }

/*@ all_ones
type = "uint8"
size = 1021
fill = "{ constant = 255 }"
reference = "y[i] = x[i];"
*/
// Bytes 255, which bits all set would hide.

//+ copies_ones: copies each byte
KERNEL { EACH y[i] = x[i]; }

//- writes_three_of_four: leaves each fourth byte unwritten
KERNEL { EACH if (i % 4 != 3) y[i] = 255; }

//- writes_only_one: leaves all bytes but one unwritten
KERNEL { EACH if (i == 500) y[i] = 255; }

/*@ all_zeros
type = "uint8"
size = 1021
fill = "{ constant = 0 }"
reference = "y[i] = x[i];"
*/
// Bytes 0, which fresh memory would hide.

//+ copies_zeros: copies each byte
KERNEL { EACH y[i] = x[i]; }

//- writes_no_zeros: leaves each fourth byte unwritten
KERNEL { EACH if (i % 4 != 3) y[i] = 0; }

/*@ edges
size = 1000
reference = "y[i] = x[i] + (i + 1 < n ? x[i + 1] : 0);"
*/
// Sums of two neighbours; the last has none to its right.

//+ stays_inside: reads no further than its input goes
KERNEL { EACH y[i] = x[i] + (i + 1 < n ? x[i + 1] : 0); }

//- reads_past_the_end: adds what lies behind its input
KERNEL { EACH y[i] = x[i] + x[i + 1]; }

//- reads_before_the_start: adds what lies before its input, times a very small number
KERNEL { EACH y[i] = x[i] + (i + 1 < n ? x[i + 1] : 0) + (i == 0 ? 0.001f * *(x - 1) : 0); }

//- largest_with_what_is_behind: lets what lies behind its input win if it is larger
KERNEL { EACH y[i] = x[i] + (i + 1 < n ? x[i + 1] : fmaxf(x[n], 0.0f)); }

//- writes_the_whole_block: writes for each thread of its last block
KERNEL { const int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = i < n ? x[i] + (i + 1 < n ? x[i + 1] : 0) : 0; }

//+ clamps: reads its last element where there is no neighbour, and multiplies it by zero
KERNEL { EACH y[i] = x[i] + x[min(i + 1, n - 1)] * (i + 1 < n); }

//+ vectors: writes vectors of four, as the length is a multiple of four
KERNEL {
  EACH if (i < n / 4) {
    float4 v;
    v.x = x[4 * i] + x[4 * i + 1];
    v.y = x[4 * i + 1] + x[4 * i + 2];
    v.z = x[4 * i + 2] + x[4 * i + 3];
    v.w = x[4 * i + 3] + (4 * i + 4 < n ? x[4 * i + 4] : 0);
    ((float4*)y)[i] = v;
  }
}

//- half_vectors: writes vectors of four, but the last half of each is missing
KERNEL {
  EACH if (i < n / 4) {
    float2 v;
    v.x = x[4 * i] + x[4 * i + 1];
    v.y = x[4 * i + 1] + x[4 * i + 2];
    ((float2*)y)[2 * i] = v;
  }
}
