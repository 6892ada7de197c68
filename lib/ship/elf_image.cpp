#include "ship/elf_image.hpp"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "serve/payload_section.hpp"
#include "serve/placeholder.hpp"

namespace tilewright {
namespace {

static_assert(std::endian::native == std::endian::little);

void require(bool holds, std::string_view what) {
  if (holds) return;
  throw internal_error(format(
      "the template of shipped libraries cannot be used: {}; build or install tilewright again",
      what));
}

bool lies_within(uint64_t start, uint64_t bytes, uint64_t end) {
  return start <= end && bytes <= end - start;
}

template <typename T>
T read_at(std::string_view bytes, uint64_t start) {
  require(lies_within(start, sizeof(T), bytes.size()), "it ends within a table");
  T value;
  std::memcpy(&value, bytes.data() + start, sizeof(T));
  return value;
}

template <typename T>
void write_at(std::string& bytes, uint64_t start, const T& value) {
  require(lies_within(start, sizeof(T), bytes.size()), "it ends within a table");
  std::memcpy(bytes.data() + start, &value, sizeof(T));
}

/// A file and its parsed tables; changes of the tables are not yet in `bytes`.
struct Elf {
  std::string bytes;
  Elf64_Ehdr header = {};
  std::vector<Elf64_Phdr> segments;
  std::vector<Elf64_Shdr> sections;
};

template <typename T>
std::vector<T> read_table(std::string_view image, uint64_t start, size_t count) {
  require(lies_within(start, count * sizeof(T), image.size()), "it ends within a table");
  std::vector<T> table;
  for (size_t i = 0; i < count; ++i) table.push_back(read_at<T>(image, start + i * sizeof(T)));
  return table;
}

Elf parse_elf(std::string_view image) {
  Elf elf;
  elf.header = read_at<Elf64_Ehdr>(image, 0);
  const Elf64_Ehdr& header = elf.header;
  // In other files DT_HASH may have entries of another size, and numbers another byte order.
  require(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
              header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
              (header.e_machine == EM_X86_64 || header.e_machine == EM_AARCH64) &&
              header.e_type == ET_DYN,
          "it is not a shared library for x86-64 or aarch64");
  require(header.e_phentsize == sizeof(Elf64_Phdr) && header.e_shentsize == sizeof(Elf64_Shdr),
          "its tables have entries of an unknown size");
  elf.segments = read_table<Elf64_Phdr>(image, header.e_phoff, header.e_phnum);
  elf.sections = read_table<Elf64_Shdr>(image, header.e_shoff, header.e_shnum);
  for (const Elf64_Phdr& segment : elf.segments) {
    require(lies_within(segment.p_offset, segment.p_filesz, image.size()),
            "a segment ends beyond the file");
  }
  for (const Elf64_Shdr& section : elf.sections) {
    require(section.sh_type == SHT_NOBITS ||
                lies_within(section.sh_offset, section.sh_size, image.size()),
            "a section ends beyond the file");
  }
  elf.bytes = image;
  return elf;
}

/// The only section of this type.
const Elf64_Shdr& section_of(const Elf& elf, uint32_t type, std::string_view what) {
  const auto has_type = [type](const Elf64_Shdr& section) { return section.sh_type == type; };
  require(std::count_if(elf.sections.begin(), elf.sections.end(), has_type) == 1,
          format("it does not have exactly one {}", what));
  return *std::find_if(elf.sections.begin(), elf.sections.end(), has_type);
}

/// The string at offset `start` of a string table.
std::string_view string_at(std::string_view bytes, const Elf64_Shdr& table, uint64_t start) {
  require(table.sh_type == SHT_STRTAB && start < table.sh_size, "a name is outside of its table");
  const std::string_view rest = bytes.substr(table.sh_offset + start, table.sh_size - start);
  return rest.substr(0, rest.find('\0'));
}

/// For each byte of a string table, its new offset.
struct StringOffsets {
  std::vector<uint32_t> to;
  size_t renamed_count = 0;

  /// The new offset of the string at `start`, which may be the tail of another one: linkers let
  /// strings share tails, as `free` and `NAME_free` do.
  uint32_t operator[](uint64_t start) const;
};

constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();

uint32_t StringOffsets::operator[](uint64_t start) const {
  require(start < to.size(), "a name is outside of its table");
  require(to[start] != kNowhere, "a name begins inside of the placeholder");
  return to[start];
}

/// Replaces the placeholder by `name` in each string. The rest of the string moves forward and
/// zeros fill the gap, so every string still begins at its old offset.
StringOffsets rename_strings(std::string& bytes, const Elf64_Shdr& table, std::string_view name) {
  const size_t size = table.sh_size;
  require(table.sh_type == SHT_STRTAB && size > 0 && size < kNowhere,
          "its symbols have no table of names");
  char* const text = bytes.data() + table.sh_offset;
  require(text[size - 1] == '\0', "its table of names has no end");
  StringOffsets offsets;
  offsets.to.assign(size, kNowhere);
  size_t to = 0;
  for (size_t from = 0; from < size;) {
    offsets.to[from] = static_cast<uint32_t>(to);
    if (text[from] == '\0') {
      // The string that ends here may have become shorter.
      while (to <= from) text[to++] = '\0';
      ++from;
    } else if (std::string_view(text + from, size - from).substr(0, kPlaceholder.size()) ==
               kPlaceholder) {
      std::copy(name.begin(), name.end(), text + to);
      to += name.size();
      from += kPlaceholder.size();
      ++offsets.renamed_count;
    } else {
      text[to++] = text[from++];
    }
  }
  return offsets;
}

void move_symbols(std::string& bytes, const Elf64_Shdr& symbols, const StringOffsets& offsets) {
  require(symbols.sh_entsize == sizeof(Elf64_Sym), "its symbols have an unknown size");
  for (uint64_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); ++i) {
    const uint64_t at = symbols.sh_offset + i * sizeof(Elf64_Sym);
    auto symbol = read_at<Elf64_Sym>(bytes, at);
    symbol.st_name = offsets[symbol.st_name];
    write_at(bytes, at, symbol);
  }
}

/// Updates the entries that name libraries or their search paths.
void move_dynamic(std::string& bytes, const Elf64_Shdr& dynamic, const StringOffsets& offsets) {
  bool has_soname = false;
  for (uint64_t i = 0; i < dynamic.sh_size / sizeof(Elf64_Dyn); ++i) {
    const uint64_t at = dynamic.sh_offset + i * sizeof(Elf64_Dyn);
    auto entry = read_at<Elf64_Dyn>(bytes, at);
    require(entry.d_tag != DT_GNU_HASH, "it has a GNU hash table; link it with --hash-style=sysv");
    require(entry.d_tag != DT_VERDEF, "it gives versions to its symbols");
    switch (entry.d_tag) {
      case DT_SONAME: has_soname = true; [[fallthrough]];
      case DT_NEEDED:
      case DT_RPATH:
      case DT_RUNPATH:
      case DT_AUXILIARY:
      case DT_FILTER:
        entry.d_un.d_val = offsets[entry.d_un.d_val];
        write_at(bytes, at, entry);
        break;
      default: break;
    }
  }
  require(has_soname, "it has no SONAME");
}

/// Updates the names of required libraries and of their versions.
void move_versions(std::string& bytes, const Elf64_Shdr& versions, const StringOffsets& offsets) {
  uint64_t at = versions.sh_offset;
  for (uint64_t i = 0; i < versions.sh_info; ++i) {
    auto need = read_at<Elf64_Verneed>(bytes, at);
    need.vn_file = offsets[need.vn_file];
    write_at(bytes, at, need);
    uint64_t version_at = at + need.vn_aux;
    for (uint64_t j = 0; j < need.vn_cnt; ++j) {
      auto version = read_at<Elf64_Vernaux>(bytes, version_at);
      version.vna_name = offsets[version.vna_name];
      write_at(bytes, version_at, version);
      require(version.vna_next >= sizeof(version) || j + 1 == need.vn_cnt,
              "its list of versions has no end");
      version_at += version.vna_next;
    }
    require(need.vn_next >= sizeof(need) || i + 1 == versions.sh_info,
            "its list of versions has no end");
    at += need.vn_next;
  }
}

/// The hash function of the System V ABI.
uint32_t hash_of(std::string_view name) {
  uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const uint32_t high = hash & 0xf0000000;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

/// Rebuilds the hash table from the symbols' names, with as many buckets as before.
///
///   bucket_count | chain_count | bucket: first symbol ... | chain, a symbol: the next one ...
void rehash(std::string& bytes, const Elf64_Shdr& hash, const Elf64_Shdr& symbols,
            const Elf64_Shdr& strings) {
  const auto bucket_count = read_at<uint32_t>(bytes, hash.sh_offset);
  const auto symbol_count = read_at<uint32_t>(bytes, hash.sh_offset + 4);
  require(bucket_count > 0 && symbol_count == symbols.sh_size / sizeof(Elf64_Sym) &&
              hash.sh_size / 4 >= uint64_t{2} + bucket_count + symbol_count,
          "its hash table has another size than its symbols need");
  std::vector<uint32_t> table(size_t{bucket_count} + symbol_count, 0);
  const auto chain = table.begin() + bucket_count;
  // Backwards, so that a chain is in the order of its symbols; 0 ends a chain.
  for (uint32_t i = symbol_count; i-- > 1;) {
    const auto symbol = read_at<Elf64_Sym>(bytes, symbols.sh_offset + i * sizeof(Elf64_Sym));
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
    uint32_t& bucket = table[hash_of(string_at(bytes, strings, symbol.st_name)) % bucket_count];
    chain[i] = bucket;
    bucket = i;
  }
  for (size_t i = 0; i < table.size(); ++i) {
    write_at(bytes, hash.sh_offset + 8 + i * sizeof(uint32_t), table[i]);
  }
}

/// Renames all that the loader reads: symbols, libraries and their hash table.
void rename_image(Elf& elf, std::string_view name) {
  const Elf64_Shdr& symbols = section_of(elf, SHT_DYNSYM, "table of symbols");
  require(symbols.sh_link < elf.sections.size(), "its symbols have no table of names");
  const Elf64_Shdr& strings = elf.sections[symbols.sh_link];
  const StringOffsets offsets = rename_strings(elf.bytes, strings, name);
  require(offsets.renamed_count > 0, "none of its names contains the placeholder");
  move_symbols(elf.bytes, symbols, offsets);
  move_dynamic(elf.bytes, section_of(elf, SHT_DYNAMIC, "dynamic section"), offsets);
  for (const Elf64_Shdr& section : elf.sections) {
    if (section.sh_type == SHT_GNU_verneed) move_versions(elf.bytes, section, offsets);
  }
  rehash(elf.bytes, section_of(elf, SHT_HASH, "hash table"), symbols, strings);
}

std::string_view section_name(const Elf& elf, const Elf64_Shdr& section) {
  require(elf.header.e_shstrndx < elf.sections.size(), "its sections have no names");
  return string_at(elf.bytes, elf.sections[elf.header.e_shstrndx], section.sh_name);
}

Elf64_Shdr& payload_section(Elf& elf) {
  const auto found = std::find_if(elf.sections.begin(), elf.sections.end(), [&elf](auto& section) {
    return section_name(elf, section) == kPayloadSection;
  });
  require(found != elf.sections.end() && found->sh_type == SHT_PROGBITS &&
              found->sh_size == sizeof(PayloadHeader),
          "it has no section for a payload");
  const auto header = read_at<PayloadHeader>(elf.bytes, found->sh_offset);
  require(header.magic == kPayloadMagic && header.bytes == 0, "its payload is not empty");
  return *found;
}

/// The payload section's own segment, which must come last so that it can grow.
Elf64_Phdr& payload_segment(Elf& elf, const Elf64_Shdr& section) {
  Elf64_Phdr* found = nullptr;
  for (Elf64_Phdr& segment : elf.segments) {
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_vaddr == section.sh_addr) {
      found = &segment;
      continue;
    }
    require(segment.p_vaddr < section.sh_addr &&
                segment.p_memsz <= section.sh_addr - segment.p_vaddr &&
                lies_within(segment.p_offset, segment.p_filesz, section.sh_offset),
            "its payload is not the last part that is loaded");
  }
  require(found != nullptr && found->p_offset == section.sh_offset &&
              found->p_filesz == section.sh_size && found->p_memsz == section.sh_size &&
              found->p_flags == PF_R,
          "its payload has no read-only segment of its own");
  return *found;
}

/// Inserts the payload: segment and section grow, and later bytes of the file move.
void insert_payload(Elf& elf, std::string_view payload) {
  Elf64_Shdr& grown = payload_section(elf);
  Elf64_Phdr& segment = payload_segment(elf, grown);
  const uint64_t start = grown.sh_offset;
  const uint64_t end = start + grown.sh_size;
  // Moved bytes stay aligned; none of them is loaded.
  const uint64_t added = round_up<uint64_t>(payload.size(), alignof(PayloadHeader));
  const auto move = [&](auto& offset, uint64_t bytes) {
    if (offset >= end) {
      offset += added;
    } else {
      require(lies_within(offset, bytes, start), "its payload overlaps another part");
    }
  };
  require(lies_within(elf.header.e_phoff, elf.segments.size() * sizeof(Elf64_Phdr), start),
          "its payload is before its table of segments");
  move(elf.header.e_shoff, elf.sections.size() * sizeof(Elf64_Shdr));
  for (Elf64_Shdr& section : elf.sections) {
    if (&section == &grown) continue;
    move(section.sh_offset, section.sh_type == SHT_NOBITS ? 0 : section.sh_size);
  }
  grown.sh_size += payload.size();
  segment.p_filesz = grown.sh_size;
  segment.p_memsz = grown.sh_size;
  PayloadHeader header;
  header.bytes = payload.size();
  write_at(elf.bytes, start, header);
  std::string bytes;
  bytes.reserve(elf.bytes.size() + added);
  bytes.append(elf.bytes, 0, end).append(payload).append(added - payload.size(), '\0');
  bytes.append(elf.bytes, end);
  elf.bytes = std::move(bytes);
}

/// The file, with the tables written back.
std::string image_of(Elf elf) {
  write_at(elf.bytes, 0, elf.header);
  for (size_t i = 0; i < elf.segments.size(); ++i) {
    write_at(elf.bytes, elf.header.e_phoff + i * sizeof(Elf64_Phdr), elf.segments[i]);
  }
  for (size_t i = 0; i < elf.sections.size(); ++i) {
    write_at(elf.bytes, elf.header.e_shoff + i * sizeof(Elf64_Shdr), elf.sections[i]);
  }
  return std::move(elf.bytes);
}

}  // namespace

std::string make_image(std::string_view template_image, std::string_view name,
                       std::string_view payload) {
  if (name.empty() || name.size() > kPlaceholder.size()) {
    throw internal_error(format("the name of a library has 1 to {} characters, not {}",
                                kPlaceholder.size(), name.size()));
  }
  Elf elf = parse_elf(template_image);
  rename_image(elf, name);
  insert_payload(elf, payload);
  return image_of(std::move(elf));
}

}  // namespace tilewright
