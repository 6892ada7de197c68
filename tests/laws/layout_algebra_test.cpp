// The laws of the algebra over random layouts, against the oracle's arithmetic: 100,000 cases.

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/inverse.hpp"
#include "layout/algebra/recast.hpp"
#include "layout/algebra/tiling.hpp"
#include "support/layout_oracle.hpp"

using namespace tilewright;

namespace {

using Offsets = std::vector<int64_t>;

Offsets offsets_of(const Layout& layout) {
  return oracle_offsets({{}, 0, layout});
}

bool warns_of(const Derivation& why, std::string_view code) {
  return std::any_of(why.lints().begin(), why.lints().end(),
                     [&](const LayoutLint& lint) { return lint.code == code; });
}

// True where all preconditions of CuTe hold.
bool is_clean(const Derivation& why) {
  return !warns_of(why, "composition-differs") && !warns_of(why, "complement-gap") &&
         !warns_of(why, "out-of-domain");
}

// Runs f on `cases` random inputs; those it rejects with a usage error do not count, and at least
// `least_percent` must count.
template <class F>
void sweep(uint64_t seed, int cases, int least_percent, const F& f) {
  LayoutMaker make(seed);
  int tried = 0;
  int done = 0;
  while (done < cases && tried < cases * 100 / least_percent + 1000) {
    ++tried;
    try {
      f(make);
      ++done;
    } catch (const Error& error) {
      REQUIRE(error.code() == ExitCode::Usage);
    }
  }
  CHECK(done == cases);
}

Tiler random_tiler(LayoutMaker& make, const Layout& layout) {
  Tiler tiler;
  if (make.below(2) == 0 || !layout.shape.is_tuple()) {
    tiler.layout = make.below(2) == 0 ? Layout{1 + make.below(8), 1} : make.layout(16, 1);
    return tiler;
  }
  for (size_t i = 0; i < rank(layout); ++i) {
    Tiler one;
    one.layout = Layout{int64_t{1} << make.below(4), 1};
    tiler.modes.push_back(one);
  }
  return tiler;
}

}  // namespace

TEST_CASE("coalesce keeps the function and merges all it can") {
  sweep(1, 20000, 100, [](LayoutMaker& make) {
    const Layout layout = make.layout();
    const Layout merged = coalesce(layout);
    REQUIRE_MESSAGE(offsets_of(merged) == offsets_of(layout), to_string(layout));
    REQUIRE(depth(merged) <= 1);
    REQUIRE(coalesce(merged) == merged);
    if (layout.shape.is_tuple()) {
      const Layout by_mode = coalesce(layout, IntTuple(std::vector<IntTuple>(rank(layout), 1)));
      REQUIRE(offsets_of(by_mode) == offsets_of(layout));
      REQUIRE(rank(by_mode) == rank(layout));
    }
  });
}

TEST_CASE("composition applies one layout after the other") {
  int agreed = 0;
  sweep(2, 20000, 30, [&](LayoutMaker& make) {
    const Layout a = make.layout();
    const Layout b = make.layout(64, 1);
    Derivation why;
    const Layout result = composition(a, b, &why);
    const std::vector<OracleMode> a_modes = oracle_modes(a);
    Offsets expected;
    for (const int64_t index : offsets_of(b)) {
      if (index < 0) throw usage_error("indices of A are not negative");
      expected.push_back(oracle_offset(a_modes, index));
    }
    // CuTe accepts some B with another function as the result; the warning covers exactly those.
    const bool same = offsets_of(result) == expected;
    REQUIRE_MESSAGE(same != warns_of(why, "composition-differs"),
                    to_string(a) << " o " << to_string(b) << " = " << to_string(result));
    agreed += same ? 1 : 0;
    REQUIRE(size(result) == size(b));
    if (b.shape.is_tuple()) REQUIRE(product_each(result.shape) == product_each(b.shape));
  });
  CHECK(agreed > 15000);
}

TEST_CASE("a layout and its complement reach different offsets, in order, up to the target") {
  sweep(3, 10000, 30, [](LayoutMaker& make) {
    const Layout layout = make.layout(64);
    const int64_t target = 1 + make.below(256);
    Derivation why;
    const Layout rest = complement(layout, target, &why);
    const Offsets gaps = offsets_of(rest);
    REQUIRE(std::is_sorted(gaps.begin(), gaps.end()));
    std::set<int64_t> mine;
    for (const int64_t offset : offsets_of(layout)) mine.insert(offset);
    for (size_t i = 1; i < gaps.size(); ++i) REQUIRE(mine.count(gaps[i]) == 0);
    if (warns_of(why, "complement-gap")) return;
    REQUIRE_MESSAGE(size(rest) * size(filter(layout)) >= target,
                    to_string(layout) << ", " << target << ": " << to_string(rest));
  });
}

TEST_CASE("an inverse undoes its layout") {
  sweep(4, 10000, 50, [](LayoutMaker& make) {
    const ComposedLayout c = make.composed();
    if (c.offset != 0) throw usage_error("an offset has no inverse of this form");
    const ComposedLayout inverse = right_inverse(c);
    const std::vector<OracleMode> modes = oracle_modes(c.layout);
    Offsets indices = oracle_offsets(inverse);
    for (size_t i = 0; i < indices.size(); ++i) {
      const int64_t plain = oracle_offset(modes, indices[i]);
      const Swizzle s = c.swizzle.value_or(Swizzle{});
      const int64_t offset = oracle_swizzle(s.bits, s.base, s.shift, plain);
      REQUIRE_MESSAGE(offset == static_cast<int64_t>(i),
                      to_string(c) << " after " << to_string(inverse) << " at " << i);
    }
  });
  sweep(5, 10000, 20, [](LayoutMaker& make) {
    const Layout layout = make.layout();
    const Layout inverse = left_inverse(layout);
    const Offsets offsets = offsets_of(layout);
    if (std::set<int64_t>(offsets.begin(), offsets.end()).size() != offsets.size()) return;
    const std::vector<OracleMode> modes = oracle_modes(inverse);
    for (size_t i = 0; i < offsets.size(); ++i) {
      REQUIRE_MESSAGE(oracle_offset(modes, offsets[i]) == static_cast<int64_t>(i),
                      to_string(layout) << ": " << to_string(inverse));
    }
  });
}

TEST_CASE("divides regroup: the tile first, every element once where sizes divide") {
  sweep(6, 10000, 20, [](LayoutMaker& make) {
    const Layout layout = make.layout(256);
    const Tiler tiler = random_tiler(make, layout);
    Derivation why;
    const Layout divided = zipped_divide(layout, tiler, &why);
    if (!is_clean(why)) throw usage_error("a tile over the edge");
    const Offsets tile = offsets_of(mode(divided, 0));
    REQUIRE(tile == offsets_of(composition(layout, tiler)));
    if (size(divided) == size(layout)) {
      Offsets before = offsets_of(layout);
      Offsets after = offsets_of(divided);
      std::sort(before.begin(), before.end());
      std::sort(after.begin(), after.end());
      REQUIRE_MESSAGE(before == after, to_string(layout) << " by " << to_string(tiler));
    }
    const Offsets all = offsets_of(divided);
    REQUIRE(offsets_of(tiled_divide(layout, tiler)) == all);
    REQUIRE(offsets_of(flat_divide(layout, tiler)) == all);
  });
}

TEST_CASE("products repeat the block without overlap") {
  sweep(7, 10000, 30, [](LayoutMaker& make) {
    const Layout block = make.layout(32, 1);
    const Layout tiles = make.layout(16, 1);
    Tiler tiler;
    tiler.layout = tiles;
    Derivation why;
    const Layout product = logical_product(block, tiler, &why);
    REQUIRE(mode(product, 0) == block);
    const Layout blocked = blocked_product(block, tiles);
    REQUIRE(size(blocked) == size(product));
    Offsets a = offsets_of(blocked);
    Offsets b = offsets_of(raked_product(block, tiles));
    Offsets c = offsets_of(product);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::sort(c.begin(), c.end());
    REQUIRE(a == c);
    REQUIRE_MESSAGE(b == c, to_string(block) << " by " << to_string(tiles));
    const Offsets own = offsets_of(block);
    const Offsets starts = offsets_of(mode(product, 1));
    const std::set<int64_t> distinct_own(own.begin(), own.end());
    const std::set<int64_t> distinct_starts(starts.begin(), starts.end());
    const std::set<int64_t> reached(c.begin(), c.end());
    if (is_clean(why)) REQUIRE(reached.size() == distinct_own.size() * distinct_starts.size());
  });
}

TEST_CASE("recasts keep the bytes") {
  sweep(8, 10000, 20, [](LayoutMaker& make) {
    const ComposedLayout old = make.composed(256);
    const int64_t factor = int64_t{2} << make.below(2);
    Derivation why;
    const ComposedLayout larger = recast(old, 8, 8 * factor, &why);
    if (!why.lints().empty()) throw usage_error("rounded up");
    const Offsets offsets = oracle_offsets(old);
    for (const Layout& one : flat_modes(old.layout)) {
      if (one.stride.value() < 0) throw usage_error("elements run backwards");
    }
    if (std::set<int64_t>(offsets.begin(), offsets.end()).size() != offsets.size()) {
      throw usage_error("elements overlap");
    }
    // The swizzle must move whole elements of the new type.
    if (old.swizzle && (int64_t{1} << old.swizzle->base) < factor) return;
    std::set<int64_t> before;
    std::set<int64_t> after;
    for (const int64_t offset : offsets) before.insert(offset / factor);
    for (const int64_t offset : oracle_offsets(larger)) after.insert(offset);
    REQUIRE_MESSAGE(before == after, to_string(old) << " by " << factor);
  });
}
