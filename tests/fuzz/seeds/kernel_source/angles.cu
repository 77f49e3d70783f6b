__global__ void k(){}
void f() { > <<< >>> k<<<>>>(); <<<1>>>(); k<1<<<1, 2>>>(); }
} } extern "C" {
