#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "layout/algebra/layout_evaluator.hpp"
#include "layout/smem/wgmma_layout.hpp"
#include "layout/text/layout_expression.hpp"

namespace tilewright {
namespace {

std::set<int64_t> image(const Atom& atom) {
  const LayoutEvaluator evaluate(parse_layout(atom.threads));
  std::set<int64_t> values;
  for (int64_t i = 0; i < evaluate.size(); ++i) values.insert(evaluate(i));
  return values;
}

TEST_CASE("every operand of mma and wgmma is held exactly once, by 32 or 128 threads") {
  for (const Atom& atom : instruction_atoms()) {
    if (atom.rows == 0) continue;
    CAPTURE(atom.instruction);
    CAPTURE(atom.operand);
    const Layout threads = parse_layout(atom.threads).layout;
    const bool warpgroup = atom.instruction.substr(0, 5) == "wgmma";
    CHECK(size(mode(threads, 0)) == (warpgroup ? 128 : 32));
    const std::set<int64_t> elements = image(atom);
    CHECK(size(threads) == atom.rows * atom.cols);
    CHECK(static_cast<int64_t>(elements.size()) == atom.rows * atom.cols);
    CHECK(*elements.begin() == 0);
    CHECK(*elements.rbegin() == atom.rows * atom.cols - 1);
  }
}

TEST_CASE("ldmatrix and stmatrix have equally many bits on both sides") {
  for (const char* const name : {"ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "ldmatrix.x4.trans",
                                 "stmatrix.x4", "stmatrix.x4.trans"}) {
    CAPTURE(name);
    CHECK(image(find_atom(name, "src")) == image(find_atom(name, "dst")));
  }
}

// PTX, mma.m16n8k16: thread t holds C[t/4][2 (t%4)] first, and A[t/4 + 8][...] as values 2 and 3.
TEST_CASE("golden positions in mma.m16n8k16") {
  const Layout c = parse_layout(find_atom("mma.m16n8k16", "C").threads).layout;
  CHECK(offset_at(c, 5) == 1 + 2 * 16);           // row 1, column 2
  CHECK(offset_at(c, 5 + 32) == 1 + 3 * 16);      // row 1, column 3
  CHECK(offset_at(c, 5 + 2 * 32) == 9 + 2 * 16);  // row 9, column 2
  CHECK_THROWS_AS(find_atom("mma.m16n8k32", "A"), Error);
}

}  // namespace
}  // namespace tilewright
