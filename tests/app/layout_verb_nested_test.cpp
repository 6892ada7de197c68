#include <doctest/doctest.h>

#include <string>

#include "app/outcome.hpp"
#include "record/document.hpp"
#include "verbs/verbs.hpp"

namespace tilewright {
namespace {

using testing::Outcome;

Outcome run(const NestedOptions& options) {
  return testing::outcome_of([&](Console& console) {
    return print(run_analyze_nested(read_nested_request(options)), options.format, console);
  });
}

NestedOptions example() {
  NestedOptions options;
  options.text =
      "#iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], "
      "outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], "
      "subgroup_strides = [1, 0], thread_strides = [1, 16]>";
  return options;
}

TEST_CASE("the JSON has the contract's keys") {
  NestedOptions options = example();
  options.thread = 16;
  options.format = Format::Json;
  const auto json = Document::parse(run(options).out);
  CHECK(json["vector_shape"] == Document{64, 64});
  CHECK(json["distributed_shape"] == Document{2, 4, 1, 1, 1, 4});
  CHECK(json["per_thread_shape"] == Document{2, 16});
  CHECK(json["subgroup_ids"] == Document{0, 1});
  CHECK(json["thread_ids"][1] == 16);
  CHECK(json["virtual_thread"] == Document{0, 1});
  CHECK(json["elements"].size() == 32);
  CHECK(json["elements"][0] == Document{0, 4});
  CHECK(json["lint"].empty());
}

TEST_CASE("text, picture and checks") {
  NestedOptions options = example();
  options.thread = 16;
  options.show = true;
  options.checks = parse_checks({"uncovered==0", "elements_per_thread==32"});
  const Outcome outcome = run(options);
  CHECK(outcome.code == ExitCode::Good);
  CHECK(outcome.out.find("at [0, 1] of subgroup [0, 0]") != std::string::npos);
  CHECK(outcome.out.find("   0    0    0    0   16") != std::string::npos);
  options.workgroup.subgroups = 1;
  CHECK(run(options).code == ExitCode::No);
}

TEST_CASE("the threads of a subgroup are as many as the strides ask for, and it is said so") {
  NestedOptions options;
  options.text =
      "subgroup_tile = [4], batch_tile = [1], outer_tile = [1], thread_tile = [4], "
      "element_tile = [4], subgroup_strides = [1], thread_strides = [16]";
  options.checks = parse_checks({"uncovered==0", "threads==256"});
  const Outcome outcome = run(options);
  CHECK(outcome.code == ExitCode::Good);
  CHECK(outcome.out.find("4 subgroups of 64 threads, the smallest power of two that the thread "
                         "strides ask for") != std::string::npos);
  CHECK(outcome.out.find("thread ids        0 16 32 48\n") != std::string::npos);
  options.format = Format::Json;
  CHECK(Document::parse(run(options).out)["subgroup_size_from"] == "thread_strides");
  options.checks = {};
  options.workgroup.subgroup_size = 4;
  const auto asked = Document::parse(run(options).out);
  CHECK(asked["subgroup_size"] == 4);
  CHECK(asked["subgroup_size_from"] == "request");
  CHECK(asked["uncovered"] == 48);
}

// The full example of the dialect's documentation.
TEST_CASE("the vector level by level") {
  NestedOptions options = example();
  options.workgroup.subgroups = 4;
  options.levels = true;
  const std::string text = run(options).out;
  for (const char* const line :
       {"vector<64x64> is viewed as vector<[2x1]x[2x4]x[1x1]x[16x4]x[1x4]>\n",
        "subgroup3 : vector<[2x4]x[1x1]x[16x4]x[1x4]>\n"
        "    from vector<[2x1]x[2x4]x[1x1]x[16x4]x[1x4]>[1,:,:,:,:,:,:,:,:,:]\n",
        "thread16 : vector<[2x4]x[1x1]x[1x4]>\n"
        "    from vector<[2x4]x[1x1]x[16x4]x[1x4]>[:,:,:,:,0,1,:,:]\n",
        "each thread holds vector<2x16>\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("JSON has the levels too") {
  NestedOptions options = example();
  options.workgroup.subgroups = 4;
  options.format = Format::Json;
  CHECK(!Document::parse(run(options).out).contains("levels"));
  options.levels = true;
  const auto levels = Document::parse(run(options).out)["levels"];
  CHECK(levels["viewed_as"] == "vector<[2x1]x[2x4]x[1x1]x[16x4]x[1x4]>");
  REQUIRE(levels["subgroups"].size() == 4);
  CHECK(levels["subgroups"][3]["virtual_id"] == Document{1, 0});
  CHECK(levels["subgroups"][3]["place"] == "[1,:,:,:,:,:,:,:,:,:]");
  CHECK(levels["threads"][2]["id"] == 16);
  CHECK(levels["threads"][2]["virtual_id"] == Document{0, 1});
  CHECK(levels["threads"][2]["place"] == "[:,:,:,:,0,1,:,:]");
}

TEST_CASE("a copy of the vector costs what its warp instructions cost") {
  NestedOptions options = example();
  options.access = "ld.v2";
  options.element_bytes = 2;
  options.space = MemorySpace::Global;
  options.format = Format::Json;
  const auto global = Document::parse(run(options).out)["access"];
  // 4 warps of 8 instructions; each lane reads 8 bytes of another row, so a sector of 32 bytes
  // each.
  CHECK(global["sectors"] == 1024);
  CHECK(global["efficiency"] == 0.25);
  options.space = MemorySpace::Shared;
  const auto shared = Document::parse(run(options).out)["access"];
  CHECK(shared["wavefronts"].get<int>() > 0);
  options.element_bytes = 0;
  CHECK(run(options).code == ExitCode::Usage);
  options = example();
  options.access = "ld.v4";
  options.element_bytes = 1;  // four are contiguous, not sixteen
  CHECK(run(options).code == ExitCode::Usage);
}

TEST_CASE("bad requests are usage errors") {
  NestedOptions shape = example();
  shape.shape = "64x32";
  NestedOptions thread = example();
  thread.thread = 128;
  NestedOptions text;
  text.text = "nonsense";
  for (const NestedOptions& options : {shape, thread, text}) {
    const Outcome outcome = run(options);
    CHECK(outcome.code == ExitCode::Usage);
    CHECK(outcome.out.empty());
    CHECK(!outcome.err.empty());
  }
}

}  // namespace
}  // namespace tilewright
