"""Lists the matrix products that PyTorch runs, as `tilewright record` does for a whole program."""
import collections

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_TYPES = {"bfloat16": "bf16", "float16": "f16", "float32": "f32", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}


class _Unknown(Exception):
    """The reason why a call is left out."""


def _type(dtype):
    name = str(dtype).rpartition(".")[2]
    if name not in _TYPES:
        raise _Unknown(f"elements of {name}")
    return _TYPES[name]


def _kind(a, b, result):
    """The keys of a product of a (m x k) and b (k x n), or of batches of them."""
    if a.dtype != b.dtype or a.dtype == torch.float32:
        raise _Unknown(f"operands of {a.dtype} and {b.dtype}")
    layout = ("t" if a.stride(-1) == 1 else "n") + ("n" if b.stride(-2) == 1 and b.stride(-1) != 1 else "t")
    kind = {"dtype": _type(a.dtype), "layout": layout}
    if result.dtype != (torch.bfloat16 if a.dtype.itemsize == 1 else a.dtype):
        kind["out_dtype"] = _type(result.dtype)
    return kind


def _product(a, b, result, batch=1):
    size = f"{a.shape[-2]}x{b.shape[-1]}x{a.shape[-1]}"
    if 0 in (batch, *a.shape, *b.shape):
        raise _Unknown("a size of 0")
    return {"problem": size if batch == 1 else f"{batch}x{size}", **_kind(a, b, result)}


def _added(product, c, alpha, beta, width):
    """The product with beta c, a matrix or a row, and the factor alpha."""
    is_row = c is not None and c.dim() == 1 and c.shape[0] == width and beta == 1
    if c is not None and beta != 0 and not is_row and c.dim() < 2:
        raise _Unknown("an addend that is broadcast")
    terms = [f"{alpha:g}*ab"] if alpha != 1 else []
    if c is not None and beta != 0 and not is_row:
        terms.append("c" if beta == 1 else f"{beta:g}*c")
    if is_row and not terms:
        return {**product, "bias": "true"}
    terms += ["bias"] if is_row else []
    return {**product, "epilogue": '"' + "+".join(terms) + '"'} if terms else product


def _scaled(a, b, result, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False):
    if scale_result is not None or (scale_a.numel() > 1) != (scale_b.numel() > 1):
        raise _Unknown("scales of other forms")
    product = _added(_product(a, b, result), bias, 1, 1, b.shape[-1])
    if scale_a.numel() == 1:
        product.update(scale_a="tensor", scale_b="tensor")
    elif (scale_a.numel(), scale_b.numel()) == (a.shape[0], b.shape[1]):
        product.update(scale_a="row", scale_b="column")
    else:
        raise _Unknown("scales of blocks")
    return product if use_fast_accum else {**product, "accumulate": "promoted"}


def _grouped(a, b, result, offs=None, bias=None, out_dtype=None):
    if a.dim() != 2 or b.dim() != 3 or offs is None or bias is not None:
        raise _Unknown("a group in another form than rows of a")
    ends = offs.tolist()  # waits for the GPU
    sizes = [f"{end - begin}x{b.shape[2]}x{b.shape[1]}" for begin, end in zip([0, *ends], ends)]
    return {"group": f"[{', '.join(sizes)}]", **_kind(a, b, result)}


_PRODUCTS = {
    "mm": lambda result, a, b, **_: _product(a, b, result),
    "bmm": lambda result, a, b, **_: _product(a, b, result, a.shape[0]),
    "addmm": lambda result, c, a, b, beta=1, alpha=1, **_: _added(_product(a, b, result), c, alpha, beta, b.shape[-1]),
    "baddbmm": lambda result, c, a, b, beta=1, alpha=1, **_: _added(
        _product(a, b, result, a.shape[0]), c if c.dim() == 3 else c.flatten()[:0], alpha, beta, -1),
    "linear": lambda result, x, w, bias=None: _added(
        _product(x.reshape(-1, x.shape[-1]), w.t(), result), bias, 1, 1, w.shape[0]),
    "_scaled_mm": lambda result, a, b, *rest, **names: _scaled(a, b, result, *rest, **names),
    "_grouped_mm": lambda result, a, b, *rest, **names: _grouped(a, b, result, *rest, **names),
}


class record(TorchDispatchMode):
    """with record("products.yaml"): ... writes the products of the block, for tune @products.yaml.
    `calls` counts them and `left_out` the calls for which the list has no form."""

    def __init__(self, path):
        super().__init__()
        self.path, self.calls, self.left_out = path, collections.Counter(), collections.Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        describe = _PRODUCTS.get(func.overloadpacket.__name__)
        if describe:
            try:
                self.calls[tuple(describe(result, *args, **(kwargs or {})).items())] += 1
            except (_Unknown, TypeError) as reason:
                self.left_out[str(reason)] += 1
        return result

    def __exit__(self, *error):
        super().__exit__(*error)
        if not self.calls:
            return
        with open(self.path, "w") as file:
            file.write("schema: tilewright.problems/1\nabout: Products of PyTorch.\nproblems:\n")
            for product, calls in self.calls.most_common():
                keys = "\n    ".join(f"{key}: {value}" for key, value in (*product, ("calls", calls)))
                file.write(f"  - {keys}\n")
