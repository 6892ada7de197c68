#include "page/sweep_section.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "draw/sweep_diagram.hpp"

namespace tilewright {
namespace {

std::string extremes_of(const Sweep& sweep, const SweptNumber& number) {
  const size_t least = *argmin(number);
  const size_t most = *argmax(number);
  const auto value_text = [&number](size_t place) {
    return quantity_text(number.name, *number.values[place]);
  };
  if (*number.values[least] == *number.values[most]) {
    return format("{} is {} everywhere.", number.name, value_text(least));
  }
  return format("{} is smallest, {}, at {} {} and largest, {}, at {}.", number.name,
                value_text(least), sweep.parameter, sweep.at[least], value_text(most),
                sweep.at[most]);
}

}  // namespace

PageSection sweep_section(const Sweep& sweep, const std::string& source) {
  PageSection section;
  section.title = source;
  section.verdict = extremes_of(sweep, sweep.numbers.front());
  section.notes.push_back(sweep.subject);
  for (size_t i = 1; i < sweep.numbers.size(); ++i) {
    section.notes.push_back(extremes_of(sweep, sweep.numbers[i]));
  }
  const bool has_gap = std::any_of(sweep.why_not.begin(), sweep.why_not.end(),
                                   [](const std::string& reason) { return !reason.empty(); });
  section.figures.push_back(
      {has_gap ? "Crosses: values without a number." : "", sweep_diagram(sweep)});
  section.columns.push_back({.title = sweep.parameter, .is_number = true});
  for (const SweptNumber& number : sweep.numbers) {
    section.columns.push_back({.title = number.name, .is_number = true});
  }
  if (has_gap) section.columns.push_back({.title = "why not", .is_minor = true});
  for (size_t i = 0; i < sweep.at.size(); ++i) {
    PageRow row;
    row.cells.push_back({format("{}", sweep.at[i]), static_cast<double>(sweep.at[i])});
    for (const SweptNumber& number : sweep.numbers) {
      const std::optional<double>& value = number.values[i];
      row.cells.push_back({value ? quantity_text(number.name, *value) : "", value});
    }
    if (has_gap) row.cells.push_back({sweep.why_not[i]});
    section.rows.push_back(std::move(row));
  }
  return section;
}

}  // namespace tilewright
