"""The C interface by ctypes, and communicators: the memory by which the GPUs of one host share
products. Needs no other package; torch.distributed for a Communicator."""
import ctypes
import pathlib

_HERE = pathlib.Path(__file__).resolve().parent
_NAME = "lib@NAME@.so"
# The paths in an installed package and in a shipped folder.
_PLACES = [_HERE / _NAME, _HERE.parents[1] / "lib" / _NAME]
_FOUND = [place for place in _PLACES if place.is_file()]
if not _FOUND:
    raise ImportError(f"{_NAME} is neither at {_PLACES[0]} nor at {_PLACES[1]}")

#: The path of the library.
LIBRARY = str(_FOUND[0])

OPS = {"gemm": 0, "syrk": 1, "syr2k": 2, "her2k": 3}
TYPES = {"bfloat16": 0, "float16": 1, "float32": 2, "float8_e4m3fn": 3, "float8_e5m2": 4}
SHORT_TYPES = {"bf16": "bfloat16", "f16": "float16", "f32": "float32", "e4m3": "float8_e4m3fn",
               "e5m2": "float8_e5m2"}
LAYOUTS = {"tn": 0, "nn": 1, "nt": 2, "tt": 3}
UPLOS = {"lower": 0, "upper": 1, "full": 2}
PARALLELS = {"reduce-scatter": 1, "all-gather": 3}
POLICIES = {"plain": 0, "race": 1, "race_bitwise": 2, "batch_invariant": 3}


def choice(known, name, what):
    """known[name]; raises a ValueError that lists the names if there is none."""
    if name in known:
        return known[name]
    raise ValueError(f"{what} is {name!r}: it must be one of {', '.join(known)}")


def type_name(dtype):
    """The full name of a type of any framework, or of a type's name."""
    name = str(getattr(dtype, "name", None) or dtype).rpartition(".")[2]
    return SHORT_TYPES.get(name, name)


class Call(ctypes.Structure):
    """The call of the header."""

    _fields_ = (
        [("size", ctypes.c_uint64)]
        + [(name, ctypes.c_int32) for name in ("op", "type", "out_type", "layout", "uplo", "activation")]
        + [(name, ctypes.c_int64) for name in ("m", "n", "k", "lda", "ldb", "ldc", "ldd")]
        + [(name, ctypes.c_void_p) for name in ("a", "b", "c", "d", "bias")]
        + [("alpha", ctypes.c_float), ("beta", ctypes.c_float)]
        + [(name, ctypes.c_void_p) for name in ("scale_a", "scale_b")]
        + [("groups", ctypes.c_int64)]
        + [(name, ctypes.c_void_p) for name in ("group_rows", "offsets", "workspace")]
        + [("workspace_bytes", ctypes.c_uint64), ("stream", ctypes.c_void_p)]
        + [("group_ends", ctypes.c_void_p)]
        + [(name, ctypes.c_int32) for name in ("scale_a_form", "scale_b_form", "accumulation")]
        + [(name, ctypes.c_int32) for name in ("bias_along_m", "stacked", "uses_scale_d", "takes_absmax")]
        + [("scaling", ctypes.c_void_p), ("comm", ctypes.c_void_p)]
        + [("parallel", ctypes.c_int32), ("gpus", ctypes.c_int32), ("sms", ctypes.c_int32)]
    )


def default_call():
    return Call(size=ctypes.sizeof(Call), alpha=1)


def load():
    library = ctypes.CDLL(LIBRARY)
    library.@NAME@_error.restype = ctypes.c_char_p
    return library


_HANDLE_BYTES = 256
_library = load()


def _require(status):
    if status == 1:
        raise ValueError(_library.@NAME@_error().decode())
    if status != 0:
        raise RuntimeError(_library.@NAME@_error().decode())


def communicator_bytes(parallel, gpus, m, n, k, dtype="bfloat16", layout="tn", *, out_dtype=None):
    """The bytes that a Communicator needs for a product m x n x k that `gpus` share. One serves all
    products that need at most its own: take the largest. Needs no GPU."""
    place = ctypes.create_string_buffer(512)
    address = (ctypes.addressof(place) + 255) // 256 * 256
    call = default_call()
    call.m, call.n, call.k, call.gpus = m, n, k, gpus
    call.a = call.b = call.d = address
    call.type = choice(TYPES, type_name(dtype), "dtype")
    call.out_type = call.type if out_dtype is None else choice(TYPES, type_name(out_dtype), "out_dtype")
    call.layout = choice(LAYOUTS, layout, "layout")
    call.parallel = choice(PARALLELS, parallel, "parallel")
    return call_bytes(call)


def call_bytes(call):
    """The bytes that the Communicator of a Call needs."""
    size = ctypes.c_uint64()
    _require(_library.@NAME@_comm_bytes(ctypes.byref(call), ctypes.byref(size)))
    return size.value


class Communicator:
    """The memory of this process's GPU that the other ranks of a process group write to.

    Every rank of `group` (a process group of torch.distributed; None: all ranks) makes one with the
    same `nbytes`, on its current device. All ranks call shared_matmul() for the same products in the
    same order, each in one stream at a time. `limit_ms`: how long a product waits for a rank that
    sends nothing (0: a minute); then its result is wrong and lost() names the rank.
    """

    def __init__(self, nbytes, group=None, *, limit_ms=0):
        import torch.distributed as dist

        self.pointer = None
        self.rank = dist.get_rank(group)
        self.gpus = dist.get_world_size(group)
        comm = ctypes.c_void_p()
        handle = ctypes.create_string_buffer(_HANDLE_BYTES)
        _require(_library.@NAME@_comm_create(self.rank, self.gpus, ctypes.c_uint64(nbytes),
                                             ctypes.c_uint64(limit_ms), ctypes.byref(comm), handle))
        self.pointer = comm
        handles = [None] * self.gpus
        dist.all_gather_object(handles, handle.raw, group=group)
        _require(_library.@NAME@_comm_connect(comm, b"".join(handles)))

    def lost(self):
        """A rank for which a product has waited in vain, or None. Waits for the device."""
        rank = ctypes.c_int()
        _require(_library.@NAME@_comm_lost(self.pointer, ctypes.byref(rank)))
        return None if rank.value < 0 else rank.value

    def close(self):
        """Frees the memory, once no rank launches any more; later calls with it raise."""
        pointer, self.pointer = self.pointer, None
        if pointer is not None:
            _require(_library.@NAME@_comm_destroy(pointer))
