// Reads instructions as programs write them: CUTLASS's names and types, and CuTe DSL's calls.
#pragma once

#include <string>
#include <string_view>

#include "layout/algebra/copy_atom.hpp"
#include "layout/algebra/mma_atom.hpp"
#include "layout/text/text_reading.hpp"

namespace tilewright {

/// A matrix instruction, and its name for messages.
struct MmaInstruction {
  std::string name;
  MmaAtom atom;
};

/// True for a word that read_mma_instruction() can follow.
bool begins_mma_instruction(std::string_view word);
/// Reads on behind `word`: "SM80_16x8x16_F32F16F16F32_TN", alone or in MMA_Atom<>, or
/// "MmaF16BF16Op(Float16, Float32, (16, 8, 16))", alone or in make_mma_atom(). Throws a usage error
/// that names the instruction or the argument.
MmaInstruction read_mma_instruction(std::string_view word, const TextReading& reading);

/// A copy instruction, and its name for messages.
struct CopyInstruction {
  std::string name;
  CopyAtom atom;
};

/// Reads "Copy_Atom<SM75_U32x4_LDSM_N, half_t>" or "make_copy_atom(LdMatrix8x8x16bOp(False, 4),
/// Float16)". Throws a usage error that names the instruction or the argument.
CopyInstruction read_copy_instruction(const TextReading& reading);

/// Reads one of `words`, a value of an enumeration, and returns its position. Throws a usage error
/// that lists them.
size_t read_word_of(LayoutLexer& lexer, std::initializer_list<std::string_view> words);

}  // namespace tilewright
