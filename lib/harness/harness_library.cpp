#include "harness/harness_library.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/limits.hpp"
#include "base/math.hpp"
#include "base/text.hpp"
#include "harness/own_symbols.hpp"
#include "tile/workload/operand_places.hpp"

namespace tilewright {
namespace {

// A struct of the interface with its version and size set.
template <class Struct>
Struct fresh() {
  Struct value{};
  value.abi_version = TILEWRIGHT_HARNESS_ABI;
  value.struct_size = sizeof(Struct);
  return value;
}

std::string sentence_of(const TilewrightHarnessMessage& message, int code) {
  const std::string text(message.text, strnlen(message.text, sizeof(message.text)));
  return text.empty() ? format("returned {} and gave no reason", code) : text;
}

template <class Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

// The library is loaded from its path, where a pipe would have no bytes left.
std::string bytes_of_library(const std::string& file) {
  std::error_code unknown;
  if (!is_missing(file) && !std::filesystem::is_regular_file(file, unknown)) {
    throw usage_error("cannot be loaded: it is no regular file");
  }
  return read_file(file, kMaxHarnessBytes);
}

// Writes a file in memory and returns its path; empty where there is no room.
std::string file_in_memory(const std::string& bytes) {
  const int file = memfd_create("harness", MFD_CLOEXEC);
  if (file < 0) return {};
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t more = write(file, bytes.data() + done, bytes.size() - done);
    if (more <= 0) return {};
    done += static_cast<size_t>(more);
  }
  return format("/proc/self/fd/{}", file);  // open until the process ends, as the library is
}

// Two builds of one source may be loaded together, because bench times them in the same rounds of
// one context. RTLD_LOCAL gives each build its own symbols, except those that g++ marks as unique:
// static variables of templates and inline functions. The second build would use those of the
// first. A library with unique symbols is therefore loaded from a copy in memory, in which they are
// weak. Other libraries are loaded from their own path, so that $ORIGIN finds their dependencies.
void* load(const std::string& path, std::string bytes) {
  if (unshare_symbols(bytes) > 0) {
    const std::string copy = file_in_memory(bytes);
    void* const library = copy.empty() ? nullptr : dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
  }
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

const char* scale_word(OperandScale scale, Operand operand) {
  return scale == OperandScale::None ? "none" : scale_name(scale, operand).data();
}

// Lists with one entry per product.
struct ShapeLists {
  explicit ShapeLists(const Workload& workload) {
    for (size_t i = 0; i < workload.shapes.size(); ++i) {
      const Problem problem = problem_of(workload, i);
      const Pitches pitches = pitches_of(problem, {});
      m.push_back(problem.shape.m);
      n.push_back(problem.shape.n);
      k.push_back(problem.shape.k);
      a.push_back(pitches.a);
      b.push_back(pitches.b);
      c.push_back(pitches.c);
      d.push_back(pitches.d);
    }
  }
  std::vector<int64_t> m, n, k, a, b, c, d;
};

constexpr int64_t kMaxTileSize = 1 << 16;

// Why a plan's values are invalid; empty where they are valid.
std::string fault_of(const TilewrightHarnessPlan& plan) {
  if (plan.workspace_bytes < 0) return "its plan has a workspace of less than 0 bytes";
  if (plan.workspace_alignment != 0 && !is_power_of_two(plan.workspace_alignment)) {
    return format("its plan aligns the workspace to {} bytes, which is no power of two",
                  plan.workspace_alignment);
  }
  if (plan.workspace_init < TILEWRIGHT_HARNESS_INIT_NONE ||
      plan.workspace_init > TILEWRIGHT_HARNESS_INIT_ZERO_EACH) {
    return format("its plan has workspace_init {}, which is none of TILEWRIGHT_HARNESS_INIT_*",
                  plan.workspace_init);
  }
  if (plan.slot_count < 0 || plan.slot_count > kMaxSlots) {
    return format("its plan has {} slots; a proof takes 0 to {}", plan.slot_count, kMaxSlots);
  }
  const auto is_tile = [](int64_t extent) { return 1 <= extent && extent <= kMaxTileSize; };
  if (plan.slot_count > 0 && !(is_tile(plan.tile_m) && is_tile(plan.tile_n))) {
    return format("its plan has tiles of {} x {} elements; a side has 1 to {}", plan.tile_m,
                  plan.tile_n, kMaxTileSize);
  }
  return {};
}

}  // namespace

bool is_manifest(const std::string& file) {
  return file.ends_with(".yaml") || file.ends_with(".yml");
}

HarnessLibrary::HarnessLibrary(const std::string& file) {
  std::string bytes = bytes_of_library(file);
  build_ = hash_text(bytes);
  // dlopen() searches the system's folders for a name without a slash.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* const library = load(path, std::move(bytes));
  if (library == nullptr) throw usage_error(format("cannot be loaded: {}", dlerror()));
  find(library, "tilewright_harness_describe", describe_);
  find(library, "tilewright_harness_prepare", prepare_);
  find(library, "tilewright_harness_run", run_);
  find(library, "tilewright_harness_release", release_);
  find(library, "tilewright_harness_tile", tile_);
  if (describe_ == nullptr || prepare_ == nullptr || run_ == nullptr || release_ == nullptr) {
    throw usage_error(
        "lacks one of tilewright_harness_describe, _prepare, _run and _release, which "
        "presets/harness/tilewright_harness.h declares");
  }
}

HarnessText HarnessLibrary::describe() const {
  auto description = fresh<TilewrightHarnessDescription>();
  auto message = fresh<TilewrightHarnessMessage>();
  HarnessText text{.json = {}, .build = build_, .maps = tile_ != nullptr};
  const int code = describe_(&description, &message);
  if (code != 0) {
    text.why_not = format("describe failed: {}", sentence_of(message, code));
  } else if (description.abi_version != TILEWRIGHT_HARNESS_ABI) {
    text.why_not =
        format("was compiled for version {} of the interface, and this program has version {}",
               description.abi_version, TILEWRIGHT_HARNESS_ABI);
  } else if (description.json == nullptr) {
    text.why_not = "describe did not set json";
  } else {
    text.json = description.json;
  }
  release_(nullptr);
  return text;
}

TilewrightHarnessPlan HarnessLibrary::prepare(const Workload& workload,
                                              const ForeignConfig& config) const {
  const ProductKind& kind = workload.kind;
  const std::string op = to_string(workload.op);
  const std::string dtype = to_string(kind.dtype);
  const std::string out_dtype = to_string(output_type(kind));
  const std::string addend_dtype = to_string(addend_type(kind));
  const std::string layout = to_string(kind.layout);
  const std::string activation = tw::record_of(kind.epilogue.activation).name;
  const ShapeLists lists(workload);
  std::vector<TilewrightHarnessValue> values;
  values.reserve(config.values.size());
  for (const AxisValue& value : config.values) values.push_back({value.axis.c_str(), value.value});
  auto problem = fresh<TilewrightHarnessProblem>();
  problem.op = op.c_str();
  problem.dtype = dtype.c_str();
  problem.out_dtype = out_dtype.c_str();
  problem.addend_dtype = addend_dtype.c_str();
  problem.layout = layout.c_str();
  problem.activation = activation.empty() ? "none" : activation.c_str();
  problem.scale_a = scale_word(kind.epilogue.scale_a, Operand::A);
  problem.scale_b = scale_word(kind.epilogue.scale_b, Operand::B);
  problem.alpha = kind.epilogue.alpha;
  problem.beta = kind.epilogue.beta;
  problem.has_bias = kind.epilogue.bias ? 1 : 0;
  problem.value_count = static_cast<int32_t>(values.size());
  problem.values = values.data();
  problem.product_count = std::ssize(workload.shapes);
  problem.m = lists.m.data();
  problem.n = lists.n.data();
  problem.k = lists.k.data();
  problem.lda = lists.a.data();
  problem.ldb = lists.b.data();
  problem.ldc = lists.c.data();
  problem.ldd = lists.d.data();
  auto plan = fresh<TilewrightHarnessPlan>();
  auto message = fresh<TilewrightHarnessMessage>();
  const int code = prepare_(&problem, &plan, &message);
  if (code != 0) throw usage_error(format("prepare failed: {}", sentence_of(message, code)));
  if (const std::string fault = fault_of(plan); !fault.empty()) throw usage_error(fault);
  return plan;
}

std::string HarnessLibrary::run(void* state, const TilewrightHarnessOperands& operands,
                                void* stream) const {
  auto message = fresh<TilewrightHarnessMessage>();
  const int code = run_(state, &operands, stream, &message);
  return code == 0 ? std::string() : format("run failed: {}", sentence_of(message, code));
}

ForeignMapping HarnessLibrary::mapping_of(const TilewrightHarnessPlan& plan) const {
  ForeignMapping mapping{.tile_m = plan.tile_m, .tile_n = plan.tile_n, .tiles = {}};
  if (tile_ == nullptr || plan.slot_count == 0) {
    mapping.why_not = "it does not export the tile of a slot";
    return mapping;
  }
  for (int64_t slot = 0; slot < plan.slot_count; ++slot) {
    int64_t m = -1;
    int64_t n = -1;
    if (tile_(plan.state, slot, &m, &n) != 0) {
      mapping.why_not = format("tile fails for slot {} of {}", slot, plan.slot_count);
      return mapping;
    }
    mapping.tiles.push_back({static_cast<int>(m), static_cast<int>(n)});
  }
  return mapping;
}

}  // namespace tilewright
