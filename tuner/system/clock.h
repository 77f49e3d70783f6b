// Reads the one clock, in monotonic seconds, and tells what is left until a deadline. Wall time is only ever written
// into records, never subtracted.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace warptune::tuner {

// Returns seconds since an arbitrary start. No adjustment of the system's clock moves it. Thread-safe.
inline double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A Deadline is a moment of that clock by which something has to be done, or none.
class Deadline {
 public:
  Deadline() = default;  // none
  // Infinity is no deadline.
  static Deadline in_s(double seconds) { return Deadline(steady_s() + seconds); }
  static Deadline in_ms(int milliseconds) { return in_s(milliseconds / 1e3); }

  bool is_none() const { return std::isinf(at_s_); }
  bool has_passed() const { return left_s() <= 0; }
  // Returns infinity without a deadline, and less than 0 after it.
  double left_s() const { return at_s_ - steady_s(); }
  // Returns the milliseconds as poll() takes them, rounded up: -1 without a deadline, 0 after it.
  int left_ms() const { return is_none() ? -1 : left_ms(1'000'000'000); }
  // Returns the same, but `most` if it is more, and also without a deadline.
  int left_ms(int most) const { return static_cast<int>(std::ceil(std::clamp<double>(1e3 * left_s(), 0, most))); }

 private:
  explicit Deadline(double at_s) : at_s_(at_s) {}

  double at_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace warptune::tuner
