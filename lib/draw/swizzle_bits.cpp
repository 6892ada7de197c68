#include "draw/swizzle_bits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.hpp"
#include "draw/font_metrics.hpp"
#include "draw/palette.hpp"
#include "layout/smem/wavefronts.hpp"

namespace tilewright {
namespace {

constexpr double kBox = 30;
constexpr double kLabelSize = 12;
constexpr double kSmall = 10.5;
constexpr double kFirstRow = 44;  // top of the first row of boxes
constexpr double kDrop = 46;      // gap between the rows
constexpr int kReadHue = 1;       // colour of the bits Y
constexpr int kChangedHue = 0;    // colour of the bits Z

// The number of bits of a value.
int bits_of(int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<uint64_t>(value)));
}

// Axis names are muted.
LabelItem swizzle_label(Point at, const std::string& text, double size, bool bold, Anchor anchor,
                        std::string_view role) {
  return {.role = std::string(role),
          .at = at,
          .text = text,
          .size = size,
          .bold = bold,
          .anchor = anchor,
          .color = role == "axis" ? palette::kMuted : palette::kInk};
}

class BitPicture {
 public:
  BitPicture(const Swizzle& swizzle, int element_bytes, int64_t elements)
      : s_(swizzle),
        element_bytes_(element_bytes),
        count_(std::max(bits_of(std::max<int64_t>(elements, 2) - 1),
                        bits_of(y_mask(s_) | z_mask(s_)))),
        letters_(swizzle_bits(swizzle, count_)) {
    const double names =
        std::max(text_width("offset", kLabelSize), text_width("swizzled", kLabelSize));
    left_ = std::ceil(names) + 14;
  }

  PageBlock draw() {
    add_label({0, capital_height(13) + 2}, "bits of the offset, in elements", 13, true,
              Anchor::Start, "caption");
    const double second = kFirstRow + kBox + kDrop;
    add_name("offset", kFirstRow);
    add_name("swizzled", second);
    for (int bit = 0; bit < count_; ++bit) {
      const char letter = letter_of(bit);
      add_label({middle(bit), kFirstRow - 6}, format("{}", bit), kSmall, false, Anchor::Middle,
                "axis");
      add_box(bit, kFirstRow, std::string(1, letter), fill_of(letter));
      add_box(bit, second, letter == 'Z' ? "Z^Y" : std::string(1, letter),
              letter == 'Z' ? mixed() : fill_of(letter));
      if (letter == 'Y') add_arrow(bit, bit - s_.shift, second);
    }
    add_bank(second + kBox + 8);
    return {left_ + count_ * kBox + 2, second + kBox + 30, std::move(items_)};
  }

 private:
  char letter_of(int bit) const { return letters_[static_cast<size_t>(count_ - 1 - bit)]; }
  double left_of(int bit) const { return left_ + (count_ - 1 - bit) * kBox; }
  double middle(int bit) const { return left_of(bit) + kBox / 2; }

  static Color fill_of(char letter) {
    return letter == 'Y'   ? palette::hue(kReadHue)
           : letter == 'Z' ? palette::hue(kChangedHue)
                           : palette::kOverhang;
  }
  static Color mixed() { return palette::hue(3); }

  void add_label(Point at, const std::string& text, double size, bool bold, Anchor anchor,
                 const char* role) {
    items_.push_back(swizzle_label(at, text, size, bold, anchor, role));
  }

  void add_name(const char* name, double y) {
    add_label({left_ - 8, y + (kBox + capital_height(kLabelSize)) / 2}, name, kLabelSize, false,
              Anchor::End, "axis");
  }

  void add_box(int bit, double y, const std::string& text, Color fill) {
    items_.push_back(
        RectangleItem{.role = "bit",
                      .at = {left_of(bit), y},
                      .width = kBox,
                      .height = kBox,
                      .style = {.fill = fill, .stroke = palette::kInk, .stroke_width = 1.2}});
    items_.push_back(TooltipItem{.role = "bit",
                                 .at = {left_of(bit), y},
                                 .width = kBox,
                                 .height = kBox,
                                 .text = format("bit {}: {}", bit, meaning(bit))});
    add_label({middle(bit), y + (kBox + capital_height(kSmall)) / 2}, text, kSmall, false,
              Anchor::Middle, "text");
  }

  std::string meaning(int bit) const {
    const char letter = letter_of(bit);
    if (letter == 'Y') return format("read, XORed into bit {}", bit - s_.shift);
    if (letter == 'Z') return format("becomes bit {} ^ bit {}", bit, bit + s_.shift);
    return "stays";
  }

  // Down from the bit that is read, across, and down to the bit that it changes.
  void add_arrow(int from, int to, double bottom) {
    constexpr double kHead = 6;
    const int lane = (from - s_.base) % std::max(1, s_.bits);
    const double y = kFirstRow + kBox + 8 + (kDrop - 22) * (lane + 0.5) / s_.bits;
    const double tip = bottom - 1;
    items_.push_back(PathItem{.role = "xor",
                              .points = {{middle(from), kFirstRow + kBox},
                                         {middle(from), y},
                                         {middle(to), y},
                                         {middle(to), tip - kHead}},
                              .style = {.stroke = palette::kInk, .stroke_width = 1.3}});
    items_.push_back(PathItem{.role = "xor",
                              .points = {{middle(to), tip},
                                         {middle(to) - 3.6, tip - kHead - 1},
                                         {middle(to) + 3.6, tip - kHead - 1}},
                              .closed = true,
                              .style = {.fill = palette::kInk}});
  }

  // Brackets the bits of the byte address that choose the bank and lie in the offset.
  void add_bank(double y) {
    const int element = bits_of(element_bytes_) - 1;
    const int word = bits_of(kBankBytes) - 1;
    const int banks = bits_of(kBanks) - 1;
    const int low = std::max(0, word - element);
    const int high = std::min(count_, word + banks - element) - 1;
    if (high < low) return;
    const double from = left_of(high) + 2;
    const double to = left_of(low) + kBox - 2;
    items_.push_back(PathItem{.role = "bank",
                              .points = {{from, y - 5}, {from, y}, {to, y}, {to, y - 5}},
                              .style = {.stroke = palette::kMuted, .stroke_width = 1.2}});
    add_label({(from + to) / 2, y + 14}, "bank", kSmall, false, Anchor::Middle, "axis");
  }

  Swizzle s_;
  int element_bytes_;
  int count_;
  std::string letters_;
  double left_ = 0;
  std::vector<SceneItem> items_;
};

std::string columns_text(const ColumnRange& range) {
  return range.end - range.begin == 1 ? format("column {}", range.begin)
                                      : format("columns {} to {}", range.begin, range.end - 1);
}

// Draws only as many rows and ranges as a reader can survey.
class PeriodPicture {
 public:
  PeriodPicture(const SwizzlePeriods& periods, const SharedTile& tile)
      : p_(periods),
        rows_(std::min({periods.row_period, tile.rows, kMaxRows})),
        ranges_(std::min(periods.ranges.size(), kMaxRanges)) {
    double names = 0;
    for (size_t i = 0; i < ranges_; ++i) {
      names = std::max(names, text_width(columns_text(p_.ranges[i]), kLabelSize));
    }
    left_ = std::ceil(names) + 10;
  }

  PageBlock draw() {
    add({0, capital_height(13) + 2}, "rows whose elements stay in place", 13, true, Anchor::Start,
        "caption");
    add({left_ - 8, kRowTop - 6}, "row", kSmall, false, Anchor::End, "axis");
    const int64_t every = rows_ > 16 ? 4 : 1;
    for (int64_t row = 0; row < rows_; row += every) {
      add({x(row) + kCell / 2, kRowTop - 6}, format("{}", row), kSmall, false, Anchor::Middle,
          "axis");
    }
    for (size_t i = 0; i < ranges_; ++i) add_range(i);
    double y = kRowTop + static_cast<double>(ranges_) * kCell + 18;
    for (const std::string& line : notes()) {
      add({left_, y}, line, kLabelSize, false, Anchor::Start, "axis");
      width_ = std::max(width_, left_ + text_width(line, kLabelSize));
      y += 17;
    }
    const double title = text_width("rows whose elements stay in place", 13, true);
    return {std::max({width_, title, x(rows_) + 2}), y, std::move(items_)};
  }

 private:
  static constexpr double kCell = 18;
  static constexpr double kRowTop = 44;
  static constexpr int64_t kMaxRows = 32;
  static constexpr size_t kMaxRanges = 16;

  double x(int64_t row) const { return left_ + static_cast<double>(row) * kCell; }

  std::vector<std::string> notes() const {
    std::vector<std::string> lines;
    if (p_.rows_alike > 1) {
      lines.push_back(format("all blocks of {} rows are permuted in the same way", p_.rows_alike));
    }
    if (rows_ < p_.row_period) {
      lines.push_back(
          format("the first {} of {} rows, after which it repeats", rows_, p_.row_period));
    } else {
      lines.push_back(format(
          "it repeats every {} and {}", p_.row_period == 1 ? "row" : counted(p_.row_period, "row"),
          p_.column_period == 1 ? "column" : counted(p_.column_period, "column")));
    }
    if (ranges_ < p_.ranges.size()) {
      lines.push_back(format("the first {} of {} ranges of columns", ranges_, p_.ranges.size()));
    }
    return lines;
  }

  void add_range(size_t i) {
    const ColumnRange& range = p_.ranges[i];
    const double y = kRowTop + static_cast<double>(i) * kCell;
    add({left_ - 8, y + (kCell + capital_height(kLabelSize)) / 2}, columns_text(range), kLabelSize,
        false, Anchor::End, "axis");
    for (int64_t row = 0; row < rows_; ++row) {
      const bool stays =
          std::binary_search(range.unchanged_rows.begin(), range.unchanged_rows.end(), row);
      items_.push_back(RectangleItem{.role = stays ? "stays" : "moves",
                                     .at = {x(row), y},
                                     .width = kCell,
                                     .height = kCell,
                                     .style = {.fill = stays ? palette::kEpilogue : palette::kFaint,
                                               .stroke = palette::kPaper}});
      items_.push_back(
          TooltipItem{.role = "range",
                      .at = {x(row), y},
                      .width = kCell,
                      .height = kCell,
                      .text = format("row {}, {}: {}", row, columns_text(range),
                                     stays ? "every element stays in place" : "elements move")});
    }
  }

  void add(Point at, const std::string& text, double size, bool bold, Anchor anchor,
           const char* role) {
    items_.push_back(swizzle_label(at, text, size, bold, anchor, role));
  }

  const SwizzlePeriods& p_;
  int64_t rows_;
  size_t ranges_;
  double left_ = 0;
  double width_ = 0;
  std::vector<SceneItem> items_;
};

}  // namespace

PageBlock swizzle_periods_block(const SwizzlePeriods& periods, const SharedTile& tile) {
  return PeriodPicture(periods, tile).draw();
}

PageBlock swizzle_bits_block(const Swizzle& swizzle, int element_bytes, int64_t elements) {
  return BitPicture(swizzle, element_bytes, elements).draw();
}

}  // namespace tilewright
