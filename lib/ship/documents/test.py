#!/usr/bin/env python3
"""Runs every row of lib@NAME@ on random operands, through the C interface and through the Python
package where TVM-FFI is installed, and compares with float64. Needs PyTorch and a GPU. Rows that GPUs
share are run by torchrun --nproc-per-node GPUS test.py."""
import ctypes
import os
import pathlib
import sys

from epilogue import E4M3, F32, Epilogue, torch_type

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "python" / "@NAME@"))
from _c_interface import default_call, load  # noqa: E402


def why(library, call):
    text = ctypes.create_string_buffer(1024)
    status = library.@NAME@_why(ctypes.byref(call), text, ctypes.c_uint64(len(text)))
    return text.value.decode() if status == 0 else library.@NAME@_error().decode()


def launch(library, call, torch):
    """Launches with a new workspace whose bytes are all ones."""
    size = ctypes.c_uint64()
    function = "@NAME@_rank_k" if call.op else "@NAME@_grouped_gemm" if call.groups else "@NAME@_gemm"
    status = library.@NAME@_workspace(ctypes.byref(call), ctypes.byref(size), None)
    workspace = None
    if status == 0:
        workspace = torch.full((max(size.value, 1),), 255, dtype=torch.uint8, device="cuda")
        call.workspace = workspace.data_ptr()
        call.workspace_bytes = size.value
        status = getattr(library, function)(ctypes.byref(call))
    if status != 0:
        raise RuntimeError(library.@NAME@_error().decode())
    return workspace


def load_package():
    """The package in python/; None without TVM-FFI."""
    sys.path.insert(0, str(HERE / "python"))
    try:
        import @NAME@ as package
    except ImportError as missing:
        print(f"the Python package is not tested: {missing}")
        return None
    return package


def package_result(package, row, a, b, out_type, epilogue):
    """D of a row computed by the package, from operands in the layout of the C interface."""
    op, _, _, layout, uplo, shapes, _ = row
    planes = 2 if op == 3 else 1
    count = planes * len(shapes)
    if count > 1 and op == 3:
        a = a.unflatten(0, (count, -1))
    if count > 1:
        b = b.unflatten(0, (count, -1))
    if layout in (1, 2):
        a = a.transpose(-2, -1)
    if op:  # n x k, as a is
        b = b if layout in (0, 1) else b.transpose(-2, -1)
        uplo = ("lower", "upper", "full")[uplo]
        if op == 1:
            return package.syrk(a, uplo=uplo, out_dtype=out_type)
        d = (package.syr2k if op == 2 else package.her2k)(a, b, uplo=uplo, out_dtype=out_type)
        return d.flatten(0, -2)
    b = b.transpose(-2, -1) if layout in (0, 1) else b
    scale_a, scale_b = epilogue.scale_arrays()
    options = {"scale_a": scale_a, "scale_b": scale_b, "out_dtype": out_type}
    if len(shapes) > 1:
        return package.grouped_mm_sizes(a, b, [shape[0] for shape in shapes], **options)
    return package.matmul(a, b, **options)


# op, type, out_type, layout, uplo, [(m, n, k), ...], the call's other fields
ROWS = @PYTHON_ROWS@


def operand(torch, rows, columns, kind):
    values = torch.rand(rows, columns, device="cuda") * 2 - 1
    return values.to(torch_type(torch, kind))


def check(library, package, torch, row):
    """The largest error of the interfaces, and the text of the answer."""
    op, kind, out_kind, layout, uplo, shapes, _ = row
    call = default_call()
    call.op, call.type, call.out_type, call.layout, call.uplo = op, kind, out_kind, layout, uplo
    planes = 2 if op == 3 else 1
    sizes = [shape[0] for shape in shapes]
    m = sum(sizes)
    _, n, k = shapes[0]
    call.m, call.n, call.k = m, n, k
    epilogue = Epilogue(torch, row, sizes)
    epilogue.set_fields(call)
    a_along_k, b_along_k = layout in (0, 3), layout in (0, 1)
    a = operand(torch, planes * (m if a_along_k else k), k if a_along_k else m, kind)
    b = operand(torch, planes * len(shapes) * (n if b_along_k else k), k if b_along_k else n, kind)
    empty = torch.full((planes * m, epilogue.columns), float("nan"), device="cuda")
    d = empty.to(torch_type(torch, out_kind))
    call.a, call.b, call.d = a.data_ptr(), b.data_ptr(), d.data_ptr()
    keep = []
    if len(shapes) > 1:
        rows = (ctypes.c_int64 * len(shapes))(*sizes)
        ends = torch.tensor([0] + sizes).cumsum(0).to(torch.int32).cuda()
        call.groups = len(shapes)
        call.group_rows = ctypes.cast(rows, ctypes.c_void_p)
        call.offsets = ends.data_ptr()
        keep = [rows, ends]
    keep.append(launch(library, call, torch))
    torch.cuda.synchronize()
    answer = why(library, call)
    results = [d]
    if len(shapes) > 1:  # again, with the rows on the device only
        results.append(empty.to(d.dtype))
        keep.append(keep[1][1:].clone())
        call.group_rows = call.offsets = None
        call.group_ends, call.d = keep[-1].data_ptr(), results[-1].data_ptr()
        keep.append(launch(library, call, torch))
        torch.cuda.synchronize()
    error, mask = 0, None
    if op == 0:
        wide_b = b.view(len(shapes), -1, b.shape[1])
        want, most = epilogue.d(a if a_along_k else a.t(), wide_b if b_along_k else wide_b.mT)
        error = epilogue.maximum_error(most)
    else:
        want = rank_k(torch, op, a.double(), b.double(), n, k)
        ones = torch.ones(n, n, dtype=torch.bool, device="cuda")
        mask = (ones.tril() if uplo == 0 else ones.triu() if uplo == 1 else ones).repeat(planes, 1)
    if package is not None and epilogue.has_scales_only() and out_kind != E4M3:
        results.append(package_result(package, row, a, b, d.dtype, epilogue))
    for result in results:
        got = result.to(torch.float64)
        if mask is not None:
            got, want = torch.where(mask, got, 0.0), torch.where(mask, want, 0.0)
        own = ((got - want).norm() / want.norm().clamp_min(1e-30)).item()
        # Comparisons with NaN are false: this form keeps a NaN.
        error = error if own <= error else own
    return error, answer


def is_good(row, error):
    """True if a row's relative error is what its types allow."""
    return error < {F32: 3e-4 if row[1] >= E4M3 else 1e-4, E4M3: 6e-2}.get(row[2], 5e-3)


def rank_k(torch, op, a, b, n, k):
    if op == 1:
        return a @ a.t()
    if op == 2:
        return a @ b.t() + b @ a.t()
    x, y = torch.complex(a[:n], a[n:]), torch.complex(b[:n], b[n:])
    d = x @ y.conj().t() + y @ x.conj().t()
    return torch.cat([d.real, d.imag])


def main():
    try:
        import torch
    except ImportError:
        print("no PyTorch here: nothing was checked")
        return 0
    if not torch.cuda.is_available():
        print("no GPU here: nothing was checked")
        return 0
    library = load()
    if int(os.environ.get("WORLD_SIZE", 1)) > 1:
        import shared

        return shared.test(torch, library, ROWS)
    package = load_package()
    if library.@NAME@_prepare(torch.cuda.current_device()) != 0:
        print(library.@NAME@_error().decode())
        return 1
    torch.manual_seed(1)
    failed = 0
    own_rows = [row for row in ROWS if "parallel" not in row[6]]
    for row in own_rows:
        error, answer = check(library, package, torch, row)
        good = is_good(row, error)
        failed += not good
        print("ok    " if good else "WRONG ", row, f"error {error:.2e};", answer)
    print(f"{len(own_rows) - failed} passed, {failed} failed")
    for gpus in sorted({row[6]["gpus"] for row in ROWS if "parallel" in row[6]}):
        count = sum(row[6].get("gpus") == gpus for row in ROWS)
        print(f"{count} are shared by {gpus} GPUs: torchrun --nproc-per-node {gpus} test.py")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
