#include "gpu/contenders/group_reference.hpp"

#include <utility>

#include "gpu/compile/library_check.hpp"
#include "gpu/contenders/grouped_cublas.hpp"
#include "gpu/contenders/reference_library.hpp"

namespace tilewright {
namespace {

constexpr size_t kStreams = 8;

// The library's one call for a batch; null for other groups.
std::unique_ptr<ReferenceLibrary> open_batch(const Workload& group) {
  if (!is_batch(group) || is_triangular(group) || flops(group) == 0) return nullptr;
  return std::make_unique<ReferenceLibrary>(
      problem_of(group, 0), nullptr,
      LibraryBatch{static_cast<int>(group.shapes.size()), byte_offsets(group)[1]});
}

}  // namespace

GroupReference::GroupReference(const Workload& group, ProductLauncher launch_product)
    : product_count_(group.shapes.size()),
      launch_product_(std::move(launch_product)),
      scalars_{group.kind.epilogue.alpha, group.kind.epilogue.beta},
      batch_(launch_product_ ? open_batch(group) : nullptr),
      grouped_(GroupedCublas::open(group)) {
  if (launch_product_) {
    add_streams();
    modes_ = {{.name = "cublasLt/loop"},
              {.name = "cublasLt/loop in a graph", .in_graph = true},
              {.name = "cublasLt/loop over 8 streams", .multi_stream = true},
              {.name = "cublasLt/loop over 8 streams in a graph",
               .multi_stream = true,
               .in_graph = true}};
  }
  if (grouped_) modes_.push_back({.name = "cublas/grouped", .grouped = true});
  if (!batch_) return;
  for (size_t i = 0; i < batch_->names().size(); ++i)
    modes_.push_back({.name = batch_->names()[i], .batch_algorithm = static_cast<int>(i)});
}

GroupReference::~GroupReference() {
  for (const auto& graph : graphs_) cudaGraphExecDestroy(graph.second);
  for (const StreamSlot& slot : streams_) {
    cudaEventDestroy(slot.done);
    cudaStreamDestroy(slot.stream);
  }
  if (begin_ != nullptr) cudaEventDestroy(begin_);
}

void GroupReference::add_streams() {
  TW_CHECK(cudaEventCreateWithFlags(&begin_, cudaEventDisableTiming));
  for (size_t i = 0; i < kStreams; ++i) {
    StreamSlot& slot = streams_.emplace_back();
    slot.workspace = DeviceBuffer(kReferenceWorkspaceBytes);
    TW_CHECK(cudaStreamCreateWithFlags(&slot.stream, cudaStreamNonBlocking));
    TW_CHECK(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
  }
}

std::vector<std::string> GroupReference::names() const {
  std::vector<std::string> names;
  names.reserve(modes_.size());
  for (const LaunchMode& mode : modes_) names.push_back(mode.name);
  return names;
}

void GroupReference::loop(const OperandSet& operands, cudaStream_t stream) const {
  for (size_t i = 0; i < product_count_; ++i) launch_product_(i, operands, stream, nullptr);
}

void GroupReference::loop_over_streams(const OperandSet& operands, cudaStream_t stream) const {
  TW_CHECK(cudaEventRecord(begin_, stream));
  for (const StreamSlot& slot : streams_) TW_CHECK(cudaStreamWaitEvent(slot.stream, begin_, 0));
  for (size_t i = 0; i < product_count_; ++i) {
    const StreamSlot& slot = streams_[i % streams_.size()];
    launch_product_(i, operands, slot.stream, &slot.workspace);
  }
  for (const StreamSlot& slot : streams_) {
    TW_CHECK(cudaEventRecord(slot.done, slot.stream));
    TW_CHECK(cudaStreamWaitEvent(stream, slot.done, 0));
  }
}

cudaGraphExec_t GroupReference::graph_of(bool multi_stream, const OperandSet& operands) {
  cudaGraphExec_t& known = graphs_[{multi_stream, operands.a}];
  if (known != nullptr) return known;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  TW_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  TW_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  if (multi_stream) {
    loop_over_streams(operands, stream);
  } else {
    loop(operands, stream);
  }
  TW_CHECK(cudaStreamEndCapture(stream, &graph));
  TW_CHECK(cudaGraphInstantiate(&known, graph, 0));
  TW_CHECK(cudaGraphDestroy(graph));
  TW_CHECK(cudaStreamDestroy(stream));
  return known;
}

void GroupReference::launch(size_t mode, const OperandSet& operands, cudaStream_t stream) {
  const LaunchMode& how = modes_.at(mode);
  if (how.grouped) {
    grouped_->launch(operands, stream);
  } else if (how.batch_algorithm) {
    batch_->launch(*how.batch_algorithm, operands, stream, scalars_);
  } else if (how.in_graph) {
    TW_CHECK(cudaGraphLaunch(graph_of(how.multi_stream, operands), stream));
  } else if (how.multi_stream) {
    loop_over_streams(operands, stream);
  } else {
    loop(operands, stream);
  }
}

}  // namespace tilewright
