// The same weights without shifts and masks, one thread per pixel: exact in integers.
extern "C" __global__ void image_map_reference(const unsigned* colours, unsigned char* greys, int height, int width) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(height) * width) return;
  const unsigned char* pixel = reinterpret_cast<const unsigned char*>(colours + i);
  const long long weighted = 19595ll * pixel[0] + 38470ll * pixel[1] + 7471ll * pixel[2];
  greys[i] = static_cast<unsigned char>((weighted + 32768) / 65536);
}
