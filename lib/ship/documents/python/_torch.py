"""PyTorch: calls go straight to the library, or, where they are compiled or traced, through
operators that torch.compile supports."""
from typing import List, Optional

import torch
from torch import Tensor


from ._c_interface import OPS, PARALLELS, UPLOS, choice
from ._library import gemm, grouped_gemm, rank_k, shape_of, shared_gemm

_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter))
# PyTorch 2.10 and later has this attribute: the library can use PyTorch's allocator through it.
_LENDS = hasattr(torch.Tensor, "__dlpack_c_exchange_api__")
_is_compiling = torch.compiler.is_compiling
_is_grad_enabled = torch.is_grad_enabled


def _refuse_gradients(*tensors):
    for tensor in tensors:
        if tensor is not None and tensor.requires_grad:
            raise RuntimeError(
                "@NAME@ computes no gradients: call it under torch.no_grad() or on detached tensors"
            )


def _is_direct(a, *others):
    """True if the library can be called directly; raises if a gradient is needed. Where tensors are
    traced or compiled, they stand for others, and the caller calls an operator instead."""
    for name, other in zip(("b", "bias or c"), others):
        if other is not None and not isinstance(other, Tensor):
            raise TypeError(f"{name} is a {type(other).__name__}, and a is a tensor")
    if _is_grad_enabled():
        _refuse_gradients(a, *others)
    return type(a) in _PLAIN and not _is_compiling()


def _result_type(a, out_dtype):
    if out_dtype is not None:
        return out_dtype
    return torch.bfloat16 if a.dtype.itemsize == 1 else a.dtype


def _product_sizes(a, b, rank_b=2):
    if a.dim() != 2 or b.dim() != rank_b:
        raise ValueError(f"a has {a.dim()} dimensions and b {b.dim()}: they must have 2 and {rank_b}")
    if b.shape[-2] != a.shape[1]:
        raise ValueError(f"b has {b.shape[-2]} rows, and it must have {a.shape[1]}")
    return a.shape[0], b.shape[-1]


def _run(function, others, shape, a, out, out_dtype):
    """Calls function(*others, out, out_dtype, workspace, stream). Where the library cannot use
    PyTorch's allocator, it first returns the size of the workspace that it needs."""
    if out is None and not _LENDS:
        out = torch.empty(shape(), dtype=_result_type(a, out_dtype), device=a.device)
    result = function(*others, out, out_dtype, None, None)
    if type(result) is int:
        workspace = torch.empty(result, dtype=torch.uint8, device=a.device)
        result = function(*others, out, out_dtype, workspace, None)
    return out if result is None else result


def _gemm(a, b, bias, scale_a, scale_b, out, out_dtype):
    if _LENDS:  # the fastest path
        result = gemm(a, b, bias, scale_a, scale_b, out, out_dtype, None, None)
        return out if result is None else result
    return _run(gemm, (a, b, bias, scale_a, scale_b), lambda: _product_sizes(a, b), a, out, out_dtype)


def _grouped(a, b, offs, sizes, bias, scale_a, scale_b, out, out_dtype):
    operands = (a, b, offs, shape_of(sizes), bias, scale_a, scale_b)
    return _run(grouped_gemm, operands, lambda: _product_sizes(a, b, 3), a, out, out_dtype)


def _update(op, uplo, a, b, c, alpha, beta, out, out_dtype):
    operands = (op, uplo, a, b, c, alpha, 0.0 if c is None else beta)
    return _run(rank_k, operands, lambda: _square(a), a, out, out_dtype)


def _square(a):
    return (*a.shape[:-1], a.shape[-2])


@torch.library.custom_op("@NAME@::matmul", mutates_args=())
def _matmul_op(a: Tensor, b: Tensor, bias: Optional[Tensor], scale_a: Optional[Tensor],
               scale_b: Optional[Tensor], out_dtype: Optional[torch.dtype]) -> Tensor:
    return _gemm(a, b, bias, scale_a, scale_b, None, out_dtype)


@_matmul_op.register_fake
def _(a, b, bias, scale_a, scale_b, out_dtype):
    return a.new_empty(_product_sizes(a, b), dtype=_result_type(a, out_dtype))


@torch.library.custom_op("@NAME@::matmul_out", mutates_args=("out",))
def _matmul_out_op(a: Tensor, b: Tensor, bias: Optional[Tensor], scale_a: Optional[Tensor],
                   scale_b: Optional[Tensor], out: Tensor) -> None:
    _gemm(a, b, bias, scale_a, scale_b, out, None)


@torch.library.custom_op("@NAME@::grouped_mm", mutates_args=())
def _grouped_op(a: Tensor, b: Tensor, offs: Optional[Tensor], sizes: Optional[List[int]],
                bias: Optional[Tensor], scale_a: Optional[Tensor], scale_b: Optional[Tensor],
                out_dtype: Optional[torch.dtype]) -> Tensor:
    return _grouped(a, b, offs, sizes, bias, scale_a, scale_b, None, out_dtype)


@_grouped_op.register_fake
def _(a, b, offs, sizes, bias, scale_a, scale_b, out_dtype):
    return a.new_empty(_product_sizes(a, b, 3), dtype=_result_type(a, out_dtype))


@torch.library.custom_op("@NAME@::grouped_mm_out", mutates_args=("out",))
def _grouped_out_op(a: Tensor, b: Tensor, offs: Optional[Tensor], sizes: Optional[List[int]],
                    bias: Optional[Tensor], scale_a: Optional[Tensor], scale_b: Optional[Tensor],
                    out: Tensor) -> None:
    _grouped(a, b, offs, sizes, bias, scale_a, scale_b, out, None)


@torch.library.custom_op("@NAME@::rank_k", mutates_args=())
def _rank_k_op(op: int, uplo: int, a: Tensor, b: Optional[Tensor], c: Optional[Tensor], alpha: float,
               beta: float, out_dtype: Optional[torch.dtype]) -> Tensor:
    return _update(op, uplo, a, b, c, alpha, beta, None, out_dtype)


@_rank_k_op.register_fake
def _(op, uplo, a, b, c, alpha, beta, out_dtype):
    return a.new_empty(_square(a), dtype=_result_type(a, out_dtype))


@torch.library.custom_op("@NAME@::rank_k_out", mutates_args=("out",))
def _rank_k_out_op(op: int, uplo: int, a: Tensor, b: Optional[Tensor], c: Optional[Tensor],
                   alpha: float, beta: float, out: Tensor) -> None:
    _update(op, uplo, a, b, c, alpha, beta, out, None)


def matmul(a, b, bias, out, scale_a, scale_b, out_dtype, layout):
    if layout is not None:
        raise TypeError("layout is for JAX: PyTorch's tensors have strides")
    if _is_direct(a, b, bias):
        return _gemm(a, b, bias, scale_a, scale_b, out, out_dtype)
    if out is None:
        return _matmul_op(a, b, bias, scale_a, scale_b, out_dtype)
    _matmul_out_op(a, b, bias, scale_a, scale_b, out)
    return out


def shared_matmul(a, b, parallel, comm, bias, out, out_dtype):
    kind = choice(PARALLELS, parallel, "parallel")
    if not _is_direct(a, b, bias):
        raise RuntimeError("shared_matmul takes plain tensors, outside of torch.compile")

    def shape():
        if kind == PARALLELS["all-gather"]:
            return a.shape[0] * comm.gpus, b.shape[-1]
        return a.shape[0] // comm.gpus, b.shape[-1]

    return _run(shared_gemm, (a, b, bias, kind, comm.pointer, comm.gpus), shape, a, out, out_dtype)


def grouped_mm(a, b, offs, sizes, bias, out, scale_a, scale_b, out_dtype):
    if _is_direct(a, b, bias):
        return _grouped(a, b, offs, sizes, bias, scale_a, scale_b, out, out_dtype)
    sizes = None if sizes is None else list(sizes)
    if out is None:
        return _grouped_op(a, b, offs, sizes, bias, scale_a, scale_b, out_dtype)
    _grouped_out_op(a, b, offs, sizes, bias, scale_a, scale_b, out)
    return out


def rank_k_update(op, a, b, c, alpha, beta, uplo, out, out_dtype):
    op, uplo = choice(OPS, op, "op"), choice(UPLOS, uplo, "uplo")
    if _is_direct(a, b, c):
        return _update(op, uplo, a, b, c, alpha, beta, out, out_dtype)
    alpha, beta = float(alpha), float(beta)
    if out is None:
        return _rank_k_op(op, uplo, a, b, c, alpha, beta, out_dtype)
    _rank_k_out_op(op, uplo, a, b, c, alpha, beta, out)
    return out


def @NAME@_matmul(a, b, *, out):
    """Inductor times this function beside its own products and calls it if it is the fastest."""
    try:
        return _gemm(a, b, None, None, None, out, None)
    except (TypeError, ValueError, RuntimeError) as error:
        # Inductor then skips this choice and continues.
        raise NotImplementedError(str(error)) from error


def register():
    from torch._inductor import config

    if @NAME@_matmul not in config.external_matmul:
        config.external_matmul.append(@NAME@_matmul)
