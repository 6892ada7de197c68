// Products that race in a shipped library: every call is right, the bits of the bitwise policy are
// those of the plain one, and winners last.

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "answer/shipped_choice.hpp"
#include "base/text.hpp"
#include "serve/race_file.hpp"
#include "support/error_message.hpp"
#include "support/gpu_library.hpp"

namespace tilewright {
namespace {

using testing::call_on;
using testing::CapturedCall;
using testing::contains;
using testing::ShippedLibrary;
using testing::TemporaryFolder;

constexpr uint64_t kRaceSeed = 12;
// More than a race takes, with its grace: 3 of 9 candidates each, and 32.
constexpr int kEnoughCalls = 64;

const AnswerTable& table() {
  static const AnswerTable all = testing::published_table({"dense", "rank-k"});
  return all;
}

// The same answers for a library that never calls cuBLASLt: no bits are promised for its sums.
AnswerTable without_cublaslt() {
  AnswerTable own = table();
  own.asks_library = false;
  for (AnswerRow& row : own.rows) row.library_pins.clear();
  return own;
}

// A library that keeps its winners in `folder`: the library opens its file when it first hears of a
// product that races.
class RacingLibrary {
 public:
  RacingLibrary(const std::string& name, const TemporaryFolder& folder, int policy,
                const testing::ProgramCompiler& compile = testing::compiled,
                const AnswerTable& answers = table())
      : library_(answers, name, compile), folder_(folder.path()) {
    set_policy(policy);
  }

  const ShippedLibrary& operator*() const { return library_; }
  const ShippedLibrary* operator->() const { return &library_; }

  void set_policy(int policy) const {
    REQUIRE(library_.function<int(int)>("set_policy")(policy) == SHIPPED_GOOD);
  }

  // Bytes of workspace, with the folder as the cache's.
  uint64_t workspace_bytes(const shipped_call& call) const {
    const char* const before = std::getenv("TILEWRIGHT_CACHE_DIR");
    const std::string kept = before == nullptr ? "" : before;
    ::setenv("TILEWRIGHT_CACHE_DIR", folder_.c_str(), 1);
    uint64_t bytes = 0;
    uint64_t alignment = 0;
    const int status = library_.workspace(call, bytes, alignment);
    before == nullptr ? ::unsetenv("TILEWRIGHT_CACHE_DIR")
                      : ::setenv("TILEWRIGHT_CACHE_DIR", kept.c_str(), 1);
    REQUIRE_MESSAGE(status == SHIPPED_GOOD, library_.error());
    return bytes;
  }

 private:
  ShippedLibrary library_;
  std::filesystem::path folder_;
};

Workload product(int64_t m, int64_t n, int64_t k, const char* layout = "tn") {
  Workload workload = workload_of({{m, n, k}});
  workload.kind.layout = parse_matrix_layout(layout);
  return workload;
}

// Products that no row answers: short and long ones, odd pitches, a sum with C, an update.
std::vector<Workload> untuned() {
  std::vector<Workload> all = {product(520, 328, 712),   product(1000, 1016, 1080, "nn"),
                               product(136, 4104, 2056), product(2056, 1544, 520, "nt"),
                               product(72, 264, 12296),  product(3080, 3080, 1032)};
  all.push_back(product(776, 904, 1160));
  all.back().kind.epilogue.beta = 0.5F;
  Workload update = product(1032, 1032, 456);
  for (const AnswerRow& row : table().rows) {
    if (!is_triangular(row.problem)) continue;
    Workload own = row.problem;
    own.shapes = update.shapes;
    all.push_back(own);
    break;
  }
  return all;
}

// Operands of a workload on the device, D's bits, and the reference in float64.
class Bench {
 public:
  explicit Bench(const Workload& workload)
      : workload_(workload),
        kernels_(workload.kind.dtype, output_type(workload.kind), architecture(testing::h200()),
                 testing::test_cache()),
        operands_(workload, 0, kRaceSeed, kernels_),
        set_(operands_.set(0)),
        verifier_(workload, set_, kRaceSeed, kernels_) {}

  shipped_call call(const ShippedLibrary& library) {
    return call_on(library, workload_, set_, rows_);
  }
  const WorkloadVerifier& verifier() const { return verifier_; }
  const Workload& workload() const { return workload_; }

  std::vector<unsigned char> bits() const {
    TW_CHECK(cudaDeviceSynchronize());
    std::vector<unsigned char> bytes(static_cast<size_t>(byte_offsets(workload_).back().d));
    copy_to_host(bytes.data(), set_.d, bytes.size());
    return bytes;
  }

  // The bits of D after a launch with `workspace`, which may be too small; D is poisoned before.
  std::vector<unsigned char> bits_after(const ShippedLibrary& library, shipped_call call,
                                        const DeviceBuffer& workspace, uint64_t bytes) const {
    verifier_.poison();
    TW_CHECK(cudaMemset(workspace.get(), 0xFF, workspace.bytes()));
    call.workspace = workspace.get();
    call.workspace_bytes = bytes;
    REQUIRE_MESSAGE(library.launch(call) == SHIPPED_GOOD, library.error());
    return bits();
  }

 private:
  Workload workload_;
  DeviceKernels kernels_;
  Operands operands_;
  OperandSet set_;
  WorkloadVerifier verifier_;
  std::vector<int64_t> rows_;
};

// The bits under the plain policy, which stays set.
std::vector<unsigned char> plain_bits(const RacingLibrary& library, Bench& bench) {
  library.set_policy(SHIPPED_PLAIN);
  const shipped_call call = bench.call(*library);
  const uint64_t bytes = library.workspace_bytes(call);
  const DeviceBuffer room(bytes + 1);
  return bench.bits_after(*library, call, room, bytes);
}

bool is_raced(const ShippedLibrary& library, const shipped_call& call) {
  return contains(library.why(call), "raced in ");
}

// True also for a product without a rival.
bool is_settled(const ShippedLibrary& library, const shipped_call& call) {
  return is_raced(library, call) ||
         contains(library.why(call), "; not raced: no other kernel here can take part");
}

// The most roundings of a kernel of the short list.
int most_roundings(const Workload& workload) {
  int most = 1;
  for (const ShippedChoice& choice : shipped_shortlist(table(), workload, {}, {}, 8)) {
    most = std::max(most, output_roundings(make_plan(workload, choice.config, table().device)));
  }
  return most;
}

bool has_fixed_sums(const Workload& workload) {
  const auto plain = choose_shipped(table(), workload);
  return plain && determinism_of(plain->config.decomposition) == "bitwise";
}

TEST_CASE("under the bitwise policy every call of a race has the bits of the plain policy") {
  const TemporaryFolder folder;
  const RacingLibrary library("bitwise_race", folder, SHIPPED_RACE_BITWISE, testing::compiled,
                              without_cublaslt());
  int raced = 0;
  for (const Workload& workload : untuned()) {
    if (!has_fixed_sums(workload)) continue;
    INFO(full_text(workload));
    Bench bench(workload);
    const shipped_call call = bench.call(*library);
    const auto plain = plain_bits(library, bench);
    library.set_policy(SHIPPED_RACE_BITWISE);
    const uint64_t bytes = library.workspace_bytes(call);
    const DeviceBuffer room(bytes + 1);
    for (int i = 0; i < kEnoughCalls; ++i) {
      INFO("call ", i, ": ", library->why(call));
      CHECK(bench.bits_after(*library, call, room, bytes) == plain);
      CHECK(library.workspace_bytes(call) == bytes);
    }
    const std::string why = library->why(call);
    CHECK_MESSAGE(is_settled(*library, call), why);
    CHECK_MESSAGE(!contains(why, "cuBLASLt"), why);
    raced += is_raced(*library, call) ? 1 : 0;
    MESSAGE(to_string(workload), ": ", why);
  }
  CHECK(raced > 3);
}

TEST_CASE("under the policy of races every call agrees with float64, and the race is decided") {
  const TemporaryFolder folder;
  const RacingLibrary library("any_race", folder, SHIPPED_RACE);
  int raced = 0;
  for (const Workload& workload : untuned()) {
    INFO(full_text(workload));
    Bench bench(workload);
    const shipped_call call = bench.call(*library);
    const uint64_t bytes = library.workspace_bytes(call);
    const DeviceBuffer room(bytes + 1);
    const int roundings = most_roundings(workload);
    for (int i = 0; i < kEnoughCalls; ++i) {
      INFO("call ", i, ": ", library->why(call));
      bench.bits_after(*library, call, room, bytes);
      const Verification verdict = bench.verifier().check(workload.kind.epilogue, roundings);
      CHECK_MESSAGE(verdict.ok, verdict.detail);
    }
    const std::string why = library->why(call);
    CHECK_MESSAGE(is_settled(*library, call), why);
    CHECK_MESSAGE(!contains(why, "winners are not kept"), why);
    raced += is_raced(*library, call) ? 1 : 0;
    MESSAGE(to_string(workload), ": ", why);
  }
  CHECK(raced > 6);
}

TEST_CASE("calls that follow each other without a wait are right, and end the race all the same") {
  const TemporaryFolder folder;
  const RacingLibrary library("fast_race", folder, SHIPPED_RACE);
  const Workload workload = product(904, 648, 840);
  Bench bench(workload);
  shipped_call call = bench.call(*library);
  const uint64_t bytes = library.workspace_bytes(call);
  const DeviceBuffer room(bytes + 1);
  call.workspace = room.get();
  call.workspace_bytes = bytes;
  bench.verifier().poison();
  for (int i = 0; i < kEnoughCalls; ++i) REQUIRE(library->launch(call) == SHIPPED_GOOD);
  TW_CHECK(cudaDeviceSynchronize());
  const Verification verdict =
      bench.verifier().check(workload.kind.epilogue, most_roundings(workload));
  CHECK_MESSAGE(verdict.ok, verdict.detail);
  CHECK_MESSAGE(is_raced(*library, call), library->why(call));
}

TEST_CASE("a captured call is not raced: it is the plain answer, and the winner later") {
  const TemporaryFolder folder;
  const RacingLibrary library("captured_race", folder, SHIPPED_RACE);
  const Workload workload = product(1160, 776, 904);
  REQUIRE(has_fixed_sums(workload));
  Bench bench(workload);
  const shipped_call call = bench.call(*library);
  const auto plain = plain_bits(library, bench);
  library.set_policy(SHIPPED_RACE);
  const uint64_t bytes = library.workspace_bytes(call);
  const auto replayed = [&] {
    const CapturedCall captured(*library, call);
    bench.verifier().poison();
    captured.replay(0xFF);
    return bench.bits();
  };
  for (int i = 0; i < 3; ++i) {
    CHECK(replayed() == plain);
    CHECK_MESSAGE(contains(library->why(call), "racing: 0 of at most"), library->why(call));
  }
  const DeviceBuffer room(bytes + 1);
  for (int i = 0; i < kEnoughCalls; ++i) {
    bench.bits_after(*library, call, room, bytes);
    if (i == 5) CHECK(replayed() == plain);
  }
  const std::string why = library->why(call);
  CHECK_MESSAGE(is_raced(*library, call), why);
  replayed();
  const Verification verdict =
      bench.verifier().check(workload.kind.epilogue, most_roundings(workload));
  CHECK_MESSAGE(verdict.ok, verdict.detail);
  CHECK(library->why(call) == why);
}

TEST_CASE("ten threads make one race, each call with the plain bits under the bitwise policy") {
  constexpr int kThreads = 10;
  const TemporaryFolder folder;
  const RacingLibrary library("threads_race", folder, SHIPPED_RACE_BITWISE, testing::compiled,
                              without_cublaslt());
  const Workload workload = product(648, 1416, 776);
  REQUIRE(has_fixed_sums(workload));
  Bench bench(workload);
  const shipped_call call = bench.call(*library);
  const auto plain = plain_bits(library, bench);
  library.set_policy(SHIPPED_RACE_BITWISE);
  const uint64_t bytes = library.workspace_bytes(call);
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      cudaStream_t stream = nullptr;
      TW_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      const DeviceBuffer room(bytes + 1);
      const DeviceBuffer d(plain.size());
      shipped_call own = call;
      own.d = d.get();
      own.stream = stream;
      own.workspace = room.get();
      own.workspace_bytes = bytes;
      std::vector<unsigned char> got(plain.size());
      for (int i = 0; i < 20 && wrong[t].empty(); ++i) {
        TW_CHECK(cudaMemsetAsync(d.get(), 0xFF, d.bytes(), stream));
        if (library->gemm(own) != SHIPPED_GOOD) wrong[t] = library->error();
        TW_CHECK(cudaMemcpyAsync(got.data(), d.get(), d.bytes(), cudaMemcpyDeviceToHost, stream));
        TW_CHECK(cudaStreamSynchronize(stream));
        if (got != plain) wrong[t] = format("call {} is wrong", i);
      }
      TW_CHECK(cudaStreamDestroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) CHECK_MESSAGE(text.empty(), text);
  const std::string why = library->why(call);
  CHECK_MESSAGE(is_settled(*library, call), why);
}

TEST_CASE("another process uses the winner, and races again if the file is damaged") {
  const TemporaryFolder folder;
  const Workload workload = product(520, 1288, 904);
  Bench bench(workload);
  // Races to the end; returns the last line on the answer.
  const auto raced = [&](const RacingLibrary& library, int calls) {
    const shipped_call call = bench.call(*library);
    const uint64_t bytes = library.workspace_bytes(call);
    const DeviceBuffer room(bytes + 1);
    for (int i = 0; i < calls; ++i) {
      bench.bits_after(*library, call, room, bytes);
      const Verification verdict =
          bench.verifier().check(workload.kind.epilogue, most_roundings(workload));
      CHECK_MESSAGE(verdict.ok, verdict.detail);
    }
    return library->why(call);
  };
  const std::string first = raced(RacingLibrary("first_race", folder, SHIPPED_RACE), kEnoughCalls);
  CHECK_MESSAGE(contains(first, "raced in "), first);
  CHECK_MESSAGE(!contains(first, "of an earlier process"), first);
  const std::string second = raced(RacingLibrary("second_race", folder, SHIPPED_RACE), 3);
  CHECK_MESSAGE(contains(second, "calls of an earlier process"), second);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".races") files.push_back(entry.path());
  }
  REQUIRE(files.size() == 1);
  std::ofstream(files.front(), std::ios::app) << "x";
  const std::string third = raced(RacingLibrary("third_race", folder, SHIPPED_RACE), 3);
  CHECK_MESSAGE(contains(third, "racing: 3 of at most"), third);
  CHECK_MESSAGE(contains(third, "' is damaged"), third);
  const std::string fourth =
      raced(RacingLibrary("fourth_race", folder, SHIPPED_RACE), kEnoughCalls);
  CHECK_MESSAGE(contains(fourth, "raced in "), fourth);
  CHECK_MESSAGE(!contains(fourth, "is damaged"), fourth);
}

TEST_CASE("with the plain answer's workspace only kernels race that it is enough for") {
  const TemporaryFolder folder;
  const RacingLibrary library("small_race", folder, SHIPPED_PLAIN);
  for (const Workload& workload : untuned()) {
    INFO(full_text(workload));
    Bench bench(workload);
    const shipped_call call = bench.call(*library);
    library.set_policy(SHIPPED_PLAIN);
    const uint64_t plain_bytes = library.workspace_bytes(call);
    library.set_policy(SHIPPED_RACE);
    CHECK(library.workspace_bytes(call) >= plain_bytes);
    const DeviceBuffer room(plain_bytes + 1);
    const int roundings = most_roundings(workload);
    for (int i = 0; i < kEnoughCalls; ++i) {
      bench.bits_after(*library, call, room, plain_bytes);
      const Verification verdict = bench.verifier().check(workload.kind.epilogue, roundings);
      CHECK_MESSAGE(verdict.ok, verdict.detail);
    }
    CHECK_MESSAGE(is_settled(*library, call), library->why(call));
  }
}

TEST_CASE(
    "kernels that cannot be loaded leave the race, and the plain answer runs in their calls") {
  const Workload workload = product(904, 1160, 648);
  const auto plain = choose_shipped(table(), workload);
  REQUIRE(plain);
  const std::vector<uint64_t> kept =
      program_ids(make_plan(workload, plain->config, table().device, plain->options));
  // Compiles the plain answer's programs only.
  const auto compile = [&kept](const std::vector<KernelSource>& sources) {
    std::vector<std::string> cubins(sources.size());
    for (size_t i = 0; i < sources.size(); ++i) {
      const bool is_kept = std::count(kept.begin(), kept.end(), program_id(sources[i])) > 0;
      if (is_kept) cubins[i] = testing::compiled({sources[i]}).front();
    }
    return cubins;
  };
  const TemporaryFolder folder;
  const RacingLibrary library("poor_race", folder, SHIPPED_RACE, compile);
  Bench bench(workload);
  const shipped_call call = bench.call(*library);
  const uint64_t bytes = library.workspace_bytes(call);
  const DeviceBuffer room(bytes + 1);
  for (int i = 0; i < kEnoughCalls; ++i) {
    bench.bits_after(*library, call, room, bytes);
    const Verification verdict =
        bench.verifier().check(workload.kind.epilogue, most_roundings(workload));
    CHECK_MESSAGE(verdict.ok, verdict.detail);
  }
  const std::string why = library->why(call);
  CHECK_MESSAGE(is_raced(*library, call), why);
  CHECK_MESSAGE(contains(why, " left: "), why);
  CHECK(cudaGetLastError() == cudaSuccess);
}

}  // namespace
}  // namespace tilewright
