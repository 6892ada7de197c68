"""JAX: the library's functions as targets of jax.ffi, in and outside of jit, in XLA's stream and with
its memory. Wrong types and sizes raise when a call is traced; a problem without a kernel raises
when the call runs."""
import ctypes

import jax
import jax.numpy as jnp
import numpy as np

from ._library import LAYOUTS, LIBRARY, OPS, UPLOS, choice, type_name

_own = ctypes.CDLL(LIBRARY)
for _target in ("gemm", "grouped_gemm", "rank_k"):
    jax.ffi.register_ffi_target("@NAME@_" + _target,
                                jax.ffi.pycapsule(getattr(_own, "@NAME@_xla_" + _target)),
                                platform="CUDA")

# The bits of the attribute `given`.
_BIAS, _SCALE_A, _SCALE_B, _B, _C, _COLUMNS_A, _COLUMNS_B = (1 << i for i in range(7))
_OPERANDS = ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2")


def _check(a, b, rank_a, rank_b):
    if a.ndim != rank_a or b.ndim != rank_b:
        raise ValueError(
            f"a has {a.ndim} dimensions and b {b.ndim}: they must have {rank_a} and {rank_b}")
    if type_name(a.dtype) not in _OPERANDS:
        raise TypeError(f"a is {a.dtype}: operands are {', '.join(_OPERANDS)}")
    if b.dtype != a.dtype:
        raise TypeError(f"b is {b.dtype}, and it must be {a.dtype}")


def _check_product(a, b, rank_b):
    _check(a, b, 2, rank_b)
    if b.shape[-2] != a.shape[1]:
        raise ValueError(f"b has {b.shape[-2]} rows, and it must have {a.shape[1]}")


def _addend_type(a):
    return jnp.bfloat16 if a.dtype.itemsize == 1 else a.dtype


def _check_bias(bias, a, n):
    if bias is None:
        return
    if bias.shape != (n,):
        raise ValueError(f"bias has the shape {bias.shape}, and it must be ({n},)")
    if bias.dtype != _addend_type(a):
        raise TypeError(f"bias is {bias.dtype}, and it must be {_addend_type(a)}")


def _call(target, shape, a, out, out_dtype, arrays, layouts, **attributes):
    if out is not None:
        raise TypeError("out is for PyTorch and CuPy: JAX's arrays are immutable")
    result = jax.ShapeDtypeStruct(shape, out_dtype or _addend_type(a))
    call = jax.ffi.ffi_call("@NAME@_" + target, result, input_layouts=layouts)
    return call(*arrays, **attributes)


def _layouts(layout, rank_b, others):
    """The memory layout of each operand, major dimension first, and its bits of `given`."""
    code = choice(LAYOUTS, layout or "tt", "layout")
    columns_a, columns_b = code in (1, 2), code in (0, 1)
    b = (1, 0) if rank_b == 2 else (0, 2, 1)
    given = columns_a * _COLUMNS_A + columns_b * _COLUMNS_B
    return [(1, 0) if columns_a else None, b if columns_b else None, *[None] * others], given


def matmul(a, b, bias, out, scale_a, scale_b, out_dtype, layout):
    _check_product(a, b, 2)
    _check_bias(bias, a, b.shape[1])
    for name, scale in (("scale_a", scale_a), ("scale_b", scale_b)):
        if scale is not None and scale.size != 1:
            raise ValueError(f"{name} has {scale.size} elements: with JAX it must have one")
    others = [x for x in (bias, scale_a, scale_b) if x is not None]
    layouts, given = _layouts(layout, 2, len(others))
    for bit, array in ((_BIAS, bias), (_SCALE_A, scale_a), (_SCALE_B, scale_b)):
        given |= bit if array is not None else 0
    return _call("gemm", (a.shape[0], b.shape[1]), a, out, out_dtype, [a, b, *others], layouts,
                 given=np.int32(given))


def shared_matmul(*_):
    raise TypeError("shared_matmul is for PyTorch")


def grouped_mm(a, b, offs, sizes, bias, out, scale_a, scale_b, out_dtype):
    if scale_a is not None or scale_b is not None:
        raise TypeError("scale_a and scale_b of groups are for PyTorch and CuPy")
    _check_product(a, b, 3)
    _check_bias(bias, a, b.shape[2])
    if sizes is not None and len(sizes) != b.shape[0]:
        raise ValueError(f"sizes has {len(sizes)} groups, and there must be {b.shape[0]}")
    others = [x for x in (offs, bias) if x is not None]
    layouts, given = _layouts(None, 3, len(others))
    given |= _BIAS if bias is not None else 0
    return _call("grouped_gemm", (a.shape[0], b.shape[2]), a, out, out_dtype, [a, b, *others],
                 layouts, given=np.int32(given), sizes=np.array(sizes or (), np.int64))


def rank_k_update(op, a, b, c, alpha, beta, uplo, out, out_dtype):
    code = choice(OPS, op, "op")
    rank = 3 if op == "her2k" else 2
    _check(a, a if b is None else b, rank, rank)
    if b is not None and b.shape != a.shape:
        raise ValueError(f"b has the shape {b.shape}, and it must be {a.shape}")
    shape = (*a.shape[:-1], a.shape[-2])
    if c is not None and (c.shape != shape or c.dtype != _addend_type(a)):
        raise ValueError(f"c is {c.dtype} of the shape {c.shape}: it must be {_addend_type(a)} of {shape}")
    given = (_B if b is not None else 0) | (_C if c is not None else 0)
    others = [x for x in (b, c) if x is not None]
    return _call("rank_k", shape, a, out, out_dtype, [a, *others], None, given=np.int32(given),
                 op=np.int32(code), uplo=np.int32(choice(UPLOS, uplo, "uplo")),
                 alpha=np.float32(alpha), beta=np.float32(beta if c is not None else 0))
