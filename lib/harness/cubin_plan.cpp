#include "harness/cubin_plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "tile/workload/operand_places.hpp"

namespace tilewright {
namespace {

static_assert(static_cast<int>(ScratchInit::None) == TILEWRIGHT_HARNESS_INIT_NONE);
static_assert(static_cast<int>(ScratchInit::ZeroOnce) == TILEWRIGHT_HARNESS_INIT_ZERO_ONCE);
static_assert(static_cast<int>(ScratchInit::ZeroEach) == TILEWRIGHT_HARNESS_INIT_ZERO_EACH);

constexpr int64_t kMaxWorkspace = int64_t{1} << 40;
// What the system takes of each CTA's shared memory: ptxas counts it among the static bytes.
constexpr int64_t kReservedSharedMemory = 1024;
constexpr int64_t kMaxSharedMemory = int64_t{1} << 20;  // the device may have less

Error fault(const std::string& place, const std::string& what) {
  return usage_error(format("{}: {}", place, what));
}

// The names that have a value for one problem and one config.
class Names {
 public:
  Names(const CubinManifest& manifest, const Workload& workload,
        const std::vector<AxisValue>& values) {
    const Problem problem = problem_of(workload, 0);
    const Pitches pitches = pitches_of(problem, {});
    named_ = {{"m", problem.shape.m}, {"n", problem.shape.n}, {"k", problem.shape.k},
              {"lda", pitches.a},     {"ldb", pitches.b},     {"ldc", pitches.c},
              {"ldd", pitches.d}};
    for (const AxisValue& value : values) named_[value.axis] = value.value;
    for (const ManifestDefinition& definition : manifest.definitions) {
      named_[definition.name] = number(definition.number);
    }
  }

  void set(const std::string& name, int64_t value) { named_[name] = value; }

  int64_t number(const ManifestNumber& written) const {
    const ExpressionValue value =
        evaluate(written.value, [this](std::string_view name) -> std::optional<int64_t> {
          const auto known = named_.find(name);
          return known == named_.end() ? std::nullopt : std::optional(known->second);
        });
    if (value.why_not.empty()) return value.value;
    throw fault(written.place,
                format("'{}' {}{}", written.value.text, value.why_not, values_in(written.value)));
  }

  // The number where it lies in [least, most].
  int64_t number_in(const ManifestNumber& written, std::string_view what, int64_t least,
                    int64_t most) const {
    const int64_t value = number(written);
    if (least <= value && value <= most) return value;
    throw fault(written.place, format("{} '{}' is {}, not {} to {}{}", what, written.value.text,
                                      value, least, most, values_in(written.value)));
  }

  void require(const std::vector<ManifestNumber>& conditions) const {
    for (const ManifestNumber& condition : conditions) {
      if (number(condition) != 0) continue;
      throw fault(condition.place,
                  format("'{}' does not hold{}", condition.value.text, values_in(condition.value)));
    }
  }

  // "; k = 100, block_k = 64"; empty for an expression without names.
  std::string values_in(const Expression& expression) const {
    std::vector<std::string> parts;
    for (const std::string& name : names_in(expression)) {
      const auto known = named_.find(name);
      if (known != named_.end()) parts.push_back(format("{} = {}", name, known->second));
    }
    return parts.empty() ? std::string() : "; " + join(parts, ", ");
  }

 private:
  std::map<std::string, int64_t, std::less<>> named_;
};

const ManifestKernel& kernel_of(const ManifestLaunch& launch, const Names& names,
                                const std::vector<AxisValue>& values) {
  for (const ManifestKernel& kernel : launch.kernels) {
    if (!kernel.when || names.number(*kernel.when) != 0) return kernel;
  }
  throw fault(launch.place,
              format("no kernel is for {}", values.empty() ? "this problem" : to_string(values)));
}

CubinExtents extents_of(const std::optional<ManifestExtents>& own,
                        const std::optional<ManifestExtents>& shared, const Names& names,
                        std::string_view what, const CubinExtents& most) {
  CubinExtents extents = {1, 1, 1};
  const std::optional<ManifestExtents>& written = own ? own : shared;
  if (!written) return extents;
  for (size_t i = 0; i < extents.size(); ++i) {
    extents[i] = names.number_in((*written)[i], what, 1, most[i]);
  }
  return extents;
}

int64_t product_of(const CubinExtents& extents) {
  return extents[0] * extents[1] * extents[2];
}

// Throws where no device could launch these extents.
void require_launchable(const CubinLaunch& launch, const ManifestKernel& kernel) {
  constexpr int64_t kMaxThreads = 1024;
  constexpr int64_t kMaxCluster = 16;
  const int64_t threads = product_of(launch.block);
  if (threads > kMaxThreads) {
    throw fault(launch.place,
                format("a CTA has {} threads; at most {} are possible", threads, kMaxThreads));
  }
  if (kernel.required_threads != 0 && threads != kernel.required_threads) {
    throw fault(kernel.place, format("{} was compiled for {} threads in a CTA, and block has {}",
                                     kernel.cubin, kernel.required_threads, threads));
  }
  if (product_of(launch.cluster) > kMaxCluster) {
    throw fault(launch.place, format("a cluster has {} CTAs; at most {} are possible",
                                     product_of(launch.cluster), kMaxCluster));
  }
  for (size_t i = 0; i < launch.grid.size(); ++i) {
    if (launch.grid[i] % launch.cluster[i] == 0) continue;
    throw fault(launch.place, format("the grid's {} CTAs along {} are no multiple of the cluster's "
                                     "{}",
                                     launch.grid[i], "xyz"[i], launch.cluster[i]));
  }
}

// Plans the descriptor, within the rules of cuTensorMapEncodeTiled.
CubinTensorMap plan_map(const TensorMapRecipe& recipe, const Names& names) {
  constexpr int64_t kMaxExtent = int64_t{1} << 32;
  constexpr int64_t kMaxStride = int64_t{1} << 40;
  constexpr int64_t kMaxBox = 256;
  constexpr int64_t kUnit = 16;  // bytes
  CubinTensorMap map{.element = recipe.element,
                     .extents = {},
                     .strides = {},
                     .box = {},
                     .swizzle_bytes = recipe.swizzle_bytes,
                     .l2_promotion_bytes = recipe.l2_promotion_bytes};
  for (const ManifestNumber& extent : recipe.extents) {
    map.extents.push_back(static_cast<uint64_t>(names.number_in(extent, "extent", 1, kMaxExtent)));
  }
  for (const ManifestNumber& stride : recipe.strides) {
    const int64_t bytes = names.number_in(stride, "stride", kUnit, kMaxStride - kUnit);
    if (bytes % kUnit != 0) {
      throw fault(stride.place, format("stride '{}' is {} bytes, no multiple of 16{}",
                                       stride.value.text, bytes, names.values_in(stride.value)));
    }
    map.strides.push_back(static_cast<uint64_t>(bytes));
  }
  for (const ManifestNumber& extent : recipe.box) {
    map.box.push_back(static_cast<uint32_t>(names.number_in(extent, "box", 1, kMaxBox)));
  }
  const int64_t inner = int64_t{map.box.front()} * bytes_of(recipe.element);
  const std::string& place = recipe.box.front().place;
  if (inner % kUnit != 0) {
    throw fault(place, format("a box has rows of {} bytes, no multiple of 16", inner));
  }
  if (recipe.swizzle_bytes != 0 && inner > recipe.swizzle_bytes) {
    throw fault(place, format("a box has rows of {} bytes, longer than its swizzle of {}", inner,
                              recipe.swizzle_bytes));
  }
  return map;
}

float scalar_of(const std::string& scalar, const Epilogue& epilogue) {
  if (scalar == "alpha") return epilogue.alpha;
  if (scalar == "beta") return epilogue.beta;
  return static_cast<float>(parse_finite(scalar).value_or(0));
}

uint64_t bits_of_argument(const ManifestArgument& argument, const Names& names,
                          const Epilogue& epilogue) {
  using Limits32 = std::numeric_limits<int32_t>;
  using Limits64 = std::numeric_limits<int64_t>;
  const bool is_signed = argument.type == ArgumentType::I32 || argument.type == ArgumentType::I64;
  const std::string_view type = kArgumentTypes[static_cast<size_t>(argument.type)];
  int64_t most = Limits64::max();
  int64_t least = Limits64::min();
  if (argument.type == ArgumentType::F32) {
    return std::bit_cast<uint32_t>(scalar_of(argument.scalar, epilogue));
  }
  if (argument.type == ArgumentType::I32) {
    most = Limits32::max();
    least = Limits32::min();
  }
  if (argument.type == ArgumentType::U8) most = std::numeric_limits<uint8_t>::max();
  if (argument.type == ArgumentType::U16) most = std::numeric_limits<uint16_t>::max();
  if (argument.type == ArgumentType::U32) most = std::numeric_limits<uint32_t>::max();
  if (!is_signed) least = 0;
  const int64_t value = names.number_in(argument.value, type, least, most);
  if (value % argument.divisible_by != 0) {
    throw fault(argument.place, format("'{}' is {}, and the cubin needs a multiple of {}{}",
                                       argument.value.value.text, value, argument.divisible_by,
                                       names.values_in(argument.value.value)));
  }
  return static_cast<uint64_t>(value);
}

// The scratch memories, one after the other in the workspace.
class Workspace {
 public:
  Workspace(const CubinManifest& manifest, const Names& names, CubinPlan& plan) {
    for (const ManifestScratch& scratch : manifest.scratch) {
      const int64_t bytes = names.number_in(scratch.bytes, "scratch", 0, kMaxWorkspace);
      const int64_t begin = round_up(plan.workspace_bytes, scratch.alignment);
      offsets_[scratch.name] = begin;
      plan.workspace_bytes = begin + bytes;
      plan.workspace_alignment = std::max(plan.workspace_alignment, scratch.alignment);
      plan.workspace_init = std::max(plan.workspace_init, static_cast<int>(scratch.init));
    }
  }

  void place(const std::string& operand, CubinArgument& argument) const {
    const auto* const known = std::find(kOperandNames.begin(), kOperandNames.end(), operand);
    argument.memory = static_cast<ArgumentMemory>(known - kOperandNames.begin());
    if (known == kOperandNames.end()) argument.offset = offsets_.at(operand);
  }

 private:
  std::map<std::string, int64_t> offsets_;
};

CubinArgument plan_argument(const ManifestArgument& argument, const Names& names,
                            const Workspace& workspace, const Epilogue& epilogue) {
  constexpr int64_t kTensorMapAlignment = 16;
  CubinArgument planned{.type = argument.type,
                        .parameter = argument.parameter,
                        .at = argument.at,
                        .divisible_by = argument.divisible_by,
                        .map = {},
                        .place = argument.place};
  if (argument.type == ArgumentType::Pointer) {
    workspace.place(argument.operand, planned);
  } else if (argument.type == ArgumentType::TensorMap) {
    workspace.place(argument.operand, planned);
    planned.divisible_by = std::max(argument.divisible_by, kTensorMapAlignment);
    planned.map = plan_map(argument.map, names);
  } else {
    planned.bits = bits_of_argument(argument, names, epilogue);
  }
  return planned;
}

CubinLaunch plan_launch(const ManifestLaunch& launch, const Names& names,
                        const Workspace& workspace, const Epilogue& epilogue,
                        const std::vector<AxisValue>& values) {
  constexpr CubinExtents kMaxGrid = {std::numeric_limits<int32_t>::max(), 65535, 65535};
  constexpr CubinExtents kMaxBlock = {1024, 1024, 64};
  const ManifestKernel& kernel = kernel_of(launch, names, values);
  names.require(kernel.conditions);
  CubinLaunch planned{
      .cubin = kernel.cubin,
      .entry = kernel.entry,
      .grid = extents_of(kernel.shape.grid, launch.shape.grid, names, "grid", kMaxGrid),
      .block = extents_of(kernel.shape.block, launch.shape.block, names, "block", kMaxBlock),
      .cluster =
          extents_of(kernel.shape.cluster, launch.shape.cluster, names, "cluster", {16, 16, 16}),
      .cooperative = launch.cooperative,
      .programmatic = launch.programmatic,
      .cta = {},
      .parameter_bytes = {},
      .arguments = {},
      .place = launch.place};
  const auto& shared =
      kernel.shape.shared_memory ? kernel.shape.shared_memory : launch.shape.shared_memory;
  if (shared) {
    planned.shared_memory = names.number_in(*shared, "shared_memory", 0, kMaxSharedMemory);
  }
  require_launchable(planned, kernel);
  planned.cta = {
      .threads = static_cast<int>(product_of(planned.block)),
      .registers = kernel.registers,
      .local_bytes = kernel.local_bytes,
      .shared_bytes = std::max<int64_t>(kernel.static_shared - kReservedSharedMemory, 0) +
                      planned.shared_memory};
  for (const ManifestParameter& parameter : launch.parameters) {
    planned.parameter_bytes.push_back(parameter.bytes);
  }
  for (const ManifestArgument& argument : launch.arguments) {
    planned.arguments.push_back(plan_argument(argument, names, workspace, epilogue));
  }
  return planned;
}

}  // namespace

CubinPlan plan_cubins(const CubinManifest& manifest, const Workload& workload,
                      const std::vector<AxisValue>& values) {
  if (!is_product(workload)) throw usage_error("a manifest's launches compute one product");
  const Names names(manifest, workload, values);
  names.require(manifest.conditions);
  CubinPlan plan;
  const Workspace workspace(manifest, names, plan);
  for (const ManifestLaunch& launch : manifest.launches) {
    plan.launches.push_back(plan_launch(launch, names, workspace, workload.kind.epilogue, values));
  }
  return plan;
}

CtaNeeds cta_needs(const CubinPlan& plan) {
  return plan.launches.size() == 1 ? plan.launches.front().cta : CtaNeeds{};
}

ForeignMapping mapping_of(const CubinManifest& manifest, const Workload& workload,
                          const std::vector<AxisValue>& values) {
  constexpr int64_t kMaxTile = 1 << 16;
  constexpr int64_t kMaxIndex = std::numeric_limits<int32_t>::max();
  ForeignMapping mapping{.tiles = {}, .why_not = {}};
  if (!manifest.mapping) {
    mapping.why_not = "it has no mapping from a slot to a tile";
    return mapping;
  }
  Names names(manifest, workload, values);
  const ManifestMapping& written = *manifest.mapping;
  mapping.tile_m = names.number_in(written.tile_m, "tile", 1, kMaxTile);
  mapping.tile_n = names.number_in(written.tile_n, "tile", 1, kMaxTile);
  const int64_t slots = names.number_in(written.slots, "slots", 1, kMaxCtas);
  for (int64_t slot = 0; slot < slots; ++slot) {
    names.set("slot", slot);
    mapping.tiles.push_back({static_cast<int>(names.number_in(written.m, "m", -1, kMaxIndex)),
                             static_cast<int>(names.number_in(written.n, "n", -1, kMaxIndex))});
  }
  return mapping;
}

const void* address_of(const CubinArgument& argument, const TilewrightHarnessOperands& operands) {
  switch (argument.memory) {
    case ArgumentMemory::A: return operands.a[0];
    case ArgumentMemory::B: return operands.b[0];
    case ArgumentMemory::C: return operands.c == nullptr ? nullptr : operands.c[0];
    case ArgumentMemory::D: return operands.d[0];
    case ArgumentMemory::Bias: return operands.bias;
    case ArgumentMemory::ScaleA: return operands.scale_a;
    case ArgumentMemory::ScaleB: return operands.scale_b;
    case ArgumentMemory::Workspace: break;
  }
  if (operands.workspace == nullptr) return nullptr;
  return static_cast<const char*>(operands.workspace) + argument.offset;
}

std::string misaligned_address(const CubinPlan& plan, const TilewrightHarnessOperands& operands) {
  for (const CubinLaunch& launch : plan.launches) {
    for (const CubinArgument& argument : launch.arguments) {
      const bool has_address =
          argument.type == ArgumentType::Pointer || argument.type == ArgumentType::TensorMap;
      if (!has_address) continue;
      const auto address = reinterpret_cast<uintptr_t>(address_of(argument, operands));
      if (address % static_cast<uintptr_t>(argument.divisible_by) == 0) continue;
      return format("{}: an address is no multiple of {} bytes", argument.place,
                    argument.divisible_by);
    }
  }
  return {};
}

}  // namespace tilewright
