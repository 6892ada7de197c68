#include <algorithm>

#include "answer/answer_fields.hpp"
#include "answer/answers_text.hpp"
#include "base/text.hpp"
#include "tile/workload/rate_table.hpp"

namespace tilewright {
namespace {

// Escapes a text into a word: no blank, and nothing that ends a line.
std::string word_of(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    word += byte <= ' ' || c == '%' || c == ',' ? format("%{:02x}", byte) : std::string(1, c);
  }
  return word;
}

// The number of a value among those that are written once, on lines of their own.
template <class Value>
size_t number_of(std::vector<Value>& known, const Value& value) {
  const auto at = std::find(known.begin(), known.end(), value);
  if (at != known.end()) return static_cast<size_t>(at - known.begin());
  known.push_back(value);
  return known.size() - 1;
}

class AnswerWriter {
 public:
  void begin(std::string_view record) {
    if (!lines_.empty()) lines_ += '\n';
    lines_ += record;
  }

  template <class Value>
  void operator()(std::string_view key, const Value& value) {
    lines_.append(" ").append(key).append("=").append(word(value));
  }

  // The kinds and configs with numbers, then the lines.
  std::string text() const {
    AnswerWriter head;
    for (const Workload& kind : kinds_) {
      head.begin("kind");
      visit_kind(head, kind);
    }
    std::string text = head.lines_;
    for (const TileConfig& config : configs_) text += "\nconfig " + to_string(config);
    return text + "\n" + lines_ + "\n";
  }

 private:
  static std::string word(bool value) { return value ? "true" : "false"; }
  static std::string word(int value) { return format("{}", value); }
  static std::string word(int64_t value) { return format("{}", value); }
  static std::string word(float value) { return format("{}", value); }
  static std::string word(double value) { return format("{}", value); }
  static std::string word(const std::string& text) { return word_of(text); }
  static std::string word(MatrixOp op) { return to_string(op); }
  static std::string word(Uplo uplo) { return to_string(uplo); }
  static std::string word(DataType type) { return to_string(type); }
  static std::string word(MatrixLayout layout) { return to_string(layout); }
  static std::string word(Activation activation) { return tw::record_of(activation).name; }
  static std::string word(OperandScale scale) { return format("{}", static_cast<int>(scale)); }
  static std::string word(Accumulation accumulation) { return to_string(accumulation); }
  static std::string word(const std::optional<DataType>& type) {
    return type ? to_string(*type) : "";
  }
  static std::string word(AnswerSource source) {
    return std::string(kAnswerSources[static_cast<size_t>(source)]);
  }
  static std::string word(const GemmShape& shape) { return to_string(shape); }
  static std::string word(const SizeRange& range) {
    return format("{}..{}:{}", range.low, range.high, range.multiple);
  }
  static std::string word(const MatrixPlace& place) {
    return format("{}:{}", place.pitch, place.alignment);
  }
  static std::string word(const GpcRun& run) { return format("{}:{}", run.gpc, run.end); }
  static std::string word(const AlgorithmBits& bits) { return to_string(bits); }
  static std::string word(const PairedRatio& ratio) {
    return format("{}:{}:{}", ratio.ratio, ratio.interval.low, ratio.interval.high);
  }
  static std::string word(uint64_t program) { return format("{:016x}", program); }
  std::string word(const Trial::Time& time) { return format("{}:{}", word(time.config), time.us); }
  std::string word(const TileConfig& config) { return format("{}", number_of(configs_, config)); }
  std::string word(const Workload& workload) {
    Workload kind = workload;
    kind.shapes.clear();
    return format("{}:{}", number_of(kinds_, kind), shapes_text(workload));
  }
  template <class List>
  std::string list_word(const List& list) {
    std::string words;
    for (const auto& item : list) words.append(words.empty() ? "" : ",").append(word(item));
    return words;
  }
  template <class Item>
  std::string word(const std::vector<Item>& list) {
    return list_word(list);
  }
  template <class Item, size_t N>
  std::string word(const std::array<Item, N>& list) {
    return list_word(list);
  }

  std::string lines_;
  std::vector<Workload> kinds_;
  std::vector<TileConfig> configs_;
};

void write_device_lines(AnswerWriter& writer, DeviceSpec device) {
  writer.begin("device");
  visit_device(writer, device);
  writer.begin("rates");
  for (const RateKey& key : rate_keys(device)) {
    std::visit([&](const auto* value) { writer(path_of(key), *value); }, key.value);
  }
}

template <class Records, class Fields>
void write_records(AnswerWriter& writer, std::string_view name, const Records& records,
                   const Fields& fields) {
  for (const auto& record : records) {
    writer.begin(name);
    fields(record);
  }
}

}  // namespace

std::string print_answers(const AnswerTable& table) {
  AnswerWriter w;
  write_device_lines(w, table.device);
  write_records(w, "row", table.rows, [&w](const AnswerRow& row) {
    visit_row(w, row);
    write_records(w, "pin", row.library_pins, [&w](const LibraryPin& pin) { visit_pin(w, pin); });
  });
  write_records(w, "tried", table.trials, [&w](const Trial& trial) { visit_trial(w, trial); });
  write_records(w, "range", table.buckets, [&w](const Bucket& bucket) { visit_bucket(w, bucket); });
  write_records(w, "kernel", table.kernels,
                [&w](const ShippedKernel& kernel) { visit_kernel(w, kernel); });
  write_records(w, "run", table.ranges, [&w](const AnswerRange& range) { visit_range(w, range); });
  const std::string body = format("{}\n{}", kAnswersSchema, w.text());
  return format("{}end {:016x}\n", body, hash_number(body));
}

}  // namespace tilewright
