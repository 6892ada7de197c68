// Products that GPUs share, in texts and in sizes.
#include "tile/workload/parallel.hpp"

#include <doctest/doctest.h>

#include "support/error_message.hpp"
#include "tile/workload/workload.hpp"

using namespace tilewright;
using testing::contains;
using testing::error_message_of;

namespace {

Workload shared(Collective collective, int gpus, const GemmShape& whole) {
  Workload kind;
  kind.parallel = {collective, gpus};
  return with_shapes(kind, {whole});
}

TEST_CASE("only GPUs of an all-gather exchange rows of A") {
  for (const std::string_view name : collective_names()) {
    CHECK(gathers_rows(parse_collective(name)) == (name == "all-gather"));
  }
  CHECK_FALSE(gathers_rows(Parallel{}));
}

TEST_CASE("each GPU computes its part of K, or its columns of B") {
  const GemmShape whole{8192, 4096, 28672};
  for (const int gpus : {2, 4, 8}) {
    for (const Collective collective :
         {Collective::ReduceScatter, Collective::AllReduce, Collective::AllGather}) {
      const Parallel parallel{collective, gpus};
      const GemmShape share = share_of(whole, parallel);
      CHECK(whole_of(share, parallel) == whole);
      CHECK(share.m == whole.m);
      CHECK(share.n * share.k * gpus == whole.n * whole.k);
      CHECK((share.n == whole.n) == (collective != Collective::AllGather));
      CHECK(stored_rows(share, parallel) ==
            (collective == Collective::ReduceScatter ? whole.m / gpus : whole.m));
    }
  }
}

TEST_CASE("texts and sizes of a workload have the whole product") {
  const Workload workload = shared(Collective::ReduceScatter, 2, {8192, 4096, 28672});
  CHECK(workload.shapes.front() == GemmShape{8192, 4096, 14336});
  CHECK(shapes_text(workload) == "8192x4096x28672");
  CHECK(to_string(workload) == "8192x4096x28672 bf16 tn, reduce-scatter over 2 GPUs");
  CHECK(full_text(workload) != full_text(shared(Collective::AllReduce, 2, {8192, 4096, 28672})));
  CHECK(full_text(workload) !=
        full_text(shared(Collective::ReduceScatter, 4, {8192, 4096, 28672})));
  CHECK(flops(workload) == 2.0 * 8192 * 4096 * 14336);
  CHECK(stored_elements(workload, workload.shapes.front()) == 8192.0 * 4096 / 2);
}

TEST_CASE("names are read and printed, and misspelt ones explained") {
  for (const std::string_view name : collective_names()) {
    CHECK(to_string(parse_collective(name)) == name);
  }
  for (const std::string_view name : kRankOrders) {
    CHECK(to_string(parse_rank_order(name)) == name);
  }
  CHECK(contains(error_message_of([] { parse_collective("reduce-scater"); }), "reduce-scatter"));
  CHECK(contains(error_message_of([] { parse_rank_order("rings"); }), "did you mean 'ring'"));
}

TEST_CASE("sizes that GPUs cannot share evenly are refused by name") {
  const auto message = [](Collective collective, int gpus, const GemmShape& whole) {
    return error_message_of([&] { shared(collective, gpus, whole); });
  };
  CHECK(contains(message(Collective::ReduceScatter, 3, {768, 512, 1000}), "K = 1000"));
  CHECK(contains(message(Collective::ReduceScatter, 3, {1000, 512, 768}), "M = 1000"));
  CHECK(contains(message(Collective::AllGather, 4, {768, 510, 1000}), "N = 510"));
  CHECK(contains(message(Collective::AllGather, 1, {768, 512, 1000}), "2 to 16 GPUs"));
  CHECK(contains(message(Collective::AllGather, 17, {768, 512, 1000}), "2 to 16 GPUs"));
  CHECK(contains(message(Collective::None, 2, {768, 512, 1000}), "--parallel"));
}

TEST_CASE("groups and updates are not shared") {
  Workload kind;
  kind.parallel = {Collective::ReduceScatter, 2};
  CHECK(contains(error_message_of([&] {
                   with_shapes(kind, {{64, 64, 64}, {64, 64, 64}});
                 }),
                 "single products"));
  kind.op = MatrixOp::Syrk;
  CHECK(contains(error_message_of([&] { with_shapes(kind, {{64, 64, 64}}); }), "single products"));
}

}  // namespace
