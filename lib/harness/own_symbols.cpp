#include "harness/own_symbols.hpp"

#include <cstring>

#include "harness/elf_parts.hpp"

namespace tilewright {
namespace {

int64_t unshare_table(std::string& image, const Elf64_Shdr& table) {
  int64_t count = 0;
  const uint64_t end = table.sh_offset + table.sh_size;
  for (uint64_t place = table.sh_offset; place < end; place += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol{};
    if (!read_at(image, place, symbol)) return count;
    if (ELF64_ST_BIND(symbol.st_info) != STB_GNU_UNIQUE) continue;
    symbol.st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbol.st_info));
    std::memcpy(image.data() + place, &symbol, sizeof(symbol));
    ++count;
  }
  return count;
}

}  // namespace

int64_t unshare_symbols(std::string& image) {
  int64_t count = 0;
  for (const Elf64_Shdr& table : sections_of(image).value_or(std::vector<Elf64_Shdr>())) {
    if (table.sh_type == SHT_DYNSYM) count += unshare_table(image, table);
  }
  return count;
}

}  // namespace tilewright
