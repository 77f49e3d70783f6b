// Tensor maps, and the bulk copies that read them (PTX ISA, "cp.async.bulk.tensor" and "Tensor-map swizzling modes").

static_assert(sizeof(warptune_host::TensorMap) == 128, "a CUtensorMap is 128 bytes");
typedef warptune_host::TensorMap CUtensorMap;

namespace warptune_host {

// Where a swizzle puts the byte at this address of shared memory: within each span, the number of a 16-byte piece is
// XORed with bits of the address from 128 upwards, as many as a piece's number has.
inline size_t swizzled(size_t address, unsigned span_bytes) {
  const size_t pieces = span_bytes == 0 ? 0 : span_bytes / 16 - 1;
  return address ^ ((address >> 7 & pieces) << 4);
}

// Copies the box at these coordinates (innermost first, in elements; any of them may lie outside) to shared memory at
// `to`, rows packed, zeros for what is outside. Returns the bytes written, which is what a barrier counts: all of them.
WARPTUNE_UNTRACKED inline unsigned load_box(void* to, const CUtensorMap& map, const int* coordinates) {
  if (reinterpret_cast<size_t>(to) % 128 != 0)
    __fail("MISALIGNED_ADDRESS", "a bulk tensor copy needs 128-byte alignment");
  const size_t element = map.strides[0];
  unsigned elements = 1;
  for (unsigned d = 0; d < map.rank; ++d) elements *= map.box[d];
  for (unsigned i = 0; i < elements; ++i) {
    size_t from = map.address;
    bool inside = true;
    for (unsigned d = 0, rest = i; d < map.rank; rest /= map.box[d], ++d) {
      const long long at = coordinates[d] + static_cast<long long>(rest % map.box[d]);
      inside = inside && at >= 0 && at < static_cast<long long>(map.shape[d]);
      from += static_cast<size_t>(at) * map.strides[d];
    }
    void* place = reinterpret_cast<void*>(swizzled(reinterpret_cast<size_t>(to) + i * element, map.swizzle_bytes));
    if (inside) WARPTUNE_NOTE(kRead, from, element);
    WARPTUNE_NOTE(kWrite, place, element);
    if (inside)
      __builtin_memcpy(place, reinterpret_cast<const void*>(from), element);
    else
      __builtin_memset(place, 0, element);
  }
  return elements * static_cast<unsigned>(element);
}

}  // namespace warptune_host
