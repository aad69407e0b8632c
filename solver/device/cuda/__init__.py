"""Computing on a GPU, and the same on the CPU by a serial twin.

    body.py               a thread body: one thread of a kernel, and the serial loop over threads
    tuples.py             numbers of one element as tuples, and back
    device_functions.py   element functions as functions of the GPU, from the same Python source
    device.py             launches, arrays and counters of both devices; the serial twin
    nvidia.py             a CUDA device; its arrays `device_array.py`, a frame as one graph `graph.py`
    compiled.py           machine code and resources of a kernel, compiled without a GPU
    kernels.py            kernels kept on disk; `ahead.py`: compiled by several processes
    primitives.py         sums of segments in a fixed order, scans, reduction

A kernel is written as a thread body, a function of a thread's number and a NamedTuple of arrays and numbers:

    class Sums(NamedTuple):
        x: Array
        y: Array

    @body
    def add(i, args):
        args.y[i] += args.x[i]

    device = SerialDevice()                      # or nvidia.CudaDevice()
    x, y = device.upload(a), device.upload(b)
    device.launch(add, len(a), Sums(x, y))
    y = device.download(y)

Threads of one launch run in any order, and no thread may read results of another thread of the launch. So the serial twin,
one thread after the other, computes the result of CUDA but for rounding, and everything except the launch itself is tested
on any machine. A sum is taken in a fixed order, by one thread or by a fixed tree; there are no atomics.
"""
