#include "layout/text/refused_words.hpp"

#include <array>

#include "base/text.hpp"

namespace tilewright {
namespace {

struct Refusal {
  std::string_view word;
  std::string_view why;
};

constexpr std::string_view kRunTime = "is known only at run time: write a number, such as 0";
constexpr std::string_view kBlackwell =
    "lays out operands of Blackwell, which are not read: "
    "sm90_utils.make_smem_layout_a(LayoutEnum.ROW_MAJOR, (128, 128, 64), Float16, 4) is";
constexpr std::string_view kTma =
    "copies by TMA, by one thread without a thread-value layout: write the layout in shared "
    "memory, such as make_smem_layout_atom(K_SW128, Float16)";

constexpr std::array kRefusals = {
    Refusal{"threadIdx", kRunTime},
    Refusal{"blockIdx", kRunTime},
    Refusal{"thread_idx", kRunTime},
    Refusal{"block_idx", kRunTime},
    Refusal{"arch", kRunTime},
    Refusal{"tidx", kRunTime},
    Refusal{"tid", kRunTime},
    Refusal{"sm100_utils", kBlackwell},
    Refusal{"blackwell_helpers", kBlackwell},
    Refusal{"make_tma_copy", kTma},
    Refusal{"make_tma_atom", kTma},
    Refusal{"make_tiled_tma_atom", kTma},
    Refusal{"make_cotiled_copy",
            "is not read: write make_tiled_copy_tv(make_copy_atom(CopyUniversalOp(), Float16), "
            "(32,8), (1,8)), or the (thread, value) layout itself"}};

}  // namespace

std::string why_refused(std::string_view word) {
  for (const Refusal& one : kRefusals) {
    if (one.word == word) return format("'{}' {}", word, one.why);
  }
  return {};
}

}  // namespace tilewright
