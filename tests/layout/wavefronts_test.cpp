#include "layout/smem/wavefronts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/error.hpp"
#include "stats/random.hpp"
#include "support/access_patterns.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::access_of;

// The measured rule again, byte by byte and with sets: slow and simple.
class Oracle {
 public:
  explicit Oracle(const WarpAccess& access) : access_(access) {}

  int64_t wavefronts() const {
    int64_t total = 0;
    for (const std::set<int>& lanes : phases()) total += busiest(lanes);
    return total;
  }

 private:
  std::vector<std::set<int>> phases() const {
    const std::string op = to_string(access_.op);
    std::vector<std::set<int>> quarters(4);
    for (int lane = 0; lane < 32; ++lane) quarters[static_cast<size_t>(lane / 8)].insert(lane);
    if (op.find("matrix.x1") != std::string::npos) return {quarters[0]};
    if (op.find("matrix.x2") != std::string::npos) return {quarters[0], quarters[1]};
    if (op.find("matrix.x4") != std::string::npos) return quarters;
    const std::set<int> low = together(quarters[0], quarters[1]);
    const std::set<int> high = together(quarters[2], quarters[3]);
    const bool merge = op.substr(0, 2) == "ld" && (same(1) || same(2));
    if (op.find(".v2") != std::string::npos) {
      return merge ? std::vector<std::set<int>>{together(low, high)}
                   : std::vector<std::set<int>>{low, high};
    }
    if (op.find(".v4") != std::string::npos) {
      return merge ? std::vector<std::set<int>>{low, high} : quarters;
    }
    return {together(low, high)};
  }

  bool same(int distance) const {
    for (int lane = 0; lane < 32; ++lane) {
      if (active(lane) && active(lane ^ distance) && at(lane) != at(lane ^ distance)) return false;
    }
    return true;
  }

  int64_t busiest(const std::set<int>& lanes) const {
    std::map<int64_t, std::set<int64_t>> words;  // by bank
    for (const int lane : lanes) {
      if (!active(lane)) continue;
      for (int64_t byte = at(lane); byte < at(lane) + access_.op.bytes; ++byte) {
        words[byte % 128 / 4].insert(byte / 4);
      }
    }
    size_t most = 0;
    for (const auto& bank : words) most = std::max(most, bank.second.size());
    return static_cast<int64_t>(most);
  }

  static std::set<int> together(std::set<int> a, const std::set<int>& b) {
    a.insert(b.begin(), b.end());
    return a;
  }
  int64_t at(int lane) const { return access_.addresses[static_cast<size_t>(lane)]; }
  bool active(int lane) const { return at(lane) != kInactive; }

  const WarpAccess& access_;
};

int64_t cost(const char* op, const std::function<int64_t(int)>& address) {
  return count_wavefronts(access_of(op, address)).wavefronts;
}

int64_t swizzled(int64_t offset, int bits, int base, int shift) {
  const int64_t mask = ((int64_t{1} << bits) - 1) << (base + shift);
  return offset ^ ((offset & mask) >> shift);
}

constexpr const char* kOps[] = {"ld.u8",
                                "ld.u16",
                                "ld.b32",
                                "ld.v2",
                                "ld.v4",
                                "st.u8",
                                "st.u16",
                                "st.b32",
                                "st.v2",
                                "st.v4",
                                "ldmatrix.x1",
                                "ldmatrix.x2",
                                "ldmatrix.x4",
                                "stmatrix.x1",
                                "stmatrix.x2",
                                "stmatrix.x4",
                                "ldmatrix.x1.trans",
                                "ldmatrix.x4.trans",
                                "stmatrix.x2.trans",
                                "stmatrix.x4.trans"};

// Few distinct addresses, so that broadcasts and merges occur; one lane in eight is inactive.
WarpAccess random_access(const AccessOp& op, Random& random) {
  const uint32_t range = uint32_t{1} << (1 + random.below(9));
  const uint32_t pattern = random.below(4);
  const bool holes = !is_matrix(op) && random.below(2) == 0;
  WarpAccess access{.op = op, .addresses = {}};
  for (size_t lane = 0; lane < kWarpLanes; ++lane) {
    const size_t partner = pattern == 1   ? lane & ~size_t{1}
                           : pattern == 2 ? lane & ~size_t{2}
                                          : lane;
    const bool copies = partner != lane && access.addresses[partner] != kInactive;
    access.addresses[lane] =
        copies ? access.addresses[partner] : static_cast<int64_t>(random.below(range)) * op.bytes;
    if (holes && random.below(8) == 0) access.addresses[lane] = kInactive;
  }
  return access;
}

TEST_CASE("wavefronts equal an independent count by the same rule, and phases add up") {
  Random random(1);
  for (const char* name : kOps) {
    const AccessOp op = parse_access_op(name);
    CHECK(to_string(op) == name);
    int merged = 0;
    for (int i = 0; i < 5000; ++i) {
      const WarpAccess access = random_access(op, random);
      const Wavefronts cost = count_wavefronts(access);
      const int64_t expected = Oracle(access).wavefronts();
      REQUIRE(cost.wavefronts == expected);
      REQUIRE(wavefront_count(access) == WavefrontCount{expected, cost.ideal});
      REQUIRE(cost.conflicts == cost.wavefronts - cost.ideal);
      int64_t sum = 0;
      for (const AccessPhase& phase : cost.phases) {
        sum += phase.words;
        REQUIRE(phase.words_by_bank[static_cast<size_t>(phase.bank)] == phase.words);
        REQUIRE(phase.bank_lanes.size() >= static_cast<size_t>(phase.words));
        REQUIRE(std::includes(phase.lanes.begin(), phase.lanes.end(), phase.bank_lanes.begin(),
                              phase.bank_lanes.end()));
      }
      REQUIRE(sum == cost.wavefronts);
      merged += phase_lanes(access).front().end > 128 / op.bytes && op.bytes > 4 ? 1 : 0;
    }
    // The sweep covers both cases of the merge rule for instructions that have it.
    if (op.kind == AccessKind::Load && op.bytes > 4) CHECK(merged > 500);
    if (is_store(op) || is_matrix(op)) CHECK(merged == 0);
  }
}

TEST_CASE("moving by whole bank rows, or permuting lanes of a phase, keeps the cost") {
  Random random(2);
  for (const char* name : kOps) {
    for (int i = 0; i < 200; ++i) {
      const WarpAccess access = random_access(parse_access_op(name), random);
      WarpAccess moved = access;
      const int64_t step = static_cast<int64_t>(random.below(50)) * 128;
      for (int64_t& address : moved.addresses) address += address == kInactive ? 0 : step;
      CHECK(wavefront_count(moved) == wavefront_count(access));
    }
  }
}

// Published measurements of 8- and 16-byte loads, on three other architectures.
TEST_CASE("golden: broadcasts merge phases") {
  CHECK(cost("ld.v2", [](int t) { return t * 8; }) == 2);
  CHECK(cost("ld.v2", [](int t) { return t / 2 * 8; }) == 1);
  CHECK(cost("ld.v4", [](int t) { return t == 15 || t == 16 ? 64 : kInactive; }) == 2);
  CHECK(cost("ld.v4", [](int t) { return t == 0 || t == 15 ? 64 : kInactive; }) == 1);
  CHECK(cost("ld.v4", [](int t) { return ((t / 8) * 2 + ((t % 8) / 2) % 2) * 16; }) == 2);
  // Half 0 has equal neighbours, half 1 only equal next neighbours: no single rule holds for the
  // warp.
  CHECK(cost("ld.v4", [](int t) {
          return (t < 16 ? (t / 8) * 2 + ((t % 8) / 2) % 2 : (t / 8) * 2 + (t % 8) % 2) * 16;
        }) == 4);
  CHECK(cost("ld.v4", [](int t) { return ((t / 16) * 4 + (t % 16) / 8 + (t % 8) / 4 * 8) * 16; }) ==
        4);
  // Stores do not merge.
  CHECK(cost("st.v4", [](int t) { return ((t / 16) * 4 + (t % 16) / 8 + (t % 8) / 4 * 8) * 16; }) ==
        8);
}

// f16 tile, rows of 64 elements: the first 16 bytes of 32 rows.
TEST_CASE("golden: ldmatrix.x4 down a column of 128-byte rows") {
  const auto row_address = [](int bits) {
    return [bits](int row) { return 2 * swizzled(row * 64, bits, 3, 3); };
  };
  CHECK(cost("ldmatrix.x4", row_address(0)) == 32);
  CHECK(cost("ldmatrix.x4", row_address(1)) == 16);
  CHECK(cost("ldmatrix.x4", row_address(2)) == 8);
  CHECK(cost("ldmatrix.x4", row_address(3)) == 4);
  CHECK(cost("ldmatrix.x4.trans", row_address(3)) == 4);
}

TEST_CASE("golden: a column of a 32x32 f32 tile") {
  const auto swizzle = [](int bits) {
    return [bits](int row) { return 4 * swizzled(row * 32, bits, 0, 5); };
  };
  CHECK(cost("ld.b32", swizzle(0)) == 32);
  CHECK(cost("ld.b32", swizzle(5)) == 1);
  CHECK(cost("ld.b32", swizzle(3)) == 4);
  CHECK(cost("ld.b32", [](int row) { return row * 33 * 4; }) == 1);
}

TEST_CASE(
    "full warps of distinct data have the ideal 1, 2 or 4; one word for all is one wavefront") {
  struct Case {
    const char* op;
    int ideal;
  };
  for (const Case& c : {Case{"ld.u8", 1},
                        {"ld.u16", 1},
                        {"st.b32", 1},
                        {"ld.v2", 2},
                        {"st.v2", 2},
                        {"ld.v4", 4},
                        {"st.v4", 4},
                        {"ldmatrix.x1", 1},
                        {"stmatrix.x2", 2},
                        {"ldmatrix.x4.trans", 4}}) {
    CAPTURE(c.op);
    const int bytes = parse_access_op(c.op).bytes;
    const Wavefronts unit = count_wavefronts(access_of(c.op, [&](int t) { return t * bytes; }));
    CHECK(unit.wavefronts == c.ideal);
    CHECK(unit.ideal == c.ideal);
    CHECK(unit.conflicts == 0);
  }
  CHECK(cost("ld.b32", [](int) { return 64; }) == 1);
  CHECK(cost("ld.b32", [](int) { return kInactive; }) == 0);
}

TEST_CASE("a phase lists its busiest bank and the lanes that access it") {
  const Wavefronts w =
      count_wavefronts(access_of("ld.b32", [](int t) { return t == 11 ? 3 * 4 + 128 : t * 4; }));
  REQUIRE(w.phases.size() == 1);
  CHECK(w.phases[0].bank == 3);
  CHECK(w.phases[0].words == 2);
  CHECK(w.phases[0].bank_lanes == std::vector<int>{3, 11});
}

TEST_CASE("misaligned addresses and missing rows are usage errors that name the lane") {
  const auto why = [](const char* op, const std::function<int64_t(int)>& address) {
    return testing::error_message_of([&] { count_wavefronts(access_of(op, address)); });
  };
  CHECK(why("ld.v4", [](int t) { return t == 5 ? 24 : t * 16; }) ==
        "lane 5: address 24 is not a multiple of the 16 bytes of ld.v4");
  CHECK(why("st.u16", [](int t) { return t == 31 ? 7 : 0; }) ==
        "lane 31: address 7 is not a multiple of the 2 bytes of st.u16");
  CHECK(why("ldmatrix.x2", [](int t) { return t == 9 ? kInactive : 0; }) ==
        "ldmatrix.x2 needs the row address of lane 9: it cannot be inactive");
  CHECK(why("ldmatrix.x2", [](int t) { return t == 16 ? kInactive : 0; }) == "");
  CHECK(why("ld.b32", [](int t) { return t == 2 ? -4 : 0; }) == "lane 2: address -4 is negative");
}

}  // namespace
}  // namespace tilewright
