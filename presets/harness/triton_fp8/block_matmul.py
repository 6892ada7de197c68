"""D = A B^T for fp8 operands with a scale for every 1 x 128 of A and every 128 x 128 of B."""

import triton
import triton.language as tl

SCALED = tl.constexpr(128)  # elements of K, and rows of B, that share a scale


@triton.jit
def tile_of(slot, M, N, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
            GROUP_SIZE_M: tl.constexpr):
    tiles_m = tl.cdiv(M, BLOCK_SIZE_M)
    in_group = GROUP_SIZE_M * tl.cdiv(N, BLOCK_SIZE_N)
    first = slot // in_group * GROUP_SIZE_M
    height = min(tiles_m - first, GROUP_SIZE_M)
    return first + slot % in_group % height, slot % in_group // height


@triton.jit
def block_matmul(a_ptr, b_ptr, d_ptr, scale_a_ptr, scale_b_ptr, M, N, K, lda, ldb, ldd,
                 BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
                 GROUP_SIZE_M: tl.constexpr):
    tile_m, tile_n = tile_of(tl.program_id(0), M, N, BLOCK_SIZE_M, BLOCK_SIZE_N, GROUP_SIZE_M)
    rows = tile_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    columns = tile_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    depth = tl.arange(0, BLOCK_SIZE_K)
    # Rows and columns outside of D repeat others; they are computed, and not stored.
    near_rows = rows % M
    near_columns = columns % N
    a_at = a_ptr + near_rows[:, None] * lda + depth[None, :]
    b_at = b_ptr + near_columns[None, :] * ldb + depth[:, None]
    blocks = tl.cdiv(K, SCALED)
    scale_a_at = scale_a_ptr + near_rows * blocks
    scale_b_at = scale_b_ptr + near_columns // SCALED * blocks
    total = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        left = K - step * BLOCK_SIZE_K
        a = tl.load(a_at, mask=depth[None, :] < left, other=0.0)
        b = tl.load(b_at, mask=depth[:, None] < left, other=0.0)
        block = step * BLOCK_SIZE_K // SCALED
        scale_a = tl.load(scale_a_at + block)
        scale_b = tl.load(scale_b_at + block)
        total += tl.dot(a, b) * scale_a[:, None] * scale_b[None, :]
        a_at += BLOCK_SIZE_K
        b_at += BLOCK_SIZE_K
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(d_ptr + rows[:, None] * ldd + columns[None, :], total.to(tl.bfloat16), mask=inside)
