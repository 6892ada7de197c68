#include "tile/workload/workload.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace tilewright {

Workload workload_of(const Problem& p) {
  return {.kind = p.kind, .shapes = {p.shape}};
}

Problem problem_of(const Workload& w, size_t index) {
  return {.shape = w.shapes[index], .kind = w.kind};
}

std::vector<std::string_view> op_names() {
  std::vector<std::string_view> names;
  for (const tw::OpRecord& record : tw::kOps) names.emplace_back(record.name);
  return names;
}

MatrixOp parse_op(std::string_view text) {
  for (const tw::OpRecord& record : tw::kOps) {
    if (text == record.name) return record.op;
  }
  const std::vector<std::string_view> names = op_names();
  throw usage_error(format("unknown operation '{}': --op takes {}{}", text, join_words(names, "or"),
                           did_you_mean(text, names)));
}

Uplo parse_uplo(std::string_view text) {
  for (size_t i = 0; i < std::size(kUplos); ++i) {
    if (text == kUplos[i]) return static_cast<Uplo>(i);
  }
  throw usage_error(
      format("unknown triangle '{}': --uplo takes {}", text, join_words(kUplos, "or")));
}

std::string to_string(MatrixOp op) {
  return tw::record_of(op).name;
}

std::string to_string(Uplo uplo) {
  return std::string(kUplos[static_cast<size_t>(uplo)]);
}

void require_square(const GemmShape& shape, MatrixOp op) {
  if (op == MatrixOp::Gemm || shape.m == shape.n) return;
  throw usage_error(
      format("'{}': the output of {} is square; write NxNxK", to_string(shape), to_string(op)));
}

namespace {

// "BxMxNxK" as B and MxNxK; any other text as one product.
std::pair<int64_t, std::string_view> split_batch(std::string_view text) {
  const std::vector<std::string_view> sizes = split_sizes(text);
  if (sizes.size() != 4) return {1, text};
  const std::optional<int64_t> count = parse_count(sizes[0]);
  if (!count || *count < 1) {
    throw usage_error(format("'{}' is not a batch: write BxMxNxK, with a B of at least 1", text));
  }
  return {*count, text.substr(sizes[0].size() + 1)};
}

}  // namespace

std::vector<GemmShape> parse_shapes(const std::vector<std::string>& texts, MatrixOp op) {
  std::vector<GemmShape> shapes;
  for (const std::string& text : texts) {
    const auto [count, one] = split_batch(trim(text));
    const int64_t all = std::ssize(shapes) + count;
    if (std::max<int64_t>(all, std::ssize(texts)) > kMaxProducts) {
      throw usage_error(
          format("a group of {} products is more than {}, the limit of one launch: split it",
                 std::max<int64_t>(all, std::ssize(texts)), kMaxProducts));
    }
    const GemmShape shape = parse_shape(one, texts.size() > 1 ? 0 : 1);
    require_square(shape, op);
    shapes.insert(shapes.end(), static_cast<size_t>(count), shape);
  }
  return shapes;
}

std::vector<GemmShape> parse_shapes(std::string_view text, MatrixOp op) {
  const std::vector<std::string_view> parts = split(text, ',');
  return parse_shapes(std::vector<std::string>(parts.begin(), parts.end()), op);
}

Workload with_shapes(Workload kind, std::vector<GemmShape> whole) {
  require_gpus(kind.parallel);
  kind.shapes = std::move(whole);
  if (!is_across_gpus(kind)) return kind;
  if (!is_product(kind)) {
    throw usage_error(format("{}: GPUs share single products, no groups and no updates",
                             to_string(kind.parallel.collective)));
  }
  kind.shapes.front() = share_of(kind.shapes.front(), kind.parallel);
  return kind;
}

std::string shapes_text(const Workload& workload) {
  std::vector<std::string> parts;
  for (const GemmShape& shape : workload.shapes) {
    parts.push_back(to_string(whole_of(shape, workload.parallel)));
  }
  return join(parts, ",");
}

bool is_across_gpus(const Workload& workload) {
  return workload.parallel.collective != Collective::None;
}

bool is_group(const Workload& workload) {
  return workload.shapes.size() != 1;
}

bool is_batch(const Workload& w) {
  return w.shapes.size() > 1 &&
         std::all_of(w.shapes.begin(), w.shapes.end(),
                     [&w](const GemmShape& shape) { return shape == w.shapes.front(); });
}

bool has_per_problem_shapes(const Workload& w) {
  return is_group(w) && packing_of(w) != Packing::Rows;
}

Packing packing_of(const Workload& w) {
  if (is_triangular(w)) return Packing::None;
  const GemmShape& first = w.shapes.front();
  const auto share = [&](int64_t GemmShape::*one, int64_t GemmShape::*other) {
    return first.*one > 0 && first.*other > 0 &&
           std::all_of(w.shapes.begin(), w.shapes.end(), [&](const GemmShape& shape) {
             return shape.*one == first.*one && shape.*other == first.*other;
           });
  };
  if (w.kind.layout == MatrixLayout::TN && share(&GemmShape::n, &GemmShape::k))
    return Packing::Rows;
  if (w.kind.layout == MatrixLayout::NT && share(&GemmShape::m, &GemmShape::n))
    return Packing::Depth;
  return Packing::None;
}

bool is_product(const Workload& workload) {
  return !is_group(workload) && !is_triangular(workload);
}

int64_t total_rows(const Workload& workload) {
  int64_t rows = 0;
  for (const GemmShape& shape : workload.shapes) rows += shape.m;
  return rows;
}

Problem packed_product(const Workload& workload) {
  Problem packed = problem_of(workload, 0);
  packed.shape.m = total_rows(workload);
  return packed;
}

std::string to_string(const Workload& w) {
  const std::string triangle =
      is_triangular(w) ? format(", {} {}", to_string(w.op), to_string(w.uplo)) : "";
  if (!is_group(w)) {
    Problem whole = problem_of(w, 0);
    whole.shape = whole_of(whole.shape, w.parallel);
    return to_string(whole) + triangle + to_string(w.parallel);
  }
  if (packing_of(w) == Packing::Depth) {
    GemmShape all = w.shapes.front();
    for (size_t i = 1; i < w.shapes.size(); ++i) all.k += w.shapes[i].k;
    Problem whole = problem_of(w, 0);
    whole.shape = all;
    return format("{} products that divide K, {} in all", w.shapes.size(), to_string(whole));
  }
  if (packing_of(w) == Packing::None) {
    return format("{} products of different sizes, the first {}{}", w.shapes.size(),
                  to_string(problem_of(w, 0)), triangle);
  }
  const auto fewer_rows = [](const GemmShape& a, const GemmShape& b) { return a.m < b.m; };
  const auto [least, most] = std::minmax_element(w.shapes.begin(), w.shapes.end(), fewer_rows);
  const std::string rows =
      least->m == most->m ? format("{}", most->m) : format("{} to {}", least->m, most->m);
  return format("{} products of {} rows, {} in all{}", w.shapes.size(), rows,
                to_string(packed_product(w)), triangle);
}

std::string full_text(const Workload& workload) {
  if (!is_group(workload)) return to_string(workload);
  return format("{}: {}", to_string(workload), shapes_text(workload));
}

double flops(const Workload& workload) {
  double sum = 0;
  for (const GemmShape& shape : workload.shapes) {
    sum += 2.0 * computed_elements(workload, shape) * static_cast<double>(shape.k) *
           tw::record_of(workload.op).phases;
  }
  return sum;
}

double computed_elements(const Workload& w, const GemmShape& shape) {
  const auto n = static_cast<double>(shape.n);
  const tw::OpRecord& op = tw::record_of(w.op);
  return (op.triangular ? n * (n + 1) / 2 : static_cast<double>(shape.m) * n) * op.planes;
}

double stored_elements(const Workload& w, const GemmShape& shape) {
  const auto n = static_cast<double>(shape.n);
  if (is_mirrored(w)) return n * n * tw::record_of(w.op).planes;
  if (is_triangular(w)) return computed_elements(w, shape);
  return static_cast<double>(stored_rows(shape, w.parallel)) *
         static_cast<double>(output_columns(w.kind, shape.n));
}

bool is_triangular(const Workload& workload) {
  return tw::record_of(workload.op).triangular;
}

bool is_mirrored(const Workload& workload) {
  return is_triangular(workload) && workload.uplo == Uplo::Full;
}

int phases(MatrixOp op) {
  return tw::record_of(op).planes * tw::record_of(op).phases;
}

}  // namespace tilewright
