// What the program and its driver say to each other: a word and JSON on a line of stdout, and where the driver takes a
// reading, a line back. Without the answer a server's process might end between the reading's files.
#pragma once

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

namespace warptune::tuner::bench {

inline void say(const char* what, const nlohmann::json& figures) {
  std::cout << what << ' ' << figures << std::endl;
}

// Ends at the end of stdin, too: without a driver nothing waits.
inline void say_and_wait(const char* what, const nlohmann::json& figures) {
  say(what, figures);
  std::string answer;
  std::getline(std::cin, answer);
}

}  // namespace warptune::tuner::bench
