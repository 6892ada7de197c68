#include "layout/smem/wgmma_layout.hpp"

#include <array>
#include <bit>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "layout/algebra/layout_evaluator.hpp"
#include "layout/smem/pipeline_stages.hpp"

namespace tilewright {

namespace {

constexpr int64_t kVectorBytes = 16;
constexpr int64_t kBlockRows = 8;
constexpr std::array<const char*, 4> kModeNames = {"INTER", "SW32", "SW64", "SW128"};

// The layout without its swizzle, seen as lines along K or, if not K-major, along M or N.
class Lines {
 public:
  Lines(const ComposedLayout& layout, bool k_major)
      : evaluate_(layout.layout),
        offset_(layout.offset),
        mn_(size(mode(layout.layout, 0))),
        k_(size(mode(layout.layout, 1))),
        k_major_(k_major) {}

  int64_t lines() const { return k_major_ ? mn_ : k_; }
  int64_t length() const { return k_major_ ? k_ : mn_; }
  int64_t at(int64_t line, int64_t place) const {
    const int64_t mn = k_major_ ? line : place;
    const int64_t k = k_major_ ? place : line;
    return offset_ + evaluate_(mn + k * mn_);
  }

 private:
  LayoutEvaluator evaluate_;
  int64_t offset_;
  int64_t mn_;
  int64_t k_;
  bool k_major_;
};

std::string differs(const Lines& lines, int64_t line, int64_t place, int64_t expected) {
  return format("line {}, place {} is at {}, expected {} (elements, before the swizzle)", line,
                place, lines.at(line, place), expected);
}

// Returns an empty string if every block of 8 lines of `width` elements is contiguous.
std::string broken_block(const Lines& lines, int64_t width) {
  if (lines.lines() % kBlockRows != 0 || lines.length() % width != 0) {
    return format("{} lines of {} elements are not blocks of 8 lines of {}", lines.lines(),
                  lines.length(), width);
  }
  for (int64_t line = 0; line < lines.lines(); ++line) {
    for (int64_t place = 0; place < lines.length(); ++place) {
      const int64_t block = lines.at(line / kBlockRows * kBlockRows, place / width * width);
      const int64_t expected = block + line % kBlockRows * width + place % width;
      if (lines.at(line, place) != expected) return differs(lines, line, place, expected);
      if (block % (kBlockRows * width) != 0) {
        return format("a block of {} elements begins at {}, which is not a multiple of that",
                      kBlockRows * width, block);
      }
    }
  }
  return {};
}

// Returns an empty string if blocks repeat at one stride along the lines and one across.
std::string uneven_blocks(const Lines& lines, int64_t width, int64_t across, int64_t along) {
  for (int64_t line = 0; line < lines.lines(); line += kBlockRows) {
    for (int64_t place = 0; place < lines.length(); place += width) {
      const int64_t expected = lines.at(0, 0) + line / kBlockRows * across + place / width * along;
      if (lines.at(line, place) != expected) return differs(lines, line, place, expected);
    }
  }
  return {};
}

WgmmaMatch match_lines(const Lines& lines, int bits, int element_bytes, bool k_major) {
  const int64_t width = (kVectorBytes << bits) / element_bytes;
  const std::string name =
      format("{}_{}", k_major ? "K" : "MN", kModeNames[static_cast<size_t>(bits)]);
  std::string why = broken_block(lines, width);
  if (!why.empty()) return {std::nullopt, format("not {}: {}", name, why)};
  const int64_t across = lines.lines() > kBlockRows ? lines.at(kBlockRows, 0) - lines.at(0, 0) : 0;
  const int64_t along = lines.length() > width ? lines.at(0, width) - lines.at(0, 0) : 0;
  why = uneven_blocks(lines, width, across, along);
  if (!why.empty()) return {std::nullopt, format("not {}: {}", name, why)};
  return {WgmmaLayout{.name = name,
                      .mn_stride_bytes = (k_major ? across : along) * element_bytes,
                      .k_stride_bytes = (k_major ? along : across) * element_bytes},
          {}};
}

// Matches the layout of one stage.
WgmmaMatch match_stage(const ComposedLayout& layout, int element_bytes) {
  if (size(layout.layout) > kMaxTileElements) {
    throw usage_error(
        format("a stage of a wgmma operand has at most {} elements", kMaxTileElements));
  }
  const Swizzle swizzle = layout.swizzle.value_or(Swizzle{});
  const int base = std::countr_zero(static_cast<uint64_t>(kVectorBytes / element_bytes));
  if (swizzle.bits > 0 && (swizzle.bits > 3 || swizzle.shift != 3 || swizzle.base != base)) {
    return {std::nullopt, format("{} is not a swizzle of wgmma: for elements of {} bytes these are "
                                 "Sw<1,{},3>, Sw<2,{},3> and Sw<3,{},3>",
                                 to_string(swizzle), element_bytes, base, base, base)};
  }
  WgmmaMatch k = match_lines(Lines(layout, true), swizzle.bits, element_bytes, true);
  if (k.layout) return k;
  // Only 16-bit elements may be stored along M or N.
  if (element_bytes != 2) return k;
  WgmmaMatch mn = match_lines(Lines(layout, false), swizzle.bits, element_bytes, false);
  if (mn.layout) return mn;
  return {std::nullopt, format("{}; {}", k.why_not, mn.why_not)};
}

constexpr std::array kAtoms = {
    Atom{"mma.m16n8k8", "A", 16, 8, "((4,8),(2,2)):((32,1),(16,8))"},
    Atom{"mma.m16n8k8", "B", 8, 8, "((4,8),2):((16,1),8)"},
    Atom{"mma.m16n8k8", "C", 16, 8, "((4,8),(2,2)):((32,1),(16,8))"},
    Atom{"mma.m16n8k16", "A", 16, 16, "((4,8),(2,2,2)):((32,1),(16,8,128))"},
    Atom{"mma.m16n8k16", "B", 8, 16, "((4,8),(2,2)):((16,1),(8,64))"},
    Atom{"mma.m16n8k16", "C", 16, 8, "((4,8),(2,2)):((32,1),(16,8))"},
    Atom{"wgmma.m64k16", "A", 64, 16, "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"},
    Atom{"wgmma.m64n8", "C", 64, 8, "((4,8,4),(2,2)):((128,1,16),(64,8))"},
    Atom{"wgmma.m64n64", "C", 64, 64, "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"},
    Atom{"wgmma.m64n128", "C", 64, 128, "((4,8,4),(2,2,16)):((128,1,16),(64,8,512))"},
    Atom{"wgmma.m64n256", "C", 64, 256, "((4,8,4),(2,2,32)):((128,1,16),(64,8,512))"},
    Atom{"ldmatrix.x1", "src", 0, 0, "((8,4),128):((128,0),1)"},
    Atom{"ldmatrix.x1", "dst", 0, 0, "(32,32):(32,1)"},
    Atom{"ldmatrix.x2", "src", 0, 0, "((16,2),128):((128,0),1)"},
    Atom{"ldmatrix.x2", "dst", 0, 0, "(32,(32,2)):(32,(1,1024))"},
    Atom{"ldmatrix.x4", "src", 0, 0, "(32,128):(128,1)"},
    Atom{"ldmatrix.x4", "dst", 0, 0, "(32,(32,4)):(32,(1,1024))"},
    Atom{"ldmatrix.x1.trans", "src", 0, 0, "((8,4),128):((128,0),1)"},
    Atom{"ldmatrix.x1.trans", "dst", 0, 0, "((4,8),(16,2)):((256,16),(1,128))"},
    Atom{"ldmatrix.x2.trans", "src", 0, 0, "((16,2),128):((128,0),1)"},
    Atom{"ldmatrix.x2.trans", "dst", 0, 0, "((4,8),(16,2,2)):((256,16),(1,128,1024))"},
    Atom{"ldmatrix.x4.trans", "src", 0, 0, "(32,128):(128,1)"},
    Atom{"ldmatrix.x4.trans", "dst", 0, 0, "((4,8),(16,2,4)):((256,16),(1,128,1024))"},
    Atom{"stmatrix.x4", "src", 0, 0, "(32,(32,4)):(32,(1,1024))"},
    Atom{"stmatrix.x4", "dst", 0, 0, "(32,128):(128,1)"},
    Atom{"stmatrix.x4.trans", "src", 0, 0, "((4,8),(16,2,4)):((256,16),(1,128,1024))"},
    Atom{"stmatrix.x4.trans", "dst", 0, 0, "(32,128):(128,1)"}};

}  // namespace

WgmmaMatch match_wgmma(const ComposedLayout& layout, int element_bytes) {
  const PipelineStages stages = stages_of(layout, "a wgmma operand (M or N, K)");
  WgmmaMatch first = match_stage(stages.first, element_bytes);
  if (!first.layout || stages.count == 1) return first;
  const Layout stage = mode(layout.layout, 2);
  const int bits = stages.first.swizzle.value_or(Swizzle{}).bits;
  const int64_t block = kBlockRows * (kVectorBytes << bits) / element_bytes;
  for (int64_t s = 1; s < stages.count; ++s) {
    const int64_t begin = offset_at(stage, s);
    if (begin % block == 0) continue;
    return {std::nullopt,
            format("not {}: stage {} begins at {}, which is not a multiple of the {} elements of a "
                   "block",
                   first.layout->name, s, begin, block)};
  }
  return first;
}

std::span<const Atom> instruction_atoms() {
  return kAtoms;
}

const Atom& find_atom(std::string_view instruction, std::string_view operand) {
  std::vector<std::string> known;
  for (const Atom& atom : kAtoms) {
    if (atom.instruction == instruction && atom.operand == operand) return atom;
    known.push_back(format("{} {}", atom.instruction, atom.operand));
  }
  throw usage_error(format("unknown instruction operand '{} {}'; the operands are {}", instruction,
                           operand, join(known, ", ")));
}

}  // namespace tilewright
