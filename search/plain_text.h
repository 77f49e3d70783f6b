// Makes text from outside (a dying kernel's last words, names in a store) fit to keep and to show, and writes numbers
// as people read them.
#pragma once

#include <string>
#include <string_view>

namespace warptune::search {

// Returns the text with U+FFFD in place of each byte that is no part of valid UTF-8.
std::string valid_utf8(std::string_view text);

// Lines says what becomes of characters that would end a line or move within it.
enum class Lines {
  keep,    // line ends and tabs stay
  escape,  // they are shown as \n, \r and \t, so that the text stays on its line
};

// Returns the text so that a terminal only shows it. Control characters (ESC and the C1 range among them), characters
// that change the direction of writing and bytes that are no UTF-8 become \x1b, \u202e and the like (JSON stays JSON).
// With `keep`, \r stays only before \n, because alone it goes back over what was shown.
std::string printable(std::string_view text, Lines lines);

// Returns the text with the signs that the program's own tables and sentences use (±, µ, ×, …) in ASCII. They are as
// wide as before where a column's width depends on it: "± 2 %" becomes "+-2 %". Other text stays as it is, because it
// is somebody's name for something.
std::string with_ascii_signs(std::string text);

// Returns the text with its ASCII letters in lower case, for comparisons that ignore case.
std::string lower_case(std::string text);
// Returns it in upper case.
std::string upper_case(std::string text);

// Returns a number with three significant digits, or with all of its integer digits if there are more, such as "0.812",
// "59.0", "203" and "12300".
std::string three_digits(double number);

}  // namespace warptune::search
