#include "layout/text/instruction_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/recast.hpp"
#include "layout/text/call_arguments.hpp"
#include "layout/text/element_types.hpp"

namespace tilewright {
namespace {

// Skips what is left of a bracket, such as "<GMMA::Major::K, GMMA::Major::MN>" behind the "<".
void skip_rest(LayoutLexer& lexer, char open, char close) {
  for (int depth = 1; depth > 0;) {
    if (lexer.peek().kind == TokenKind::End) throw lexer.fail(format("expected '{}'", close));
    if (lexer.at(open)) ++depth;
    if (lexer.at(close)) --depth;
    lexer.take();
  }
}

void skip_template(LayoutLexer& lexer) {
  if (lexer.accept('<')) skip_rest(lexer, '<', '>');
}

// A matrix instruction of CuTe DSL by its arguments: `types` element types, the last one of the
// accumulator; then the shape, unless the instruction has one element.
struct DslMma {
  std::string_view name;
  int types;
  int64_t bits = 0;  // of the operands' elements where no type is given
  bool has_shape = true;
};

constexpr std::array kDslMmas = {DslMma{"MmaF16BF16Op", 2},  DslMma{"MmaF8Op", 3},
                                 DslMma{"MmaFP8Op", 2},      DslMma{"MmaI8Op", 3},
                                 DslMma{"MmaTF32Op", 0, 32}, DslMma{"MmaUniversalOp", 1, 0, false}};

const DslMma* dsl_mma_named(std::string_view word) {
  const auto* const found = std::find_if(kDslMmas.begin(), kDslMmas.end(),
                                         [&](const DslMma& one) { return one.name == word; });
  return found == kDslMmas.end() ? nullptr : found;
}

std::vector<int64_t> read_sizes(const TextReading& reading, size_t count) {
  const IntTuple tuple = as_tuple(reading.next(), "the shape of an instruction");
  std::vector<int64_t> sizes;
  for (const IntTuple& leaf : leaves(tuple)) sizes.push_back(leaf.value());
  if (sizes.size() != count) {
    throw reading.lexer.fail(format("{} is not a shape of {} extents", to_string(tuple), count));
  }
  return sizes;
}

MmaInstruction read_dsl_mma(const DslMma& mma, const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  MmaOperation op{.bits_a = mma.bits, .bits_b = mma.bits, .a_in_shared = true};
  const auto type_of_a = [&] { op.bits_a = op.bits_b = element_type(lexer); };
  const auto type_of_b = [&] { op.bits_b = element_type(lexer); };
  const auto any_type = [&] { element_type(lexer); };
  const auto shape = [&] {
    const std::vector<int64_t> sizes = read_sizes(reading, 3);
    op.m = sizes[0];
    op.n = sizes[1];
    op.k = sizes[2];
  };
  const auto source = [&] { op.a_in_shared = read_word_of(lexer, {"RMEM", "SMEM"}) == 1; };
  const auto major = [&] { read_word_of(lexer, {"K", "MN"}); };
  std::vector<CallParameter> parameters;
  if (mma.types == 1) parameters = {{"abacc_dtype", any_type}};
  if (mma.types == 2) parameters = {{"ab_dtype", type_of_a}, {"acc_dtype", any_type}};
  if (mma.types == 3) {
    parameters = {{"a_dtype", type_of_a}, {"b_dtype", type_of_b}, {"acc_dtype", any_type}};
  }
  if (mma.has_shape) {
    parameters.push_back({"shape_mnk", shape, true, "instruction_shape"});
    parameters.push_back({"a_src", source, false});
    parameters.push_back({"a_major_mode", major, false});
    parameters.push_back({"b_major_mode", major, false});
  }
  lexer.expect('(', "before the arguments");
  read_arguments(lexer, mma.name, ')', parameters);
  const std::string name(mma.name);
  if (!mma.has_shape) return {name, *mma_atom_named("UniversalFMA")};
  op.warpgroup = op.m == 64;
  op.a_in_shared = op.a_in_shared && op.warpgroup;
  return {name, mma_atom(op, format("{} of {}x{}x{}", name, op.m, op.n, op.k))};
}

// A copy of CuTe DSL by CUTLASS's name; of matrices if `of_matrices` is not empty.
struct DslCopy {
  std::string_view name;
  std::string_view known_as;
  std::string_view of_matrices = {};
};

constexpr std::array kDslCopies = {
    DslCopy{"CopyUniversalOp", "UniversalCopy"},  DslCopy{"CopyG2ROp", "UniversalCopy"},
    DslCopy{"CopyR2GOp", "UniversalCopy"},        DslCopy{"CopyS2ROp", "UniversalCopy"},
    DslCopy{"CopyR2SOp", "UniversalCopy"},        DslCopy{"CopyG2SOp", "SM80_CP_ASYNC_CACHEALWAYS"},
    DslCopy{"LdMatrix8x8x16bOp", "SM75", "LDSM"}, DslCopy{"StMatrix8x8x16bOp", "SM90", "STSM"}};

// Reads on behind a name of CuTe DSL and returns CUTLASS's.
std::string read_dsl_copy(const DslCopy& copy, const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  lexer.expect('(', "before the arguments");
  if (copy.of_matrices.empty()) {
    skip_rest(lexer, '(', ')');
    return std::string(copy.known_as);
  }
  bool transposed = false;
  int64_t count = 1;
  const auto transpose = [&] { transposed = read_word_of(lexer, {"False", "True"}) == 1; };
  const auto matrices = [&] { count = as_integer(reading.next(), "num_matrices"); };
  read_arguments(lexer, copy.name, ')',
                 {{"transpose", transpose, false}, {"num_matrices", matrices, false}});
  if (transposed) return format("{}_U16x{}_{}_T", copy.known_as, 2 * count, copy.of_matrices);
  return format("{}_U32x{}_{}_N", copy.known_as, count, copy.of_matrices);
}

// The bits of the type that comes next, 0 for a template's parameter, whose bits are not known.
int64_t bits_if_known(LayoutLexer& lexer) {
  const LayoutToken type = lexer.take();
  try {
    return element_bits(type.text);
  } catch (const Error&) {
    return 0;
  }
}

// The bits of the first type in "<uint128_t>", 0 if there is none or they are not known.
int64_t bits_of_template(LayoutLexer& lexer) {
  if (!lexer.accept('<')) return 0;
  const bool sized = lexer.at_word("uint_bit_t");
  int64_t bits = 0;
  if (sized) {
    lexer.take();
    lexer.expect('<', "before bits");
    bits = lexer.expect_number("bits");
    lexer.expect('>', "after bits");
  } else if (lexer.peek().kind == TokenKind::Word) {
    bits = bits_if_known(lexer);
  }
  skip_rest(lexer, '<', '>');
  return bits;
}

CopyInstruction copy_named(LayoutLexer& lexer, const std::string& name, int64_t element,
                           int64_t copied) {
  const std::optional<CopyAtom> atom = copy_atom_named(name, element, copied);
  if (atom) return {name, *atom};
  throw lexer.fail(
      format("'{}' is not a copy whose threads are known: UniversalCopy, cp.async, "
             "SM75_U32x4_LDSM_N and SM90_U32x4_STSM_N and their variants are, and in CuTe DSL "
             "CopyUniversalOp(), CopyG2SOp(), LdMatrix8x8x16bOp(False, 4) and StMatrix8x8x16bOp",
             name));
}

// "Copy_Atom<OP, TYPE>" behind "Copy_Atom".
CopyInstruction read_cpp_copy(LayoutLexer& lexer) {
  lexer.expect('<', "before an operation");
  const bool traits = lexer.at_word("Copy_Traits");
  if (traits) {
    lexer.take();
    lexer.expect('<', "before an operation");
  }
  const std::string name(lexer.take().text);
  const int64_t copied = bits_of_template(lexer);
  if (traits) skip_rest(lexer, '<', '>');
  lexer.expect(',', "before the type of an element");
  // A copy by one thread does not depend on the type, only the values that it moves at once do.
  const bool moves_matrices = name.find("SM_") != std::string::npos;
  const int64_t element = moves_matrices ? element_type(lexer) : bits_if_known(lexer);
  lexer.expect('>', "after the type of an element");
  return copy_named(lexer, name, element, copied);
}

// "make_copy_atom(OP, TYPE, num_bits_per_copy=128)" behind "make_copy_atom".
CopyInstruction read_copy_call(const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  std::string name;
  int64_t element = 0;
  int64_t copied = 0;
  const auto op = [&] {
    const std::string word(lexer.take().text);
    const auto* const known = std::find_if(kDslCopies.begin(), kDslCopies.end(),
                                           [&](const DslCopy& one) { return one.name == word; });
    name = known == kDslCopies.end() ? word : read_dsl_copy(*known, reading);
    if (known == kDslCopies.end() && lexer.accept('(')) skip_rest(lexer, '(', ')');
  };
  const auto type = [&] { element = element_type(lexer); };
  const auto bits = [&] { copied = as_integer(reading.next(), "num_bits_per_copy"); };
  lexer.expect('(', "before the arguments");
  read_arguments(lexer, "make_copy_atom", ')',
                 {{"op", op}, {"copy_internal_type", type}, {"num_bits_per_copy", bits, false}});
  return copy_named(lexer, name, element, copied);
}

}  // namespace

bool begins_mma_instruction(std::string_view word) {
  return word == "MMA_Atom" || word == "MMA_Traits" || word == "make_mma_atom" ||
         dsl_mma_named(word) != nullptr || mma_atom_named(word).has_value();
}

MmaInstruction read_mma_instruction(std::string_view word, const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  const bool wrapped = word == "MMA_Atom" || word == "MMA_Traits" || word == "make_mma_atom";
  if (wrapped) {
    const char closing = lexer.accept('<') ? '>' : ')';
    if (closing == ')') lexer.expect('(', "before an instruction");
    const std::string inner(lexer.take().text);
    MmaInstruction found = read_mma_instruction(inner, reading);
    lexer.expect(closing, "after an instruction");
    return found;
  }
  if (const DslMma* const dsl = dsl_mma_named(word)) return read_dsl_mma(*dsl, reading);
  const std::optional<MmaAtom> atom = mma_atom_named(word);
  if (!atom) {
    throw lexer.fail(
        format("'{}' is not a matrix instruction, such as SM80_16x8x16_F32F16F16F32_TN or "
               "MmaF16BF16Op(Float16, Float32, (16, 8, 16))",
               word));
  }
  skip_template(lexer);
  return {std::string(word), *atom};
}

CopyInstruction read_copy_instruction(const TextReading& reading) {
  LayoutLexer& lexer = reading.lexer;
  const LayoutToken word = lexer.take();
  if (word.text == "Copy_Atom") return read_cpp_copy(lexer);
  if (word.text == "make_copy_atom") return read_copy_call(reading);
  throw lexer.fail_at(word.column,
                      format("'{}' is not a copy: expected Copy_Atom<OPERATION, TYPE> or "
                             "make_copy_atom(OPERATION, TYPE)",
                             word.text));
}

size_t read_word_of(LayoutLexer& lexer, std::initializer_list<std::string_view> words) {
  const LayoutToken word = lexer.peek();
  const auto* const found = std::find(words.begin(), words.end(), word.text);
  if (found == words.end()) {
    const std::vector<std::string_view> all(words);
    throw lexer.fail(format("expected {}", join_words(all, "or")));
  }
  lexer.take();
  return static_cast<size_t>(found - words.begin());
}

}  // namespace tilewright
