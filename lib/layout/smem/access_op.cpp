#include "layout/smem/access_op.hpp"

#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

struct Width {
  std::string_view name;
  int bytes;
};

constexpr std::array<Width, 5> kWidths = {
    {{"u8", 1}, {"u16", 2}, {"b32", 4}, {"v2", 8}, {"v4", 16}}};
constexpr std::array<int, 3> kMatrixCounts = {1, 2, 4};
constexpr int kRowBytes = 16;

std::vector<AccessOp> all_ops() {
  std::vector<AccessOp> ops;
  for (const AccessKind kind : {AccessKind::Load, AccessKind::Store}) {
    for (const Width& width : kWidths) {
      ops.push_back({.kind = kind, .bytes = width.bytes, .matrices = 0, .transposed = false});
    }
  }
  for (const AccessKind kind : {AccessKind::LoadMatrix, AccessKind::StoreMatrix}) {
    for (const bool transposed : {false, true}) {
      for (const int count : kMatrixCounts) {
        ops.push_back(
            {.kind = kind, .bytes = kRowBytes, .matrices = count, .transposed = transposed});
      }
    }
  }
  return ops;
}

}  // namespace

AccessOp parse_access_op(std::string_view text) {
  std::vector<std::string> names;
  for (const AccessOp& op : all_ops()) {
    names.push_back(to_string(op));
    if (names.back() == text) return op;
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw usage_error(
      format("unknown operation '{}'{}; the operations are ld and st with .u8, .u16, .b32, .v2 or "
             ".v4, and ldmatrix and stmatrix with .x1, .x2 or .x4, optionally followed by .trans",
             text, did_you_mean(text, views)));
}

std::string to_string(const AccessOp& op) {
  if (is_matrix(op)) {
    return format("{}.x{}{}", is_store(op) ? "stmatrix" : "ldmatrix", op.matrices,
                  op.transposed ? ".trans" : "");
  }
  std::string_view name = "?";
  for (const Width& width : kWidths) {
    if (width.bytes == op.bytes) name = width.name;
  }
  return format("{}.{}", is_store(op) ? "st" : "ld", name);
}

}  // namespace tilewright
