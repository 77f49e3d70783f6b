#include "tuner/device/backends/device_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/device/device_error.h"

namespace warptune::tuner {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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

TEST(DeviceChoice, TheHostTakesAnArchitecturesLimits) {
  EXPECT_THAT(ids("host:sm_90"), ElementsAre("host:sm_90"));
  const DeviceInfo host = machine().devices.back(), turing = choose_devices(machine(), "host:sm_75").front();
  EXPECT_EQ(turing.max_shared_memory_per_block_optin, 64 * 1024);
  EXPECT_EQ(turing.max_threads_per_multiprocessor, 1024);
  EXPECT_EQ(turing.compute_capability, 0) << "what is tuned there is for no GPU";
  EXPECT_FALSE(same_model(host, turing)) << "their sessions are not one";
  EXPECT_THAT(refusal("host,host:sm_75"), HasSubstr("must be of one model"));
  EXPECT_THAT(ids("host:all"), ElementsAre("host"));
  EXPECT_THAT(refusal("host:sm_91"),
              AllOf(HasSubstr("there is no device 'host:sm_91'"), HasSubstr("did you mean host:sm_90?"),
                    HasSubstr("It can be host:sm_75, host:sm_80, host:sm_86, ")));
  EXPECT_THAT(refusal("cuda:sm_90"), Not(HasSubstr("It can be")));
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
