#include "layout/algebra/layout_value.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/inverse.hpp"
#include "layout/algebra/recast.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

namespace {

Error not_a(const LayoutValue& value, const std::string& what, const char* kind) {
  return usage_error(format("{} is {}, which is no {}", what, to_string(value), kind));
}

struct Printer {
  std::string operator()(const ComposedLayout& v) const { return to_string(v); }
  std::string operator()(const IntTuple& v) const { return to_string(v); }
  std::string operator()(const Tiler& v) const { return to_string(v); }
  std::string operator()(const Swizzle& v) const { return to_string(v); }
  std::string operator()(const PointerTag& v) const {
    return format("smem_ptr[{}b](unset)", v.element_bits);
  }
  std::string operator()(const CodomainValue& v) const { return to_string(v.value); }
};

}  // namespace

std::string to_string(const LayoutValue& value) {
  return std::visit(Printer{}, value);
}

ComposedLayout as_layout(const LayoutValue& value, const std::string& what) {
  if (const auto* layout = std::get_if<ComposedLayout>(&value)) return *layout;
  if (const auto* shape = std::get_if<IntTuple>(&value)) return {{}, 0, compact_layout(*shape)};
  if (const auto* tiler = std::get_if<Tiler>(&value); tiler != nullptr && tiler->layout) {
    return {{}, 0, *tiler->layout};
  }
  throw not_a(value, what, "layout");
}

Layout as_plain_layout(const LayoutValue& value, const std::string& what) {
  const ComposedLayout layout = as_layout(value, what);
  if (layout.swizzle) throw not_a(value, what, "layout without a swizzle");
  return layout.layout;
}

Tiler as_tiler(const LayoutValue& value, const std::string& what) {
  if (const auto* tiler = std::get_if<Tiler>(&value)) return *tiler;
  if (const auto* shape = std::get_if<IntTuple>(&value)) return tiler_of(*shape);
  if (const auto* layout = std::get_if<ComposedLayout>(&value);
      layout != nullptr && !layout->swizzle) {
    Tiler whole;
    whole.layout = layout->layout;
    return whole;
  }
  throw not_a(value, what, "tiler");
}

IntTuple as_tuple(const LayoutValue& value, const std::string& what) {
  if (const auto* tuple = std::get_if<IntTuple>(&value)) return *tuple;
  if (const auto* found = std::get_if<CodomainValue>(&value)) return found->value;
  throw not_a(value, what, "tuple of integers");
}

int64_t as_integer(const LayoutValue& value, const std::string& what) {
  const IntTuple tuple = as_tuple(value, what);
  if (tuple.is_tuple() || tuple.is_basis()) throw not_a(value, what, "integer");
  return tuple.value();
}

namespace {

using Arguments = std::vector<LayoutValue>;

ComposedLayout layout_argument(const Arguments& a, size_t i) {
  return as_layout(a[i], format("argument {}", i + 1));
}

// A layout operation below the swizzle.
ComposedLayout below(const ComposedLayout& whole, Layout layout) {
  return make_composed(whole.swizzle, whole.offset, std::move(layout));
}

LayoutValue do_coalesce(const Arguments& a, Derivation* why) {
  const ComposedLayout l = layout_argument(a, 0);
  if (a.size() == 1) return below(l, coalesce(l.layout, why));
  return below(l, coalesce(l.layout, as_tuple(a[1], "argument 2"), why));
}

LayoutValue do_filter(const Arguments& a, Derivation*) {
  const ComposedLayout l = layout_argument(a, 0);
  return below(l, filter(l.layout));
}

LayoutValue do_composition(const Arguments& a, Derivation* why) {
  const auto* const swizzle = std::get_if<Swizzle>(&a[0]);
  if (a.size() == 3) {
    if (swizzle == nullptr) throw usage_error("composition of three takes a swizzle first");
    const ComposedLayout l = layout_argument(a, 2);
    if (l.swizzle) throw usage_error("composition of three takes a layout without a swizzle last");
    return make_composed(*swizzle, as_integer(a[1], "argument 2"), l.layout);
  }
  const auto* const inner = std::get_if<Swizzle>(&a[1]);
  if (swizzle != nullptr && inner != nullptr) return composition(*swizzle, *inner);
  if (swizzle != nullptr) return composition(*swizzle, layout_argument(a, 1));
  const ComposedLayout l = layout_argument(a, 0);
  if (inner != nullptr) {
    if (l.swizzle) throw usage_error("composition: a swizzled layout after a swizzle");
    return composition(l.layout, *inner, why);
  }
  if (const auto* b = std::get_if<ComposedLayout>(&a[1])) return composition(l, *b, why);
  return below(l, composition(l.layout, as_tiler(a[1], "argument 2"), why));
}

LayoutValue do_complement(const Arguments& a, Derivation* why) {
  const ComposedLayout l = layout_argument(a, 0);
  const IntTuple target = a.size() == 2 ? as_tuple(a[1], "argument 2") : IntTuple(cosize(l.layout));
  return ComposedLayout{{}, 0, complement(l.layout, target, why)};
}

LayoutValue do_right_inverse(const Arguments& a, Derivation* why) {
  if (const auto* swizzle = std::get_if<Swizzle>(&a[0])) return *swizzle;
  return right_inverse(layout_argument(a, 0), why);
}

LayoutValue do_left_inverse(const Arguments& a, Derivation* why) {
  if (const auto* swizzle = std::get_if<Swizzle>(&a[0])) return *swizzle;
  return left_inverse(layout_argument(a, 0), why);
}

using TilerOperation = Layout (*)(const Layout&, const Tiler&, Derivation*);

template <TilerOperation operation>
LayoutValue do_tiled(const Arguments& a, Derivation* why) {
  const ComposedLayout l = layout_argument(a, 0);
  return below(l, operation(l.layout, as_tiler(a[1], "argument 2"), why));
}

using LayoutOperation = Layout (*)(const Layout&, const Layout&, Derivation*);

template <LayoutOperation operation>
LayoutValue do_zipped(const Arguments& a, Derivation* why) {
  const ComposedLayout l = layout_argument(a, 0);
  return below(l, operation(l.layout, as_plain_layout(a[1], "argument 2"), why));
}

LayoutValue do_tile_to_shape(const Arguments& a, Derivation* why) {
  const ComposedLayout l = layout_argument(a, 0);
  const IntTuple shape = as_tuple(a[1], "argument 2");
  if (a.size() == 2) return below(l, tile_to_shape(l.layout, shape, nullptr, why));
  const IntTuple order = as_tuple(a[2], "argument 3");
  return below(l, tile_to_shape(l.layout, shape, &order, why));
}

LayoutValue do_recast(const Arguments& a, Derivation* why) {
  const int64_t from = as_integer(a[1], "argument 2, the old bits of an element,");
  const int64_t to = as_integer(a[2], "argument 3, the new bits of an element,");
  return recast(layout_argument(a, 0), from, to, why);
}

LayoutValue do_logical_product(const Arguments& a, Derivation* why) {
  const auto* const count = std::get_if<IntTuple>(&a[1]);
  if (why != nullptr && count != nullptr && !count->is_tuple()) {
    why->warn("pycute-logical-product",
              "pycute's logical_product(L, integer) calls logical_divide "
              "and gives another result than CuTe C++");
  }
  return do_tiled<logical_product>(a, why);
}

struct Operation {
  std::string_view name;
  size_t least;
  size_t most;
  LayoutValue (*apply)(const Arguments&, Derivation*);
};

constexpr std::array kOperations = {
    Operation{"blocked_product", 2, 2, do_zipped<blocked_product>},
    Operation{"coalesce", 1, 2, do_coalesce},
    Operation{"complement", 1, 2, do_complement},
    Operation{"composition", 2, 3, do_composition},
    Operation{"filter", 1, 1, do_filter},
    Operation{"flat_divide", 2, 2, do_tiled<flat_divide>},
    Operation{"flat_product", 2, 2, do_tiled<flat_product>},
    Operation{"left_inverse", 1, 1, do_left_inverse},
    Operation{"logical_divide", 2, 2, do_tiled<logical_divide>},
    Operation{"logical_product", 2, 2, do_logical_product},
    Operation{"raked_product", 2, 2, do_zipped<raked_product>},
    Operation{"recast", 3, 3, do_recast},
    Operation{"right_inverse", 1, 1, do_right_inverse},
    Operation{"tile_to_shape", 2, 3, do_tile_to_shape},
    Operation{"tiled_divide", 2, 2, do_tiled<tiled_divide>},
    Operation{"tiled_product", 2, 2, do_tiled<tiled_product>},
    Operation{"zipped_divide", 2, 2, do_tiled<zipped_divide>},
    Operation{"zipped_product", 2, 2, do_tiled<zipped_product>},
};

}  // namespace

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> names;
  names.reserve(kOperations.size());
  for (const Operation& operation : kOperations) names.push_back(operation.name);
  return names;
}

LayoutValue call_operation(std::string_view name, const Arguments& arguments, Derivation* why) {
  const auto* const found =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [&](const Operation& operation) { return operation.name == name; });
  if (found == kOperations.end()) {
    throw usage_error(
        format("unknown operation '{}'{}", name, did_you_mean(name, operation_names())));
  }
  if (arguments.size() < found->least || arguments.size() > found->most) {
    const std::string wanted = found->least == found->most
                                   ? format("{}", found->least)
                                   : format("{} or {}", found->least, found->most);
    throw usage_error(format("{} takes {} arguments, not {}", name, wanted, arguments.size()));
  }
  if (why != nullptr) {
    std::vector<std::string> texts;
    texts.reserve(arguments.size());
    for (const LayoutValue& argument : arguments) texts.push_back(to_string(argument));
    why->say(format("{}({})", name, join(texts, ", ")));
  }
  const DerivationLevel level(why);
  LayoutValue result = found->apply(arguments, why);
  if (why != nullptr) why->say("= " + to_string(result));
  return result;
}

}  // namespace tilewright
