// Records how an operation computed its result: its steps, and warnings for the reader.
#pragma once

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
  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<LayoutLint>& lints() const { return lints_; }

 private:
  friend class DerivationLevel;
  size_t level_ = 0;
  std::vector<std::string> lines_;
  std::vector<LayoutLint> lints_;
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
