"""CuPy: calls run in its current stream, with its memory."""
import ctypes

import cupy
import tvm_ffi

from ._library import OPS, UPLOS, choice, gemm, grouped_gemm, rank_k, shape_of


# Workspaces of captured calls: the graphs use them at every launch.
_kept = []


def _workspace(bytes_needed, stream):
    workspace = cupy.empty(bytes_needed, cupy.uint8)
    if cupy.cuda.runtime.streamIsCapturing(stream):
        _kept.append(workspace)
    return workspace


def _lent(array):
    """The array for TVM-FFI, without DLPack's wait between streams: the call uses CuPy's stream."""
    if array is None:
        return None
    if not isinstance(array, cupy.ndarray):
        raise TypeError(f"a {type(array).__name__} is not an array of CuPy, and a is one")
    return tvm_ffi.from_dlpack(array.__dlpack__(stream=-1))


def _result_type(a, out_dtype):
    if out_dtype is not None:
        return cupy.dtype(out_dtype)
    return cupy.dtype("bfloat16") if a.dtype.itemsize == 1 else a.dtype


def _run(function, a, shape, out, out_dtype, *others):
    with a.device:
        if out is None:
            out = cupy.empty(shape, _result_type(a, out_dtype))
        elif out_dtype is not None and out.dtype != cupy.dtype(out_dtype):
            raise TypeError(f"out is {out.dtype}, and the result is {cupy.dtype(out_dtype)}")
        current = cupy.cuda.get_current_stream().ptr
        stream = ctypes.c_void_p(current)
        lent = _lent(out)
        needed = function(*others, lent, None, None, stream)
        if needed is not None:
            function(*others, lent, None, _lent(_workspace(needed, current)), stream)
    return out


def _product_sizes(a, b, rank_b):
    if a.ndim != 2 or b.ndim != rank_b:
        raise ValueError(f"a has {a.ndim} dimensions and b {b.ndim}: they must have 2 and {rank_b}")
    return a.shape[0], b.shape[-1]


def matmul(a, b, bias, out, scale_a, scale_b, out_dtype, layout):
    if layout is not None:
        raise TypeError("layout is for JAX: CuPy's arrays have strides")
    return _run(gemm, a, _product_sizes(a, b, 2), out, out_dtype, _lent(a), _lent(b), _lent(bias),
                _lent(scale_a), _lent(scale_b))


def shared_matmul(*_):
    raise TypeError("shared_matmul is for PyTorch")


def grouped_mm(a, b, offs, sizes, bias, out, scale_a, scale_b, out_dtype):
    return _run(grouped_gemm, a, _product_sizes(a, b, 3), out, out_dtype, _lent(a), _lent(b),
                _lent(offs), shape_of(sizes), _lent(bias), _lent(scale_a), _lent(scale_b))


def rank_k_update(op, a, b, c, alpha, beta, uplo, out, out_dtype):
    beta = 0.0 if c is None else beta
    return _run(rank_k, a, (*a.shape[:-1], a.shape[-2]), out, out_dtype, choice(OPS, op, "op"),
                choice(UPLOS, uplo, "uplo"), _lent(a), _lent(b), _lent(c), alpha, beta)
