#include "gpu/contenders/reference_library.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/compile/library_check.hpp"
#include "gpu/contenders/group_reference.hpp"
#include "search/reference_name.hpp"

namespace tilewright {
namespace {

// The cuBLASLt that this module is linked with.
constexpr LibraryFunctions kLinked = {
    .get_version = &cublasLtGetVersion,
    .create = &cublasLtCreate,
    .destroy = &cublasLtDestroy,
    .init_operation = &cublasLtMatmulDescInit_internal,
    .set_operation = &cublasLtMatmulDescSetAttribute,
    .init_layout = &cublasLtMatrixLayoutInit_internal,
    .set_layout = &cublasLtMatrixLayoutSetAttribute,
    .init_preference = &cublasLtMatmulPreferenceInit_internal,
    .set_preference = &cublasLtMatmulPreferenceSetAttribute,
    .get_heuristic = &cublasLtMatmulAlgoGetHeuristic,
    .check_algorithm = &cublasLtMatmulAlgoCheck,
    .get_capability = &cublasLtMatmulAlgoCapGetAttribute,
    .get_configuration = &cublasLtMatmulAlgoConfigGetAttribute,
    .matmul = &cublasLtMatmul,
};

constexpr bool has_all(LibraryFunctions functions) {
  bool all = true;
  visit_functions([&all](const char*, const auto function) { all = all && function != nullptr; },
                  functions);
  return all;
}
static_assert(has_all(kLinked));

std::string describe(std::string_view call, size_t index, const cublasLtMatmulAlgo_t& algorithm) {
  const auto value = [&algorithm]<class Value>(cublasLtMatmulAlgoConfigAttributes_t attribute,
                                               Value otherwise) {
    return configuration_value<Value>(kLinked, algorithm, attribute).value_or(otherwise);
  };
  return format("{}/{} algo={} tile={} cluster={} splitk={}", call, index,
                value(CUBLASLT_ALGO_CONFIG_ID, int32_t{0}),
                value(CUBLASLT_ALGO_CONFIG_TILE_ID, uint32_t{0}),
                value(CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, uint16_t{0}),
                value(CUBLASLT_ALGO_CONFIG_SPLITK_NUM, int32_t{0}));
}

}  // namespace

ReferenceLibrary::ReferenceLibrary(const Problem& problem,
                                   std::shared_ptr<const DeviceBuffer> workspace,
                                   const LibraryBatch& batch)
    : product_(library_product(kLinked, problem, {}, batch)),
      workspace_(workspace ? std::move(workspace)
                           : std::make_shared<const DeviceBuffer>(kReferenceWorkspaceBytes)) {
  constexpr int kMaxAlgorithms = 64;
  TW_CHECK(cublasLtCreate(&handle_));
  if (!product_) return;
  algorithms_ = heuristic_algorithms(kLinked, handle_, *product_, kMaxAlgorithms);
  const std::string_view call = batch.count > 1 ? "cublasLt/strided batch" : "cublasLt";
  for (size_t i = 0; i < algorithms_.size(); ++i)
    names_.push_back(describe(call, i, algorithms_[i].algo));
}

ReferenceLibrary::~ReferenceLibrary() {
  cublasLtDestroy(handle_);
}

LibraryAlgorithms ReferenceLibrary::algorithms() const {
  LibraryAlgorithms library{.version = static_cast<int64_t>(cublasLtGetVersion())};
  for (const cublasLtMatmulHeuristicResult_t& result : algorithms_) {
    LibraryAlgorithm& own = library.list.emplace_back();
    static_assert(sizeof(result.algo) == sizeof(own.bits.bytes));
    std::memcpy(own.bits.bytes.data(), &result.algo, sizeof(result.algo));
    own.workspace_bytes = static_cast<int64_t>(result.workspaceSize);
  }
  return library;
}

void ReferenceLibrary::launch(int algorithm, const OperandSet& operands, cudaStream_t stream,
                              const EpilogueScalars& scalars, const DeviceBuffer* workspace) const {
  const DeviceBuffer& room = workspace != nullptr ? *workspace : *workspace_;
  const auto index = static_cast<size_t>(algorithm);
  launch_product(kLinked, handle_, *product_, algorithms_.at(index).algo,
                 {.operands = operands,
                  .scalars = scalars,
                  .workspace = room.get(),
                  .workspace_bytes = room.bytes(),
                  .stream = stream});
}

WorkloadReference::WorkloadReference(const Workload& whole, const std::string& architecture,
                                     const CubinCache& cache)
    : workload_(library_part(whole).value_or(whole)) {
  if (workload_ != whole) rest_.emplace(whole, workload_, architecture, cache);
  add_products();
  if (!rest_) return;
  for (std::string& name : names_) name += kElementwiseEnding;
}

void WorkloadReference::add_products() {
  const Workload& workload = workload_;
  const auto workspace = std::make_shared<const DeviceBuffer>(kReferenceWorkspaceBytes);
  for (size_t i = 0; i < workload.shapes.size(); ++i) {
    const Problem product = problem_of(workload, i);
    if (flops(product) > 0) by_sizes_.try_emplace(sizes_of(product.shape), product, workspace);
  }
  if (!is_group(workload)) {
    names_ = by_sizes_.begin()->second.names();
    return;
  }
  // The rows of a packed group's scales are apart by all products' rows, the library's by one's.
  const bool by_lines = tw::lines_per_scale(tw::form_of(workload.kind.epilogue.scale_a)) > 0 ||
                        tw::lines_per_scale(tw::form_of(workload.kind.epilogue.scale_b)) > 0;
  const bool knows_all =
      !by_lines && std::all_of(by_sizes_.begin(), by_sizes_.end(),
                               [](const auto& product) { return !product.second.names().empty(); });
  GroupReference::ProductLauncher launcher;
  if (knows_all) {
    launcher = [this](size_t product, const OperandSet& operands, cudaStream_t stream,
                      const DeviceBuffer* own) {
      if (!by_sizes_.contains(sizes_of(workload_.shapes[product]))) return;
      launch_phases(product, 0, operands_of(operands, workload_, product), stream, own);
    };
  }
  group_ = std::make_unique<GroupReference>(workload, std::move(launcher));
  names_ = group_->names();
}

WorkloadReference::~WorkloadReference() = default;

void WorkloadReference::launch_phases(size_t product, int algorithm, const OperandSet& operands,
                                      cudaStream_t stream, const DeviceBuffer* workspace) const {
  const tw::OpRecord& op = tw::record_of(workload_.op);
  const Problem square = problem_of(workload_, product);
  const Epilogue& e = square.kind.epilogue;
  const ReferenceLibrary& library = by_sizes_.at(sizes_of(square.shape));
  const int64_t factor = square.shape.n * square.shape.k;
  const int64_t output = square.shape.n * square.shape.n;
  for (int plane = 0; plane < op.planes; ++plane) {
    for (int phase = 0; phase < op.phases; ++phase) {
      const tw::PhaseFactors factors = tw::phase_factors(op.op, plane, phase);
      const auto matrix = [&](int number) {
        return plane_of(number % 2 == 0 ? operands.a : operands.b, number / 2, factor,
                        square.kind.dtype);
      };
      OperandSet own = operands;
      own.a = matrix(factors.left);
      own.b = matrix(factors.right);
      own.d = const_cast<void*>(plane_of(operands.d, plane, output, output_type(square.kind)));
      own.c = phase == 0 ? plane_of(operands.c, plane, output, addend_type(square.kind)) : nullptr;
      library.launch(
          algorithm, own, stream,
          {.alpha = factors.negative ? -e.alpha : e.alpha, .beta = phase > 0 ? 1.0F : e.beta},
          workspace);
    }
  }
}

LibraryAlgorithms WorkloadReference::algorithms() const {
  if (!is_product(workload_) || by_sizes_.empty() || rest_) return {};
  return by_sizes_.begin()->second.algorithms();
}

int WorkloadReference::roundings() const {
  return rest_ ? 2 : 1;
}

void WorkloadReference::launch(int algorithm, const OperandSet& operands,
                               cudaStream_t stream) const {
  if (!rest_) return launch_product(algorithm, operands, stream);
  launch_product(algorithm, rest_->product_operands(operands), stream);
  rest_->launch(operands, stream);
}

void WorkloadReference::launch_product(int algorithm, const OperandSet& operands,
                                       cudaStream_t stream) const {
  if (group_) {
    group_->launch(static_cast<size_t>(algorithm), operands, stream);
  } else {
    launch_phases(0, algorithm, operands, stream);
  }
}

std::string ReferenceLibrary::version() {
  return "cublasLt " + library_version(static_cast<int64_t>(cublasLtGetVersion()));
}

}  // namespace tilewright
