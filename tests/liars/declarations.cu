// Templates that would let anything pass. They are refused before anything is measured: exit code 3 says so.

/*@ infinite_tolerance
refused = True
reference = "y[i] = 2.0 * x[i];"
tolerance = "{ relative = inf }"
*/

//- anything_within_infinity: writes zeros where the tolerance is infinite
KERNEL { EACH y[i] = 0; }

/*@ nan_tolerance
refused = True
reference = "y[i] = 2.0 * x[i];"
tolerance = "{ absolute = nan }"
*/

//- anything_within_nan: writes zeros where the tolerance is no number
KERNEL { EACH y[i] = 0; }

/*@ negative_tolerance
refused = True
reference = "y[i] = 2.0 * x[i];"
tolerance = "{ relative = -1 }"
*/

//- anything_within_less_than_nothing: is right where the tolerance is negative
KERNEL { EACH y[i] = 2 * x[i]; }

/*@ computed_tolerance
refused = True
reference = "y[i] = 2.0 * x[i];"
tolerance = '{ absolute = "1e308 * SIZE" }'
*/

//- anything_within_what_overflows: writes zeros where the tolerance overflows at this size
KERNEL { EACH y[i] = 0; }

/*@ empty_reference
refused = True
reference = ";"
*/

//- agrees_with_nobody: writes nothing, as the reference
KERNEL {}

/*@ forgetful_reference
refused = True
reference = "if (i != 1234) y[i] = 2.0 * x[i];"
*/

//- agrees_on_the_rest: writes what the reference does, which forgets an element
KERNEL { EACH if (i != 1234) y[i] = 2 * x[i]; }

/*@ forgetful_bytes
refused = True
type = "uint8"
size = 1021
reference = "if (i != 1020) y[i] = x[i];"
*/

//- agrees_on_the_other_bytes: writes what the reference does, which forgets a byte
KERNEL { EACH if (i != 1020) y[i] = x[i]; }
