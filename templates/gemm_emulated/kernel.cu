#if WGMMA
#include "wgmma.cuh"
#else
#include "mma.cuh"
#endif
