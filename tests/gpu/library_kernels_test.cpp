// The kernel that a shipped library launches for a row is the one that a bench launches: the same
// machine code, constants and launches, without a GPU.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "gpu/launch/gemm_kernel.hpp"
#include "serve/blob_names.hpp"
#include "serve/library.hpp"
#include "serve/payload.hpp"
#include "serve/payload_section.hpp"
#include "support/compiled_programs.hpp"
#include "support/devices.hpp"
#include "support/shipped_library.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using testing::compiled;
using testing::ShippedLibrary;

// The plan of a runner on the H200.
Plan benched_plan(const AnswerRow& row) {
  return make_plan(row.problem, row.choice, testing::h200());
}

// The plan of the C interface for a call on operands that a framework allocated.
Plan served_plan(const AnswerTable& table, const Workload& workload) {
  void* const allocated = reinterpret_cast<void*>(int64_t{1} << 20);
  shipped_call any{};
  any.size = sizeof(any);
  std::vector<int64_t> rows;
  shipped_call call = testing::call_of(any, workload, rows);
  call.a = call.b = call.c = call.d = allocated;
  if (is_group(workload)) call.offsets = allocated;
  return served_plan(table, read_request(call, entry_point_of(call)));
}

std::vector<const AnswerRow*> rows_of(const AnswerTable& table) {
  std::vector<const AnswerRow*> rows;
  for (const AnswerRow& row : table.rows) {
    // The interface has groups of packed rows only.
    if (!has_per_problem_shapes(row.problem)) rows.push_back(&row);
  }
  return rows;
}

std::array<int64_t, 4> words_of(const Pitches& pitches) {
  return {pitches.a, pitches.b, pitches.c, pitches.d};
}

TEST_CASE("a library plans a row's launch as bench does, including every constant") {
  const AnswerTable& table = testing::shipped_table();
  std::set<size_t> step_counts;
  for (const AnswerRow* const row : rows_of(table)) {
    INFO(full_text(row->problem), " ", to_string(row->choice));
    const Plan benched = benched_plan(*row);
    const Plan served = served_plan(table, row->problem);
    CHECK(served.config == benched.config);
    CHECK(kernel_sources(served) == kernel_sources(benched));
    const std::vector<LaunchStep> steps = launch_steps(benched);
    CHECK(launch_steps(served) == steps);
    step_counts.insert(steps.size());
    // All that the launch's arguments are made from, except addresses.
    CHECK(full_text(served.workload) == full_text(benched.workload));
    CHECK(served.order == benched.order);
    CHECK(served.copies == benched.copies);
    CHECK(served.slices() == benched.slices());
    CHECK(served.units == benched.units);
    CHECK(served.workers == benched.workers);
    CHECK(served.resident == benched.resident);
    const Problem packed = is_group(row->problem) ? packed_product(row->problem) : benched.product;
    CHECK(words_of(pitches_of(packed, served.options.places)) ==
          words_of(pitches_of(packed, benched.options.places)));
  }
  CHECK(step_counts.size() > 1);
}

TEST_CASE("the grid, threads and clusters of a launch agree with its plan") {
  for (const AnswerRow* const row : rows_of(testing::shipped_table())) {
    INFO(full_text(row->problem), " ", to_string(row->choice));
    const Plan plan = benched_plan(*row);
    const std::vector<LaunchStep> steps = launch_steps(plan);
    const auto product = std::find_if(steps.begin(), steps.end(), [](const LaunchStep& step) {
      return step.kernel.starts_with("gemm_");
    });
    REQUIRE(product != steps.end());
    const TileWarps warps = record_of(row->choice.family).warps(plan.kernel);
    CHECK(product->shape.threads >= 32 * warps.count);
    CHECK(product->shape.cluster_size == plan.cluster_size);
    CHECK(product->shape.ctas % product->shape.cluster_size == 0);
    CHECK(product->shape.smem_bytes ==
          record_of(row->choice.family).dynamic_smem_bytes(plan.kernel));
    const auto* const split = std::get_if<SplitK>(&row->choice.decomposition);
    const bool has_sum = split != nullptr && split->reduction == Reduction::Workspace;
    CHECK((steps.back().kernel != product->kernel) ==
          (has_sum && row->choice.family != Family::Skinny));
  }
}

// The payload in a library's file.
std::string payload_of(const std::filesystem::path& path) {
  constexpr int64_t kMaxBytes = int64_t{64} << 20;
  const std::string image = read_file(path, kMaxBytes);
  const size_t at = image.rfind(std::string_view(kPayloadMagic.data(), kPayloadMagic.size()));
  REQUIRE(at != std::string::npos);
  PayloadHeader header;
  image.copy(reinterpret_cast<char*>(&header), sizeof(header), at);
  return image.substr(at + sizeof(header), header.bytes);
}

TEST_CASE("a library has for every row the machine code that bench loads") {
  const AnswerTable& table = testing::shipped_table();
  const ShippedLibrary library(table, "same_code", compiled);
  const std::string payload = payload_of(library.path());
  const PayloadReader reader(payload);
  std::set<std::string> distinct;
  std::set<uint64_t> programs;
  for (const AnswerRow* const row : rows_of(table)) {
    INFO(full_text(row->problem), " ", to_string(row->choice));
    const std::vector<std::string> benched = compiled(kernel_sources(benched_plan(*row)));
    const std::vector<uint64_t> served = program_ids(served_plan(table, row->problem));
    REQUIRE(benched.size() == served.size());
    for (size_t i = 0; i < served.size(); ++i) {
      const std::optional<std::string> held = reader.read(kernel_blob(served[i]));
      REQUIRE(held);
      CHECK(*held == benched[i]);
      distinct.insert(benched[i]);
      programs.insert(served[i]);
    }
  }
  // Each has different code, so the equality above is not trivial.
  CHECK(distinct.size() == programs.size());
  CHECK(programs.size() > 30);
  MESSAGE(programs.size(), " programs of ", table.rows.size(), " rows");
}

}  // namespace
}  // namespace tilewright
