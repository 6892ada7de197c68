#include "layout/text/linear_printout.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

int64_t number_of(std::string_view text, std::string_view line) {
  const std::optional<int64_t> number = parse_count(trim(text));
  if (!number) throw usage_error(format("linear layout: '{}' is not a number in '{}'", text, line));
  return *number;
}

LinearInput& input_named(LinearLayout& linear, std::string_view name) {
  const auto found = std::find_if(linear.inputs.begin(), linear.inputs.end(),
                                  [&](const LinearInput& one) { return one.name == name; });
  if (found != linear.inputs.end()) return *found;
  return linear.inputs.emplace_back(LinearInput{std::string(name), {}});
}

// "register=2 -> (8, 0)"
void read_basis(std::string_view line, LinearLayout& into) {
  const size_t equals = line.find('=');
  const size_t arrow = line.find("->");
  const size_t open = line.find('(');
  const size_t close = line.find(')');
  if (equals > arrow || open == std::string_view::npos || close < open) {
    throw usage_error(format("linear layout: '{}' is not NAME=POWER -> (a, b)", line));
  }
  LinearInput& input = input_named(into, trim(line.substr(0, equals)));
  const int64_t expected = int64_t{1} << std::min<size_t>(input.bases.size(), 62);
  if (number_of(line.substr(equals + 1, arrow - equals - 1), line) != expected) {
    throw usage_error(
        format("linear layout: expected {}={} before '{}'", input.name, expected, line));
  }
  std::vector<int64_t> basis;
  for (const std::string_view one : split(line.substr(open + 1, close - open - 1), ',')) {
    basis.push_back(number_of(one, line));
  }
  input.bases.push_back(std::move(basis));
}

// "where out dims are: [dim0 (size 16), dim1 (size 8)]"
void read_outputs(std::string_view line, LinearLayout& into) {
  constexpr std::string_view kSize = "(size ";
  const size_t open = line.find('[');
  if (open == std::string_view::npos) return;
  for (const std::string_view one : split(line.substr(open + 1), ',')) {
    const size_t size = one.find(kSize);
    const size_t close = one.find(')');
    if (size == std::string_view::npos || close == std::string_view::npos) continue;
    const size_t digits = size + kSize.size();
    const int64_t extent = number_of(one.substr(digits, close - digits), line);
    into.outputs.push_back({std::string(trim(one.substr(0, size))), extent});
  }
}

void complete(LinearLayout& linear) {
  std::vector<uint64_t> reached(linear.outputs.size());
  for (const LinearInput& input : linear.inputs) {
    for (const std::vector<int64_t>& basis : input.bases) {
      if (reached.empty()) reached.resize(basis.size());
      if (basis.size() != reached.size()) {
        throw usage_error("linear layout: the bases have different ranks");
      }
      for (size_t i = 0; i < basis.size(); ++i) reached[i] |= static_cast<uint64_t>(basis[i]);
    }
  }
  const bool named = !linear.outputs.empty();
  for (size_t i = 0; i < reached.size(); ++i) {
    const auto needed = static_cast<int64_t>(std::bit_ceil(reached[i] + 1));
    if (!named) linear.outputs.push_back({format("dim{}", i), needed});
    const int64_t size = linear.outputs[i].size;
    if (size < needed || !std::has_single_bit(static_cast<uint64_t>(size))) {
      throw usage_error(format("linear layout: {} of size {} does not contain its bases",
                               linear.outputs[i].name, size));
    }
  }
}

}  // namespace

bool is_linear_printout(std::string_view text) {
  return text.find("=1 -> (") != std::string_view::npos;
}

LinearLayout parse_linear_printout(std::string_view text) {
  LinearLayout linear;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    while (!line.empty() && (line.front() == '/' || line.front() == '-' || line.front() == ' ')) {
      line.remove_prefix(1);
    }
    if (line.find("->") != std::string_view::npos) {
      read_basis(line, linear);
    } else if (line.find(" is a size 1 dimension") != std::string_view::npos) {
      input_named(linear, trim(line.substr(0, line.find(" is a "))));
    } else if (line.find("out dims are") != std::string_view::npos) {
      read_outputs(line, linear);
    }
  }
  complete(linear);
  return linear;
}

}  // namespace tilewright
