#define A B + B
#define B A * A
__global__ void k(float* x, int n) { int i = blockIdx.x * A + threadIdx.x; if (i < B) x[i] = A; }
int main() { int a = b + b, b = a + a; k<<<a, B>>>(0, a); }
