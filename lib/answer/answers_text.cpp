#include "answer/answers_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "answer/answer_fields.hpp"
#include "base/error.hpp"
#include "base/number_range.hpp"
#include "base/text.hpp"
#include "tile/config/config_keys.hpp"
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
  template <class Value>
  static std::string word(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      return format("{}", value);
    } else {
      return to_string(value);
    }
  }
  static std::string word(const std::string& text) { return word_of(text); }
  static std::string word(Activation activation) { return tw::record_of(activation).name; }
  static std::string word(OperandScale scale) { return format("{}", static_cast<int>(scale)); }
  static std::string word(const std::optional<DataType>& type) {
    return type ? to_string(*type) : "";
  }
  static std::string word(AnswerSource source) {
    return std::string(kAnswerSources[static_cast<size_t>(source)]);
  }
  static std::string word(const SizeRange& range) {
    return format("{}..{}:{}", range.low, range.high, range.multiple);
  }
  static std::string word(const MatrixPlace& place) {
    return format("{}:{}", place.pitch, place.alignment);
  }
  static std::string word(const GpcRun& run) { return format("{}:{}", run.gpc, run.end); }
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

[[noreturn]] void refuse_word(std::string_view text) {
  throw usage_error(format("'{}' does not belong there", text));
}

template <class Integer>
Integer integer_in(std::string_view text, int base = 10) {
  Integer value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end) refuse_word(text);
  return value;
}

int64_t count_in(std::string_view text, int64_t least = 0) {
  const auto value = integer_in<int64_t>(text);
  if (value < least) refuse_word(text);
  return value;
}

double number_in(std::string_view text, NumberRange range) {
  const std::optional<double> value = parse_finite(text);
  if (!value) refuse_word(text);
  if (!holds(range, *value)) {
    throw usage_error(format("'{}' should be {}", text, range_words(range)));
  }
  return *value;
}

// The item of a list that is written as the word.
template <class List, class Name>
const auto& found(std::string_view word, const List& list, const Name& name) {
  for (const auto& item : list) {
    if (name(item) == word) return item;
  }
  refuse_word(word);
}

// The text before and after a separator, which must be there.
std::pair<std::string_view, std::string_view> parted(std::string_view text, std::string_view sign) {
  const size_t at = text.find(sign);
  if (at == std::string_view::npos) refuse_word(text);
  return {text.substr(0, at), text.substr(at + sign.size())};
}

// The fields of one line, in the order in which they were written.
class AnswerReader {
 public:
  // Values that earlier lines have numbered.
  struct Named {
    std::vector<Workload> kinds;
    std::vector<TileConfig> configs;
  };

  AnswerReader(std::string_view line, const Named& named) : rest_(line), named_(named) {}

  template <class Value>
  void operator()(std::string_view key, Value& value) {
    const auto [field, rest] = rest_.find(' ') == std::string_view::npos
                                   ? std::pair{rest_, std::string_view()}
                                   : parted(rest_, " ");
    const auto [name, word] = parted(field, "=");
    if (name != key) throw usage_error(format("'{}' is not {}", field, key));
    read(word, value);
    rest_ = rest;
  }

  void end() const {
    if (!rest_.empty()) throw usage_error(format("'{}' follows its end", rest_));
  }

 private:
  static void read(std::string_view word, bool& value) {
    if (word != "true" && word != "false") refuse_word(word);
    value = word == "true";
  }
  static void read(std::string_view word, int& value) {
    const int64_t count = count_in(word);
    if (count > std::numeric_limits<int>::max()) refuse_word(word);
    value = static_cast<int>(count);
  }
  static void read(std::string_view word, int64_t& value) { value = count_in(word); }
  static void read(std::string_view word, uint64_t& value) {
    value = integer_in<uint64_t>(word, 16);
  }
  static void read(std::string_view word, float& value) {
    value = static_cast<float>(number_in(word, NumberRange::Any));
  }
  // Times, rates and losses.
  static void read(std::string_view word, double& value) {
    value = number_in(word, NumberRange::NotNegative);
  }
  static void read(std::string_view word, std::string& text) {
    text.clear();
    for (size_t i = 0; i < word.size(); ++i) {
      if (word[i] != '%') {
        text += word[i];
        continue;
      }
      constexpr size_t kDigits = 2;
      if (word.size() - i <= kDigits) refuse_word(word);
      text += static_cast<char>(integer_in<unsigned char>(word.substr(i + 1, kDigits), 16));
      i += kDigits;
    }
  }
  static void read(std::string_view word, MatrixOp& op) { op = parse_op(word); }
  static void read(std::string_view word, Uplo& uplo) { uplo = parse_uplo(word); }
  static void read(std::string_view word, Collective& collective) {
    collective = parse_collective(word);
  }
  static void read(std::string_view word, DataType& type) { type = parse_data_type(word); }
  static void read(std::string_view word, MatrixLayout& layout) {
    layout = parse_matrix_layout(word);
  }
  static void read(std::string_view word, std::optional<DataType>& type) {
    type.reset();
    if (!word.empty()) type = parse_output_type(word);
  }
  static void read(std::string_view word, Activation& activation) {
    activation = found(word, tw::kActivations, [](const auto& record) {
                   return std::string(record.name);
                 }).activation;
  }
  static void read(std::string_view word, OperandScale& scale) {
    scale = found(word, tw::kScales, [](const auto& record) {
              return format("{}", static_cast<int>(record.scale));
            }).scale;
  }
  static void read(std::string_view word, Accumulation& accumulation) {
    accumulation = parse_accumulation(word);
  }
  static void read(std::string_view word, AnswerSource& source) {
    const auto& name = found(word, kAnswerSources, [](std::string_view one) { return one; });
    source = static_cast<AnswerSource>(&name - std::begin(kAnswerSources));
  }
  static void read(std::string_view word, GemmShape& shape) { shape = parse_shape(word, 0); }
  static void read(std::string_view word, SizeRange& range) {
    const auto [low, rest] = parted(word, "..");
    const auto [high, multiple] = parted(rest, ":");
    range = {count_in(low), count_in(high), count_in(multiple, 1)};
  }
  static void read(std::string_view word, MatrixPlace& place) {
    const auto [pitch, alignment] = parted(word, ":");
    place.pitch = count_in(pitch);
    read(alignment, place.alignment);
    const int bytes = place.alignment;
    if (bytes < 1 || bytes > MatrixPlace{}.alignment || (bytes & (bytes - 1)) != 0) {
      refuse_word(word);
    }
  }
  static void read(std::string_view word, AlgorithmBits& bits) {
    bits = parse_algorithm_bits(word);
  }
  static void read(std::string_view word, PairedRatio& ratio) {
    const auto [middle, ends] = parted(word, ":");
    const auto [low, high] = parted(ends, ":");
    const auto positive = [](std::string_view of) { return number_in(of, NumberRange::Positive); };
    ratio = {positive(middle), {positive(low), positive(high)}};
    if (ratio.interval.low > ratio.interval.high) refuse_word(word);
  }
  static void read(std::string_view word, GpcRun& run) {
    const auto [group, end] = parted(word, ":");
    read(group, run.gpc);
    read(end, run.end);
    if (run.gpc >= kGpcCount) refuse_word(word);
  }
  template <class Value>
  static const Value& named(std::string_view number, const std::vector<Value>& values) {
    const auto at = static_cast<size_t>(count_in(number));
    if (at >= values.size()) refuse_word(number);
    return values[at];
  }
  void read(std::string_view word, TileConfig& config) const {
    config = named(word, named_.configs);
  }
  void read(std::string_view word, Workload& workload) const {
    const auto [kind, shapes] = parted(word, ":");
    workload = named(kind, named_.kinds);
    if (!shapes.empty()) workload = with_shapes(workload, parse_shapes(shapes, workload.op));
  }
  void read(std::string_view word, Trial::Time& time) const {
    const auto [config, us] = parted(word, ":");
    read(config, time.config);
    time.us = number_in(us, NumberRange::Positive);
  }
  template <class Item>
  void read(std::string_view word, std::vector<Item>& list) const {
    list.clear();
    if (word.empty()) return;
    for (const std::string_view item : split(word, ',')) read(item, list.emplace_back());
  }
  template <class Item, size_t N>
  void read(std::string_view word, std::array<Item, N>& list) const {
    const std::vector<std::string_view> items = split(word, ',');
    if (items.size() != N) refuse_word(word);
    for (size_t i = 0; i < N; ++i) read(items[i], list[i]);
  }

  std::string_view rest_;
  const Named& named_;
};

TileConfig whole_config(std::string_view text) {
  const ConfigRequest request = parse_config(text);
  if (const auto key = missing_key(request)) throw usage_error(format("config: no {}", *key));
  return config_of(request);
}

// Answers divide by these times; a row that was not timed has a median of 0.
void require_positive(std::string_view key, double us) {
  if (holds(NumberRange::Positive, us)) return;
  throw usage_error(
      format("{} should be {}, and is {}", key, range_words(NumberRange::Positive), us));
}

template <class Number>
void require_in_range(const RateKey& key, Number value) {
  if (!holds(key.range, static_cast<double>(value))) {
    throw usage_error(format("{} is {}", path_of(key), value));
  }
}

void read_rates_line(AnswerReader& reader, DeviceSpec& device) {
  for (const RateKey& key : rate_keys(device)) {
    std::visit(
        [&](auto* value) {
          using Value = std::decay_t<decltype(*value)>;
          reader(path_of(key), *value);
          if constexpr (std::is_arithmetic_v<Value>) {
            require_in_range(key, *value);
          } else if constexpr (!std::is_same_v<Value, std::vector<GpcRun>>) {
            for (const double one : *value) require_in_range(key, one);
          }
        },
        key.value);
  }
}

// Prices divide by these.
void require_sizes(const DeviceSpec& d) {
  const bool has_all = d.sm_count > 0 && d.smem_per_cta_bytes > 0 && d.registers_per_sm > 0 &&
                       d.max_cluster_size > 0 && d.l2_bytes > 0 && d.l2_effective_bytes > 0 &&
                       d.tensor_flops_per_clock_per_sm > 0 && d.sustained_clock_hz > 0 &&
                       d.dram_bytes_per_s > 0 && d.l2_bytes_per_clock > 0;
  if (!has_all) throw usage_error("the device lacks a size or a rate");
}

const Workload& require_shapes(const Workload& workload) {
  if (workload.shapes.empty()) throw usage_error("the problem has no sizes");
  return workload;
}

class AnswerParser {
 public:
  void line(std::string_view record, std::string_view rest) {
    AnswerReader reader(rest, named_);
    if (record == "config") {
      named_.configs.push_back(whole_config(rest));
      return;
    }
    if (record == "kind") {
      visit_kind(reader, named_.kinds.emplace_back());
    } else if (record == "device") {
      visit_device(reader, table_.device);
    } else if (record == "rates") {
      read_rates_line(reader, table_.device);
    } else if (record == "library") {
      reader("asked", table_.asks_library);
    } else if (record == "row") {
      visit_row(reader, table_.rows.emplace_back());
      require_shapes(table_.rows.back().problem);
      require_positive("predicted_us", table_.rows.back().predicted_us);
    } else if (record == "pin") {
      if (table_.rows.empty()) throw usage_error("the pin belongs to no row");
      LibraryPin& pin = table_.rows.back().library_pins.emplace_back();
      visit_pin(reader, pin);
      require_positive("us", pin.median_us);
      require_positive("first_us", pin.first_us);
    } else if (record == "tried") {
      visit_trial(reader, table_.trials.emplace_back());
      require_shapes(table_.trials.back().problem);
    } else if (record == "range") {
      visit_bucket(reader, table_.buckets.emplace_back());
    } else if (record == "kernel") {
      visit_kernel(reader, table_.kernels.emplace_back());
      require_shapes(table_.kernels.back().workload);
    } else if (record == "run") {
      visit_range(reader, table_.ranges.emplace_back());
      const AnswerRange& range = table_.ranges.back();
      if (range.step < 1 || range.high < range.low) throw usage_error("the run has no values");
    } else {
      throw usage_error(format("'{}' is no record", record));
    }
    reader.end();
  }

  AnswerTable table() const {
    require_sizes(table_.device);
    return table_;
  }

 private:
  AnswerReader::Named named_;
  AnswerTable table_;
};

// All but the last line, which has the hash of the text before it.
std::string_view whole_body(std::string_view text) {
  constexpr std::string_view kEnd = "\nend ";
  const size_t at = text.rfind(kEnd);
  const std::string_view body = text.substr(0, at == std::string_view::npos ? 0 : at + 1);
  if (body.empty() || text.substr(body.size()) != format("end {:016x}\n", hash_number(body))) {
    throw usage_error("answers: the text is cut off or damaged");
  }
  return body;
}

}  // namespace

std::string print_answers(const AnswerTable& table) {
  AnswerWriter w;
  write_device_lines(w, table.device);
  w.begin("library");
  w("asked", table.asks_library);
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

AnswerTable parse_answers(std::string_view text) {
  const std::vector<std::string_view> lines = split(whole_body(text), '\n');
  if (lines.front() != kAnswersSchema) {
    throw usage_error(format("answers: '{}' is not {}", lines.front(), kAnswersSchema));
  }
  AnswerParser parser;
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    try {
      const size_t blank = std::min(lines[i].find(' '), lines[i].size());
      const std::string_view rest = lines[i].substr(std::min(blank + 1, lines[i].size()));
      parser.line(lines[i].substr(0, blank), rest);
    } catch (const Error& error) {
      if (is_internal(error)) throw;
      throw usage_error(format("answers, line {}: {}", i + 1, error.what()));
    }
  }
  return parser.table();
}

}  // namespace tilewright
