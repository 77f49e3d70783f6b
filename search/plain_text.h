// Text from outside (a dying kernel's last words, names in a store) made fit to keep and to show; numbers as people
// read them.
#pragma once

#include <string>
#include <string_view>

namespace warptune::search {

// The text with U+FFFD for each byte that is no part of valid UTF-8.
std::string valid_utf8(std::string_view text);

// What characters that would end a line or move within it become.
enum class Lines {
  keep,    // line ends and tabs stay
  escape,  // they are shown as \n, \r and \t, so that the text stays on its line
};

// The text so that a terminal only shows it: control characters (ESC and the C1 range among them), characters that
// change the direction of writing and bytes that are no UTF-8 become \x1b, \u202e and the like (in JSON it stays JSON).
// With `keep`, \r stays only before \n: alone it goes back over what was shown.
std::string printable(std::string_view text, Lines lines);

// With the signs that the program's own tables and sentences use (±, µ, ×, …) in ASCII, as wide as before where a
// column's width hangs on it: "± 2 %" becomes "+-2 %". Other text stays as it is: it is somebody's name for something.
std::string with_ascii_signs(std::string text);

// Letters of ASCII in small ones, for what is compared in any case.
std::string lower_case(std::string text);

// "0.812", "59.0", "203", "12300".
std::string three_digits(double number);

}  // namespace warptune::search
