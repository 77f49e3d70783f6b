#pragma once

#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>

namespace warptune {

// While one lives, local time is that of the zone, written as POSIX does: a machine may have no data on zones.
class ZoneOfTest {
 public:
  explicit ZoneOfTest(const char* zone) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    setenv("TZ", zone, 1);
    tzset();
  }
  ~ZoneOfTest() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }
  ZoneOfTest(const ZoneOfTest&) = delete;
  ZoneOfTest& operator=(const ZoneOfTest&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace warptune
