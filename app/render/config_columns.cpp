#include "render/config_columns.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "tile/config/config_keys.hpp"

namespace tilewright {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

Values values_of(const std::string& config) {
  Values values;
  if (config.empty()) return values;
  for (const std::string& assignment : split_assignments(config)) {
    const size_t equals = assignment.find('=');
    values.emplace(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return values;
}

// How early a column is dropped in a narrow window: the keys that matter least in a ranking first.
int drop_of(std::string_view key) {
  constexpr std::pair<std::string_view, int> kDrops[] = {
      {"cta", 1},           {"raster", 1}, {"schedule", 2},     {"warps", 2},
      {"k_warps", 3},       {"family", 4}, {"cluster", 5},      {"group_schedule", 5},
      {"decomposition", 6}, {"stages", 7}, {"problem_order", 8}};
  for (const auto& [name, drop] : kDrops) {
    if (name == key) return drop;
  }
  return 10;
}

// A missing key has its default value if the config's family has the key.
std::string value_of(const Values& values, const ConfigKeyFacts& key) {
  if (const auto at = values.find(key.name); at != values.end()) return at->second;
  const auto family = values.find("family");
  const bool has_key = family != values.end() &&
                       std::any_of(key.families.begin(), key.families.end(), [&family](Family of) {
                         return to_string(of) == family->second;
                       });
  return has_key ? key.default_value : "";
}

}  // namespace

ConfigColumns config_columns(std::span<const std::string> configs) {
  std::vector<Values> all;
  all.reserve(configs.size());
  for (const std::string& config : configs) all.push_back(values_of(config));
  ConfigColumns columns{.alike = {}, .columns = {}, .cells = {}};
  columns.cells.resize(configs.size());
  std::vector<std::string> alike;
  for (const ConfigKeyFacts& key : config_key_facts()) {
    const Values* first = nullptr;
    bool differs = false;
    bool is_named = false;
    bool is_number = true;
    for (size_t i = 0; i < all.size(); ++i) {
      columns.cells[i].push_back(value_of(all[i], key));
      if (all[i].empty()) continue;
      if (first == nullptr) first = &all[i];
      differs = differs || columns.cells[i].back() != value_of(*first, key);
      const std::string& cell = columns.cells[i].back();
      is_number = is_number && (cell.empty() || parse_count(cell));
      is_named = is_named || all[i].find(key.name) != all[i].end();
    }
    const std::string name(key.name);
    columns.columns.push_back({.title = name,
                               .right = is_number,
                               .drop = drop_of(key.name),
                               .of = differs ? ColumnOf::Both : ColumnOf::Csv,
                               .csv_title = {}});
    if (!differs && is_named) alike.push_back(format("{}={}", name, value_of(*first, key)));
  }
  columns.alike = join(alike, ", ");
  return columns;
}

TextPart alike_keys(const ConfigColumns& configs, const std::string& words) {
  if (configs.alike.empty()) return std::string();
  return Sentence{.text = format("{} {}", words, configs.alike), .most = kTextWidth};
}

void append(std::vector<Column>& columns, const ConfigColumns& configs) {
  columns.insert(columns.end(), configs.columns.begin(), configs.columns.end());
}

void append(std::vector<std::string>& cells, const ConfigColumns& configs, size_t row) {
  cells.insert(cells.end(), configs.cells[row].begin(), configs.cells[row].end());
}

}  // namespace tilewright
