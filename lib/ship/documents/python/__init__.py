"""Matrix products on NVIDIA GPUs by lib@NAME@, for arrays of PyTorch, CuPy and JAX.

Each function runs in the current stream of the arrays' framework, takes its result and its workspace
from that framework's allocator, and does not wait. A transposed view is not copied: the elements of
an operand's rows or of its columns must be contiguous, and these may have any pitch. Arrays on
other devices, of other types or of other sizes raise TypeError or ValueError; a problem without a
kernel here raises RuntimeError. There are no gradients: a call that would need one raises.
"""
from ._c_interface import LIBRARY, Communicator, communicator_bytes
from ._library import prepare, set_policy, set_sm_budget, why

__all__ = [
    "Communicator",
    "LIBRARY",
    "communicator_bytes",
    "grouped_mm",
    "grouped_mm_sizes",
    "her2k",
    "matmul",
    "prepare",
    "record",
    "register",
    "set_policy",
    "set_sm_budget",
    "shared_matmul",
    "syr2k",
    "syrk",
    "why",
]

_fronts = {}


def _front_of(a):
    """The module for the framework of an array."""
    framework = type(a).__module__.partition(".")[0]
    if framework == "cupy":
        from . import _cupy as front
    elif framework in ("jax", "jaxlib"):
        from . import _jax as front
    else:
        try:
            import torch
        except ImportError:
            torch = None
        if torch is None or not isinstance(a, torch.Tensor):
            raise TypeError(f"a is a {type(a).__name__}, not an array of PyTorch, CuPy or JAX")
        from . import _torch as front
    _fronts[type(a)] = front
    return front


def _front(a):
    return _fronts.get(type(a)) or _front_of(a)


def matmul(a, b, bias=None, out=None, *, scale_a=None, scale_b=None, out_dtype=None, layout=None):
    """scale_a scale_b a b + bias: a (m x k) and b (k x n) of bfloat16, float16, float8_e4m3fn
    or float8_e5m2.

    The result has a's type, bfloat16 of float8, or `out_dtype` (float32, float16, bfloat16). `bias`
    has n elements; each scale is one float32 on the device, or float32 for parts of float8 operands:
    scale_a m x 1 with scale_b 1 x n; or, with kb = ceil(k / 128), scale_a m x kb with scale_b
    kb x ceil(n / 128) or kb x n. They are read in place: the kb of a row or column lie together, or
    those of all rows (columns), m (n) rounded up to a multiple of 4 apart; scale_b's kb for 128
    columns lie together, without gaps or filled up to a multiple of 4. `out` must not overlap the operands.
    `layout` is for JAX, which exposes no strides: "tt" (the default) takes a and b as they are; a
    first letter n means that memory holds the transpose of a, a second letter n that it holds the
    transpose of b, so that matmul(x, w.T, layout="tn") copies nothing in a jit.
    """
    return _front(a).matmul(a, b, bias, out, scale_a, scale_b, out_dtype, layout)


def shared_matmul(a, b, parallel, comm, bias=None, out=None, *, out_dtype=None):
    """This GPU's part of a product that the GPUs of `comm`, a Communicator, share; each calls it.

    "reduce-scatter": a (m x k/gpus) b (k/gpus x n), summed over the GPUs; the result has this GPU's
    m/gpus rows of the sum. "all-gather": the rows of all GPUs' a (m/gpus x k each), in the order of
    the ranks, times this GPU's b (k x n/gpus); the rows of a have no gaps. For PyTorch; eager calls
    only, of bfloat16 or float16.
    """
    return _front(a).shared_matmul(a, b, parallel, comm, bias, out, out_dtype)


def grouped_mm(a, b, offs, bias=None, out=None, *, scale_a=None, scale_b=None, out_dtype=None):
    """As torch._grouped_mm for a 2-D a and a 3-D b: rows offs[g - 1] to offs[g] of the result are
    these rows of a times b[g].

    `offs` (int32, on the device) are the ends of the groups' rows; the host reads none of them. The
    scales are those of matmul(), with scale_b for each group.
    """
    return _front(a).grouped_mm(a, b, offs, None, bias, out, scale_a, scale_b, out_dtype)


def grouped_mm_sizes(a, b, sizes, bias=None, out=None, *, scale_a=None, scale_b=None, out_dtype=None):
    """As grouped_mm() with the number of rows of each group on the host: `sizes` are integers. The
    kernel is chosen for these sizes."""
    sizes = tuple(sizes.tolist() if hasattr(sizes, "tolist") else sizes)
    return _front(a).grouped_mm(a, b, None, sizes, bias, out, scale_a, scale_b, out_dtype)


def syrk(a, c=None, *, alpha=1.0, beta=1.0, uplo="lower", out=None, out_dtype=None):
    """alpha a a' + beta c of a (n x k); without c, beta is ignored.

    `uplo` is "lower", "upper" or "full", which writes both triangles. With one triangle the other
    elements of the result keep the values of `out`; without an `out` they are undefined.
    """
    return _front(a).rank_k_update("syrk", a, None, c, alpha, beta, uplo, out, out_dtype)


def syr2k(a, b, c=None, *, alpha=1.0, beta=1.0, uplo="lower", out=None, out_dtype=None):
    """alpha (a b' + b a') + beta c of a and b (n x k), as syrk()."""
    return _front(a).rank_k_update("syr2k", a, b, c, alpha, beta, uplo, out, out_dtype)


def her2k(a, b, c=None, *, alpha=1.0, beta=1.0, uplo="lower", out=None, out_dtype=None):
    """As syr2k() for complex a and b, with the second factors conjugated. Arrays are planar: a, b
    (2 x n x k), c and the result (2 x n x n) hold real parts at 0 and imaginary parts at 1."""
    return _front(a).rank_k_update("her2k", a, b, c, alpha, beta, uplo, out, out_dtype)


def record(path):
    """with record("products.yaml"): ... writes the products that PyTorch runs in the block, each once
    with its number of calls, for `tilewright tune @products.yaml`."""
    from ._record import record as mode

    return mode(path)


def register():
    """Lets Inductor choose this library's product where its autotuning finds it the fastest
    (torch._inductor.config.external_matmul). A second call has no effect."""
    from . import _torch

    _torch.register()
