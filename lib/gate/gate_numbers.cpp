#include "gate/gate_numbers.hpp"

#include <optional>
#include <utility>

#include "base/text.hpp"

namespace tilewright {
namespace {

// Collects numbers; a number that only one side has stays without a pair.
class Numbers {
 public:
  void add(const std::string& key, double now, std::optional<double> before = {}) {
    list_.push_back({key, now, before, false});
  }
  void add_truth(const std::string& key, bool now, std::optional<bool> before) {
    GateNumber number{key, now ? 1.0 : 0.0, std::nullopt, true};
    if (before) number.before = *before ? 1.0 : 0.0;
    list_.push_back(number);
  }
  std::vector<GateNumber> take() { return std::move(list_); }

 private:
  std::vector<GateNumber> list_;
};

// The member of `before`, unless that is null.
template <class Struct, class Value>
std::optional<double> member(const Struct* before, Value Struct::*value) {
  if (before == nullptr) return std::nullopt;
  return static_cast<double>(before->*value);
}

// Traffic is printed in MB; a change of it may be too small to show there, and is exact in bytes.
bool is_traffic(const GateNumber& number) {
  return number.key.starts_with("dram_") && number.key.ends_with("_bytes");
}

template <class Struct>
const Struct* pointer(const std::optional<Struct>& value) {
  return value ? &*value : nullptr;
}

}  // namespace

std::vector<GateNumber> gate_numbers(const StaticNumbers& now, const StaticNumbers* before) {
  Numbers numbers;
  if (now.predicted) {
    const PredictedNumbers& p = *now.predicted;
    const PredictedNumbers* const old = before == nullptr ? nullptr : pointer(before->predicted);
    if (p.us) numbers.add("predicted_us", *p.us, old == nullptr ? std::nullopt : old->us);
    numbers.add("dram_read_bytes", p.dram_read_bytes,
                member(old, &PredictedNumbers::dram_read_bytes));
    numbers.add("dram_write_bytes", p.dram_write_bytes,
                member(old, &PredictedNumbers::dram_write_bytes));
  }
  const auto whole = [](int64_t value) { return static_cast<double>(value); };
  numbers.add("waves", whole(now.waves), member(before, &StaticNumbers::waves));
  numbers.add("slots", whole(now.slots), member(before, &StaticNumbers::slots));
  numbers.add("overhang", whole(now.overhang), member(before, &StaticNumbers::overhang));
  if (now.complete) {
    numbers.add_truth("complete", *now.complete,
                      before == nullptr ? std::nullopt : before->complete);
  }
  if (now.compiled) {
    const CompilerNumbers& c = *now.compiled;
    const CompilerNumbers* const old = before == nullptr ? nullptr : pointer(before->compiled);
    numbers.add("spill_bytes", c.spill_bytes, member(old, &CompilerNumbers::spill_bytes));
    numbers.add("registers", c.registers, member(old, &CompilerNumbers::registers));
    numbers.add("smem_bytes", c.smem_bytes, member(old, &CompilerNumbers::smem_bytes));
  }
  return numbers.take();
}

std::vector<GateNumber> gate_numbers(const MeasuredNumbers& now, const MeasuredNumbers* before) {
  const auto of = [before](const auto& value) {
    return before == nullptr ? std::nullopt : std::optional<double>(value(*before));
  };
  Numbers numbers;
  numbers.add("ratio", now.ratio.ratio, of([](const auto& m) { return m.ratio.ratio; }));
  numbers.add("ratio_low", now.ratio.interval.low,
              of([](const auto& m) { return m.ratio.interval.low; }));
  numbers.add("ratio_high", now.ratio.interval.high,
              of([](const auto& m) { return m.ratio.interval.high; }));
  numbers.add("median_us", now.median_us, member(before, &MeasuredNumbers::median_us));
  numbers.add("reference_us", now.reference_us, member(before, &MeasuredNumbers::reference_us));
  numbers.add("rounds", static_cast<double>(now.rounds), member(before, &MeasuredNumbers::rounds));
  return numbers.take();
}

std::string value_text(const GateNumber& number, double value) {
  if (is_traffic(number)) return format("{} MB", megabytes_text(value));
  if (number.is_bool) return value != 0 ? "yes" : "no";
  if (number.key.starts_with("ratio")) return format("{:.4f}", value);
  const bool precise = number.key.ends_with("_us") || number.key.ends_with("_pct");
  return format("{:.{}f}", value, precise ? 2 : 0);
}

std::string change_text(const GateNumber& number) {
  if (!number.before || number.is_bool || !(*number.before > 0)) return "";
  const double change = number.now - *number.before;
  const std::string share = format("{:+.1f} %", 100 * change / *number.before);
  return is_traffic(number) ? format("{}, {:+.0f} B", share, change) : share;
}

std::string to_string(const GateNumber& number) {
  std::string text = format("{} {}", number.key, value_text(number, number.now));
  if (!number.before) return text;
  text += format(", baseline {}", value_text(number, *number.before));
  const std::string change = change_text(number);
  return change.empty() ? text : format("{} ({})", text, change);
}

}  // namespace tilewright
