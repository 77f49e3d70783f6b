// What devices reach at most: kept by model, apart from sessions.
#include <gmock/gmock.h>

#include "tests/db/store_fixture.h"

namespace warptune::db {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

DeviceRecord h200(const std::string& driver = "580.159") {
  DeviceRecord device = gemm_session().key.device;
  device.driver = driver;
  device.memory_gib = 141;
  return device;
}

Roof roof(const std::string& name, double value) {
  Roof one{name, value, "a copy", {}, "GPU-1"};
  one.tool_version = "0.1.0";
  return one;
}

using Roofs = StoreTest;

TEST_F(Roofs, AreKeptWithWhatTheyCameFrom) {
  Store store = open();
  EXPECT_THAT(store.roofs(h200()), IsEmpty());
  store.record_roofs(h200(), std::vector{roof("fp32", 60e12), roof("dram", 4.2e12 / 3)});
  Roof expected = roof("dram", 4.2e12 / 3);
  expected.driver = "580.159";
  expected.measured_at = "2026-03-14T15:09:26.000Z";
  ASSERT_THAT(store.roofs(h200()), SizeIs(2));
  EXPECT_EQ(store.roofs(h200()).front(), expected);
}

TEST_F(Roofs, BelongToTheModelWhateverItsDriver) {
  Store store = open();
  store.record_roofs(h200("580.159"), std::vector{roof("dram", 1)});
  store.record_roofs(h200("590.10"), std::vector{roof("dram", 2)});
  ASSERT_THAT(store.roofs(h200("580.159")), SizeIs(1));
  EXPECT_EQ(store.roofs(h200()).front().value, 2);
  DeviceRecord other = h200();
  other.multiprocessors = 66;
  EXPECT_THAT(store.roofs(other), IsEmpty());
}

TEST_F(Roofs, OutliveTheLastSessionOnTheirDevice) {
  Store store = open();
  const SessionId session = store.create_session(gemm_session());
  store.record_roofs(gemm_session().key.device, std::vector{roof("dram", 1)});
  store.remove(std::vector{session});
  store.gc();
  EXPECT_THAT(store.roofs(gemm_session().key.device), SizeIs(1));
}

TEST_F(Roofs, OfTwoStoresTheLaterMeasuredStays) {
  Roof old = roof("dram", 1), recent = roof("dram", 2);
  old.measured_at = "2026-01-01T00:00:00.000Z";
  recent.measured_at = "2026-02-01T00:00:00.000Z";
  Store store = open("a"), other = open("b");
  store.record_roofs(h200(), std::vector{old, roof("fp32", 3)});
  other.record_roofs(h200(), std::vector{recent});
  store.merge(file("b"));
  other.merge(file("a"));
  for (const Store* one : {&store, &other}) {
    ASSERT_THAT(one->roofs(h200()), SizeIs(2));
    EXPECT_EQ(one->roofs(h200()).front().value, 2);
  }
}

}  // namespace
}  // namespace warptune::db
