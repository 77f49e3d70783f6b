template <typename T, int B = 3> __global__ void __launch_bounds__
__constant__
int main() { k<float><<<1, (2>>>(x