#include "store/cubin_manifest_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "harness/cubin_image.hpp"
#include "harness/cubin_manifest.hpp"
#include "record/node.hpp"
#include "store/harness_json.hpp"
#include "store/manifest_names.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kStruct = "struct";

ArgumentType read_type(const Node& node, bool is_field) {
  std::optional<ArgumentType> type;
  for (size_t i = 0; i < kArgumentTypes.size(); ++i) {
    if (!node.find(std::string(kArgumentTypes[i]))) continue;
    if (type) throw node.fail("has two types");
    type = static_cast<ArgumentType>(i);
  }
  if (type) return *type;
  std::vector<std::string_view> known(kArgumentTypes.begin(), kArgumentTypes.end());
  if (!is_field) known.push_back(kStruct);
  throw node.fail(format("has no type: one of {}", join_words(known, "or")));
}

int64_t read_unit(const Node& node) {
  constexpr int64_t kMaxUnit = 1 << 16;
  const int64_t unit = node.count();
  if (unit < 1 || unit > kMaxUnit) throw node.fail(format("{} is not 1 to {}", unit, kMaxUnit));
  return unit;
}

std::string read_scalar(const Node& node) {
  std::string text = node.text();
  if (text != "alpha" && text != "beta" && !parse_finite(text)) {
    throw node.fail(format("'{}' is neither alpha, beta nor a number", text));
  }
  return text;
}

std::string read_operand(const Node& node, std::span<const ManifestScratch> scratch) {
  std::vector<std::string_view> known(kOperandNames.begin(), kOperandNames.end());
  for (const ManifestScratch& one : scratch) known.push_back(one.name);
  return std::string(known[index_of_word(node, known)]);
}

int read_one_of(const Node& node, const std::string& key, const std::vector<int>& choices) {
  const auto found = node.find(key);
  if (!found) return 0;
  const int value = found->small_count();
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  std::vector<std::string> known;
  known.reserve(choices.size());
  for (const int choice : choices) known.push_back(format("{}", choice));
  throw found->fail(format("{} is none of {}", value, join(known, ", ")));
}

TensorMapRecipe read_map(const Node& node, const ManifestNames& names) {
  constexpr size_t kMaxDimensions = 5;
  TensorMapRecipe map{.element = node.at("element").parsed_by(parse_data_type),
                      .extents = names.numbers(node.at("extents")),
                      .strides = {},
                      .box = names.numbers(node.at("box"))};
  if (const auto strides = node.find("strides")) map.strides = names.numbers(*strides);
  const size_t dimensions = map.extents.size();
  if (dimensions < 1 || dimensions > kMaxDimensions) {
    throw node.at("extents").fail(format("has {} dimensions, not 1 to 5", dimensions));
  }
  if (map.box.size() != dimensions) {
    throw node.at("box").fail(
        format("has {} dimensions, and extents {}", map.box.size(), dimensions));
  }
  if (map.strides.size() + 1 != dimensions) {
    throw node.fail(format("has {} strides, not {}: of every dimension but the innermost",
                           map.strides.size(), dimensions - 1));
  }
  map.swizzle_bytes = read_one_of(node, "swizzle", {0, 32, 64, 128});
  map.l2_promotion_bytes = read_one_of(node, "l2_promotion", {0, 64, 128, 256});
  return map;
}

// Reads a value, of a parameter or of a field.
ManifestArgument read_argument(const Node& node, const ManifestNames& names,
                               std::span<const ManifestScratch> scratch, bool is_field) {
  const ArgumentType type = read_type(node, is_field);
  const std::string word(kArgumentTypes[static_cast<size_t>(type)]);
  ManifestArgument argument{.type = type,
                            .operand = {},
                            .value = {},
                            .scalar = {},
                            .map = {},
                            .place = names.place_of(node)};
  std::vector<std::string_view> keys = {word};
  if (is_field) keys.emplace_back("at");
  if (type == ArgumentType::F32) {
    argument.scalar = read_scalar(node.at(word));
  } else {
    keys.emplace_back("divisible_by");
  }
  if (type == ArgumentType::Pointer || type == ArgumentType::TensorMap) {
    argument.operand = read_operand(node.at(word), scratch);
  } else if (type != ArgumentType::F32) {
    argument.value = names.number(node.at(word));
  }
  if (type == ArgumentType::TensorMap) {
    for (const char* const key :
         {"element", "extents", "strides", "box", "swizzle", "l2_promotion"}) {
      keys.emplace_back(key);
    }
  }
  node.allow_only(keys);
  if (const auto unit = node.find("divisible_by")) argument.divisible_by = read_unit(*unit);
  if (type == ArgumentType::TensorMap) argument.map = read_map(node, names);
  return argument;
}

// Reads where a field lies: aligned as compilers align its type, inside the struct, and behind the
// field before it.
int read_place(const Node& node, ArgumentType type, int begin, int end) {
  const Node written = node.at("at");
  const int at = written.small_count();
  const std::string_view word = kArgumentTypes[static_cast<size_t>(type)];
  const int alignment = alignment_of(type);
  if (at % alignment != 0) {
    throw written.fail(
        format("{} is no multiple of {}, as the place of a {} is", at, alignment, word));
  }
  if (at < begin) {
    throw written.fail(
        format("{} lies in the field before, which ends at {}: list fields in order", at, begin));
  }
  if (at > end - bytes_of(type)) {
    throw written.fail(format("a {} at {} ends outside of the struct's {} bytes", word, at, end));
  }
  return at;
}

int read_struct(const Node& node, const ManifestNames& names,
                std::span<const ManifestScratch> scratch, ManifestLaunch& launch) {
  constexpr int kMaxBytes = 32764;  // of all parameters, from CUDA 12.1 on
  node.allow_only({kStruct, "fields"});
  const Node written = node.at(std::string(kStruct));
  const int bytes = written.small_count();
  if (bytes < 1 || bytes > kMaxBytes) {
    throw written.fail(format("{} bytes are not 1 to {}", bytes, kMaxBytes));
  }
  int begin = 0;
  for (const Node& field : node.at("fields").items()) {
    ManifestArgument argument = read_argument(field, names, scratch, true);
    argument.parameter = static_cast<int>(launch.parameters.size());
    argument.at = read_place(field, argument.type, begin, bytes);
    begin = argument.at + bytes_of(argument.type);
    launch.arguments.push_back(std::move(argument));
  }
  return bytes;
}

void read_manifest_parameter(const Node& node, const ManifestNames& names,
                             std::span<const ManifestScratch> scratch, ManifestLaunch& launch) {
  ManifestParameter parameter{.type = std::string(kStruct), .place = names.place_of(node)};
  if (node.find(parameter.type)) {
    parameter.bytes = read_struct(node, names, scratch, launch);
  } else {
    ManifestArgument argument = read_argument(node, names, scratch, false);
    argument.parameter = static_cast<int>(launch.parameters.size());
    parameter.type = kArgumentTypes[static_cast<size_t>(argument.type)];
    parameter.bytes = bytes_of(argument.type);
    launch.arguments.push_back(std::move(argument));
  }
  launch.parameters.push_back(std::move(parameter));
}

constexpr ManifestKey kManifestKeys[] = {
    {"", "schema", "tilewright.cubins/1", "tilewright.cubins/1"},
    {"", "about", "a sentence for readers", "a product by another compiler"},
    {"", "let", "names for numbers; each may use those before it",
     "{tiles_m: \"ceil_div(m, tile_m)\", tiles_n: \"ceil_div(n, tile_n)\"}"},
    {"", "requires", "what must hold for a config and a problem; otherwise the config is refused",
     "[\"k % 16 == 0\", lda % 16 == 0]"},
    {"", "scratch",
     "memory beside the operands: name, bytes, alignment (256), init: none (the default), "
     "zero-once "
     "or zero-each",
     "[{name: locks, bytes: 4 * tiles_m, init: zero-each}]"},
    {"", "launches", "the kernels that compute one product, in order", "[]"},
    {"", "mapping",
     "the tile of each slot: tile (elements, m and n), slots, and m and n as expressions over slot",
     "{tile: [tile_m, tile_n], slots: tiles_m * tiles_n, m: slot / tiles_n, n: slot % tiles_n}"},
    {"launches", "kernels", "compiled kernels; the first whose `when` holds runs", "[]"},
    {"launches", "grid", "CTAs along x, y and z; default: 1", "[tiles_m * tiles_n]"},
    {"launches", "block", "threads of a CTA along x, y and z", "256"},
    {"launches", "cluster", "CTAs of a cluster along x, y and z; default: no cluster", "[2, 1, 1]"},
    {"launches", "shared_memory", "dynamic, bytes; default: 0", "stages * 32768"},
    {"launches", "cooperative", "all CTAs are resident at once; default: false", "false"},
    {"launches", "programmatic",
     "it may start before the previous kernel of the stream ends; default: false", "false"},
    {"launches", "arguments", "one for each parameter of the kernels", "[]"},
    {"kernels", "when", "the condition under which this kernel runs; default: always",
     "tile_m == 128"},
    {"kernels", "cubin", "path from the manifest's folder", "gemm-128.cubin"},
    {"kernels", "entry", "the kernel's symbol", "gemm"},
    {"kernels", "requires", "what the cubin was specialised for", "[k % 16 == 0]"},
    {"kernels", "grid, block, cluster, shared_memory", "replaces that of the launch", "128"},
    {"arguments", "pointer",
     "a, b, c, d, bias, scale_a, scale_b or a scratch; null if the problem has none", "a"},
    {"arguments", "u8, u16, i32, u32, i64, u64", "a whole number", "lda"},
    {"arguments", "f32", "alpha, beta or a number", "alpha"},
    {"arguments", "tensor_map",
     "a TMA descriptor by value, of the same memory as a pointer. The lists extents (elements), "
     "strides (bytes) and box (elements) begin with the innermost dimension, which has no stride. "
     "element: as dtype; swizzle: 0, 32, 64 or 128; l2_promotion: 0, 64, 128 or 256",
     "a, element: bf16, extents: [k, m], strides: [2 * lda], box: [64, tile_m], swizzle: 128"},
    {"arguments", "struct",
     "a struct by value, of so many bytes; fields lists its values, each with its place, `at` "
     "bytes from the struct's start. The bytes between are 0",
     "24, fields: [{at: 0, pointer: a}, {at: 8, i32: m}, {at: 16, i64: lda}]"},
    {"arguments", "divisible_by", "what the cubin takes for granted of the address or the number",
     "16"}};

// Reads one manifest; knows which names have a value, and reads each cubin once.
class ManifestReader {
 public:
  ManifestReader(const std::string& file, std::string text)
      : file_(file), bytes_(std::move(text)), root_(Node::parse(bytes_, file)), names_(file) {}

  CubinManifest read() {
    root_.require_schema("tilewright.cubins/1");
    root_.allow_only(with_harness_keys(
        {"schema", "about", "let", "requires", "scratch", "launches", "mapping"}));
    manifest_.description = read_harness_keys(root_);
    require_product();
    name_axes();
    if (const auto let = root_.find("let")) read_definitions(*let);
    manifest_.conditions = names_.list(root_, "requires");
    if (const auto scratch = root_.find("scratch")) read_scratch(*scratch);
    for (const Node& launch : some_items(root_.at("launches"), "launch")) {
      manifest_.launches.push_back(read_launch(launch));
    }
    if (const auto mapping = root_.find("mapping")) read_mapping(*mapping);
    manifest_.description.file = file_;
    manifest_.description.build = hash_text(bytes_);
    return std::move(manifest_);
  }

 private:
  void require_product() const {
    for (const Node& op : root_.at("op").items()) {
      if (op.text() != "gemm") throw op.fail("is not gemm, which a manifest computes");
    }
  }

  void name_axes() {
    const auto axes = root_.find("axes");
    if (!axes) return;
    for (const auto& axis : axes->pairs()) names_.add(axis.first, axis.second);
  }

  void read_definitions(const Node& let) {
    for (const auto& [name, node] : let.pairs()) {
      manifest_.definitions.push_back({name, names_.number(node)});
      names_.add(name, node);
    }
  }

  void read_scratch(const Node& list) {
    for (const Node& node : list.items()) {
      node.allow_only({"name", "bytes", "alignment", "init"});
      ManifestScratch scratch{.name = node.at("name").text(),
                              .bytes = names_.number(node.at("bytes"))};
      if (is_memory(scratch.name)) {
        throw node.at("name").fail(format("'{}' names memory already", scratch.name));
      }
      if (const auto alignment = node.find("alignment")) {
        constexpr int64_t kMaxAlignment = 1 << 20;
        scratch.alignment = alignment->count();
        if (!is_power_of_two(scratch.alignment) || scratch.alignment > kMaxAlignment) {
          throw alignment->fail(
              format("{} is no power of two up to {}", scratch.alignment, kMaxAlignment));
        }
      }
      if (const auto init = node.find("init")) {
        scratch.init = static_cast<ScratchInit>(index_of_word(*init, kScratchInits));
      }
      manifest_.scratch.push_back(std::move(scratch));
    }
    require_one_init(list);
  }

  // The scratch memories lie in one workspace, which is cleared as a whole.
  void require_one_init(const Node& list) const {
    const auto has = [this](ScratchInit init) {
      return std::any_of(manifest_.scratch.begin(), manifest_.scratch.end(),
                         [init](const ManifestScratch& scratch) { return scratch.init == init; });
    };
    if (has(ScratchInit::ZeroOnce) && has(ScratchInit::ZeroEach)) {
      throw list.fail("has zero-once beside zero-each; a manifest takes one of them");
    }
  }

  bool is_memory(const std::string& name) const {
    return std::find(kOperandNames.begin(), kOperandNames.end(), name) != kOperandNames.end() ||
           std::any_of(manifest_.scratch.begin(), manifest_.scratch.end(),
                       [&](const ManifestScratch& scratch) { return scratch.name == name; });
  }

  ManifestShape read_shape(const Node& node) const {
    ManifestShape shape{.shared_memory = names_.find(node, "shared_memory")};
    if (const auto grid = node.find("grid")) shape.grid = names_.extents(*grid);
    if (const auto block = node.find("block")) shape.block = names_.extents(*block);
    if (const auto cluster = node.find("cluster")) shape.cluster = names_.extents(*cluster);
    return shape;
  }

  ManifestLaunch read_launch(const Node& node) {
    node.allow_only({"kernels", "grid", "block", "cluster", "shared_memory", "cooperative",
                     "programmatic", "arguments"});
    ManifestLaunch launch{.kernels = {},
                          .shape = read_shape(node),
                          .parameters = {},
                          .arguments = {},
                          .place = names_.place_of(node)};
    if (const auto flag = node.find("cooperative")) launch.cooperative = flag->flag();
    if (const auto flag = node.find("programmatic")) launch.programmatic = flag->flag();
    for (const Node& argument : node.at("arguments").items()) {
      read_manifest_parameter(argument, names_, manifest_.scratch, launch);
    }
    for (const Node& kernel : some_items(node.at("kernels"), "kernel")) {
      launch.kernels.push_back(read_kernel(kernel, launch));
    }
    return launch;
  }

  ManifestKernel read_kernel(const Node& node, const ManifestLaunch& launch) {
    node.allow_only(
        {"when", "cubin", "entry", "requires", "grid", "block", "cluster", "shared_memory"});
    ManifestKernel kernel{.when = names_.find(node, "when"),
                          .cubin = {},
                          .entry = node.at("entry").text(),
                          .conditions = names_.list(node, "requires"),
                          .shape = read_shape(node),
                          .place = names_.place_of(node)};
    for (const auto& [own, shared, key] :
         {std::tuple(kernel.shape.grid.has_value(), launch.shape.grid.has_value(), "grid"),
          std::tuple(kernel.shape.block.has_value(), launch.shape.block.has_value(), "block")}) {
      if (!own && !shared) throw node.fail(format("neither it nor its launch has a {}", key));
    }
    const Node cubin = node.at("cubin");
    kernel.cubin = path_of(cubin);
    const CubinKernel& compiled = compiled_kernel(cubin, kernel.cubin, node.at("entry"));
    kernel.required_threads = compiled.required_threads;
    kernel.registers = compiled.registers;
    kernel.local_bytes = compiled.local_bytes;
    kernel.static_shared = compiled.shared_bytes;
    require_same_parameters(node.at("entry"), compiled, launch.parameters);
    return kernel;
  }

  std::string path_of(const Node& cubin) const {
    const std::string text = cubin.text();
    if (text.empty() || text.find('\0') != std::string::npos) throw cubin.fail("is no path");
    std::filesystem::path folder = std::filesystem::path(file_).parent_path();
    if (folder.empty()) folder = ".";
    return (folder / text).string();
  }

  const CubinKernel& compiled_kernel(const Node& cubin, const std::string& path,
                                     const Node& entry) {
    const auto known = cubins_.find(path);
    const std::vector<CubinKernel>& kernels =
        known != cubins_.end() ? known->second : read_cubin(cubin, path);
    std::vector<std::string_view> names;
    for (const CubinKernel& kernel : kernels) {
      if (kernel.name == entry.text()) return kernel;
      names.push_back(kernel.name);
    }
    throw entry.fail(format("{} has no kernel '{}'{}; it has {}", cubin.text(), entry.text(),
                            did_you_mean(entry.text(), names),
                            names.empty() ? "none" : join_words(names, "and")));
  }

  const std::vector<CubinKernel>& read_cubin(const Node& node, const std::string& path) {
    std::string image;
    try {
      image = read_file(path);
      bytes_ += hash_text(image);  // of the build
      return cubins_[path] = kernels_of_cubin(image);
    } catch (const Error& error) {
      if (error.code() == ExitCode::Interrupted) throw;
      throw node.fail(image.empty() ? error.what() : format("'{}' {}", path, error.what()));
    }
  }

  void require_same_parameters(const Node& entry, const CubinKernel& kernel,
                               const std::vector<ManifestParameter>& listed) const {
    if (kernel.parameters.size() != listed.size()) {
      throw entry.fail(format("{} has {} parameters in the cubin, and arguments lists {}",
                              kernel.name, kernel.parameters.size(), listed.size()));
    }
    for (size_t i = 0; i < listed.size(); ++i) {
      if (kernel.parameters[i].size == listed[i].bytes) continue;
      throw entry.fail(format("parameter {} of {} has {} bytes in the cubin, and {} ({}) has {}", i,
                              kernel.name, kernel.parameters[i].size, listed[i].type,
                              listed[i].place, listed[i].bytes));
    }
  }

  void read_mapping(const Node& node) {
    node.allow_only({"tile", "slots", "m", "n"});
    const std::vector<ManifestNumber> tile = names_.numbers(node.at("tile"));
    if (tile.size() != 2) throw node.at("tile").fail("is no pair of sizes, of m and n");
    ManifestMapping mapping{.tile_m = tile[0],
                            .tile_n = tile[1],
                            .slots = names_.number(node.at("slots")),
                            .m = {},
                            .n = {}};
    names_.add("slot", node);
    mapping.m = names_.number(node.at("m"));
    mapping.n = names_.number(node.at("n"));
    manifest_.mapping = std::move(mapping);
    manifest_.description.maps = true;
  }

  std::string file_;
  std::string bytes_;  // of the manifest, and a hash of each cubin
  Node root_;
  ManifestNames names_;
  std::map<std::string, std::vector<CubinKernel>> cubins_;  // by path
  CubinManifest manifest_;
};

}  // namespace

CubinManifest load_cubin_manifest(const std::string& file) {
  return ManifestReader(file, read_file(file)).read();
}

std::span<const ManifestKey> cubin_manifest_keys() {
  return kManifestKeys;
}

}  // namespace tilewright
