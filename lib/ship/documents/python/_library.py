"""The functions of the library for arrays, by TVM-FFI."""
try:
    import tvm_ffi
except ImportError as missing:
    raise ImportError("@NAME@ needs TVM-FFI: pip install 'apache-tvm-ffi>=0.1.10,<0.2'") from missing

from ._c_interface import LAYOUTS, LIBRARY, OPS, POLICIES, TYPES, UPLOS, choice, type_name

_module = tvm_ffi.load_module(LIBRARY)
gemm = _module["@NAME@_gemm"]
grouped_gemm = _module["@NAME@_grouped_gemm"]
rank_k = _module["@NAME@_rank_k"]
shared_gemm = _module["@NAME@_shared_gemm"]
_why = _module["@NAME@_why"]
_prepare = _module["@NAME@_prepare"]
_set_policy = _module["@NAME@_set_policy"]
_set_sm_budget = _module["@NAME@_set_sm_budget"]

def shape_of(sizes):
    """Sizes in the form that the library takes; None stays None."""
    return None if sizes is None else tvm_ffi.Shape(sizes)


def prepare(device=0):
    """Loads all kernels on a device, so that later calls only launch: before a capture, and to keep
    the first calls short."""
    _prepare(int(device))


def set_policy(policy):
    """What answers, for later calls of all threads.

    "plain" (the default): always the same kernel, by the library's table. "race": the first calls of
    a product that nobody tuned run a few kernels and cuBLASLt in turn, and the fastest answers from then on. Every
    result is right, but the bits may differ from call to call while it races, and from those of
    "plain" afterwards. "race_bitwise": the same among kernels whose results are bit for bit those of
    "plain". Winners are kept for later processes. "batch_invariant": a row of the result has the same
    bits at every m, because only kernels of whole tiles answer; a call that none computes is refused.
    """
    _set_policy(choice(POLICIES, policy, "policy"))


def set_sm_budget(sms):
    """The number of multiprocessors that later calls of all threads keep to; 0: all of them."""
    _set_sm_budget(int(sms))


def why(m, n, k, dtype="bfloat16", layout="tn", *, op="gemm", uplo="full", out_dtype=None, bias=False,
        sizes=None):
    """The answer to a problem and its reason, as one line. Needs no GPU.

    `layout` has a letter for each operand: k is contiguous in a with t, in b with n. A view x.t()
    of contiguous rows has the other letter. `sizes`: the rows of each group of a grouped product.
    """
    kind = choice(TYPES, type_name(dtype), "dtype")
    by_default = 0 if kind >= TYPES["float8_e4m3fn"] else kind
    out = choice(TYPES, type_name(out_dtype), "out_dtype") if out_dtype is not None else by_default
    return str(_why(choice(OPS, op, "op"), kind, out, choice(LAYOUTS, layout, "layout"),
                    choice(UPLOS, uplo, "uplo"), m, n, k, bool(bias), shape_of(sizes)))
