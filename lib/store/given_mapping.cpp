#include "store/given_mapping.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "record/node.hpp"

namespace tilewright {
namespace {

constexpr size_t kMaxFields = 6;

struct Column {
  std::string_view name;
  bool needed = true;
  int64_t most = std::numeric_limits<int32_t>::max();
  int64_t least = 0;
};

// Accepted here; the proof then reports it as outside the grid
constexpr int64_t kAnyCoordinate = std::numeric_limits<int32_t>::min();

// The columns of a file's row; the first `plain_columns` need no header line.
struct Form {
  std::string_view list;  // the key of the rows in JSON
  size_t plain_columns;
  bool has_nulls;  // a row may be null
  bool by_cta;     // JSON has one list of rows per CTA
  std::vector<Column> fields;
};

const Form& order_form() {
  static const Form form{"order",
                         2,
                         true,
                         false,
                         {{.name = "m", .least = kAnyCoordinate},
                          {.name = "n", .least = kAnyCoordinate},
                          {.name = "slot", .needed = false, .most = kMaxListed - 1}}};
  return form;
}

const Form& work_form() {
  static const Form form{"assignments",
                         kMaxFields,
                         false,
                         true,
                         {{.name = "cta", .most = kMaxCtas - 1},
                          {.name = "problem", .needed = false, .least = kAnyCoordinate},
                          {.name = "m", .least = kAnyCoordinate},
                          {.name = "n", .least = kAnyCoordinate},
                          {.name = "k_begin", .needed = false},
                          {.name = "k_end", .needed = false}}};
  return form;
}

struct Row {
  int64_t line = 0;
  bool is_null = false;
  std::array<std::optional<int64_t>, kMaxFields> values;
};

std::string names_of(const Form& form, size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    names += format("{}{}", i == 0 ? "" : ",", form.fields[i].name);
  }
  return names;
}

// Collects rows from CSV or JSON and checks them.
class Rows {
 public:
  Rows(const Form& form, const std::string& name) : form_(form), name_(name) {}

  const Form& form() const { return form_; }
  const std::vector<Row>& all() const { return rows_; }
  /// Number of CTAs among the lists of rows, including those without a row.
  int64_t ctas = 0;

  [[noreturn]] void refuse(int64_t line, const std::string& why) const {
    throw usage_error(format("{}: line {}: {}", name_, line, why));
  }

  size_t field_of(int64_t line, std::string_view name) const {
    std::vector<std::string_view> names;
    for (const Column& field : form_.fields) {
      if (field.name == name) return names.size();
      names.push_back(field.name);
    }
    refuse(line, format("unknown column '{}'{}; the columns are {}", name,
                        did_you_mean(name, names), names_of(form_, names.size())));
  }

  // `value` is nothing if the cell's `text` is not an integer.
  void set(Row& row, size_t field, std::optional<int64_t> value, std::string_view text) const {
    const Column& f = form_.fields[field];
    if (!value || *value < f.least || *value > f.most) {
      refuse(row.line,
             format("{} '{}' is not a whole number from {} to {}", f.name, text, f.least, f.most));
    }
    if (row.values[field]) refuse(row.line, format("{} is given twice", f.name));
    row.values[field] = value;
  }

  void take(Row row) {
    throw_if_interrupted();
    for (size_t i = 0; i < form_.fields.size(); ++i) {
      if (row.is_null || !form_.fields[i].needed || row.values[i]) continue;
      refuse(row.line, format("{} is missing: a row is {}", form_.fields[i].name,
                              names_of(form_, form_.plain_columns)));
    }
    rows_.push_back(row);
  }

  void require_some() const {
    if (rows_.empty()) {
      throw usage_error(format("{} has no tile: write {}, one row in each line", name_,
                               names_of(form_, form_.plain_columns)));
    }
  }

 private:
  const Form& form_;
  const std::string& name_;
  std::vector<Row> rows_;
};

std::optional<int64_t> parse_whole(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Splits "1,2" or "1 2".
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  const bool commas = line.find(',') != std::string_view::npos;
  if (commas) {
    for (const std::string_view cell : split(line, ',')) cells.push_back(trim(cell));
    return cells;
  }
  while (!line.empty()) {
    const size_t blank = line.find_first_of(" \t");
    cells.push_back(line.substr(0, blank));
    line = blank == std::string_view::npos ? "" : trim(line.substr(blank));
  }
  return cells;
}

std::vector<size_t> columns_of(const Rows& rows, int64_t line,
                               const std::vector<std::string_view>& cells) {
  std::vector<size_t> columns;
  for (const std::string_view cell : cells) {
    columns.push_back(rows.field_of(line, cell));
    if (std::count(columns.begin(), columns.end(), columns.back()) > 1) {
      rows.refuse(line, format("column {} is given twice", cell));
    }
  }
  return columns;
}

void read_csv(std::string_view text, Rows& rows) {
  std::vector<size_t> columns;
  int64_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::vector<std::string_view> cells = cells_of(line);
    const bool named =
        columns.empty() && std::isalpha(static_cast<unsigned char>(line.front())) != 0;
    if (named) {
      columns = columns_of(rows, number, cells);
      continue;
    }
    if (columns.empty()) {
      for (size_t i = 0; i < rows.form().plain_columns; ++i) columns.push_back(i);
    }
    if (cells.size() != columns.size()) {
      rows.refuse(
          number,
          format("{} values instead of {}; a first line such as {} gives the columns", cells.size(),
                 columns.size(), names_of(rows.form(), rows.form().fields.size())));
    }
    Row row{.line = number, .values = {}};
    for (size_t i = 0; i < cells.size(); ++i) {
      rows.set(row, columns[i], parse_whole(cells[i]), cells[i]);
    }
    rows.take(row);
  }
}

// Reads the rows of a JSON document.
class JsonRows {
 public:
  explicit JsonRows(Rows& rows) : rows_(rows) {}

  void read(const Node& root) {
    const auto list = root.is_map() ? root.find(rows_.form().list) : root;
    if (!list) return;
    if (!list->is_list()) unexpected(*list);
    for (const Node& item : list->items()) read_item(item);
  }

 private:
  [[noreturn]] void unexpected(int line, const std::string& what) const {
    rows_.refuse(line, format("{} instead of a row of {}", what,
                              names_of(rows_.form(), rows_.form().plain_columns)));
  }

  [[noreturn]] void unexpected(const Node& node) const {
    unexpected(node.line(), node.is_map()    ? "an object"
                            : node.is_list() ? "a list"
                            : node.is_null() ? "null"
                            : node.is_text() ? format("\"{}\"", node.text())
                                             : node.word());
  }

  // A row, or all rows of a CTA.
  void read_item(const Node& item) {
    if (item.is_map()) return read_row(item, {});
    if (item.is_null() && rows_.form().has_nulls) {
      return rows_.take({.line = item.line(), .is_null = true, .values = {}});
    }
    if (!item.is_list()) unexpected(item);
    const std::vector<Node> values = item.items();
    if (!rows_.form().by_cta && values.empty()) unexpected(item.line(), "an empty list");
    if (!rows_.form().by_cta || (!values.empty() && !values.front().is_map())) {
      return read_values(item.line(), values);
    }
    for (const Node& row : values) {
      if (!row.is_map()) unexpected(row);
      read_row(row, rows_.ctas);
    }
    ++rows_.ctas;
  }

  void read_values(int line, const std::vector<Node>& values) {
    Row row{.line = line, .values = {}};
    for (size_t i = 0; i < values.size(); ++i) {
      if (i == rows_.form().plain_columns) unexpected(line, "one value too many");
      set(row, i, values[i]);
    }
    rows_.take(row);
  }

  void read_row(const Node& node, std::optional<int64_t> cta) {
    Row row{.line = node.line(), .values = {cta}};
    node.for_each([&](std::string_view key, const Node& value) {
      set(row, rows_.field_of(value.line(), key), value);
    });
    rows_.take(row);
  }

  void set(Row& row, size_t field, const Node& value) const {
    if (!value.is_number()) unexpected(value);
    rows_.set(row, field, parse_whole(value.word()), value.word());
  }

  Rows& rows_;
};

Rows read_rows(std::string_view text, const Form& form, const std::string& name) {
  Rows rows(form, name);
  const std::string_view content = trim(text);
  if (!content.empty() && (content.front() == '[' || content.front() == '{')) {
    JsonRows(rows).read(Node::parse_json(text, name));
  } else {
    read_csv(text, rows);
  }
  rows.require_some();
  return rows;
}

}  // namespace

GivenOrder parse_given_order(std::string_view text, const std::string& name) {
  const Rows rows = read_rows(text, order_form(), name);
  GivenOrder order{.name = name, .tiles = {}};
  std::vector<int64_t> lines;  // the line of each slot's row; 0: none
  for (const Row& row : rows.all()) {
    const auto slot = static_cast<size_t>(row.values[2].value_or(std::ssize(order.tiles)));
    if (slot >= order.tiles.size()) {
      order.tiles.resize(slot + 1, GivenOrder::kNoTile);
      lines.resize(slot + 1);
    }
    if (lines[slot] != 0) {
      rows.refuse(row.line, format("slot {} is given in line {} already", slot, lines[slot]));
    }
    lines[slot] = row.line;
    if (row.is_null) continue;
    order.tiles[slot] = {static_cast<int>(*row.values[0]), static_cast<int>(*row.values[1])};
  }
  return order;
}

ExternalSchedule parse_external_schedule(std::string_view text, const std::string& name) {
  const Rows rows = read_rows(text, work_form(), name);
  ExternalSchedule work{.name = name, .of_cta = {}};
  work.of_cta.resize(static_cast<size_t>(rows.ctas));
  for (const Row& row : rows.all()) {
    const auto& v = row.values;
    const auto cta = static_cast<size_t>(*v[0]);
    if (cta >= work.of_cta.size()) work.of_cta.resize(cta + 1);
    const auto field = [&v](size_t i, int32_t otherwise) {
      return static_cast<int32_t>(v[i].value_or(otherwise));
    };
    work.of_cta[cta].push_back({field(1, 0), field(2, 0), field(3, 0), field(4, 0),
                                field(5, ExternalSchedule::kToTheEnd)});
  }
  return work;
}

}  // namespace tilewright
