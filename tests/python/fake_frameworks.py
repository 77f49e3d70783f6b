"""fake_frameworks.py DRIVER TEMPLATE: calls a kernel with arrays as CuPy and PyTorch have them, over the fake driver, and prints what
was launched as JSON. The frameworks are stand-ins with the attributes that are asked for; ends with 77 where there is no NVRTC."""
import ctypes
import json
import sys
import types

import numpy as np

DRIVER, TEMPLATE = sys.argv[1:]
FLOAT32 = object()  # torch.float32


class Array:  # as cupy.ndarray
    def __init__(self, address, shape, dtype="float32"):
        self.data = types.SimpleNamespace(ptr=address)
        self.dtype, self.shape, self.size = np.dtype(dtype), shape, int(np.prod(shape))
        self.flags = types.SimpleNamespace(c_contiguous=True)


class Tensor:  # as torch.Tensor
    def __init__(self, address, shape, on_gpu=True):
        self.address, self.shape, self.dtype, self.is_cuda = address, shape, FLOAT32, on_gpu

    def data_ptr(self):
        return self.address

    def numel(self):
        return int(np.prod(self.shape))

    def is_contiguous(self):
        return True

    def get_device(self):
        return 3


class Interface:  # as Numba's device arrays
    def __init__(self, address, shape):
        self.shape = shape
        self.__cuda_array_interface__ = {"shape": shape, "typestr": "<f4", "data": (address, False), "version": 3, "stream": 0x31}

    __cuda_array_interface__ = None


def frameworks():
    cupy, torch = types.ModuleType("cupy"), types.ModuleType("torch")
    cupy.ndarray = Array
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=0x51))
    torch.Tensor, torch.float32 = Tensor, FLOAT32
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 0x6F + device)
    sys.modules.update(cupy=cupy, torch=torch)


def main():
    frameworks()
    driver = ctypes.CDLL(DRIVER)
    launches = []

    @ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)
    def told(kernel, arguments, stream):
        value = lambda i, kind: ctypes.cast(arguments[i], ctypes.POINTER(kind))[0]  # noqa: E731
        launches.append({"kernel": kernel.decode(), "x": value(0, ctypes.c_uint64), "y": value(1, ctypes.c_uint64),
                         "factor": value(2, ctypes.c_float), "n": value(3, ctypes.c_int32), "stream": stream})

    driver.cuInit(0)
    driver.cuCtxPushCurrent_v2(None)  # the application's context
    addresses = []
    for _ in range(2):
        address = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(35 * 4)) == 0
        addresses.append(address.value)
    driver.fake_cuda_on_launch(told)

    import warptune

    kernel = warptune.kernel(TEMPLATE, cache=False)
    try:
        kernel.prepare(ROWS=5, COLUMNS=7)
    except warptune.TuningError as error:
        if "nvrtc" in str(error).lower():
            print(f"NVRTC is not here: {error}")
            sys.exit(77)
        raise
    made = {"addresses": addresses}
    for name, kind in (("cupy", Array), ("torch", Tensor), ("interface", Interface)):
        kernel(*(kind(address, (5, 7)) for address in addresses))
        made[name] = launches.pop()
    kernel(*(Array(address, (5, 7)) for address in addresses), stream=types.SimpleNamespace(__cuda_stream__=lambda: (0, 0x99)))
    made["given"] = launches.pop()
    made["refused"] = []
    for wrong in (Array(addresses[0], (5, 7), "float64"), Tensor(addresses[0], (5, 7), on_gpu=False)):
        try:
            kernel(wrong, Array(addresses[1], (5, 7)))
        except ValueError as error:
            made["refused"].append(str(error))
    assert not launches
    print(json.dumps(made))


main()
