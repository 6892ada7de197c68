#include "layout/smem/atoms.hpp"

#include <array>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

constexpr std::array kAtoms = {
    Atom{"mma.m16n8k8", "A", 16, 8, "((4,8),(2,2)):((32,1),(16,8))"},
    Atom{"mma.m16n8k8", "B", 8, 8, "((4,8),2):((16,1),8)"},
    Atom{"mma.m16n8k8", "C", 16, 8, "((4,8),(2,2)):((32,1),(16,8))"},
    Atom{"mma.m16n8k16", "A", 16, 16, "((4,8),(2,2,2)):((32,1),(16,8,128))"},
    Atom{"mma.m16n8k16", "B", 8, 16, "((4,8),(2,2)):((16,1),(8,64))"},
    Atom{"mma.m16n8k16", "C", 16, 8, "((4,8),(2,2)):((32,1),(16,8))"},
    Atom{"wgmma.m64k16", "A", 64, 16, "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"},
    Atom{"wgmma.m64n8", "C", 64, 8, "((4,8,4),(2,2)):((128,1,16),(64,8))"},
    Atom{"wgmma.m64n64", "C", 64, 64, "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"},
    Atom{"wgmma.m64n128", "C", 64, 128, "((4,8,4),(2,2,16)):((128,1,16),(64,8,512))"},
    Atom{"wgmma.m64n256", "C", 64, 256, "((4,8,4),(2,2,32)):((128,1,16),(64,8,512))"},
    Atom{"ldmatrix.x1", "src", 0, 0, "((8,4),128):((128,0),1)"},
    Atom{"ldmatrix.x1", "dst", 0, 0, "(32,32):(32,1)"},
    Atom{"ldmatrix.x2", "src", 0, 0, "((16,2),128):((128,0),1)"},
    Atom{"ldmatrix.x2", "dst", 0, 0, "(32,(32,2)):(32,(1,1024))"},
    Atom{"ldmatrix.x4", "src", 0, 0, "(32,128):(128,1)"},
    Atom{"ldmatrix.x4", "dst", 0, 0, "(32,(32,4)):(32,(1,1024))"},
    Atom{"ldmatrix.x1.trans", "src", 0, 0, "((8,4),128):((128,0),1)"},
    Atom{"ldmatrix.x1.trans", "dst", 0, 0, "((4,8),(16,2)):((256,16),(1,128))"},
    Atom{"ldmatrix.x2.trans", "src", 0, 0, "((16,2),128):((128,0),1)"},
    Atom{"ldmatrix.x2.trans", "dst", 0, 0, "((4,8),(16,2,2)):((256,16),(1,128,1024))"},
    Atom{"ldmatrix.x4.trans", "src", 0, 0, "(32,128):(128,1)"},
    Atom{"ldmatrix.x4.trans", "dst", 0, 0, "((4,8),(16,2,4)):((256,16),(1,128,1024))"},
    Atom{"stmatrix.x4", "src", 0, 0, "(32,(32,4)):(32,(1,1024))"},
    Atom{"stmatrix.x4", "dst", 0, 0, "(32,128):(128,1)"},
    Atom{"stmatrix.x4.trans", "src", 0, 0, "((4,8),(16,2,4)):((256,16),(1,128,1024))"},
    Atom{"stmatrix.x4.trans", "dst", 0, 0, "(32,128):(128,1)"}};

}  // namespace

std::span<const Atom> instruction_atoms() {
  return kAtoms;
}

const Atom& find_atom(std::string_view instruction, std::string_view operand) {
  std::vector<std::string> known;
  for (const Atom& atom : kAtoms) {
    if (atom.instruction == instruction && atom.operand == operand) return atom;
    known.push_back(format("{} {}", atom.instruction, atom.operand));
  }
  throw usage_error(format("unknown instruction operand '{} {}'; known are {}", instruction,
                           operand, join(known, ", ")));
}

}  // namespace tilewright
