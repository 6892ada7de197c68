// Products that ranks share through the C interface: two communicators of this process on one GPU,
// launches of several products one behind the other, against float64.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "answer/shipped_kernels.hpp"
#include "support/gpu_library.hpp"
#include "support/peer_bench.hpp"
#include "support/sm90_configs.hpp"

namespace tilewright {
namespace {

using testing::launched;
using testing::shared_product;
using testing::ShippedLibrary;

constexpr int kRanks = 2;

AnswerRow row_of(Collective collective, const GemmShape& whole, const std::string& config) {
  AnswerRow row;
  row.problem = shared_product(collective, kRanks, whole);
  row.choice = testing::sm90_config(config, 3);
  row.predicted_us = 10;
  row.file = "made-up.yaml";
  return row;
}

// Products of few CTAs, so that both ranks' fit on one GPU, beside copies by its SMs.
AnswerTable small_table() {
  AnswerTable table;
  table.device = testing::h200();
  table.device.gpus = kRanks;
  table.rows = {
      row_of(Collective::ReduceScatter, {512, 1024, 512}, "cta=64x128x64,parts=bf16,chunks=2"),
      row_of(Collective::AllGather, {512, 1024, 512}, "cta=128x128x64,rank_order=ring,chunks=2"),
      row_of(Collective::ReduceScatter, {256, 512, 1024}, "cta=64x64x64,parts=f32"),
      row_of(Collective::AllGather, {256, 512, 768}, "cta=64x64x64,schedule=pingpong,chunks=2")};
  table.kernels = shipped_kernels(table.rows, {}, table.device);
  return table;
}

class Comm {
 public:
  Comm(const ShippedLibrary& library, int rank, uint64_t bytes) : library_(library) {
    const auto create =
        library.function<int(int, int, uint64_t, uint64_t, shipped_comm**, shipped_comm_handle*)>(
            "comm_create");
    REQUIRE_MESSAGE(create(rank, kRanks, bytes, 2000, &comm_, &handle_) == SHIPPED_GOOD,
                    library.error());
  }
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  ~Comm() { library_.function<int(shipped_comm*)>("comm_destroy")(comm_); }

  shipped_comm* get() const { return comm_; }
  const shipped_comm_handle& handle() const { return handle_; }
  int connect(const std::vector<shipped_comm_handle>& handles) const {
    return library_.function<int(shipped_comm*, const shipped_comm_handle*)>("comm_connect")(
        comm_, handles.data());
  }
  int lost() const {
    int rank = -2;
    CHECK(library_.function<int(shipped_comm*, int*)>("comm_lost")(comm_, &rank) == SHIPPED_GOOD);
    return rank;
  }

 private:
  const ShippedLibrary& library_;
  shipped_comm* comm_ = nullptr;
  shipped_comm_handle handle_ = {};
};

// One product: its operands on both ranks, and its calls.
struct SharedCalls {
  SharedCalls(const ShippedLibrary& library, const Workload& product, const PeerGroup& group,
              const DeviceKernels& kernels)
      : problem(product),
        operands(group, problem, 0, 7, kernels),
        verifier(whole_product(problem), operands.whole(0), 7, kernels) {
    verifier.poison();
    operands.spread_output(0);
    for (int rank = 0; rank < kRanks; ++rank) {
      std::vector<int64_t> none;
      calls.push_back(testing::call_on(library, problem, operands.share(0, rank), none));
    }
  }

  Workload problem;
  PeerOperands operands;
  WorkloadVerifier verifier;
  std::vector<shipped_call> calls;  // by rank
};

uint64_t bytes_for(const ShippedLibrary& library, const AnswerTable& table) {
  uint64_t most = 0;
  for (const AnswerRow& row : table.rows) {
    std::vector<int64_t> none;
    shipped_call call = testing::call_of(library.default_call(), row.problem, none);
    call.a = call.b = call.d = reinterpret_cast<void*>(256);
    uint64_t bytes = 0;
    REQUIRE(library.function<int(const shipped_call*, uint64_t*)>("comm_bytes")(&call, &bytes) ==
            SHIPPED_GOOD);
    most = std::max(most, bytes);
  }
  return most;
}

TEST_CASE("launches of several shared products follow each other in one communicator") {
  const AnswerTable table = small_table();
  const ShippedLibrary library(table, "communicators", testing::compiled);
  REQUIRE_MESSAGE(library.prepare(0) == SHIPPED_GOOD, library.error());
  const PeerGroup group(std::vector<int>(kRanks, 0));
  const DeviceKernels kernels(DataType::BF16, DataType::BF16, architecture(testing::h200()),
                              testing::test_cache());
  std::vector<std::unique_ptr<SharedCalls>> products;
  for (const AnswerRow& row : table.rows) {
    products.push_back(std::make_unique<SharedCalls>(library, row.problem, group, kernels));
  }
  const uint64_t bytes = bytes_for(library, table);
  const Comm first(library, 0, bytes);
  const Comm second(library, 1, bytes);
  CHECK(first.connect({second.handle(), first.handle()}) == SHIPPED_BAD_CALL);
  CHECK(library.error() == "handle 0 is not that of rank 0 of 2");
  DeviceBuffer workspace;
  products.front()->calls[0].comm = first.get();
  CHECK(launched(library, products.front()->calls[0], workspace) == SHIPPED_BAD_CALL);
  CHECK(library.error() == "comm: its ranks are not connected");
  for (const Comm* comm : {&first, &second}) {
    REQUIRE_MESSAGE(comm->connect({first.handle(), second.handle()}) == SHIPPED_GOOD,
                    library.error());
  }
  std::mt19937 random(3);
  std::vector<size_t> order;
  for (int launch = 0; launch < 80; ++launch) order.push_back(random() % products.size());
  // One rank's launches all before the other's: it runs ahead as far as it can.
  for (int rank = 0; rank < kRanks; ++rank) {
    cudaStream_t stream = nullptr;
    TW_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (const size_t product : order) {
      shipped_call call = products[product]->calls[static_cast<size_t>(rank)];
      call.comm = (rank == 0 ? first : second).get();
      call.stream = stream;
      REQUIRE_MESSAGE(library.gemm(call) == SHIPPED_GOOD, library.error());
    }
  }
  TW_CHECK(cudaDeviceSynchronize());
  CHECK(first.lost() == -1);
  CHECK(second.lost() == -1);
  for (const std::unique_ptr<SharedCalls>& product : products) {
    product->operands.collect_output(0);
    const Verification verdict = product->verifier.check(product->problem.kind.epilogue, kRanks);
    CHECK_MESSAGE(verdict.ok, to_string(product->problem), ": ", verdict.detail);
  }
  const Comm small(library, 0, 16384);
  const Comm other(library, 1, 16384);
  for (const Comm* comm : {&small, &other}) {
    REQUIRE(comm->connect({small.handle(), other.handle()}) == SHIPPED_GOOD);
  }
  shipped_call call = products.front()->calls[0];
  call.comm = small.get();
  CHECK(library.gemm(call) == SHIPPED_BAD_CALL);
  CHECK(library.error().find("the communicator has 16384 bytes, and the call needs ") == 0);
}

}  // namespace
}  // namespace tilewright
