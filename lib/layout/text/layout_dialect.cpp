#include "layout/text/layout_dialect.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/text/triton_dialect.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::pair<std::string_view, LayoutDialect>, 5> kDialects = {{
    {"cute-cpp", LayoutDialect::CuteCpp},
    {"cute-dsl", LayoutDialect::CuteDsl},
    {"pycute", LayoutDialect::Pycute},
    {"cutegen", LayoutDialect::Cutegen},
    {"triton", LayoutDialect::Triton},
}};

// Static integers of CuTe C++ carry an underscore.
std::string cpp_text(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return format("_{}", to_string(tuple));
  std::vector<std::string> parts;
  for (const IntTuple& item : tuple.items()) parts.push_back(cpp_text(item));
  return format("({})", join(parts, ","));
}

std::string python_text(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return to_string(tuple);
  std::vector<std::string> parts;
  for (const IntTuple& item : tuple.items()) parts.push_back(python_text(item));
  return parts.size() == 1 ? format("({},)", parts[0]) : format("({})", join(parts, ", "));
}

std::string cpp_layout(const ComposedLayout& c) {
  std::string plain = cpp_text(c.layout.shape) + ":" + cpp_text(c.layout.stride);
  if (!c.swizzle) return plain;
  return format("{} o _{} o {}", to_string(*c.swizzle), c.offset, plain);
}

std::string pycute_layout(const ComposedLayout& c) {
  if (has_basis(c.layout)) {
    throw usage_error(format("pycute has no basis strides, so it cannot express {}", to_string(c)));
  }
  std::string plain = python_text(c.layout.shape) + ":" + python_text(c.layout.stride);
  if (!c.swizzle) return plain;
  const Swizzle& s = *c.swizzle;
  return format("SW_{}_{}_{} o {} o {}", s.bits, s.base, s.shift, c.offset, plain);
}

std::string s_layout(const ComposedLayout& c) {
  if (!c.swizzle) return to_string(c.layout);
  const Swizzle& s = *c.swizzle;
  return format("S<{},{},{}> o {} o {}", s.bits, s.base, s.shift, c.offset, to_string(c.layout));
}

bool has_unit_mode(const Layout& layout, bool zero_stride) {
  const std::vector<Layout> flat = flat_modes(layout);
  return std::any_of(flat.begin(), flat.end(), [&](const Layout& one) {
    return one.shape == IntTuple(1) && (one.stride == IntTuple(0)) == zero_stride;
  });
}

bool has_negative_stride(const Layout& layout) {
  const std::vector<Layout> flat = flat_modes(layout);
  return std::any_of(flat.begin(), flat.end(),
                     [](const Layout& one) { return one.stride.value() < 0; });
}

void pycute_lints(const ComposedLayout& c, std::vector<LayoutLint>& lints) {
  if (c.swizzle) {
    lints.push_back({"pycute-cosize",
                     "pycute's cosize of a swizzled layout is the swizzle's size, "
                     "not the layout's"});
    if (c.swizzle->bits == 0) {
      lints.push_back(
          {"pycute-empty-swizzle", "pycute's Swizzle(0,M,0) never returns when called"});
    }
  }
  if (has_negative_stride(c.layout)) {
    lints.push_back({"pycute-cosize",
                     "pycute's cosize does not take |stride|: it is too small for "
                     "negative strides"});
  }
}

void cutegen_lints(const ComposedLayout& c, std::vector<LayoutLint>& lints) {
  if (c.swizzle) {
    const Swizzle& s = *c.swizzle;
    if (s.bits + s.base + std::abs(s.shift) > 32) {
      lints.push_back({"cutegen-swizzle",
                       format("cutegen takes swizzles of 32 bits only, and {} has B + M + |S| = {}",
                              to_string(s), s.bits + s.base + std::abs(s.shift))});
    }
  }
  if (has_unit_mode(c.layout, true)) {
    lints.push_back({"cutegen-unit-stride",
                     "modes of size 1 have stride 0 here and in CuTe C++, and usually another "
                     "stride in cutegen: compare without them"});
  }
}

}  // namespace

std::vector<std::string_view> layout_dialect_names() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kDialects));
  for (const auto& [name, dialect] : kDialects) names.push_back(name);
  return names;
}

LayoutDialect parse_layout_dialect(std::string_view name) {
  for (const auto& [known, dialect] : kDialects) {
    if (known == name) return dialect;
  }
  const std::vector<std::string_view> names = layout_dialect_names();
  throw usage_error(format("unknown dialect '{}'{}; the dialects are {}", name,
                           did_you_mean(name, names),
                           join(std::vector<std::string>(names.begin(), names.end()), ", ")));
}

std::string print_layout(const ComposedLayout& c, LayoutDialect dialect) {
  switch (dialect) {
    case LayoutDialect::Canonical: return to_string(c);
    case LayoutDialect::CuteCpp: return cpp_layout(c);
    case LayoutDialect::CuteDsl:
    case LayoutDialect::Cutegen: return s_layout(c);
    case LayoutDialect::Pycute: return pycute_layout(c);
    case LayoutDialect::Triton: return triton_text(c);
  }
  throw internal_error("a dialect without a spelling");
}

std::vector<LayoutLint> dialect_lints(const ComposedLayout& c, LayoutDialect dialect) {
  std::vector<LayoutLint> lints;
  if (dialect == LayoutDialect::Pycute) pycute_lints(c, lints);
  if (dialect == LayoutDialect::Cutegen) cutegen_lints(c, lints);
  if (dialect == LayoutDialect::CuteCpp && has_unit_mode(c.layout, false)) {
    lints.push_back({"cute-cpp-unit-stride",
                     "CuTe C++ gives stride 0 to static modes of size 1 in every layout that it "
                     "makes: compare without them"});
  }
  return lints;
}

}  // namespace tilewright
