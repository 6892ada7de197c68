// Records how an operation computed its result: its steps, and warnings for the reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright {

/// A warning about a layout or an operation; `code` is stable, `message` is for people.
struct LayoutLint {
  std::string code;
  std::string message;
  bool operator==(const LayoutLint&) const = default;
};

/// The elements that a layout of threads and values covers: row + column * rows.
struct CoveredTile {
  int64_t rows = 0;
  int64_t columns = 0;
};

/// Collects steps, indented by nested operations, and warnings. Operations take a pointer to it;
/// null collects nothing.
class Derivation {
 public:
  void add_step(const std::string& line) { lines_.push_back(std::string(2 * level_, ' ') + line); }
  void warn(std::string code, std::string message) {
    LayoutLint lint{std::move(code), std::move(message)};
    for (const LayoutLint& known : lints_) {
      if (known == lint) return;
    }
    lints_.push_back(std::move(lint));
  }
  void set_tile(CoveredTile tile) { tile_ = tile; }
  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<LayoutLint>& lints() const { return lints_; }
  /// The tile that the last call with one named.
  const std::optional<CoveredTile>& tile() const { return tile_; }

 private:
  friend class DerivationLevel;
  size_t level_ = 0;
  std::vector<std::string> lines_;
  std::vector<LayoutLint> lints_;
  std::optional<CoveredTile> tile_;
};

/// Indents the lines that are added during its lifetime by one level.
class DerivationLevel {
 public:
  explicit DerivationLevel(Derivation* why) : why_(why) {
    if (why_ != nullptr) ++why_->level_;
  }
  ~DerivationLevel() {
    if (why_ != nullptr) --why_->level_;
  }
  DerivationLevel(const DerivationLevel&) = delete;
  DerivationLevel& operator=(const DerivationLevel&) = delete;

 private:
  Derivation* why_;
};

}  // namespace tilewright
