// Tensor maps on the host, and the copy that reads them.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/tuner/device/backends/host/host_fixture.h"

namespace warptune::tuner::host {
namespace {

// A box of 2-byte elements, out of the shared memory that it was copied to.
constexpr char copying[] = R"(
    __global__ void copy(const __grid_constant__ CUtensorMap map, unsigned short* out, unsigned* bytes, int column,
                         int row) {
      extern __shared__ __align__(1024) unsigned short box[];
      const int at[2] = {column, row};
      bytes[0] = warptune_host::load_box(box + MISPLACED, map, at);
      for (unsigned i = 0; i < bytes[0] / 2; ++i) out[i] = box[i];
    }
  )";

// Elements of a matrix of 20 x 40 that count from 1.
class HostTensors : public testing::Test {
 protected:
  std::vector<unsigned short> copied(const TensorView& view, int column, int row, const char* misplaced = "0") {
    CompileRequest wanted = request(copying, {"copy"});
    wanted.defines = {{"MISPLACED", misplaced}};
    const auto module = build(wanted);
    std::vector<unsigned short> content(20 * 40);
    std::iota(content.begin(), content.end(), static_cast<unsigned short>(1));
    const Buffer<unsigned short> matrix(content);
    const std::size_t elements = static_cast<std::size_t>(view.box[0] * view.box[1]);
    const Buffer<unsigned short> out(elements);
    const Buffer<unsigned> bytes(1);
    const TensorMap map =
        shared_device().encode_tensor_map(view, {reinterpret_cast<std::uint64_t>(matrix.get()), content.size() * 2});
    LaunchGeometry geometry;
    geometry.dynamic_shared_bytes = 32768;
    launch(*module, "copy", geometry, map, out.get(), bytes.get(), column, row);
    EXPECT_EQ(bytes.read()[0], elements * 2);
    return out.read();
  }

  static unsigned short element(int row, int column) {
    if (row < 0 || row >= 20 || column < 0 || column >= 40) return 0;
    return static_cast<unsigned short>(row * 40 + column + 1);
  }
};

TEST_F(HostTensors, ABoxIsPackedRowsWithZerosOutside) {
  const TensorView view{ElementType::u16, {20, 40}, {40}, {8, 16}, 0, 0};
  for (const auto& [column, row] : {std::pair(3, 2), std::pair(-5, -1), std::pair(30, 15), std::pair(100, 0)}) {
    const auto box = copied(view, column, row);
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 16; ++c) EXPECT_EQ(box[static_cast<std::size_t>(r * 16 + c)], element(row + r, column + c));
  }
}

// The PTX ISA's figures of the 128-byte mode: the 16-byte pieces of row r lie at their number XOR r mod 8; the shorter
// modes permute pieces by the line of 128 bytes that they are in.
TEST_F(HostTensors, ASwizzlePermutesPiecesByTheLine) {
  for (const int span : {32, 64, 128}) {
    const int width = span / 2;
    const auto box = copied({ElementType::bf16, {20, 40}, {40}, {16, width}, span, 0}, 0, 0);
    for (int r = 0; r < 16; ++r)
      for (int c = 0; c < width; ++c) {
        const int line = r * span / 128 % (span / 16);
        const int place = r * width + (c / 8 ^ line) * 8 + c % 8;
        EXPECT_EQ(box[static_cast<std::size_t>(place)], element(r, c)) << span << " " << r << " " << c;
      }
  }
}

TEST_F(HostTensors, AViewMayLeaveRowsOut) {
  const auto box = copied({ElementType::u16, {10, 40}, {80}, {4, 8}, 0, 0}, 8, 8);
  EXPECT_EQ(box[0], element(16, 8));
  EXPECT_EQ(box[8], element(18, 8));
  EXPECT_EQ(box[16], 0);
}

TEST_F(HostTensors, ACopyToAMisalignedPlaceEndsTheLaunch) {
  try {
    copied({ElementType::u16, {20, 40}, {40}, {8, 16}, 0, 0}, 0, 0, "32");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code(), "MISALIGNED_ADDRESS");
  }
}

TEST_F(HostTensors, AViewThatBreaksARuleIsAResourceLimit) {
  for (const TensorView& view : {TensorView{ElementType::u16, {20, 40}, {40}, {8, 12}, 0, 0},
                                 TensorView{ElementType::u16, {20, 40}, {40}, {8, 16}, 128, 0}}) {
    try {
      copied(view, 0, 0);
      FAIL();
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.outcome(), search::Outcome::resource_limit);
      EXPECT_THAT(error.what(),
                  testing::HasSubstr("making a tensor map on the host failed: the box's innermost extent"));
    }
  }
}

}  // namespace
}  // namespace warptune::tuner::host
