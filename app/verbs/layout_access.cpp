#include "verbs/layout_access.hpp"

#include "base/text.hpp"
#include "layout/text/layout_report.hpp"

namespace tilewright {

namespace {

LayoutAccess access_of(const LayoutRequest& request) {
  const ComposedLayout& layout = request.report.layout;
  const auto& [pattern, threads] = *request.access;
  const int bytes = request.element_bytes;
  return {.pattern = to_string(pattern),
          .cost = threads ? cost_of_copy(layout, *threads, bytes, pattern.op)
                          : cost_of_layout(layout, bytes, pattern)};
}

std::string stages_row(const PipelineStages& stages, int64_t element_bits) {
  std::string text = "at uneven distances";
  if (stages.distance) {
    text = format("{} elements, {} bytes, apart", *stages.distance,
                  *stages.distance * element_bits / 8);
  }
  if (stages.count == 1) text = "no other";
  return format("{:<18}{}, {}; the first is judged{}\n", "stages", stages.count, text,
                stages.alike ? "" : ": in the others the swizzle moves other bits");
}

}  // namespace

void add_layout_access(const LayoutRequest& request, LayoutJsonParts& parts) {
  const ComposedLayout& layout = request.report.layout;
  if (!request.access && !request.as_wgmma) return;
  if (request.access) parts.access = access_of(request);
  if (request.as_wgmma) parts.wgmma = match_wgmma(layout, request.element_bytes);
  const bool has_threads = request.access && request.access->threads;
  if (rank(layout.layout) == 3 && !has_threads) {
    parts.stages = stages_of(layout, "a layout of stages");
  }
}

void add_access_numbers(const LayoutJsonParts& parts, std::vector<NamedNumber>& numbers) {
  if (!parts.access) return;
  const TileCost& cost = parts.access->cost;
  numbers.push_back({"wavefronts", static_cast<double>(cost.total)});
  numbers.push_back({"conflicts", static_cast<double>(conflicts(cost))});
  numbers.push_back({"min", static_cast<double>(cost.least)});
  numbers.push_back({"mean", mean(cost)});
  numbers.push_back({"max", static_cast<double>(cost.most)});
}

std::string access_rows(const LayoutJsonParts& parts) {
  std::string text;
  if (parts.access) {
    const TileCost& cost = parts.access->cost;
    text +=
        format("{:<18}{} instructions of {} to {} wavefronts (mean {:.4g}): {} in all, ideal {}\n",
               parts.access->pattern, cost.instructions, cost.least, cost.most, mean(cost),
               cost.total, cost.ideal);
  }
  if (parts.wgmma && parts.wgmma->layout) {
    const WgmmaLayout& match = *parts.wgmma->layout;
    text += format("{:<18}{}, blocks {} bytes apart along M or N, {} along K\n", "wgmma",
                   match.name, match.mn_stride_bytes, match.k_stride_bytes);
  } else if (parts.wgmma) {
    text += format("{:<18}none: {}\n", "wgmma", parts.wgmma->why_not);
  }
  if (parts.stages) text += stages_row(*parts.stages, *parts.element_bits);
  return text;
}

}  // namespace tilewright
