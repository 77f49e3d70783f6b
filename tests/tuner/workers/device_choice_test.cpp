#include "tuner/backends/device_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/device/device_error.h"

namespace warptune::tuner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DeviceList machine() {
  DeviceList list;
  for (const auto& [id, name] : {std::pair("cuda:0", "A"), {"cuda:1", "A"}, {"cuda:2", "B"}, {"host", "CPU"}}) {
    DeviceInfo device;
    device.id = id;
    device.name = name;
    device.backend = device.id.substr(0, 4);
    list.devices.push_back(device);
  }
  return list;
}

std::vector<std::string> ids(const std::string& text) {
  std::vector<std::string> chosen;
  for (const DeviceInfo& device : choose_devices(machine(), text)) chosen.push_back(device.id);
  return chosen;
}

std::string refusal(const std::string& text) {
  try {
    choose_devices(machine(), text);
  } catch (const NoDeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(DeviceChoice, OneOrSeveralByIdOrBackend) {
  EXPECT_THAT(ids(""), ElementsAre("cuda:0"));
  EXPECT_THAT(ids("cuda"), ElementsAre("cuda:0"));
  EXPECT_THAT(ids("host"), ElementsAre("host"));
  EXPECT_THAT(ids("cuda:0,1"), ElementsAre("cuda:0", "cuda:1"));
  EXPECT_THAT(ids("cuda:1,cuda:0"), ElementsAre("cuda:1", "cuda:0"));
  EXPECT_THAT(ids("host,host"), ElementsAre("host", "host"));
}

TEST(DeviceChoice, NeverMixesModels) {
  EXPECT_THAT(refusal("cuda:0,2"), HasSubstr("cuda:0 is a A and cuda:2 is a B"));
  EXPECT_THAT(refusal("cuda:all"), HasSubstr("must be of one model"));
}

TEST(DeviceChoice, SaysWhatThereIs) {
  EXPECT_THAT(refusal("cuda:0,7"), HasSubstr("there is no device 'cuda:7'. There are: cuda:0 (A)"));
}

}  // namespace
}  // namespace warptune::tuner
