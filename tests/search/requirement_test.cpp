#include "search/requirement.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "search/predict.hpp"
#include "search/tuner.hpp"
#include "support/devices.hpp"
#include "support/error_message.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/sum_order.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;

TunePolicy policy_for(const std::string& text, const std::string& config = "") {
  TunePolicy policy;
  policy.require = parse_requirement(text);
  const ConfigRequest request = config.empty() ? ConfigRequest{} : parse_config(config);
  policy.spaces = spaces_for(policy.require, requested_spaces(request));
  return policy;
}

TEST_CASE("every requirement parses and prints; others are refused with the known ones") {
  for (const std::string& text : requirement_names()) {
    CHECK(to_string(parse_requirement(text)) == text);
  }
  CHECK(parse_requirement("") == Requirement{});
  for (const char* const text :
       {"export", "export:", "export:cutlas", "Deterministic", "export:cpp"}) {
    CAPTURE(text);
    CHECK(contains(error_message_of([&] { parse_requirement(text); }), "export:cutlass"));
  }
}

TEST_CASE("a search for a stack keeps exactly the configs that the stack can express") {
  const DeviceSpec& device = testing::h200();
  for (const char* const text : {"export:cutlass", "export:triton", "export:nvfuser"}) {
    for (const GemmShape& shape :
         {GemmShape{4096, 4096, 4096}, {64, 7168, 2048}, {1000, 520, 4096}}) {
      CAPTURE(text);
      CAPTURE(to_string(shape));
      const TunePolicy policy = policy_for(text);
      const Workload workload = workload_of({.shape = shape});
      const Enumeration all = enumerate(workload, policy.spaces, device);
      const Enumeration found = enumerate_required(policy.require, workload, policy.spaces, device);
      // By independent rules: each kernel in every raster.
      int64_t legal = 0;
      for (const LegalKernel& kernel : found.kernels) {
        legal += kernel.config_count;
        for (const Raster& raster : kernel.rasters) {
          TileConfig config = kernel.config;
          config.raster = raster;
          REQUIRE(why_unsupported(*policy.require.stack, workload, config).empty());
        }
      }
      CHECK(found.legal == legal);
      const auto removed = found.rejected.find("export");
      const int64_t removed_count = removed == found.rejected.end() ? 0 : removed->second;
      CHECK(found.legal + removed_count == all.legal);
      CHECK(found.legal > 0);
      CHECK((removed_count > 0) == found.examples.contains("export"));
    }
  }
}

TEST_CASE("the model's answer for a stack names the requirement and meets it") {
  const Workload workload = workload_of({.shape = {2048, 2048, 2048}});
  const TuneResult free = predict(workload, testing::h200(), TunePolicy{});
  CHECK(free.entry.required.empty());
  for (const Stack stack : kStacks) {
    const std::string text = "export:" + std::string(to_string(stack));
    const TuneResult found = predict(workload, testing::h200(), policy_for(text));
    CHECK(found.entry.required == text);
    CHECK(found.entry.predicted.us >= free.entry.predicted.us * 0.999);
    for (const TuneRow& row : found.rows) {
      CHECK(why_unsupported(stack, workload, row.config).empty());
    }
  }
}

TEST_CASE("where a stack can express no legal config, the answer is no with the reason") {
  const auto refuse = [](const std::string& text, const Workload& workload,
                         const std::string& config = "") {
    try {
      predict(workload, testing::h200(), policy_for(text, config));
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::No);
      return std::string(error.what());
    }
    return std::string();
  };
  const Workload product = workload_of({.shape = {1024, 1024, 1024}});
  Workload group = product;
  group.shapes.push_back({512, 1024, 1024});
  CHECK(contains(refuse("export:cutlass", group), "a group of products"));
  const std::string whole = "family=sm90,cta=128x128x64,cluster=1x1,schedule=cooperative,";
  const std::string snake = whole + "swap_ab=false,decomposition=data-parallel,raster=snake:3";
  CHECK(contains(refuse("export:triton", product, snake), "raster=snake:3"));
  CHECK(contains(refuse("export:cutlass", product, "cta=128x192x64"), "cta=128x192x64"));
  CHECK(contains(refuse("export:triton", product, "schedule=pingpong"), "--require export:triton"));
}

TEST_CASE("batch-invariant keeps configs that add in one order at every M") {
  const DeviceSpec& device = testing::h200();
  for (const char* const text :
       {"batch-invariant", "batch-invariant:family=sm80",
        "batch-invariant:family=sm90,decomposition=split-k:3:serial-tma"}) {
    CAPTURE(text);
    CHECK(parse_requirement(to_string(parse_requirement(text))) == parse_requirement(text));
    const TunePolicy policy = policy_for(text);
    std::optional<Plan> first;
    for (const int64_t m : {1, 16, 200, 1024}) {
      CAPTURE(m);
      const Workload workload = workload_of({.shape = {m, 512, 2048}});
      const Enumeration found = enumerate_required(policy.require, workload, policy.spaces, device);
      for (const LegalKernel& kernel : found.kernels) {
        const Plan plan = make_plan(workload, kernel.config, device);
        if (!first) first = plan;
        CHECK(has_same_sums(*first, plan));
      }
    }
  }
  // The same values of the keys divide another K otherwise, and 8-bit sums begin with stages.
  Workload bytes = workload_of({.shape = {64, 512, 2048}});
  bytes.kind.dtype = DataType::E4M3;
  const TunePolicy policy = policy_for("batch-invariant");
  const Enumeration found = enumerate_required(policy.require, bytes, policy.spaces, device);
  std::set<int> depths;
  for (const LegalKernel& kernel : found.kernels) depths.insert(kernel.config.cta.k);
  CHECK(depths.size() == 1);
}

TEST_CASE("an order of sums that M decides is refused") {
  for (const char* const text :
       {"batch-invariant:", "batch-invariant:decomposition=stream-k",
        "batch-invariant:cta=64x64x64", "batch-invariant:decomposition=split-k:2:atomic",
        "batch-invariant:family=skinny", "batch-invariant:decomposition=split-k:2:workspace"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_requirement(text), Error);
  }
}

}  // namespace
}  // namespace tilewright
