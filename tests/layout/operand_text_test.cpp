// CuTe DSL's layouts of wgmma operands, compared with what it printed and with C++'s atoms.
#include "layout/text/operand_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "layout/algebra/layout_comparison.hpp"
#include "support/error_message.hpp"
#include "support/evaluation.hpp"

using namespace tilewright;
using testing::contains;
using testing::evaluation_error;
using testing::layout_read;

TEST_CASE("calls of CuTe DSL mean what it prints for them") {
  const std::string file = read_file(TILEWRIGHT_SOURCE_DIR "/tests/data/cutlass_dsl_layouts.tsv");
  size_t count = 0;
  for (const std::string_view line : split(file, '\n')) {
    const std::vector<std::string_view> cells = split(line, '\t');
    if (cells.size() != 3 || cells[0] == "layout") continue;
    CAPTURE(line);
    Derivation why;
    const ComposedLayout read = as_layout(read_layout(cells[2], &why), "a call");
    const LayoutComparison comparison = compare(read, layout_read(cells[0]));
    CHECK(comparison.equal);
    CHECK(comparison.reason == "");
    bool begins = cells[1].empty() || cells[1] == "(0,0)";
    for (const LayoutLint& lint : why.lints()) {
      begins = begins || contains(lint.message, format("begins at offset {} of", cells[1]));
    }
    CHECK(begins);
    ++count;
  }
  CHECK(count >= 270);
}

TEST_CASE("the atoms of CuTe DSL are those of CuTe C++, in elements") {
  for (const char* const kind :
       {"K_SW128", "K_SW64", "K_SW32", "K_INTER", "MN_SW128", "MN_INTER"}) {
    CAPTURE(kind);
    const ComposedLayout cpp = layout_read(format("GMMA::Layout_{}_Atom<half_t>{{}}", kind));
    CHECK(layout_read("make_smem_layout_atom(" + std::string(kind) + ", Float16)") == cpp);
    CHECK(layout_read("warpgroup.make_smem_layout_atom(warpgroup.SmemLayoutAtomKind." +
                      std::string(kind) + ", element_type=cutlass.BFloat16)") == cpp);
  }
  Derivation why;
  evaluate_layout("make_smem_layout_atom(K_SW128, Float32)", &why);
  REQUIRE(why.lints().size() == 1);
  CHECK(contains(why.lints()[0].message,
                 "prints Sw<3,4,3>, which works on bytes; on elements of "
                 "32 bits it is Sw<3,2,3>"));
}

TEST_CASE("an argument that is not read is refused by its name, with what is read") {
  struct Case {
    const char* text;
    const char* words;
  };
  for (const Case& one :
       {Case{"make_smem_layout_atom(K_SW96, Float16)",
             "'K_SW96' is not a kind of atom: K_INTER, K_SW32, K_SW64 and K_SW128 are"},
        Case{"make_smem_layout_atom(K_SW128)",
             "make_smem_layout_atom: the argument 'element_type' is missing"},
        Case{"make_smem_layout_atom(K_SW128, a_dtype)", "unknown element type 'a_dtype'"},
        Case{"make_smem_layout_a(utils.LayoutEnum.from_tensor(a), (128,128,64), Float16, 4)",
             "expected ROW_MAJOR or COL_MAJOR, found 'from_tensor'"},
        Case{"make_smem_layout_a(ROW_MAJOR, (128,64), Float16, 4)",
             "mma_tiler_mnk is (128,64), not 3 extents"},
        Case{"make_smem_layout_b(ROW_MAJOR, (128,128,4), Float16, 4)", "a multiple of 16 bytes"},
        Case{"make_smem_layout_epi(Float16, ROW_MAJOR, (64,32), 4, stages=2)",
             "make_smem_layout_epi has no argument of this name, only epi_dtype"},
        Case{"make_smem_layout_a(ROW_MAJOR, (128,128,64), Float16, 4, 5)", "takes 4 arguments"},
        Case{"make_smem_layout_a(ROW_MAJOR, (128,128,64), Float16, num_stages=4, num_stages=4)",
             "'num_stages' a second time"},
        Case{"sm100_utils.make_smem_layout_a(mma, (128,128,64), Float16, 4)",
             "operands of Blackwell, which are not read: sm90_utils.make_smem_layout_a("}}) {
    CAPTURE(one.text);
    CHECK(contains(evaluation_error(one.text), one.words));
  }
}
