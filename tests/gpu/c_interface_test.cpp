// The C interface of a shipped library without a GPU: its answers and its refusals.

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "answer/shipped_choice.hpp"
#include "base/text.hpp"
#include "support/shipped_library.hpp"

namespace tilewright {
namespace {

using testing::ShippedLibrary;

// An address of this alignment that is never read.
void* address(int64_t alignment) {
  return reinterpret_cast<void*>(int64_t{1} << 20 | (alignment == 16 ? 0 : alignment));
}

TEST_CASE("a library answers every call as choose_shipped() does") {
  constexpr int kTrials = 10'000;
  const AnswerTable& table = testing::shipped_table();
  const ShippedLibrary library(table, "answers");
  std::mt19937_64 random(17);
  const auto below = [&random](int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  };
  const auto size = [&](int64_t multiple) {
    const int64_t most = int64_t{1} << (1 + below(12));
    return (1 + below(most)) * (below(3) == 0 ? 1 : multiple);
  };
  int answered = 0;
  int refused = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const AnswerRow& row = table.rows[static_cast<size_t>(below(std::ssize(table.rows)))];
    Workload workload = row.problem;
    if (has_per_problem_shapes(workload)) continue;
    OperandPlaces places;
    if (!is_group(workload) && trial % 10 > 0) {
      GemmShape& shape = workload.shapes.front();
      shape = {size(8), size(8), size(16)};
      if (is_triangular(workload)) shape.m = shape.n;
    }
    if (is_product(workload) && trial % 3 == 0) {
      const Pitches tight = pitches_of(problem_of(workload, 0), {});
      constexpr int kAlignments[] = {2, 4, 8, 16};
      const auto place = [&](int64_t row_elements) {
        return MatrixPlace{row_elements + below(17), kAlignments[below(4)]};
      };
      places = {place(tight.a), place(tight.b), place(tight.c), place(tight.d)};
    }
    if (trial % 7 == 0) workload.kind.epilogue.beta = 1;
    std::vector<int64_t> rows;
    shipped_call call = testing::call_of(library, workload, rows);
    call.lda = places.a.pitch;
    call.ldb = places.b.pitch;
    call.ldc = places.c.pitch;
    call.ldd = places.d.pitch;
    call.a = address(places.a.alignment);
    call.b = address(places.b.alignment);
    call.c = address(places.c.alignment);
    call.d = address(places.d.alignment);
    call.offsets = is_group(workload) ? address(16) : nullptr;
    const std::optional<ShippedChoice> choice = choose_shipped(table, workload, places);
    const std::string why = library.why(call);
    const std::string wanted =
        choice ? to_string(choice->config) : why_none_shipped(table, workload, places);
    INFO(full_text(workload), ": ", why);
    REQUIRE(why.find(wanted) != std::string::npos);
    ++(choice ? answered : refused);
  }
  MESSAGE("answered ", answered, ", refused ", refused);
  CHECK(answered > kTrials / 2);
}

TEST_CASE("a bad call is refused with the field's name, and nothing is launched") {
  const AnswerTable table = testing::published_table({"dense", "rank-k"});
  const ShippedLibrary library(table, "refusals");
  const auto good = [&] {
    shipped_call call = library.default_call();
    call.m = call.n = call.k = 256;
    call.a = call.b = call.c = call.d = address(16);
    return call;
  };
  const auto refusal = [&](const std::function<void(shipped_call&)>& change) {
    shipped_call call = good();
    change(call);
    CHECK(library.launch(call) == SHIPPED_BAD_CALL);
    return library.error();
  };
  CHECK(refusal([](auto& c) { c.size = 8; }).find("size is 8") == 0);
  CHECK(refusal([](auto& c) { c.size += 8; }).find("later version") != std::string::npos);
  CHECK(refusal([](auto& c) { c.type = 7; }).find("type is 7") == 0);
  CHECK(refusal([](auto& c) { c.type = SHIPPED_E5M2 + 1; }).find("type is 5") == 0);
  CHECK(refusal([](auto& c) { c.type = SHIPPED_F32; }).find("type: f32 is no type of operands") ==
        0);
  CHECK(refusal([](auto& c) { c.layout = -1; }).find("layout is -1") == 0);
  CHECK(refusal([](auto& c) { c.out_type = SHIPPED_E5M2; }) ==
        "out_type: e5m2 is no type of outputs");
  CHECK(refusal([](auto& c) { c.scale_a_form = 6; }).find("scale_a_form is 6") == 0);
  CHECK(refusal([](auto& c) { c.scale_b_form = SHIPPED_SCALE_LINE; }) ==
        "scale_b_form is 1, and its scales are NULL");
  CHECK(refusal([](auto& c) {
          c.scale_a = static_cast<const float*>(address(16));
          c.scale_a_form = SHIPPED_SCALE_128X128;
        }) == "scale_a_form is 4: only B has scales of 128x128");
  CHECK(refusal([](auto& c) { c.scale_b = static_cast<const float*>(address(2)); }) ==
        "scale_b is not a multiple of its elements' 4 bytes");
  CHECK(refusal([](auto& c) { c.accumulation = 2; }).find("accumulation is 2") == 0);
  CHECK(refusal([](auto& c) { c.takes_absmax = 1; }) == "scaling is NULL");
  CHECK(refusal([](auto& c) {
          c.uses_scale_d = 1;
          c.scaling = static_cast<shipped_output_scaling*>(address(16));
          c.beta = 1;
          c.ldc = 264;
        }).find("ldc is 264 and ldd is 256") == 0);
  CHECK(refusal([](auto& c) { c.activation = SHIPPED_GEGLU_ERF + 1; }) ==
        "activation is 8, and it must be one of 0 to 7");
  CHECK(refusal([](auto& c) { c.activation = -1; }).find("activation is -1") == 0);
  CHECK(refusal([](auto& c) { c.m = -1; }).find("m is -1") == 0);
  CHECK(refusal([](auto& c) { c.lda = 255; }).find("lda is 255") == 0);
  CHECK(refusal([](auto& c) { c.d = nullptr; }) == "d is NULL");
  CHECK(refusal([](auto& c) { c.a = nullptr; }) == "a is NULL");
  CHECK(refusal([](auto& c) { c.a = address(1); }).find("a is not a multiple") == 0);
  CHECK(refusal([](auto& c) {
          c.beta = 1;
          c.c = nullptr;
        }) == "c is NULL");
  CHECK(refusal([](auto& c) { c.workspace = address(2); }).find("workspace is not a multiple") ==
        0);
  CHECK(refusal([](auto& c) { c.groups = 2; }) == "offsets is NULL");
  CHECK(refusal([](auto& c) {
          c.groups = 2;
          c.offsets = address(2);
        }).find("offsets is not a multiple") == 0);
  CHECK(refusal([](auto& c) {
          c.groups = 2;
          c.offsets = c.group_ends = address(16);
        }).find("group_ends: offsets give the same") == 0);
  CHECK(refusal([](auto& c) { c.groups = 1 << 24; }).find("groups is 16777216") == 0);
  shipped_call square = good();
  square.op = SHIPPED_SYRK;
  CHECK(library.gemm(square) == SHIPPED_BAD_CALL);
  square.n = 128;
  CHECK(library.rank_k(square) == SHIPPED_BAD_CALL);
  CHECK(library.error() == "m is 256 and n is 128, and the result of a rank-k update is square");
  // A call with an empty D needs no launch and therefore no GPU.
  shipped_call empty = good();
  empty.m = 0;
  empty.d = nullptr;
  for (const int32_t activation : {SHIPPED_RELU, SHIPPED_GELU, SHIPPED_GELU_ERF, SHIPPED_SILU}) {
    empty.activation = activation;
    CHECK(library.gemm(empty) == SHIPPED_GOOD);
  }
  CHECK(library.why(empty) == "the output has no elements");
}

TEST_CASE("only the bytes of a call that its size field covers are read") {
  const ShippedLibrary library(testing::published_table({"dense"}), "sizes");
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const pages =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  char* const end = static_cast<char*>(pages) + page;
  REQUIRE(mprotect(end, page, PROT_NONE) == 0);
  const auto at_end = [end](const shipped_call& call, size_t bytes) -> const shipped_call& {
    std::memcpy(end - bytes, &call, bytes);
    return *reinterpret_cast<const shipped_call*>(end - bytes);
  };
  shipped_call call = library.default_call();
  call.m = call.n = call.k = 4096;
  call.a = call.b = call.d = address(16);
  for (const uint64_t size : {uint64_t{0}, uint64_t{8}, uint64_t{1} << 40}) {
    call.size = size;
    const shipped_call& cut = at_end(call, sizeof(call.size));
    uint64_t bytes = 0;
    uint64_t alignment = 0;
    CHECK(library.gemm(cut) == SHIPPED_BAD_CALL);
    CHECK(library.error().find(format("size is {}", size)) == 0);
    CHECK(library.grouped_gemm(cut) == SHIPPED_BAD_CALL);
    CHECK(library.rank_k(cut) == SHIPPED_BAD_CALL);
    CHECK(library.workspace(cut, bytes, alignment) == SHIPPED_BAD_CALL);
    CHECK(library.why(cut).find(format("size is {}", size)) == 0);
  }
  // A call with the header of version 1.
  call.size = offsetof(shipped_call, group_ends);
  CHECK(library.why(at_end(call, call.size)).find("tuned for h200") == 0);
  // One of version 2, and sizes between the versions'.
  call.size = offsetof(shipped_call, scale_a_form);
  CHECK(library.why(at_end(call, call.size)).find("tuned for h200") == 0);
  for (const uint64_t change : {uint64_t{4}, uint64_t{8}}) {
    call.size = offsetof(shipped_call, scale_a_form) + change;
    CHECK(library.why(at_end(call, call.size)).find(format("size is {}", call.size)) == 0);
  }
  munmap(pages, 2 * page);
}

TEST_CASE("a library answers products that GPUs share, and says how much memory they need") {
  const AnswerTable table = testing::published_table({"across-gpus"});
  const ShippedLibrary library(table, "shared");
  const auto comm_bytes = library.function<int(const shipped_call*, uint64_t*)>("comm_bytes");
  for (const AnswerRow& row : table.rows) {
    std::vector<int64_t> rows;
    shipped_call call = testing::call_of(library.default_call(), row.problem, rows);
    call.a = call.b = call.d = address(16);
    CAPTURE(to_string(row.problem));
    CHECK(library.why(call).find("tuned for h200: " + to_string(row.choice)) == 0);
    uint64_t bytes = 0;
    REQUIRE_MESSAGE(comm_bytes(&call, &bytes) == SHIPPED_GOOD, library.error());
    // D in parts of bf16 for this GPU's rows, or all rows of A; flags and whole tiles come on top.
    const GemmShape whole = whole_of(row.problem.shapes.front(), row.problem.parallel);
    const bool gathers = row.problem.parallel.collective == Collective::AllGather;
    const auto data =
        static_cast<double>(gathers ? whole.m * whole.k * 2 : whole.m / 2 * whole.n * 2);
    CHECK(static_cast<double>(bytes) > data);
    CHECK(static_cast<double>(bytes) < data * 1.08);
    CHECK(library.gemm(call) == SHIPPED_BAD_CALL);
    CHECK(library.error() == "comm is NULL");
  }
}

TEST_CASE("a bad call for a product that GPUs share is refused with the field's name") {
  const ShippedLibrary library(testing::published_table({"across-gpus"}), "shared_refusals");
  const auto comm_bytes = library.function<int(const shipped_call*, uint64_t*)>("comm_bytes");
  const auto refusal = [&](const std::function<void(shipped_call&)>& change) {
    shipped_call call = library.default_call();
    call.m = call.n = 4096;
    call.k = 14336;
    call.a = call.b = call.d = address(16);
    call.parallel = SHIPPED_ALL_GATHER;
    call.gpus = 2;
    change(call);
    uint64_t bytes = 0;
    CHECK(comm_bytes(&call, &bytes) == SHIPPED_BAD_CALL);
    return library.error();
  };
  CHECK(refusal([](auto& c) { c.parallel = 4; }).find("parallel is 4") == 0);
  CHECK(refusal([](auto& c) { c.parallel = 2; }).find("parallel is 2: there is no all-reduce") ==
        0);
  CHECK(refusal([](auto& c) { c.parallel = 0; }).find("parallel is 0") == 0);
  CHECK(refusal([](auto& c) { c.gpus = 1; }).find("all-gather is over 2 to 16 GPUs") == 0);
  CHECK(refusal([](auto& c) { c.n = 4095; }).find("N = 4095 is no multiple of 2") !=
        std::string::npos);
  CHECK(refusal([](auto& c) { c.lda = 14344; }).find("lda is 14344") == 0);
  CHECK(refusal([](auto& c) { c.k = 0; }) == "parallel: m, n or k is 0");
  CHECK(refusal([](auto& c) { c.ldd = 2047; }).find("ldd is 2047; rows have 2048") == 0);

  const auto create =
      library.function<int(int, int, uint64_t, uint64_t, shipped_comm**, shipped_comm_handle*)>(
          "comm_create");
  const auto why_not = [&](int rank, int gpus, uint64_t bytes) {
    shipped_comm* comm = nullptr;
    shipped_comm_handle handle;
    CHECK(create(rank, gpus, bytes, 0, &comm, &handle) == SHIPPED_BAD_CALL);
    CHECK(comm == nullptr);
    return library.error();
  };
  CHECK(why_not(0, 1, 1 << 20) == "gpus is 1, and 2 to 16 share a product");
  CHECK(why_not(2, 2, 1 << 20) == "rank is 2, and ranks are 0 to 1");
  CHECK(why_not(0, 2, 100) == "bytes is 100: ask the library for those of a call");
  CHECK(create(0, 2, 1 << 20, 0, nullptr, nullptr) == SHIPPED_BAD_CALL);
  CHECK(library.function<int(shipped_comm*)>("comm_destroy")(nullptr) == SHIPPED_GOOD);
}

TEST_CASE("groups with rows known only on the device get an answer without the host's table") {
  const AnswerTable& table = testing::shipped_table();
  const ShippedLibrary library(table, "device_rows");
  std::mt19937_64 random(19);
  const auto below = [&random](int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  };
  for (int trial = 0; trial < 60; ++trial) {
    shipped_call call = library.default_call();
    call.groups = 2 + below(64);
    call.m = 1 + below(int64_t{1} << (1 + below(13)));
    call.n = 8 * (1 + below(256));
    call.k = 8 * (1 + below(256));
    call.a = call.b = call.c = call.d = address(16);
    call.beta = trial % 3 == 0 ? 2 : 0;
    (trial % 2 == 0 ? call.offsets : call.group_ends) = address(4);
    Workload even;
    for (int64_t i = 0; i < call.groups; ++i) {
      even.shapes.push_back(
          {call.m / call.groups + (i < call.m % call.groups ? 1 : 0), call.n, call.k});
    }
    even.kind.epilogue.beta = call.beta;
    const std::optional<ShippedChoice> choice =
        choose_shipped(table, even, {}, {.device_rows = true});
    const std::string why = library.why(call);
    INFO(full_text(even), ": ", why);
    REQUIRE(choice.has_value());
    CHECK(choice->config.group_schedule != GroupSchedule::HostPrecompute);
    CHECK(why.find(", chosen as for equal groups for h200: " + to_string(choice->config)) !=
          std::string::npos);
    call.groups = 1;
    CHECK(library.why(call) == "group_rows is NULL, and a single group needs its rows on the host");
  }
}

TEST_CASE("a product without depth is answered as with operands of zeros") {
  const AnswerTable table = testing::published_table({"dense", "rank-k"});
  const ShippedLibrary library(table, "depthless");
  for (const int32_t op : {SHIPPED_GEMM, SHIPPED_SYRK, SHIPPED_SYR2K, SHIPPED_HER2K}) {
    for (const int64_t n : {1, 64, 1000}) {
      for (const float beta : {0.0F, 0.5F}) {
        shipped_call call = library.default_call();
        call.op = op;
        call.m = call.n = n;
        call.c = call.d = address(2);
        call.beta = beta;
        const std::string why = library.why(call);
        CAPTURE(why);
        CHECK(why.find("K is 0: the result is that of operands of zeros: ") == 0);
        CHECK(why.find("family=") != std::string::npos);
      }
    }
  }
}

TEST_CASE("two libraries live in one process, each with its own answers") {
  const ShippedLibrary dense(testing::published_table({"dense"}), "one");
  const ShippedLibrary fp8(testing::published_table({"fp8"}), "two");
  shipped_call call = dense.default_call();
  call.m = call.n = call.k = 4096;
  call.a = call.b = call.d = address(16);
  CHECK(dense.why(call).find("tuned for h200") == 0);
  CHECK(fp8.why(call).find("is shipped") != std::string::npos);
  call.type = SHIPPED_E4M3;
  CHECK(dense.why(call).find("is shipped") != std::string::npos);
  CHECK(fp8.why(call).find("tuned for h200") == 0);
}

TEST_CASE("a policy of no number is refused, and leaves the policy as it was") {
  const ShippedLibrary library(testing::published_table({"dense", "grouped"}), "policies");
  const auto set_policy = library.function<int(int)>("set_policy");
  CHECK(library.function<int()>("abi_version")() == SHIPPED_ABI_VERSION);
  CHECK(set_policy(SHIPPED_RACE) == SHIPPED_GOOD);
  for (const int bad : {-1, SHIPPED_BATCH_INVARIANT + 1, 1 << 20}) {
    CHECK(set_policy(bad) == SHIPPED_BAD_CALL);
    CHECK(library.error() == format("policy is {}, and it must be one of 0 to 3", bad));
  }
  shipped_call call = library.default_call();
  call.m = call.n = call.k = 520;
  call.a = call.b = call.c = call.d = address(16);
  CHECK(library.why(call).find("; not raced: no GPU here runs it") != std::string::npos);
}

TEST_CASE("under batch_invariant whole tiles answer at every M, and an update is refused") {
  const ShippedLibrary library(testing::published_table({"dense", "rank-k"}), "invariant");
  const auto set_policy = library.function<int(int)>("set_policy");
  CHECK(set_policy(SHIPPED_BATCH_INVARIANT) == SHIPPED_GOOD);
  shipped_call call = library.default_call();
  call.a = call.b = call.c = call.d = address(16);
  call.n = 4096;
  call.k = 14336;
  for (const int64_t m : {1, 16, 128, 8192}) {
    call.m = m;
    const std::string why = library.why(call);
    CAPTURE(why);
    CHECK(why.find("family=sm90") != std::string::npos);
    CHECK(why.find("decomposition=data-parallel") != std::string::npos);
    CHECK(why.find("; the same order of sums for every M") != std::string::npos);
    CHECK(why.find("library for") == std::string::npos);
  }
  call.m = call.n = call.k = 1024;
  call.op = SHIPPED_SYRK;
  CHECK(library.why(call).find("whole tiles") != std::string::npos);
}

TEST_CASE("the line on an answer names why it is not raced, under both policies of races only") {
  const AnswerTable table = testing::published_table({"dense", "grouped"});
  const ShippedLibrary library(table, "unraced");
  const auto set_policy = library.function<int(int)>("set_policy");
  const auto unraced = [&](const shipped_call& call) {
    CHECK(set_policy(SHIPPED_PLAIN) == SHIPPED_GOOD);
    const std::string plain = library.why(call);
    CHECK(plain.find("raced") == std::string::npos);
    std::vector<std::string> added;
    for (const int policy : {SHIPPED_RACE, SHIPPED_RACE_BITWISE}) {
      CHECK(set_policy(policy) == SHIPPED_GOOD);
      const std::string text = library.why(call);
      CHECK(text.find(plain) == 0);
      added.push_back(text.substr(std::min(plain.size(), text.size())));
    }
    CHECK(added[0] == added[1]);
    return added[0];
  };
  for (const AnswerRow& row : table.rows) {
    if (has_per_problem_shapes(row.problem)) continue;
    std::vector<int64_t> rows;
    shipped_call call = testing::call_of(library, row.problem, rows);
    call.a = call.b = call.c = call.d = address(16);
    call.offsets = is_group(row.problem) ? address(16) : nullptr;
    INFO(full_text(row.problem));
    CHECK(unraced(call) == (is_group(row.problem) ? "; not raced: it is a group"
                                                  : "; not raced: the product was tuned"));
  }
  shipped_call call = library.default_call();
  call.m = call.n = 520;
  call.a = call.b = call.c = call.d = address(16);
  CHECK(unraced(call) == "; not raced: K is 0");
  for (const Trial& trial : table.trials) {
    std::vector<int64_t> rows;
    shipped_call tried = testing::call_of(library, trial.problem, rows);
    tried.a = tried.b = tried.c = tried.d = address(16);
    const std::string text = unraced(tried);
    CHECK((text == "; not raced: its kernels were tried" ||
           text == "; not raced: the product was tuned"));
  }
}

}  // namespace
}  // namespace tilewright
