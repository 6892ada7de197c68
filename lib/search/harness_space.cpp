#include "search/harness_space.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "search/stack_support.hpp"

namespace tilewright {
namespace {

constexpr int64_t kMaxConfigs = 1'000'000;

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string words_text(const std::vector<std::string>& words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  return views.empty() ? "nothing" : join_words(views, "and");
}

// The parts of the workload's epilogue in the words of the harness interface.
std::vector<std::string> epilogue_words(const Epilogue& epilogue) {
  std::vector<std::string> words;
  if (epilogue.alpha != 1) words.emplace_back("alpha");
  if (epilogue.beta != 0) words.emplace_back("beta");
  if (epilogue.bias) words.emplace_back("bias");
  if (epilogue.activation != Activation::None) {
    words.emplace_back(tw::record_of(epilogue.activation).name);
  }
  const auto add_scale = [&words](const char* key, OperandScale scale, Operand operand) {
    if (scale == OperandScale::None) return;
    const bool whole = scale == OperandScale::Tensor;
    words.push_back(whole ? key : format("{}={}", key, scale_name(scale, operand)));
  };
  add_scale("scale_a", epilogue.scale_a, Operand::A);
  add_scale("scale_b", epilogue.scale_b, Operand::B);
  return words;
}

const HarnessAxis& axis_named(const HarnessDescription& harness, const std::string& name) {
  std::vector<std::string_view> known;
  for (const HarnessAxis& axis : harness.axes) {
    if (axis.name == name) return axis;
    known.push_back(axis.name);
  }
  throw usage_error(format("harness {}: there is no axis '{}'{}; it has {}", harness.name, name,
                           did_you_mean(name, known),
                           known.empty() ? "none" : join_words(known, "and")));
}

void require_known(const HarnessDescription& harness, const std::vector<AxisValue>& given) {
  for (const AxisValue& value : given) {
    const HarnessAxis& axis = axis_named(harness, value.axis);
    if (std::find(axis.values.begin(), axis.values.end(), value.value) != axis.values.end()) {
      continue;
    }
    std::vector<std::string> known;
    known.reserve(axis.values.size());
    for (const int64_t one : axis.values) known.push_back(format("{}", one));
    throw usage_error(format("harness {}: {}={} is none of its values {}", harness.name, value.axis,
                             value.value, join(known, ", ")));
  }
}

// The axes of a harness; an axis with a `given` value has that value alone.
std::vector<HarnessAxis> open_axes(const HarnessDescription& harness,
                                   const std::vector<AxisValue>& given) {
  std::vector<HarnessAxis> axes = harness.axes;
  for (HarnessAxis& axis : axes) {
    for (const AxisValue& value : given) {
      if (value.axis == axis.name) axis.values = {value.value};
    }
  }
  return axes;
}

// All combinations of the axes' values, the last axis varying fastest, or the listed configs.
class Combinations {
 public:
  Combinations(const HarnessDescription& harness, const std::vector<AxisValue>& given)
      : harness_(harness), axes_(open_axes(harness, given)) {
    if (!harness.configs.empty()) {
      count_ = std::ssize(harness.configs);
      return;
    }
    for (const HarnessAxis& axis : axes_) {
      count_ = std::min(count_ * std::ssize(axis.values), kMaxConfigs + 1);
    }
  }

  /// At most kMaxConfigs, the limit of one command.
  int64_t count() const { return std::min(count_, kMaxConfigs); }
  bool are_too_many() const { return count_ > kMaxConfigs; }
  Error too_many() const {
    return usage_error(
        format("harness {}: its axes have more than {} combinations: list configs, or give values "
               "for some axes",
               harness_.name, kMaxConfigs));
  }
  std::vector<AxisValue> at(int64_t index) const {
    std::vector<AxisValue> values(axes_.size());
    for (size_t i = values.size(); i-- > 0;) {
      const HarnessAxis& axis = axes_[i];
      if (!harness_.configs.empty()) {
        values[i] = {axis.name, harness_.configs[static_cast<size_t>(index)][i]};
        continue;
      }
      const int64_t extent = std::ssize(axis.values);
      values[i] = {axis.name, axis.values[static_cast<size_t>(index % extent)]};
      index /= extent;
    }
    return values;
  }

 private:
  const HarnessDescription& harness_;
  std::vector<HarnessAxis> axes_;
  int64_t count_ = 1;
};

std::optional<int64_t> value_of(std::string_view name, const std::vector<AxisValue>& values,
                                const GemmShape& shape) {
  if (name == "m") return shape.m;
  if (name == "n") return shape.n;
  if (name == "k") return shape.k;
  for (const AxisValue& value : values) {
    if (value.axis == name) return value.value;
  }
  return std::nullopt;
}

// The constraint that the values break, or that cannot be evaluated; empty where none is broken.
std::string broken_constraint(const HarnessDescription& harness, const Workload& workload,
                              const std::vector<AxisValue>& values) {
  for (const Expression& constraint : harness.constraints) {
    for (const GemmShape& shape : workload.shapes) {
      const ExpressionValue holds = evaluate(
          constraint, [&](std::string_view name) { return value_of(name, values, shape); });
      if (!holds.why_not.empty()) return format("{} {}", constraint.text, holds.why_not);
      if (holds.value == 0) return constraint.text;
    }
  }
  return {};
}

bool has_values(const std::vector<AxisValue>& values, const std::vector<AxisValue>& given) {
  return std::all_of(given.begin(), given.end(), [&](const AxisValue& one) {
    return std::find(values.begin(), values.end(), one) != values.end();
  });
}

// Walks the combinations until it has found `enough` legal ones.
HarnessSpace walk(const HarnessDescription& harness, const Workload& workload,
                  const std::vector<AxisValue>& given, const Combinations& combinations,
                  size_t enough) {
  HarnessSpace space;
  for (int64_t i = 0; i < combinations.count() && space.legal.size() < enough; ++i) {
    std::vector<AxisValue> values = combinations.at(i);
    if (!has_values(values, given)) continue;
    ++space.enumerated;
    const std::string broken = broken_constraint(harness, workload, values);
    if (!broken.empty()) {
      ++space.rejected[broken];
      continue;
    }
    space.legal.push_back({.harness = harness.name,
                           .file = harness.file,
                           .build = harness.build,
                           .values = std::move(values)});
  }
  return space;
}

}  // namespace

std::string why_not_taken(const HarnessDescription& harness, const Workload& workload) {
  const HarnessTakes& takes = harness.takes;
  const auto refusal = [&](std::string_view what, const std::string& asked,
                           const std::vector<std::string>& known) {
    return format("harness {} takes {} {}, not {}", harness.name, what, words_text(known), asked);
  };
  const std::string op = to_string(workload.op);
  if (!contains(takes.ops, op)) return refusal("op", op, takes.ops);
  const std::string dtype = to_string(workload.kind.dtype);
  if (!contains(takes.dtypes, dtype)) return refusal("dtype", dtype, takes.dtypes);
  const std::string out = to_string(output_type(workload.kind));
  const std::vector<std::string>& outs = takes.out_dtypes.empty() ? takes.dtypes : takes.out_dtypes;
  if (!contains(outs, out)) return refusal("out_dtype", out, outs);
  const std::string layout = to_string(workload.kind.layout);
  if (!contains(takes.layouts, layout)) return refusal("layout", layout, takes.layouts);
  const Epilogue& epilogue = workload.kind.epilogue;
  if (const std::string part = part_without_interface(epilogue); !part.empty()) {
    return format("harness {}: the interface of harnesses has no {}", harness.name, part);
  }
  const std::vector<std::string> words = epilogue_words(epilogue);
  for (const std::string& word : words) {
    if (!contains(takes.epilogue, word)) return refusal("epilogue", word, takes.epilogue);
  }
  for (const std::string& word : takes.needs) {
    if (contains(words, word)) continue;
    return format("harness {} computes products with epilogue {} only, and the problem has none",
                  harness.name, word);
  }
  if (is_group(workload) && !takes.groups) {
    return format("harness {} takes one product a launch, not a group", harness.name);
  }
  return {};
}

Epilogue scales_among(const std::vector<std::string>& words) {
  Epilogue scales;
  const auto take = [](const std::string& word, const std::string& key, Operand operand,
                       OperandScale& scale) {
    if (word == key) scale = OperandScale::Tensor;
    if (word.starts_with(key + "=")) scale = parse_scale(word.substr(key.size() + 1), operand);
  };
  for (const std::string& word : words) {
    take(word, "scale_a", Operand::A, scales.scale_a);
    take(word, "scale_b", Operand::B, scales.scale_b);
  }
  return scales;
}

ForeignConfig default_config(const HarnessDescription& harness) {
  return {.harness = harness.name,
          .file = harness.file,
          .build = harness.build,
          .values = harness.default_values};
}

HarnessSpace legal_configs(const HarnessDescription& harness, const Workload& workload,
                           const std::vector<AxisValue>& given) {
  require_known(harness, given);
  const Combinations combinations(harness, given);
  if (combinations.are_too_many()) throw combinations.too_many();
  return walk(harness, workload, given, combinations, std::numeric_limits<size_t>::max());
}

ForeignConfig first_legal(const HarnessDescription& harness, const Workload& workload,
                          const std::vector<AxisValue>& given) {
  require_known(harness, given);
  const Combinations combinations(harness, given);
  HarnessSpace space = walk(harness, workload, given, combinations, 1);
  if (!space.legal.empty()) return std::move(space.legal.front());
  if (combinations.are_too_many()) throw combinations.too_many();
  std::vector<std::string> broken;
  for (const auto& rule : space.rejected) broken.push_back(rule.first);
  throw usage_error(format("harness {}: no config{}{} is legal for {}: {}", harness.name,
                           given.empty() ? "" : " with ", to_string(given), shapes_text(workload),
                           broken.empty() ? "none of its configs has these values"
                                          : format("all violate {}", join(broken, " or "))));
}

}  // namespace tilewright
