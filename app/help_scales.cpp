#include "help_scales.hpp"

#include <string_view>

#include "base/text.hpp"
#include "tile/workload/product_kind.hpp"

namespace tilewright {
namespace {

// A product with these scales, in the words of reports.
std::string kind_drawing(OperandScale scale, Operand operand) {
  ProductKind kind{.dtype = DataType::E4M3};
  (operand == Operand::A ? kind.epilogue.scale_a : kind.epilogue.scale_b) = scale;
  return format("{}\n", to_string(kind));
}

void add_scales(std::vector<HelpEntry>& entries, Operand operand) {
  const char* const option = operand == Operand::A ? "--scale-a" : "--scale-b";
  for (const tw::ScaleRecord& record : tw::kScales) {
    const std::string_view name = scale_name(record.scale, operand);
    if (name.empty()) continue;
    const std::string other = *record.other == 0 ? "" : format(" (also {})", record.other);
    entries.push_back({format("{} {}", option, name),
                       format("one fp32 factor for {}{}", record.meaning, other),
                       kind_drawing(record.scale, operand)});
  }
}

}  // namespace

std::vector<HelpEntry> scale_words() {
  std::vector<HelpEntry> entries;
  add_scales(entries, Operand::A);
  add_scales(entries, Operand::B);
  entries.push_back({"--accumulate fast",
                     "the tensor cores sum all of K, with some 14 bits for 8-bit operands", ""});
  entries.push_back({"--accumulate promoted",
                     "they sum 128 of K, and fp32 additions in registers continue; block scales "
                     "imply it",
                     ""});
  return entries;
}

}  // namespace tilewright
