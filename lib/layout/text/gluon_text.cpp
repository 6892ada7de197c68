#include "layout/text/gluon_text.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

/// `gluon` lists the class's arguments by position, `ttgir` the attribute's key for each; an
/// argument with an empty key is dropped.
struct Spelling {
  std::string_view gluon_class;
  std::string_view attribute;
  std::string_view gluon;
  std::string_view ttgir;
};

constexpr Spelling kSpellings[] = {
    {"BlockedLayout", "blocked",
     "size_per_thread,threads_per_warp,warps_per_cta,order,ctas_per_cga,cta_split_num,cta_order",
     "sizePerThread,threadsPerWarp,warpsPerCTA,order,CTAsPerCGA,CTASplitNum,CTAOrder"},
    {"SliceLayout", "slice", "dim,parent", "dim,parent"},
    {"DotOperandLayout", "dot_op", "operand_index,parent,k_width", "opIdx,parent,kWidth"},
    {"NVMMADistributedLayout", "nvidia_mma", "version,warps_per_cta,instr_shape",
     "version,warpsPerCTA,instrShape"},
    {"NVMMASharedLayout", "nvmma_shared",
     "swizzle_byte_width,element_bitwidth,rank,transposed,fp4_padded",
     "swizzlingByteWidth,elementBitWidth,,transposed,fp4Padded"},
    {"SwizzledSharedLayout", "swizzled_shared", "vec,per_phase,max_phase,order",
     "vec,perPhase,maxPhase,order"},
    {"PaddedSharedLayout.with_identity_for", "padded_shared", "interval_padding_pairs,shape,order",
     "paddings,shape,order"},
    {"PaddedSharedLayout", "padded_shared", "interval_padding_pairs,offset_bases,cga_layout,shape",
     "paddings,offset,block,"},
    {"DistributedLinearLayout", "linear", "reg_bases,lane_bases,warp_bases,block_bases,shape",
     "register,lane,warp,block,"},
    {"SharedLinearLayout", "shared_linear", "offset_bases,block_bases,alignment", "offset,block,"},
};

/// A call of a Gluon class, and where it begins in the text.
struct Call {
  const Spelling* spelling = nullptr;
  size_t at = std::string_view::npos;
};

Call first_call(std::string_view text) {
  Call first;
  for (const Spelling& one : kSpellings) {
    const size_t at = text.find(format("{}(", one.gluon_class));
    if (at < first.at) first = {&one, at};
  }
  return first;
}

// The arguments between the bracket at `open` and its closing bracket, split at the commas.
std::vector<std::string_view> arguments_in(std::string_view text, size_t open) {
  std::vector<std::string_view> found;
  int depth = 0;
  size_t begin = open + 1;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth > 1 || (c != ',' && depth > 0)) continue;
    const std::string_view one = trim(text.substr(begin, i - begin));
    if (!one.empty()) found.push_back(one);
    begin = i + 1;
    if (depth == 0) return found;
  }
  throw usage_error(format("Gluon layout '{}': expected ')'", text.substr(0, 80)));
}

std::string listed(std::string_view python) {
  std::string text(python);
  std::replace(text.begin(), text.end(), '(', '[');
  std::replace(text.begin(), text.end(), ')', ']');
  if (text == "True") return "true";
  return text == "False" ? "false" : text;
}

// "[[4, 4], [512, 16]]" as "[4:+4, 512:+16]".
std::string paddings_text(std::string_view pairs) {
  std::vector<std::string> texts;
  for (const std::string_view pair : arguments_in(pairs, 0)) {
    const std::vector<std::string_view> two = arguments_in(pair, 0);
    if (two.size() != 2) throw usage_error(format("Gluon padding '{}' is not a pair", pair));
    texts.push_back(format("{}:+{}", two[0], two[1]));
  }
  return format("[{}] ", join(texts, ", "));
}

// "version=[3, 0]" has two keys in TTGIR.
std::string version_text(std::string_view pair) {
  const std::vector<std::string_view> two = arguments_in(pair, 0);
  if (two.size() != 2) throw usage_error(format("Gluon version '{}' is not a pair", pair));
  return format("versionMajor = {}, versionMinor = {}", two[0], two[1]);
}

// NOLINTNEXTLINE(misc-no-recursion)
std::string attribute_text(std::string_view text, const Call& call) {
  const Spelling& spelling = *call.spelling;
  const std::vector<std::string_view> names = split(spelling.gluon, ',');
  const std::vector<std::string_view> keys = split(spelling.ttgir, ',');
  std::vector<std::string> parts;
  std::string paddings;
  size_t place = 0;
  for (const std::string_view argument :
       arguments_in(text, call.at + spelling.gluon_class.size())) {
    const size_t bracket = std::min(argument.find_first_of("[("), argument.size());
    const size_t equals = argument.substr(0, bracket).find('=');
    std::string_view value = argument;
    if (equals != std::string_view::npos) {
      const std::string_view name = trim(argument.substr(0, equals));
      value = trim(argument.substr(equals + 1));
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) {
        throw usage_error(format("Gluon's {} has no argument '{}' that tilewright reads{}",
                                 spelling.gluon_class, name, did_you_mean(name, names)));
      }
      place = static_cast<size_t>(found - names.begin());
    }
    if (place >= names.size()) {
      throw usage_error(
          format("Gluon's {} has more than {} arguments", spelling.gluon_class, names.size()));
    }
    const std::string_view key = keys[place++];
    const Call parent = first_call(value);
    if (key == "parent") {
      if (parent.spelling == nullptr) {
        throw usage_error(format("Gluon's {}: the parent '{}' is not a layout: write its call",
                                 spelling.gluon_class, value));
      }
      parts.push_back(format("parent = {}", attribute_text(value, parent)));
    } else if (key == "paddings") {
      paddings = paddings_text(value);
    } else if (key == "version") {
      parts.push_back(version_text(value));
    } else if (!key.empty()) {
      parts.push_back(format("{} = {}", key, listed(value)));
    }
  }
  return format("#ttg.{}<{}{{{}}}>", spelling.attribute, paddings, join(parts, ", "));
}

}  // namespace

bool is_gluon_text(std::string_view text) {
  return first_call(text).spelling != nullptr;
}

std::string ttgir_of_gluon(std::string_view text) {
  const Call call = first_call(text);
  std::string attribute = attribute_text(text, call);
  const std::string_view before = text.substr(0, call.at);
  const size_t open = before.find('[');
  if (open != std::string_view::npos) {
    std::vector<std::string> extents;
    for (const std::string_view one : arguments_in(before, open)) extents.emplace_back(one);
    return format("tensor<{}xf16, {}>", join(extents, "x"), attribute);
  }
  const size_t type = before.find("tensor<");
  if (type == std::string_view::npos) return attribute;
  const size_t comma = std::min(before.find(',', type), before.size());
  return format("{}, {}>", before.substr(type, comma - type), attribute);
}

}  // namespace tilewright
