"""The library and its functions."""
import pathlib

try:
    import tvm_ffi
except ImportError as missing:
    raise ImportError("@NAME@ needs TVM-FFI: pip install 'apache-tvm-ffi>=0.1.10,<0.2'") from missing

_HERE = pathlib.Path(__file__).resolve().parent
_NAME = "lib@NAME@.so"
# The paths in an installed package and in a shipped folder.
_PLACES = [_HERE / _NAME, _HERE.parents[1] / "lib" / _NAME]
_FOUND = [place for place in _PLACES if place.is_file()]
if not _FOUND:
    raise ImportError(f"{_NAME} is neither at {_PLACES[0]} nor at {_PLACES[1]}")

#: The path of the library.
LIBRARY = str(_FOUND[0])

_module = tvm_ffi.load_module(LIBRARY)
gemm = _module["@NAME@_gemm"]
grouped_gemm = _module["@NAME@_grouped_gemm"]
rank_k = _module["@NAME@_rank_k"]
_why = _module["@NAME@_why"]
_prepare = _module["@NAME@_prepare"]
_set_policy = _module["@NAME@_set_policy"]

OPS = {"gemm": 0, "syrk": 1, "syr2k": 2, "her2k": 3}
TYPES = {"bfloat16": 0, "float16": 1, "float32": 2, "float8_e4m3fn": 3, "float8_e5m2": 4}
SHORT_TYPES = {"bf16": "bfloat16", "f16": "float16", "f32": "float32", "e4m3": "float8_e4m3fn",
               "e5m2": "float8_e5m2"}
LAYOUTS = {"tn": 0, "nn": 1, "nt": 2, "tt": 3}
UPLOS = {"lower": 0, "upper": 1, "full": 2}
POLICIES = {"plain": 0, "race": 1, "race_bitwise": 2}


def choice(known, name, what):
    """known[name]; raises a ValueError that lists the names if there is none."""
    if name in known:
        return known[name]
    raise ValueError(f"{what} is {name!r}: it must be one of {', '.join(known)}")


def type_name(dtype):
    """The full name of a type of any framework, or of a type's name."""
    name = str(getattr(dtype, "name", None) or dtype).rpartition(".")[2]
    return SHORT_TYPES.get(name, name)


def shape_of(sizes):
    """Sizes in the form that the library takes; None stays None."""
    return None if sizes is None else tvm_ffi.Shape(sizes)


def prepare(device=0):
    """Loads all kernels on a device, so that later calls only launch: before a capture, and to keep
    the first calls short."""
    _prepare(int(device))


def set_policy(policy):
    """What answers products that nobody tuned, for later calls of all threads.

    "plain" (the default): always the same kernel, by the library's table. "race": the first calls of
    a product run a few kernels and cuBLASLt in turn, and the fastest answers from then on. Every
    result is right, but the bits may differ from call to call while it races, and from those of
    "plain" afterwards. "race_bitwise": the same among kernels whose results are bit for bit those of
    "plain". Winners are kept for later processes.
    """
    _set_policy(choice(POLICIES, policy, "policy"))


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
