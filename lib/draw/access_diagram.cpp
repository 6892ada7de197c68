#include "draw/access_diagram.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "draw/cell_panel.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "layout/smem/layout_access.hpp"

namespace tilewright {
namespace {

constexpr double kCell = 19;
constexpr double kLabelRoom = 92;

std::vector<Color> word_colors() {
  std::vector<Color> colors;
  colors.reserve(palette::kHues);
  for (int i = 0; i < palette::kHues; ++i) colors.push_back(palette::hue(i));
  return colors;
}

// Blue is the first word of a bank, the other colours are conflicts.
int word_fill(int rank) {
  return rank == 0 ? 0 : 1 + (rank - 1) % (palette::kHues - 1);
}

// A 4-byte word of a bank and the lanes that access it.
struct BankWord {
  int64_t word = 0;
  std::vector<int> lanes;
};
using BankWords = std::array<std::vector<BankWord>, kBanks>;

BankWords words_by_bank(const WarpAccess& access, const AccessPhase& phase) {
  BankWords banks;
  for (const int lane : phase.lanes) {
    const WordRange range = words_of(access.op, access.addresses[static_cast<size_t>(lane)]);
    for (int64_t word = range.first; word < range.first + range.count; ++word) {
      std::vector<BankWord>& bank = banks[static_cast<size_t>(word % kBanks)];
      const auto same = [word](const BankWord& w) { return w.word == word; };
      const auto found = std::find_if(bank.begin(), bank.end(), same);
      if (found == bank.end()) {
        bank.push_back({word, {lane}});
      } else if (found->lanes.back() != lane) {
        found->lanes.push_back(lane);
      }
    }
  }
  return banks;
}

// When the cells of a sized page become narrower than kCell, their texts are left out.
double bank_side(double width) {
  if (width == 0) return kCell;
  return fitting_side((width - kLabelRoom - 10) / kBanks, kCell, kCell);
}

CellPanel bank_panel(int rows, double width) {
  CellPanel panel;
  panel.rows = rows;
  panel.columns = kBanks;
  panel.colors = word_colors();
  panel.cell_width = panel.cell_height = bank_side(width);
  panel.caption_width = width;
  panel.label_room = kLabelRoom;
  panel.fills.assign(static_cast<size_t>(rows) * kBanks, kNoFill);
  panel.texts.resize(panel.fills.size());
  panel.tooltips.resize(panel.fills.size());
  for (int bank = 8; bank < kBanks; bank += 8) panel.column_lines.push_back({bank, 1});
  return panel;
}

// One row per lane; the number is the wavefront in which the bank serves the word.
CellPanel lane_panel(const WarpAccess& access, const AccessPhase& phase, const BankWords& banks,
                     double width) {
  CellPanel panel = bank_panel(static_cast<int>(phase.lanes.size()), width);
  for (const int lane : phase.lanes) {
    panel.row_labels.push_back(
        format("lane {} at {}", lane, access.addresses[static_cast<size_t>(lane)]));
  }
  for (int bank = 0; bank < kBanks; ++bank) {
    const std::vector<BankWord>& words = banks[static_cast<size_t>(bank)];
    for (size_t rank = 0; rank < words.size(); ++rank) {
      for (const int lane : words[rank].lanes) {
        const auto row = std::find(phase.lanes.begin(), phase.lanes.end(), lane);
        const auto at = static_cast<int>(row - phase.lanes.begin()) * kBanks + bank;
        panel.fills[static_cast<size_t>(at)] = word_fill(static_cast<int>(rank));
        panel.texts[static_cast<size_t>(at)] = format("{}", rank + 1);
        panel.tooltips[static_cast<size_t>(at)] =
            format("lane {} at {}: bank {}, word at {}, wavefront {}", lane,
                   access.addresses[static_cast<size_t>(lane)], bank, words[rank].word * kBankBytes,
                   rank + 1);
        if (words[rank].lanes.size() > 1) panel.flagged.push_back(at);
      }
    }
  }
  panel.column_name = "bank";
  return panel;
}

// "lane 3" or "lanes 3, 7, 9".
std::string lanes_text(const std::vector<int>& lanes) {
  std::string text = lanes.size() == 1 ? "lane" : "lanes";
  for (const int lane : lanes) text += format("{} {}", lane == lanes.front() ? "" : ",", lane);
  return text;
}

// One row per wavefront: the words of each bank, stacked.
CellPanel stack_panel(const AccessPhase& phase, const BankWords& banks, double width) {
  CellPanel panel = bank_panel(phase.words, width);
  for (int row = 0; row < phase.words; ++row) {
    panel.row_labels.push_back(format("wavefront {}", row + 1));
  }
  for (int bank = 0; bank < kBanks; ++bank) {
    const std::vector<BankWord>& words = banks[static_cast<size_t>(bank)];
    for (size_t rank = 0; rank < words.size(); ++rank) {
      const int at = static_cast<int>(rank) * kBanks + bank;
      const std::vector<int>& lanes = words[rank].lanes;
      panel.fills[static_cast<size_t>(at)] = word_fill(static_cast<int>(rank));
      panel.texts[static_cast<size_t>(at)] =
          lanes.size() == 1 ? format("{}", lanes.front()) : format("x{}", lanes.size());
      panel.tooltips[static_cast<size_t>(at)] =
          format("wavefront {}, bank {}: word at {} for {}", rank + 1, bank,
                 words[rank].word * kBankBytes, lanes_text(lanes));
      if (phase.words > 1 && bank == phase.bank) panel.marked.push_back(at);
    }
  }
  return panel;
}

PageBlock phase_block(const WarpAccess& access, const AccessPhase& phase, const std::string& name,
                      double width) {
  const BankWords banks = words_by_bank(access, phase);
  CellPanel lanes = lane_panel(access, phase, banks, width);
  lanes.caption = format("{}: {}", name, counted(phase.words, "wavefront"));
  if (phase.words > 1) {
    lanes.caption += format(", bank {} has {} words for {} lanes", phase.bank, phase.words,
                            phase.bank_lanes.size());
  }
  return stack_blocks({draw_panel(std::move(lanes)), draw_panel(stack_panel(phase, banks, width))});
}

std::string title_of(std::span<const WarpAccess> accesses, const char* space) {
  const std::string op = to_string(accesses.front().op);
  if (accesses.size() == 1) return format("{} in {} memory", op, space);
  return format("{} instructions {} in {} memory", accesses.size(), op, space);
}

void require_drawable_phases(size_t phases) {
  if (phases <= kMaxDrawnPhases) return;
  throw usage_error(
      format("a picture holds {} phases, and these instructions have {}: draw fewer instructions",
             kMaxDrawnPhases, phases));
}

std::vector<LegendEntry> shared_legend(bool conflicts, bool broadcasts) {
  std::vector<Color> others = word_colors();
  others.erase(others.begin());
  std::vector<LegendEntry> legend = {
      legend_patch("first word (4 bytes) of the bank", {.fill = palette::hue(0)})};
  if (conflicts) {
    legend.push_back(legend_ramp("second, third, ... word of the bank: a conflict", others));
    legend.push_back(legend_mark("the busiest bank"));
  }
  if (broadcasts) legend.push_back(legend_flag("word of several lanes: broadcast, free"));
  return legend;
}

bool has_broadcast(const WarpAccess& access, const AccessPhase& phase) {
  for (const std::vector<BankWord>& bank : words_by_bank(access, phase)) {
    for (const BankWord& word : bank) {
      if (word.lanes.size() > 1) return true;
    }
  }
  return false;
}

// Lanes per global request; the width of the access alone decides.
int lanes_of_request(const AccessOp& op) {
  return op.bytes <= 4 ? kWarpLanes : 128 / op.bytes;
}

// Keyed by line address: how many lanes use each 4-byte word of the line.
using LineWords = std::map<int64_t, std::array<int, kLineBytes / 4>>;

LineWords words_by_line(const WarpAccess& access, int first, int end) {
  LineWords lines;
  for (int lane = first; lane < end; ++lane) {
    const int64_t address = access.addresses[static_cast<size_t>(lane)];
    if (address == kInactive) continue;
    const WordRange range = words_of(access.op, address);
    for (int64_t word = range.first; word < range.first + range.count; ++word) {
      ++lines[word * 4 / kLineBytes * kLineBytes][static_cast<size_t>(word % (kLineBytes / 4))];
    }
  }
  return lines;
}

PageBlock request_block(const LineWords& lines, const std::string& name, double width) {
  constexpr int kSectorWords = kSectorBytes / 4;
  CellPanel panel = bank_panel(static_cast<int>(lines.size()), width);
  panel.column_name = "4-byte word of the line";
  panel.column_lines.clear();
  for (int word = kSectorWords; word < kBanks; word += kSectorWords) {
    panel.column_lines.push_back({word, 2});
  }
  int row = 0;
  int sectors = 0;
  for (const auto& [address, words] : lines) {
    panel.row_labels.push_back(format("line at {}", address));
    for (int sector = 0; sector < kBanks; sector += kSectorWords) {
      const auto first = words.begin() + sector;
      if (std::all_of(first, first + kSectorWords, [](int n) { return n == 0; })) continue;
      ++sectors;
      for (int word = sector; word < sector + kSectorWords; ++word) {
        const int lanes = words[static_cast<size_t>(word)];
        const auto at = static_cast<size_t>(row) * kBanks + static_cast<size_t>(word);
        panel.fills[at] = lanes == 0 ? kHatchedFill : 0;
        if (lanes > 0) panel.texts[at] = format("{}", lanes);
        panel.tooltips[at] = format("bytes {} to {}: {}", address + int64_t{word} * 4,
                                    address + int64_t{word} * 4 + 3,
                                    lanes == 0 ? "moved, not used" : counted(lanes, "lane"));
      }
    }
    ++row;
  }
  panel.caption = format("{}: {} in {}", name, counted(sectors, "sector"),
                         counted(static_cast<int64_t>(lines.size()), "line"));
  return draw_panel(std::move(panel));
}

}  // namespace

Scene shared_access_diagram(std::span<const WarpAccess> accesses, const AvailableSize& available) {
  Page page{.title = title_of(accesses, "shared"), .available = available};
  int64_t wavefronts = 0;
  int64_t ideal = 0;
  size_t phases = 0;
  bool broadcasts = false;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const Wavefronts cost = count_wavefronts(accesses[i]);
    wavefronts += cost.wavefronts;
    ideal += cost.ideal;
    phases += cost.phases.size();
    require_drawable_phases(phases);
    for (size_t p = 0; p < cost.phases.size(); ++p) {
      const std::string name =
          accesses.size() == 1 ? format("phase {}", p) : format("instruction {}, phase {}", i, p);
      broadcasts = broadcasts || has_broadcast(accesses[i], cost.phases[p]);
      page.blocks.push_back(
          phase_block(accesses[i], cost.phases[p], name, content_width(available)));
    }
  }
  page.lines = {format("{} in {}, ideal {}, {}", counted(wavefronts, "wavefront"),
                       counted(static_cast<int64_t>(phases), "phase"), ideal,
                       counted(wavefronts - ideal, "conflict")),
                "above: the wavefront that serves a lane's word; below: the lane of each word, or "
                "x and the number of lanes; addresses in bytes"};
  page.legend = shared_legend(wavefronts > ideal, broadcasts);
  page.per_line = 2;
  return page_scene(std::move(page));
}

Scene global_access_diagram(std::span<const WarpAccess> accesses, const AvailableSize& available) {
  Page page{.title = title_of(accesses, "global"), .available = available};
  Coalescing sum;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const Coalescing cost = count_sectors(accesses[i]);
    sum.sectors += cost.sectors;
    sum.lines += cost.lines;
    sum.bytes_used += cost.bytes_used;
    sum.bytes_moved += cost.bytes_moved;
    const int step = lanes_of_request(accesses[i].op);
    for (int first = 0; first < kWarpLanes; first += step) {
      const LineWords lines = words_by_line(accesses[i], first, first + step);
      if (lines.empty()) continue;
      const std::string lanes = format("lanes {} to {}", first, first + step - 1);
      page.blocks.push_back(request_block(
          lines, accesses.size() == 1 ? lanes : format("instruction {}, {}", i, lanes),
          content_width(available)));
      require_drawable_phases(page.blocks.size());
    }
  }
  const double efficiency = sum.bytes_moved == 0 ? 100.0
                                                 : 100.0 * static_cast<double>(sum.bytes_used) /
                                                       static_cast<double>(sum.bytes_moved);
  page.lines = {format("{}, {} of 32 bytes in {} of 128 bytes",
                       counted(static_cast<int64_t>(page.blocks.size()), "request"),
                       counted(sum.sectors, "sector"), counted(sum.lines, "line")),
                format("{} bytes used of {} moved: efficiency {:.1f} %", sum.bytes_used,
                       sum.bytes_moved, efficiency)};
  page.legend = {
      legend_patch("4 bytes used; number: the number of lanes that use them",
                   {.fill = palette::hue(0)}),
      legend_hatch("moved with its sector, not used"),
      legend_patch("sector of 32 bytes", {.stroke = palette::kInk, .stroke_width = 1.7})};
  page.per_line = 2;
  return page_scene(std::move(page));
}

}  // namespace tilewright
