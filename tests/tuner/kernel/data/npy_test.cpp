#include "tuner/kernel/data/npy.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/temporary_folder.h"

namespace warptune::tuner {
namespace {

std::string npy(const std::string& description, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + description + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  return file + header + data;
}

std::string floats(std::initializer_list<float> values) {
  std::string bytes;
  for (float value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

TEST(Npy, ReadsTheElements) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.npy", npy("<f4", "(2, 3)", floats({1, 2, 3, 4, 5, 6})));
  const auto bytes = read_npy(file, ElementType::f32, 6);
  float last = 0;
  std::memcpy(&last, bytes.data() + 20, 4);
  EXPECT_EQ(last, 6);
}

TEST(Npy, RefusesAnotherTypeShapeOrOrder) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.npy", npy("<f4", "(6,)", floats({1, 2, 3, 4, 5, 6})));
  EXPECT_THROW(read_npy(file, ElementType::f64, 6), std::runtime_error);
  EXPECT_THROW(read_npy(file, ElementType::f32, 7), std::runtime_error);
  EXPECT_THROW(read_npy(folder.write("b.npy", npy("<f4", "(9,)", floats({1}))), ElementType::f32, 9),
               std::runtime_error);
  EXPECT_THROW(read_npy(folder.write("c.npy", "no numbers"), ElementType::f32, 1), std::runtime_error);
  EXPECT_THROW(read_npy(folder.path() / "none.npy", ElementType::f32, 1), std::runtime_error);
}

TEST(Npy, WritesWhatItReads) {
  const TemporaryFolder folder;
  const std::string data = floats({1, 2, 3, 4, 5, 6});
  const auto bytes = std::as_bytes(std::span(data));
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{6}, {2, 3}}) {
    write_npy(folder.path() / "a.npy", ElementType::f32, shape, bytes);
    EXPECT_EQ(read_npy(folder.path() / "a.npy", ElementType::f32, 6), std::vector(bytes.begin(), bytes.end()));
  }
  EXPECT_THROW(write_npy(folder.path() / "no/a.npy", ElementType::f32, {6}, bytes), std::runtime_error);
}

}  // namespace
}  // namespace warptune::tuner
