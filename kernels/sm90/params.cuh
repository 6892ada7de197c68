// All constants of a kernel of the sm_90a family, in one struct: the kernel is specialised on it,
// and the legality rules and the launcher call the same functions.
#pragma once

#include "map/element_type.cuh"
#include "map/epilogue.cuh"
#include "map/matrix_op.cuh"
#include "map/operand_scale.cuh"
#include "map/packed_rows.cuh"
#include "map/peer_blocks.cuh"
#include "map/raster.cuh"
#include "map/reduction.cuh"
#include "map/work_split.cuh"

namespace tw {

/// How the consumer warpgroups divide a CTA's work.
enum class KernelSchedule : int {
  Cooperative,  // each computes its own rows of every tile
  PingPong,     // they alternate whole tiles: one's epilogue overlaps with the other's main loop
};

struct Sm90Params {
  int cta_m = 128;  // output rows of a CTA
  int cta_n = 128;  // output columns of a CTA
  int cta_k = 64;   // depth of a stage, elements: kStageRowBytes of them
  int stages = 4;
  int cluster_m = 1;  // CTAs of a cluster along m: they share B by multicast
  int cluster_n = 1;  // along n: they share A
  KernelSchedule schedule = KernelSchedule::Cooperative;
  ElementType element = ElementType::BF16;  // of A and B
  ElementType output = ElementType::BF16;   // of D
  bool a_mn_major = false;                  // m is A's contiguous dimension, not k
  bool b_mn_major = false;                  // n is B's contiguous dimension
  bool evict_first_a = false;               // L2 evicts the lines of A's loads first
  bool evict_first_b = false;
  bool swap_ab = false;       // tile rows are columns of D: the kernel's A is the problem's B
  int store_columns = 64;     // tile columns of one TMA store, 64 rows high: 128, 64, 32 or 16
  bool direct_store = false;  // registers to global memory: D that TMA cannot store
  int stages_reused = 0;      // last stages of a tile that the epilogue keeps as store buffers
  EpilogueParams epilogue = {};
  bool promoted = false;                 // every stage's sums are added in registers, in fp32
  ScaleForm scales_a = ScaleForm::None;  // of tile rows; a Tensor's is in the epilogue
  ScaleForm scales_b = ScaleForm::None;  // of tile columns
  bool staged_scales_a = false;          // Vector, one k-block's lie together: they fill the stages
  bool staged_scales_b = false;
  RasterFamily rasters = RasterFamily::Plain;
  bool trace = false;  // record which CTA computed which tile when
  Division division = Division::None;
  Reduction reduction = Reduction::Serial;  // of divided tiles
  int cluster_k = 1;    // CTAs of a cluster along k, each a slice of one tile (Reduction::Cluster)
  bool delays = false;  // for tests: sleep at random where CTAs wait for each other
  Grouping grouping = Grouping::None;
  MatrixOp op = MatrixOp::Gemm;
  Uplo uplo = Uplo::Lower;          // of a triangular D: the triangle that is computed
  bool mirrored = false;            // D is stored a second time, as the other triangle
  bool per_problem_shapes = false;  // a group's problems have sizes and tensor maps of their own
  bool long_offsets = false;        // the offsets of packed rows have 64 bits
  bool whole_square = false;        // of a triangular D: walk all tiles, skip those outside it
  Collective collective = Collective::None;  // of GPUs that share the product
  ElementType parts = ElementType::F32;      // of the sums that go to another GPU
  bool operator==(const Sm90Params&) const = default;

  /// Calls visit(name, value) for every constant, in order; the host writes a kernel's text from
  /// these calls.
  template <class Visit>
  constexpr void for_each_constant(Visit visit) const {
    visit("cta_m", cta_m);
    visit("cta_n", cta_n);
    visit("cta_k", cta_k);
    visit("stages", stages);
    visit("cluster_m", cluster_m);
    visit("cluster_n", cluster_n);
    visit("schedule", schedule);
    visit("element", element);
    visit("output", output);
    visit("a_mn_major", a_mn_major);
    visit("b_mn_major", b_mn_major);
    visit("evict_first_a", evict_first_a);
    visit("evict_first_b", evict_first_b);
    visit("swap_ab", swap_ab);
    visit("store_columns", store_columns);
    visit("direct_store", direct_store);
    visit("stages_reused", stages_reused);
    visit("epilogue", epilogue);
    visit("promoted", promoted);
    visit("scales_a", scales_a);
    visit("scales_b", scales_b);
    visit("staged_scales_a", staged_scales_a);
    visit("staged_scales_b", staged_scales_b);
    visit("rasters", rasters);
    visit("trace", trace);
    visit("division", division);
    visit("reduction", reduction);
    visit("cluster_k", cluster_k);
    visit("delays", delays);
    visit("grouping", grouping);
    visit("op", op);
    visit("uplo", uplo);
    visit("mirrored", mirrored);
    visit("per_problem_shapes", per_problem_shapes);
    visit("long_offsets", long_offsets);
    visit("whole_square", whole_square);
    visit("collective", collective);
    visit("parts", parts);
  }

  static constexpr int kStageRowBytes = 128;  // of an operand: the span of the swizzle
  static constexpr int kStoredBytes = 2;      // an element of D that TMA stores
  static constexpr int kWarpgroupThreads = 128;
  static constexpr int kMmaM = 64;  // rows of one wgmma
  static constexpr int kSmemAlignment = 1024;
  /// Parts that one thread loads at once when it sums them.
  static constexpr int kPartsAtOnce = 8;
  /// Warps, at most, in a block of the workspace reduction's second kernel.
  static constexpr int kReduceWarps = 16;
  static constexpr int kMaxSmemBytes = 232448;  // of a CTA, compute capability 9.0
  static constexpr int kSlabLines = 64;         // swizzle span of an MN-major operand of 16 bits

  static constexpr int round_up_16(int n) { return (n + 15) / 16 * 16; }

  /// The type of C and the bias.
  constexpr ElementType addend() const { return record_of(element).addend; }
  /// True where the bias runs along the tile's columns; along_rows: along its rows.
  constexpr bool bias_along_columns() const { return swap_ab ? epilogue.row_bias : epilogue.bias; }
  constexpr bool bias_along_rows() const { return swap_ab ? epilogue.bias : epilogue.row_bias; }
  /// True where a tile's lines of the operand come in turn from either half of it: of the problem's
  /// B.
  constexpr bool stacked_a() const { return swap_ab && epilogue.stacked; }
  constexpr bool stacked_b() const { return !swap_ab && epilogue.stacked; }
  /// Depth of one wgmma, elements: 32 bytes.
  constexpr int mma_k() const { return 32 / bytes_of(element); }

  constexpr bool across_gpus() const { return collective != Collective::None; }
  /// True where tiles of other GPUs' rows are sent to them.
  constexpr bool sends_parts() const { return collective == Collective::ReduceScatter; }
  /// True where rows of A arrive from other GPUs.
  constexpr bool gathers() const { return collective == Collective::AllGather; }
  constexpr bool grouped() const { return grouping != Grouping::None; }
  /// True where another problem's rows may follow the last rows of a tile.
  constexpr bool packed_rows() const { return grouped() && !per_problem_shapes; }
  /// True where the host's table also has the divided slots before each packed problem.
  constexpr bool lists_divided_slots() const { return packed_rows() && division != Division::None; }
  /// True where an earlier kernel prepares the problems: their sizes are on the device.
  constexpr bool has_preparing_kernel() const {
    return per_problem_shapes && grouping != Grouping::Table;
  }
  /// True where a second kernel sums the parts of tiles.
  constexpr bool has_second_kernel() const {
    return division != Division::None && sums_later(reduction);
  }
  constexpr bool triangular() const { return record_of(op).triangular; }
  /// Planes of D that a unit computes one after the other, and products over K of each.
  constexpr int planes() const { return record_of(op).planes; }
  constexpr int phases() const { return record_of(op).phases; }
  /// Main loops over K of a tile.
  constexpr int tile_phases() const { return planes() * phases(); }
  /// Tensor maps per problem where each has its own: A, B, D and its tail, then a triangle's
  /// PhaseMaps.
  constexpr int maps_per_problem() const { return triangular() ? 4 + 2 * kMaxPhases + 2 : 4; }
  constexpr bool ping_pong() const { return schedule == KernelSchedule::PingPong; }
  /// Warpgroups that multiply; one more warpgroup loads.
  constexpr int consumer_warpgroups() const {
    if (ping_pong()) return 2;
    return cta_m == 64 ? 1 : cta_m == 192 ? 3 : 2;
  }
  /// Warpgroups that multiply one tile, and so drain one stage.
  constexpr int warpgroups_per_tile() const { return ping_pong() ? 1 : consumer_warpgroups(); }
  constexpr int threads() const { return kWarpgroupThreads * (1 + consumer_warpgroups()); }
  /// wgmma row blocks of one consumer warpgroup.
  constexpr int mma_rows() const { return cta_m / (kMmaM * warpgroups_per_tile()); }
  /// Output rows of one consumer warpgroup in a tile.
  constexpr int warpgroup_rows() const { return mma_rows() * kMmaM; }
  /// wgmmas side by side along the tile's columns: one covers at most 256.
  constexpr int mma_tiles_n() const { return cta_n > 256 ? 2 : 1; }
  /// Columns of one wgmma.
  constexpr int mma_n() const { return cta_n / mma_tiles_n(); }
  /// fp32 accumulators a consumer thread holds.
  constexpr int accumulator_registers() const { return mma_rows() * cta_n / 2; }

  /// True where every k-block's sums have scales of their own, and so are promoted; a launch passes
  /// OperandScales.
  constexpr bool scales_k_blocks() const {
    return has_k_blocks(scales_a) || has_k_blocks(scales_b);
  }
  /// True where the epilogue scales by rows and columns: EpilogueArgs::scale_a has a value for each
  /// row of D, scale_b for each column.
  constexpr bool scales_lines() const {
    return scales_a == ScaleForm::Line || scales_b == ScaleForm::Line;
  }
  /// True where 128 neighbouring rows, or columns, of the tile's operand have one scale. Stacked
  /// gates and ups, which take turns in a tile, lie in different blocks: each line loads its own
  /// scale.
  constexpr bool scales_row_blocks() const { return scales_a == ScaleForm::Block && !stacked_a(); }
  constexpr bool scales_column_blocks() const {
    return scales_b == ScaleForm::Block && !stacked_b();
  }
  /// Eights of columns: a block of kScaleBlock columns ends at a multiple of them in any tile.
  constexpr int least_split() const {
    int eights = 1;
    while (eights < kScaleBlock / 8 && cta_n % (16 * eights) == 0) eights *= 2;
    return eights;
  }
  /// Blocks of kScaleBlock columns that a tile lies in, at most.
  constexpr int column_blocks() const {
    return (kScaleBlock - 8 * least_split() + cta_n + kScaleBlock - 1) / kScaleBlock;
  }
  /// Registers that promotion takes of a consumer thread: one wgmma's sums, and the scales.
  constexpr int promotion_registers() const {
    if (!promoted) return 0;
    const int of_rows = scales_row_blocks()      ? 4 * mma_rows()
                        : has_k_blocks(scales_a) ? 8 * mma_rows()
                                                 : 0;
    const int of_columns = scales_column_blocks()   ? 2 * column_blocks()
                           : has_k_blocks(scales_b) ? cta_n / 8 + 4
                                                    : 0;
    return mma_n() / 2 + of_rows + of_columns;
  }

  /// Registers per thread at launch, before setmaxnreg: an even share of the register file.
  constexpr int launch_registers() const {
    constexpr int kRegisterFile = 65536;
    const int share = kRegisterFile / threads() / 8 * 8;
    return share > 255 ? 255 : share;
  }

  /// True where every part of a divided tile stores its sums separately.
  constexpr bool stores_parts() const {
    return partial_storage_of(reduction) == PartialStorage::TilePerPart;
  }

  /// True where units that all run at once are slice 0 of all tiles, then slice 1, and so on.
  constexpr bool slice_by_slice() const {
    return division == Division::SplitK && !grouped() && walks_slices(reduction, cluster_size());
  }
  /// True where the parts of a divided tile add to D itself.
  constexpr bool adds_in_place() const {
    return division != Division::None && partial_storage_of(reduction) == PartialStorage::Output;
  }

  /// CTAs that share operands by multicast.
  constexpr int cluster_size() const { return cluster_m * cluster_n; }
  /// Where CTA `rank` sits among them: m runs fastest.
  constexpr TileCoord cta_in_cluster(int rank) const {
    return {rank % cluster_m, rank / cluster_m % cluster_n};
  }
  /// True where the two CTAs load for each other: they sit in one row (A) or one column (B).
  constexpr bool share_loads(int rank, int other) const {
    return cta_in_cluster(rank).m == cta_in_cluster(other).m ||
           cta_in_cluster(rank).n == cta_in_cluster(other).n;
  }
  /// CTAs, including itself, that a CTA loads for.
  constexpr int sharers() const { return cluster_m + cluster_n - 1; }
  /// Stages that a CTA fills alone, before the cluster has synchronised: all where that loads few
  /// more rows than the CTA's shares, else those that hide the synchronisation. With two in place
  /// of all, clusters of eight took 0.89 to 0.95 of their time, and pairs of CTAs that load a sixth
  /// fewer rows together 1.07 (H200, 2026-11-28).
  constexpr int stages_alone() const {
    if (cluster_size() == 1) return stages;
    const int shares = cta_m / cluster_n + cta_n / cluster_m;
    const int most = 8 * shares / (5 * (cta_m + cta_n - shares));
    return most < 2 ? (stages < 2 ? stages : 2) : (stages < most ? stages : most);
  }
  /// CTAs of a cluster of the launch.
  constexpr int launch_cluster_size() const { return cluster_size() * cluster_k; }
  /// Columns of the tile that a CTA stores: the CTAs along k take a share each.
  constexpr int share_columns() const { return cta_n / cluster_k; }

  /// setmaxnreg budgets: the pool is 65536 registers; 0 leaves the launch's even share.
  constexpr int producer_registers() const {
    if (consumer_warpgroups() == 1) return 0;
    if (consumer_warpgroups() == 3) {
      return producer_needs_most_registers() ? 80 : gives_most_registers() ? 32 : 56;
    }
    return producer_needs_most_registers() ? 72 : producer_needs_more_registers() ? 56 : 40;
  }
  constexpr int consumer_registers() const {
    if (consumer_warpgroups() == 1) return 255;
    if (consumer_warpgroups() == 3) {
      return producer_needs_most_registers() ? 144 : gives_most_registers() ? 160 : 152;
    }
    return producer_needs_most_registers() ? 216 : producer_needs_more_registers() ? 224 : 232;
  }
  /// True where a piece's C comes through the buffer that its D is stored from. The other triangle
  /// is stored from a transposed piece.
  constexpr bool stages_c() const {
    return epilogue.scaled && !direct_store && !epilogue.gated() && !mirrored;
  }
  /// True where the first pieces' C is copied before the tile's main loop: their buffers are free,
  /// and this thread stores the whole sums.
  constexpr bool stages_c_early() const {
    return stages_c() && planes() == 1 && cluster_k == 1 && division == Division::None;
  }
  /// True where that is all of the warpgroup's C.
  constexpr bool stages_all_c_early() const {
    return stages_c_early() && stages_reused == 0 &&
           store_pieces() * mma_rows() * mma_tiles_n() <= kStoreBuffers;
  }
  /// Tile columns of C that a thread loads at once, where it loads a piece's C before it is needed.
  static constexpr int kMaxColumnsOfC = 64;
  /// True where a thread has registers for a piece's C beside the sums.
  constexpr bool loads_c() const {
    return epilogue.scaled && mirrored && !direct_store &&
           consumer_registers() - accumulator_registers() >= 140;
  }
  /// True where a thread that multiplies also holds scales, and the one that loads searches for
  /// nothing.
  constexpr bool gives_most_registers() const { return scales_k_blocks() && !grouped(); }
  /// True where the loading warp needs more than 40 registers to search for its units, or for A's
  /// blocks.
  constexpr bool producer_needs_more_registers() const {
    return gathers() || grouping == Grouping::Counter || (grouped() && triangular()) ||
           per_problem_shapes;
  }
  /// True where it needs more than 56, for the problem's tensor maps and the counter's unit.
  constexpr bool producer_needs_most_registers() const {
    return grouping == Grouping::Counter && per_problem_shapes;
  }

  /// Lines of an operand in a stage: MN-major ones come in slabs of 64.
  static constexpr int stage_lines(int lines, bool mn_major) {
    return mn_major ? (lines + kSlabLines - 1) / kSlabLines * kSlabLines : lines;
  }
  /// TMA loads for `lines` lines of a K-major operand: one load moves at most 256.
  static constexpr int boxes(int lines) { return lines > 256 ? 2 : 1; }
  constexpr int a_stage_bytes() const { return stage_lines(cta_m, a_mn_major) * kStageRowBytes; }
  constexpr int b_stage_bytes() const { return stage_lines(cta_n, b_mn_major) * kStageRowBytes; }
  constexpr int stage_bytes() const { return a_stage_bytes() + b_stage_bytes(); }

  constexpr bool stages_scales() const { return staged_scales_a || staged_scales_b; }
  /// Bytes of `lines` scales in a stage, copied from and to multiples of 16 bytes: the first scale
  /// may lie behind three others.
  static constexpr int staged_scale_bytes(bool staged, int lines) {
    return staged ? (lines + 4) * 4 : 0;
  }
  constexpr int a_scale_bytes() const { return staged_scale_bytes(staged_scales_a, cta_m); }
  constexpr int b_scale_bytes() const { return staged_scale_bytes(staged_scales_b, cta_n); }
  constexpr int scale_bytes() const { return a_scale_bytes() + b_scale_bytes(); }

  /// The parameters of what one CTA stores: its share of the columns where the CTAs along k sum one
  /// tile together.
  constexpr Sm90Params share_params() const {
    Sm90Params own = *this;
    own.cta_n = share_columns();
    own.cluster_k = 1;
    own.division = Division::None;
    return own;
  }

  /// Columns of the last store of 64 tile rows, narrower than the others.
  constexpr int tail_columns() const { return mma_n() % store_columns; }
  constexpr int store_bytes() const {
    if (direct_store) return 0;
    const int columns = mma_n() < store_columns ? round_up_16(mma_n()) : store_columns;
    return kMmaM * columns / epilogue.sum_columns_per_output() * kStoredBytes;
  }
  /// Store buffers of a warpgroup: one is filled while the other drains.
  static constexpr int kStoreBuffers = 2;
  /// Stores of one wgmma's columns.
  constexpr int store_pieces() const {
    return mma_n() / store_columns + (tail_columns() > 0 ? 1 : 0);
  }
  /// Store buffers in the reused stages: the warpgroup's own rows of A, which no other one reads.
  constexpr int reused_buffers() const { return stages_reused * mma_rows(); }
  constexpr int epilogue_bytes() const {
    return consumer_warpgroups() * kStoreBuffers * store_bytes();
  }
  constexpr int barrier_bytes() const {
    return (2 * stages + cluster_k_barriers()) * 8 + queue_bytes();
  }
  /// Units from the counter that may wait between the warp that takes them and the other warps of
  /// the cluster; each has two barriers.
  static constexpr int kQueueSlots = 4;
  constexpr int queue_bytes() const {
    return grouping == Grouping::Counter ? kQueueSlots * (2 * 8 + 8) : 0;
  }
  /// Warps that read a unit of that ring: all that multiply, and those that load in other CTAs.
  constexpr int queue_readers() const {
    constexpr int kWarps = kWarpgroupThreads / 32;
    return launch_cluster_size() * (consumer_warpgroups() * kWarps + 1) - 1;
  }
  /// Barriers of a cluster along k: stages drained, one delivery per warpgroup, share summed.
  constexpr int cluster_k_barriers() const { return cluster_k > 1 ? 2 + consumer_warpgroups() : 0; }
  /// Bytes that the other CTAs of a cluster along k write into this one's drained stages.
  constexpr int delivered_bytes() const { return (cluster_k - 1) * cta_m * share_columns() * 4; }
  /// Groups of 16 bytes (4 fp32 sums) of a consumer warpgroup's rows.
  constexpr int partial_vec4s() const { return accumulator_registers() * kWarpgroupThreads / 4; }

  /// Dynamic shared memory of the launch, with the slack that aligns its base.
  constexpr int smem_bytes() const {
    return kSmemAlignment + stages * stage_bytes() + epilogue_bytes() +
           (stages_scales() ? round_up_16(barrier_bytes()) + stages * scale_bytes()
                            : barrier_bytes());
  }
};

}  // namespace tw
