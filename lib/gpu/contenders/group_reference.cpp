#include "gpu/contenders/group_reference.hpp"

#include <utility>

#include "gpu/compile/library_check.hpp"
#include "gpu/contenders/grouped_cublas.hpp"
#include "gpu/contenders/reference_library.hpp"

namespace tilewright {
namespace {

constexpr size_t kLanes = 8;

}  // namespace

GroupReference::GroupReference(const Workload& group, ProductLauncher launch_product)
    : product_count_(group.shapes.size()),
      launch_product_(std::move(launch_product)),
      grouped_(GroupedCublas::open(group)) {
  if (launch_product_) {
    add_lanes();
    ways_ = {
        {.name = "cublasLt/loop"},
        {.name = "cublasLt/loop in a graph", .in_graph = true},
        {.name = "cublasLt/loop over 8 streams", .by_lanes = true},
        {.name = "cublasLt/loop over 8 streams in a graph", .by_lanes = true, .in_graph = true}};
  }
  if (grouped_) ways_.push_back({.name = "cublas/grouped", .grouped = true});
}

GroupReference::~GroupReference() {
  for (const auto& graph : graphs_) cudaGraphExecDestroy(graph.second);
  for (const StreamLane& lane : lanes_) {
    cudaEventDestroy(lane.done);
    cudaStreamDestroy(lane.stream);
  }
  if (begin_ != nullptr) cudaEventDestroy(begin_);
}

void GroupReference::add_lanes() {
  TW_CHECK(cudaEventCreateWithFlags(&begin_, cudaEventDisableTiming));
  for (size_t i = 0; i < kLanes; ++i) {
    StreamLane& lane = lanes_.emplace_back();
    lane.workspace = DeviceBuffer(kReferenceWorkspaceBytes);
    TW_CHECK(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
    TW_CHECK(cudaEventCreateWithFlags(&lane.done, cudaEventDisableTiming));
  }
}

std::vector<std::string> GroupReference::names() const {
  std::vector<std::string> names;
  names.reserve(ways_.size());
  for (const Way& way : ways_) names.push_back(way.name);
  return names;
}

void GroupReference::loop(const OperandSet& operands, cudaStream_t stream) const {
  for (size_t i = 0; i < product_count_; ++i) launch_product_(i, operands, stream, nullptr);
}

void GroupReference::loop_over_lanes(const OperandSet& operands, cudaStream_t stream) const {
  TW_CHECK(cudaEventRecord(begin_, stream));
  for (const StreamLane& lane : lanes_) TW_CHECK(cudaStreamWaitEvent(lane.stream, begin_, 0));
  for (size_t i = 0; i < product_count_; ++i) {
    const StreamLane& lane = lanes_[i % lanes_.size()];
    launch_product_(i, operands, lane.stream, &lane.workspace);
  }
  for (const StreamLane& lane : lanes_) {
    TW_CHECK(cudaEventRecord(lane.done, lane.stream));
    TW_CHECK(cudaStreamWaitEvent(stream, lane.done, 0));
  }
}

cudaGraphExec_t GroupReference::graph_of(bool by_lanes, const OperandSet& operands) {
  cudaGraphExec_t& known = graphs_[{by_lanes, operands.d}];
  if (known != nullptr) return known;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  TW_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  TW_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  if (by_lanes) {
    loop_over_lanes(operands, stream);
  } else {
    loop(operands, stream);
  }
  TW_CHECK(cudaStreamEndCapture(stream, &graph));
  TW_CHECK(cudaGraphInstantiate(&known, graph, 0));
  TW_CHECK(cudaGraphDestroy(graph));
  TW_CHECK(cudaStreamDestroy(stream));
  return known;
}

void GroupReference::launch(size_t way, const OperandSet& operands, cudaStream_t stream) {
  const Way& how = ways_.at(way);
  if (how.grouped) {
    grouped_->launch(operands, stream);
  } else if (how.in_graph) {
    TW_CHECK(cudaGraphLaunch(graph_of(how.by_lanes, operands), stream));
  } else if (how.by_lanes) {
    loop_over_lanes(operands, stream);
  } else {
    loop(operands, stream);
  }
}

}  // namespace tilewright
