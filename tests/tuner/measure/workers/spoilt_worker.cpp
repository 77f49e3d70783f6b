// A worker whose memory a kernel has overwritten: it opens whatever it is told to, and answers each job with the trial
// of another one, after which it would have lost its device.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tuner/measure/workers/channel.h"
#include "tuner/measure/workers/codec.h"

using warptune::tuner::FileDescriptor;
using namespace warptune::tuner::workers;

int main(int count, char** arguments) {
  if (count < 3) return EXIT_FAILURE;
  Channel channel(FileDescriptor(std::atoi(arguments[count - 3])), Side::worker);
  if (!channel.receive_key()) return EXIT_FAILURE;
  while (const auto message = channel.wait()) {
    const json request = from_cbor(message->text);
    json answer = {{"ready", true}};
    if (request.at("do") == "open") answer = {{"open", true}, {"expected", json::array()}};
    if (request.at("do") == "measure") answer = {{"job", 12345}, {"trial", json::object()}, {"lost", true}};
    if (!channel.send({to_cbor(answer), {}})) break;
  }
  return EXIT_SUCCESS;
}
