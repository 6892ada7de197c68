#include "store/manifest_names.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/node.hpp"

namespace tilewright {
namespace {

// True where an expression of this text alone is a name.
bool is_expression_name(const std::string& text) {
  try {
    return names_in(parse_expression(text)) == std::vector<std::string>{text};
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

ManifestNames::ManifestNames(std::string file)
    : file_(std::move(file)), names_({"m", "n", "k", "lda", "ldb", "ldc", "ldd"}) {}

std::string ManifestNames::place_of(const Node& node) const {
  return format("{}:{}", file_, node.line());
}

void ManifestNames::add(const std::string& name, const Node& node) {
  if (!is_expression_name(name)) {
    throw node.fail(format("'{}' is no name for an expression", name));
  }
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
    throw node.fail(format("'{}' has a value already", name));
  }
  names_.push_back(name);
}

ManifestNumber ManifestNames::number(const Node& node) const {
  ManifestNumber number{
      .value = node.parsed_by([](const std::string& text) { return parse_expression(text); }),
      .place = place_of(node)};
  const std::vector<std::string_view> known(names_.begin(), names_.end());
  for (const std::string& name : names_in(number.value)) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw node.fail(format("'{}' is not a size, an axis or a definition{}; the known ones are {}",
                           name, did_you_mean(name, known), join_words(known, "and")));
  }
  return number;
}

std::vector<ManifestNumber> ManifestNames::numbers(const Node& list) const {
  std::vector<ManifestNumber> numbers;
  for (const Node& item : list.items()) numbers.push_back(number(item));
  return numbers;
}

std::optional<ManifestNumber> ManifestNames::find(const Node& node, const std::string& key) const {
  const auto found = node.find(key);
  return found ? std::optional(number(*found)) : std::nullopt;
}

std::vector<ManifestNumber> ManifestNames::list(const Node& node, const std::string& key) const {
  const auto found = node.find(key);
  return found ? numbers(*found) : std::vector<ManifestNumber>();
}

ManifestExtents ManifestNames::extents(const Node& node) const {
  ManifestExtents extents;
  for (ManifestNumber& extent : extents) {
    extent = {.value = parse_expression("1"), .place = place_of(node)};
  }
  if (!node.is_list()) {
    extents[0] = number(node);
    return extents;
  }
  const std::vector<ManifestNumber> written = numbers(node);
  if (written.empty() || written.size() > extents.size()) {
    throw node.fail(format("has {} extents, not 1 to {}", written.size(), extents.size()));
  }
  std::copy(written.begin(), written.end(), extents.begin());
  return extents;
}

size_t index_of_word(const Node& node, std::span<const std::string_view> words) {
  const std::string word = node.text();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  throw node.fail(format("'{}'{}; the known ones are {}", word, did_you_mean(word, words),
                         join_words(words, "and")));
}

}  // namespace tilewright
