// Groups with rows on the device only, through a shipped library, against float64: any routing with
// no more rows than there is room for, by every shipped kernel that reads the rows itself; and
// groups without depth.

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "answer/shipped_kernels.hpp"
#include "answer/shipped_set.hpp"
#include "base/text.hpp"
#include "support/gpu_library.hpp"
#include "support/host_matrix.hpp"

namespace tilewright {
namespace {

using testing::CapturedCall;
using testing::compiled;
using testing::HostMatrix;
using testing::launched;
using testing::ShippedLibrary;
using testing::value_of;

// A grouped product before its rows are routed.
struct Layer {
  int64_t groups = 1;
  int64_t n = 8;
  int64_t k = 8;
  int64_t m = 1;  // rows at most
};

// Rows of every group, at most m in all: even, all in one group, some groups empty, few rows in
// all, no rows.
std::vector<int64_t> routed(const Layer& layer, int turn, std::mt19937_64& random) {
  const auto below = [&random](int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  };
  std::vector<int64_t> rows(static_cast<size_t>(layer.groups), 0);
  const auto any = [&]() -> int64_t& { return rows[static_cast<size_t>(below(layer.groups))]; };
  const int64_t total = turn % 3 == 0 ? layer.m : below(layer.m + 1);
  switch (turn % 5) {
    case 0:
      std::fill(rows.begin(), rows.end(), total / layer.groups);
      rows.back() += total % layer.groups;
      break;
    case 1: any() = total; break;
    case 2: {
      int64_t& heavy = any();
      for (int64_t row = 0; row < total; ++row) ++(row % 2 == 0 ? heavy : any());
      break;
    }
    case 3: {
      const int64_t used = 1 + below(layer.groups);
      for (int64_t row = 0; row < total; ++row) ++rows[static_cast<size_t>(below(used))];
      break;
    }
    default:
      if (turn % 4 == 0) break;  // none
      for (int64_t row = 0; row < std::min<int64_t>(total, 5); ++row) ++any();
  }
  return rows;
}

std::vector<int32_t> ends_of(const std::vector<int64_t>& rows) {
  std::vector<int32_t> ends;
  ends.reserve(rows.size());
  int64_t end = 0;
  for (const int64_t of_group : rows) ends.push_back(static_cast<int32_t>(end += of_group));
  return ends;
}

int64_t sum_of(const std::vector<int64_t>& rows) {
  return std::accumulate(rows.begin(), rows.end(), int64_t{0});
}

std::string text_of(const std::vector<int64_t>& rows) {
  std::string text = "rows";
  for (const int64_t of_group : rows) text += format(" {}", of_group);
  return text;
}

// The operands of a layer; D is filled with canaries.
struct GroupOperands {
  HostMatrix a;
  HostMatrix b;
  HostMatrix c;
  HostMatrix d;

  GroupOperands(const Layer& layer, std::mt19937_64& random)
      : a(layer.m, layer.k, 0, 0, random),
        b(layer.groups * layer.n, layer.k, 0, 0, random),
        c(layer.m, layer.n, 0, 0, random),
        d(layer.m, layer.n, 0, 0, random) {
    std::fill(d.elements.begin(), d.elements.end(), HostMatrix::kCanary);
  }

  // Rows of A after the groups' rows are NaN, and D holds canaries.
  void lay_out(int64_t total) const {
    std::vector<uint16_t> of_a = a.elements;
    std::fill(of_a.begin() + a.before + total * a.pitch, of_a.end(), HostMatrix::kCanary);
    copy_to_device(a.buffer.get(), of_a.data(), a.buffer.bytes());
    copy_to_device(d.buffer.get(), d.elements.data(), d.buffer.bytes());
  }
};

std::vector<float> values_of(const HostMatrix& matrix) {
  std::vector<float> values;
  values.reserve(static_cast<size_t>(matrix.rows * matrix.columns));
  for (int64_t row = 0; row < matrix.rows; ++row) {
    for (int64_t column = 0; column < matrix.columns; ++column) {
      const auto at = static_cast<size_t>(matrix.before + row * matrix.pitch + column);
      values.push_back(static_cast<float>(value_of(matrix.elements[at])));
    }
  }
  return values;
}

// The largest error, as a share of what rounding allows, of the groups' rows of D = alpha A B +
// beta C; 1e30 if another element was written.
double worst_error(const Layer& layer, const std::vector<int64_t>& rows,
                   const GroupOperands& operands, double alpha, double beta) {
  const HostMatrix& d = operands.d;
  std::vector<uint16_t> got(d.elements.size());
  copy_to_host(got.data(), d.buffer.get(), d.buffer.bytes());
  const std::vector<float> a = values_of(operands.a);
  const std::vector<float> b = values_of(operands.b);
  const std::vector<float> c = values_of(operands.c);
  double worst = 0;
  int64_t row = 0;
  for (size_t group = 0; group < rows.size(); ++group) {
    for (const int64_t end = row + rows[group]; row < end; ++row) {
      const float* const of_a = a.data() + row * layer.k;
      for (int64_t column = 0; column < layer.n; ++column) {
        const float* const of_b =
            b.data() + (static_cast<int64_t>(group) * layer.n + column) * layer.k;
        double sum = 0;
        double magnitude = 0;
        for (int64_t x = 0; x < layer.k; ++x) {
          const double product = double{of_a[x]} * double{of_b[x]};
          sum += product;
          magnitude += std::abs(product);
        }
        const double want =
            alpha * sum + beta * double{c[static_cast<size_t>(row * layer.n + column)]};
        uint16_t& bits = got[static_cast<size_t>(d.before + row * d.pitch + column)];
        const double is = value_of(bits);
        bits = HostMatrix::kCanary;
        const double allowed = std::abs(want) / 128 + std::abs(alpha) * magnitude * 1e-4 + 1e-6;
        worst = std::isnan(is) ? 1e30 : std::max(worst, std::abs(is - want) / allowed);
      }
    }
  }
  const bool is_kept = std::all_of(got.begin(), got.end(),
                                   [](uint16_t bits) { return bits == HostMatrix::kCanary; });
  return is_kept ? worst : 1e30;
}

shipped_call call_of(const ShippedLibrary& library, const Layer& layer,
                     const GroupOperands& operands) {
  shipped_call call = library.default_call();
  call.groups = layer.groups;
  call.m = layer.m;
  call.n = layer.n;
  call.k = layer.k;
  call.a = operands.a.data();
  call.b = operands.b.data();
  call.d = operands.d.data();
  return call;
}

TEST_CASE("groups with any rows known only on the device are right and write nothing else") {
  constexpr int kTrials = 200;
  const ShippedLibrary library(testing::published_table({"grouped"}), "device_rows", compiled);
  std::mt19937_64 random(23);
  const auto below = [&random](int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  };
  std::set<std::string> answers;
  DeviceBuffer workspace;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Layer layer{.groups = 2 + below(trial % 4 == 0 ? 100 : 9),
                      .n = 8 + 8 * below(30),
                      .k = 8 + 8 * below(20),
                      .m = 1 + below(trial % 3 == 0 ? 40 : 700)};
    const std::vector<int64_t> rows = routed(layer, trial, random);
    const GroupOperands operands(layer, random);
    operands.lay_out(sum_of(rows));
    shipped_call call = call_of(library, layer, operands);
    // No kernel reads the value before the first end.
    std::vector<int32_t> places = ends_of(rows);
    const bool by_ends = trial % 2 == 0;
    if (!by_ends) places.insert(places.begin(), -12345);
    const DeviceBuffer on_device(places.size() * sizeof(int32_t));
    copy_to_device(on_device.get(), places.data(), on_device.bytes());
    (by_ends ? call.group_ends : call.offsets) = on_device.get();
    call.c = operands.c.data();
    call.beta = trial % 5 == 1 ? -1.5F : 0;
    call.alpha = trial % 5 == 2 ? 0.5F : 1;
    const std::string why = library.why(call);
    INFO(layer.n, "x", layer.k, " m ", layer.m, " ", text_of(rows), " ", why);
    REQUIRE_MESSAGE(launched(library, call, workspace) == SHIPPED_GOOD, library.error());
    CHECK(worst_error(layer, rows, operands, call.alpha, call.beta) < 1);
    answers.insert(why.substr(why.find("family=")));
  }
  MESSAGE(answers.size(), " configs answered");
  CHECK(answers.size() > 2);
}

// Adds a row, and its kernel if the table lacks it; false if its config does not run it.
bool add_row(AnswerTable& table, const AnswerRow& row) {
  ShippedSet set(table.device);
  const auto plan = set.plan_of(row.problem, row.choice, {});
  if (!plan) return false;
  set.add(*plan);
  if (!is_shipped(table, *plan)) table.kernels.push_back(set.kernels().front());
  table.rows.push_back(row);
  return true;
}

// A table that pins its own layer to each config that reads its rows on the device.
struct Pinned {
  AnswerTable table;
  std::vector<Layer> layers;
};

Pinned pinned_layers() {
  Pinned pinned{testing::published_table({"grouped"}), {}};
  const std::vector<AnswerRow> rows = pinned.table.rows;
  for (const AnswerRow& row : rows) {
    if (row.choice.group_schedule == GroupSchedule::HostPrecompute) continue;
    Layer layer{.groups = 24, .k = 192, .m = 600};
    layer.n = 72 + 8 * std::ssize(pinned.layers);
    AnswerRow own = row;
    own.pinned = true;
    own.problem.shapes.assign(static_cast<size_t>(layer.groups),
                              {layer.m / layer.groups, layer.n, layer.k});
    if (add_row(pinned.table, own)) pinned.layers.push_back(layer);
  }
  return pinned;
}

TEST_CASE("a launch captured once computes every routing on which it is replayed") {
  constexpr int kReplays = 20;
  const Pinned pinned = pinned_layers();
  const ShippedLibrary library(pinned.table, "replayed", compiled);
  REQUIRE(library.prepare(0) == SHIPPED_GOOD);
  std::mt19937_64 random(29);
  REQUIRE(pinned.layers.size() > 4);
  for (const Layer& layer : pinned.layers) {
    const GroupOperands operands(layer, random);
    const DeviceBuffer ends(static_cast<size_t>(layer.groups) * sizeof(int32_t));
    shipped_call call = call_of(library, layer, operands);
    call.group_ends = ends.get();
    const std::string why = library.why(call);
    CHECK(why.find("pinned") == 0);
    const CapturedCall captured(library, call);
    for (int replay = 0; replay < kReplays; ++replay) {
      const std::vector<int64_t> rows = routed(layer, replay, random);
      INFO(text_of(rows), " ", why);
      const std::vector<int32_t> now = ends_of(rows);
      copy_to_device(ends.get(), now.data(), ends.bytes());
      operands.lay_out(sum_of(rows));
      captured.replay(0x11 * replay % 256);
      CHECK(worst_error(layer, rows, operands, 1, 0) < 1);
    }
  }
}

// A table that pins each routing of a layer to a published config that reads a table of the host.
AnswerTable listed_routings(const Layer& layer, const std::vector<std::vector<int64_t>>& routings) {
  AnswerTable table = testing::published_table({"grouped"});
  const auto listed = std::find_if(table.rows.begin(), table.rows.end(), [](const AnswerRow& row) {
    return row.choice.group_schedule == GroupSchedule::HostPrecompute;
  });
  REQUIRE(listed != table.rows.end());
  AnswerRow own = *listed;
  own.pinned = true;
  for (const std::vector<int64_t>& rows : routings) {
    own.problem.shapes.clear();
    for (const int64_t of_group : rows) {
      own.problem.shapes.push_back({of_group, layer.n, layer.k});
    }
    REQUIRE(add_row(table, own));
  }
  return table;
}

int64_t used_device_bytes() {
  size_t free = 0;
  size_t total = 0;
  TW_CHECK(cudaMemGetInfo(&free, &total));
  return static_cast<int64_t>(total - free);
}

TEST_CASE("tables of many routings take bounded memory, and a captured launch keeps its own") {
  constexpr int64_t kMiB = int64_t{1} << 20;
  constexpr int kRoutings = 200;  // of tables of 1 MiB, of which CUDA allocates 2 MiB each
  constexpr int64_t kMaxMiB = 2 * 64 + 16;
  const Layer layer{.groups = 8, .n = 14400, .k = 64, .m = 1000};
  std::vector<std::vector<int64_t>> routings = {{0, 1, 300, 0, 129, 128, 64, 378}};
  for (int i = 0; i < kRoutings; ++i) {
    routings.emplace_back(8, 70000);
    routings.back()[static_cast<size_t>(i % 8)] += i;
  }
  const ShippedLibrary library(listed_routings(layer, routings), "listed", compiled);
  REQUIRE(library.prepare(0) == SHIPPED_GOOD);
  std::mt19937_64 random(41);
  const std::vector<int64_t>& rows = routings.front();
  const GroupOperands operands(layer, random);
  operands.lay_out(sum_of(rows));
  std::vector<int32_t> offsets = ends_of(rows);
  offsets.insert(offsets.begin(), 0);
  const DeviceBuffer on_device(offsets.size() * sizeof(int32_t));
  copy_to_device(on_device.get(), offsets.data(), on_device.bytes());
  shipped_call call = call_of(library, layer, operands);
  call.offsets = on_device.get();
  call.group_rows = rows.data();
  const std::string why = library.why(call);
  INFO(why);
  CHECK(why.find("pinned") == 0);
  CHECK(why.find("host-precompute") != std::string::npos);
  const CapturedCall captured(library, call);
  const int64_t before = used_device_bytes();
  for (size_t i = 1; i < routings.size(); ++i) {
    shipped_call other = call;
    other.group_rows = routings[i].data();
    other.m = sum_of(routings[i]);
    uint64_t bytes = 0;
    uint64_t alignment = 0;
    REQUIRE_MESSAGE(library.workspace(other, bytes, alignment) == SHIPPED_GOOD, library.error());
    CHECK(used_device_bytes() - before < kMaxMiB * kMiB);
  }
  // Freed tables would hold other routings by now.
  for (int replay = 0; replay < 2; ++replay) {
    operands.lay_out(sum_of(rows));
    captured.replay(0x11 * replay);
    CHECK(worst_error(layer, rows, operands, 1, 0) < 1);
  }
}

TEST_CASE("groups without depth give beta C, in the groups' rows only") {
  const ShippedLibrary library(testing::published_table({"grouped"}), "no_depth", compiled);
  std::mt19937_64 random(31);
  DeviceBuffer workspace;
  for (int trial = 0; trial < 12; ++trial) {
    const Layer layer{.groups = 2 + trial, .n = 64 + 8 * trial, .k = 0, .m = 200};
    const std::vector<int64_t> rows = routed(layer, trial, random);
    const GroupOperands operands(layer, random);
    operands.lay_out(sum_of(rows));
    shipped_call call = call_of(library, layer, operands);
    call.a = call.b = nullptr;
    call.c = operands.c.data();
    call.beta = trial % 2 == 0 ? 0 : -1.5F;
    const std::vector<int32_t> ends = ends_of(rows);
    const DeviceBuffer on_device(ends.size() * sizeof(int32_t));
    copy_to_device(on_device.get(), ends.data(), on_device.bytes());
    call.group_ends = on_device.get();
    INFO(text_of(rows), " ", library.why(call));
    REQUIRE_MESSAGE(launched(library, call, workspace) == SHIPPED_GOOD, library.error());
    CHECK(worst_error(layer, rows, operands, 1, call.beta) < 1);
  }
}

TEST_CASE("products and triangles without depth give beta C and the bias") {
  AnswerTable table = testing::published_table({"dense", "rank-k"});
  // No published file has a kernel that mirrors a triangle.
  const std::vector<AnswerRow> rows = table.rows;
  for (const MatrixOp op : {MatrixOp::Syrk, MatrixOp::Syr2k}) {
    AnswerRow mirrored = *std::find_if(rows.begin(), rows.end(),
                                       [op](const AnswerRow& row) { return row.problem.op == op; });
    mirrored.problem.uplo = Uplo::Full;
    mirrored.problem.kind.epilogue.beta = 1;
    table.rows.push_back(mirrored);
  }
  table.kernels = shipped_kernels(table.rows, {}, table.device);
  const ShippedLibrary library(table, "nothing", compiled);
  std::mt19937_64 random(37);
  DeviceBuffer workspace;
  constexpr int32_t kOps[] = {SHIPPED_GEMM, SHIPPED_GEMM, SHIPPED_SYRK, SHIPPED_SYR2K};
  for (int trial = 0; trial < 60; ++trial) {
    shipped_call call = library.default_call();
    call.op = kOps[trial % 4];
    call.uplo = trial / 4 % 3;
    const bool is_triangle = call.op != SHIPPED_GEMM;
    call.n = 1 + trial * 7 % 150;
    call.m = is_triangle ? call.n : 1 + trial * 13 % 170;
    HostMatrix c(call.m, call.n, trial % 9, trial % 8, random);
    HostMatrix d(call.m, call.n, trial % 5, 0, random);
    std::fill(d.elements.begin(), d.elements.end(), HostMatrix::kCanary);
    copy_to_device(d.buffer.get(), d.elements.data(), d.buffer.bytes());
    call.c = c.data();
    call.d = d.data();
    call.ldc = c.pitch;
    call.ldd = d.pitch;
    call.beta = trial % 3 == 0 ? 0 : 0.5F;
    call.alpha = trial % 2 == 0 ? 1 : 3;
    INFO("op ", call.op, " uplo ", call.uplo, " ", call.m, "x", call.n, " beta ", call.beta, " ",
         library.why(call));
    REQUIRE_MESSAGE(launched(library, call, workspace) == SHIPPED_GOOD, library.error());
    std::vector<uint16_t> got(d.elements.size());
    copy_to_host(got.data(), d.buffer.get(), d.buffer.bytes());
    double worst = 0;
    for (int64_t row = 0; row < call.m; ++row) {
      for (int64_t column = 0; column < call.n; ++column) {
        const bool is_below = row >= column;
        const bool is_wanted = !is_triangle || call.uplo == SHIPPED_FULL || row == column ||
                               is_below == (call.uplo == SHIPPED_LOWER);
        if (!is_wanted) continue;
        // For a full D the kernel computes the lower triangle and mirrors it.
        const bool is_mirrored = is_triangle && call.uplo == SHIPPED_FULL && !is_below;
        const double want = static_cast<double>(call.beta) *
                            value_of(is_mirrored ? c.at(column, row) : c.at(row, column));
        uint16_t& bits = got[static_cast<size_t>(d.before + row * d.pitch + column)];
        const double is = value_of(bits);
        bits = HostMatrix::kCanary;
        const double error = std::abs(is - want) / (std::abs(want) / 128 + 1e-6);
        worst = std::isnan(is) ? 1e30 : std::max(worst, error);
      }
    }
    CHECK(worst < 1);
    CHECK(std::all_of(got.begin(), got.end(),
                      [](uint16_t bits) { return bits == HostMatrix::kCanary; }));
  }
}

}  // namespace
}  // namespace tilewright
