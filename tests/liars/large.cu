// One element among many, one block, one size.

/*@ large
type = "uint8"
size = 10000000
reference = "y[i] = x[i];"
options = ["--precision", "1"]
*/

//+ all_of_them: copies ten million bytes
KERNEL { EACH y[i] = x[i]; }

//- one_of_ten_million: is wrong in one element of ten million
KERNEL { EACH y[i] = i == 7654321 ? x[i] ^ 1 : x[i]; }

//- last_of_ten_million: leaves the last one out
KERNEL { EACH if (i < n - 1) y[i] = x[i]; }

//- one_block_of_many: is wrong in one block of forty thousand
KERNEL { EACH y[i] = blockIdx.x == 31415 ? 0 : x[i]; }

//- two_that_cancel: swaps two neighbours, which leaves every sum as it is
KERNEL { EACH y[i] = i == 1000000 ? x[i + 1] + (x[i] == x[i + 1]) : i == 1000001 ? x[i - 1] : x[i]; }

/*@ size_1000
size = 1000
reference = "y[i] = 2.0 * x[i];"
*/

//- wrong_at_1000: is wrong where the size is 1000
KERNEL { EACH y[i] = n == 1000 && i == 999 ? 0 : 2 * x[i]; }

//- whole_blocks_only: works on whole blocks, and forgets the rest
KERNEL { if ((blockIdx.x + 1) * blockDim.x <= n) EACH y[i] = 2 * x[i]; }

//- vectors_only: works on whole vectors of sixteen, and forgets the rest
KERNEL { EACH if (i < n / 16 * 16) y[i] = 2 * x[i]; }

//+ right_at_1000: is right at this size
KERNEL { EACH y[i] = n == 1024 ? 0 : 2 * x[i]; }

/*@ size_1024
size = 1024
reference = "y[i] = 2.0 * x[i];"
*/

//- wrong_at_1024: is wrong where the size is 1024
KERNEL { EACH y[i] = n == 1024 ? 0 : 2 * x[i]; }

//+ right_at_1024: is right at this size, and wrong at 1000
KERNEL { EACH y[i] = n == 1000 && i == 999 ? 0 : 2 * x[i]; }

//+ whole_blocks_suffice: works on whole blocks, and there are no others at this size
KERNEL { if ((blockIdx.x + 1) * blockDim.x <= n) EACH y[i] = 2 * x[i]; }
