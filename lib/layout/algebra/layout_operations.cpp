#include "layout/algebra/layout_operations.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/compose.hpp"
#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/construct.hpp"
#include "layout/algebra/inverse.hpp"
#include "layout/algebra/recast.hpp"
#include "layout/algebra/tiling.hpp"

namespace tilewright {

namespace {

using Arguments = std::vector<LayoutValue>;

ComposedLayout layout_argument(const Arguments& a, size_t i) {
  return as_layout(a[i], format("argument {}", i + 1));
}

// False if the argument is missing or "_".
bool is_given(const Arguments& a, size_t i) {
  if (i >= a.size()) return false;
  const auto* const tiler = std::get_if<Tiler>(&a[i]);
  return tiler == nullptr || tiler->layout || tiler->is_by_mode();
}

// Replaces the inner layout; the swizzle and the offset stay.
ComposedLayout with_inner_layout(const ComposedLayout& whole, Layout layout) {
  return make_composed(whole.swizzle, whole.offset, std::move(layout));
}

LayoutValue do_coalesce(const Arguments& a, Derivation* why) {
  const ComposedLayout l = layout_argument(a, 0);
  if (a.size() == 1) return with_inner_layout(l, coalesce(l.layout, why));
  return with_inner_layout(l, coalesce(l.layout, as_tuple(a[1], "argument 2"), why));
}

LayoutValue do_filter(const Arguments& a, Derivation*) {
  const ComposedLayout l = layout_argument(a, 0);
  return with_inner_layout(l, filter(l.layout));
}

LayoutValue do_composition(const Arguments& a, Derivation* why) {
  const auto* const swizzle = std::get_if<Swizzle>(&a[0]);
  if (a.size() == 3) {
    if (swizzle == nullptr)
      throw usage_error("composition of three arguments takes a swizzle first");
    const ComposedLayout l = layout_argument(a, 2);
    if (l.swizzle)
      throw usage_error("composition of three arguments takes a layout without a swizzle last");
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
  return with_inner_layout(l, composition(l.layout, as_tiler(a[1], "argument 2"), why));
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
  return with_inner_layout(l, operation(l.layout, as_tiler(a[1], "argument 2"), why));
}

using LayoutOperation = Layout (*)(const Layout&, const Layout&, Derivation*);

template <LayoutOperation operation>
LayoutValue do_zipped(const Arguments& a, Derivation* why) {
  const ComposedLayout l = layout_argument(a, 0);
  return with_inner_layout(l, operation(l.layout, as_plain_layout(a[1], "argument 2"), why));
}

// The order in which the modes run: the first one or the last one fastest.
IntTuple order_of(const IntTuple& shape, const ModeOrder& major) {
  if (!shape.is_tuple()) return 0;
  std::vector<IntTuple> places;
  for (size_t i = 0; i < shape.rank(); ++i) {
    places.emplace_back(static_cast<int64_t>(major.last_first ? shape.rank() - 1 - i : i));
  }
  return IntTuple(std::move(places));
}

LayoutValue do_tile_to_shape(const Arguments& a, Derivation* why) {
  const ComposedLayout l = layout_argument(a, 0);
  const IntTuple shape = as_tuple(a[1], "argument 2");
  if (!is_given(a, 2)) return with_inner_layout(l, tile_to_shape(l.layout, shape, nullptr, why));
  const auto* const major = std::get_if<ModeOrder>(&a[2]);
  const IntTuple order = major == nullptr ? as_tuple(a[2], "argument 3") : order_of(shape, *major);
  return with_inner_layout(l, tile_to_shape(l.layout, shape, &order, why));
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

size_t count_argument(const Arguments& a, size_t i) {
  const int64_t count = as_integer(a[i], format("argument {}", i + 1));
  if (count < 0) throw usage_error(format("argument {} is {}: modes count from 0", i + 1, count));
  return static_cast<size_t>(count);
}

std::vector<size_t> modes_argument(const Arguments& a, size_t i) {
  std::vector<size_t> modes;
  for (const IntTuple& leaf : leaves(as_tuple(a[i], format("argument {}", i + 1)))) {
    modes.push_back(count_argument({leaf}, 0));
  }
  return modes;
}

// Applies f to a tuple, or to both shape and stride of a layout, as CuTe does.
template <typename F>
LayoutValue on_modes(const LayoutValue& value, const F& f) {
  if (const auto* tuple = std::get_if<IntTuple>(&value)) return f(*tuple);
  const ComposedLayout l = as_layout(value, "argument 1");
  return with_inner_layout(l, make_layout(f(l.layout.shape), f(l.layout.stride)));
}

using Extension = IntTuple (*)(const IntTuple&, const IntTuple&, size_t);

template <Extension extension>
LayoutValue do_extend(const Arguments& a, Derivation*) {
  if (const auto* tuple = std::get_if<IntTuple>(&a[0])) {
    const IntTuple item = is_given(a, 1) ? as_tuple(a[1], "argument 2") : IntTuple(1);
    return extension(*tuple, item, is_given(a, 2) ? count_argument(a, 2) : tuple->rank() + 1);
  }
  const ComposedLayout l = layout_argument(a, 0);
  if (is_given(a, 1) && std::holds_alternative<IntTuple>(a[1])) {
    throw usage_error(format("argument 2 is {}: only a layout can extend a layout, such as {}:1",
                             to_string(a[1]), to_string(a[1])));
  }
  const Layout item = is_given(a, 1) ? as_plain_layout(a[1], "argument 2") : Layout{};
  const size_t count = is_given(a, 2) ? count_argument(a, 2) : rank(l.layout) + 1;
  return with_inner_layout(l, make_layout(extension(l.layout.shape, item.shape, count),
                                          extension(l.layout.stride, item.stride, count)));
}

LayoutValue do_filter_zeros(const Arguments& a, Derivation*) {
  const ComposedLayout l = layout_argument(a, 0);
  return with_inner_layout(l, filter_zeros(l.layout));
}

LayoutValue do_flatten(const Arguments& a, Derivation*) {
  return on_modes(a[0], [](const IntTuple& t) { return flatten(t); });
}

LayoutValue do_get(const Arguments& a, Derivation*) {
  const std::vector<size_t> path = modes_argument(a, 1);
  return on_modes(a[0], [&](const IntTuple& t) { return mode_at(t, path); });
}

LayoutValue do_group(const Arguments& a, Derivation*) {
  const size_t begin = count_argument(a, 1);
  return on_modes(a[0], [&](const IntTuple& t) {
    return group_modes(t, begin, is_given(a, 2) ? count_argument(a, 2) : t.rank());
  });
}

LayoutValue do_select(const Arguments& a, Derivation*) {
  const std::vector<size_t> modes = modes_argument(a, 1);
  return on_modes(a[0], [&](const IntTuple& t) { return select_modes(t, modes); });
}

LayoutValue do_take(const Arguments& a, Derivation*) {
  const size_t begin = count_argument(a, 1);
  const size_t end = count_argument(a, 2);
  return on_modes(a[0], [&](const IntTuple& t) { return take_modes(t, begin, end); });
}

Layout compact_by(const IntTuple& shape, const ModeOrder& order) {
  return order.last_first ? row_major_layout(shape) : compact_layout(shape);
}

// make_layout of layouts (in CuTe DSL of a list of layouts): one mode each.
Layout layout_of_layouts(const Arguments& a) {
  std::vector<Layout> all;
  const auto* const tiler = std::get_if<Tiler>(&a[0]);
  if (a.size() == 1 && tiler != nullptr && tiler->is_by_mode()) {
    for (const Tiler& one : tiler->modes) {
      if (!one.layout) throw usage_error(format("{} is not a list of layouts", to_string(*tiler)));
      all.push_back(*one.layout);
    }
    return join_modes(all);
  }
  for (const LayoutValue& value : a) {
    if (!std::holds_alternative<ComposedLayout>(value)) {
      throw usage_error(
          format("make_layout: {} is among layouts and is not one: a shape must be before a stride "
                 "or LayoutRight",
                 to_string(value)));
    }
    all.push_back(as_plain_layout(value, "a mode"));
  }
  return join_modes(all);
}

LayoutValue do_make_layout(const Arguments& a, Derivation*) {
  const auto* const shape = std::get_if<IntTuple>(&a[0]);
  if (shape == nullptr) return ComposedLayout{{}, 0, layout_of_layouts(a)};
  if (a.size() > 2) throw usage_error("make_layout: a layout has a shape and a stride");
  if (!is_given(a, 1)) return ComposedLayout{{}, 0, compact_layout(*shape)};
  if (const auto* order = std::get_if<ModeOrder>(&a[1])) {
    return ComposedLayout{{}, 0, compact_by(*shape, *order)};
  }
  return ComposedLayout{{}, 0, make_layout(*shape, as_tuple(a[1], "a stride"))};
}

// In CuTe modes with equal integers in the order overlap.
void warn_of_ties(const IntTuple& order, Derivation* why) {
  std::vector<int64_t> places;
  for (const IntTuple& leaf : leaves(order)) places.push_back(leaf.value());
  std::sort(places.begin(), places.end());
  const auto tie = std::adjacent_find(places.begin(), places.end());
  if (why == nullptr || tie == places.end()) return;
  why->warn("order-ties", format("order {} contains {} more than once: CuTe gives those modes the "
                                 "same stride, so they overlap",
                                 to_string(order), *tie));
}

LayoutValue do_make_ordered_layout(const Arguments& a, Derivation* why) {
  const IntTuple shape = as_tuple(a[0], "a shape");
  if (const auto* order = std::get_if<ModeOrder>(&a[1])) {
    return ComposedLayout{{}, 0, compact_by(shape, *order)};
  }
  const IntTuple order = as_tuple(a[1], "an order");
  require_order(order);
  warn_of_ties(order, why);
  return ComposedLayout{{}, 0, ordered_layout(shape, order)};
}

LayoutValue do_make_layout_like(const Arguments& a, Derivation*) {
  return ComposedLayout{{}, 0, layout_like(as_plain_layout(a[0], "argument 1"))};
}

// A fragment is in registers, which have no swizzle; the fragment of a shape is compact.
LayoutValue do_make_fragment_like(const Arguments& a, Derivation* why) {
  if (const auto* const shape = std::get_if<IntTuple>(&a[0])) {
    return ComposedLayout{{}, 0, compact_layout(*shape)};
  }
  return ComposedLayout{{}, 0, fragment_like(layout_argument(a, 0).layout, why)};
}

LayoutValue do_make_identity_layout(const Arguments& a, Derivation*) {
  return ComposedLayout{{}, 0, identity_layout(as_tuple(a[0], "a shape"))};
}

LayoutValue do_make_composed_layout(const Arguments& a, Derivation* why) {
  if (std::holds_alternative<Swizzle>(a[0])) return do_composition(a, nullptr);
  if (a[1] != LayoutValue(IntTuple(0))) {
    throw usage_error("only a swizzle can be composed with an offset");
  }
  return do_composition({a[0], layout_argument(a, 2)}, why);
}

LayoutValue do_recast_layout(const Arguments& a, Derivation* why) {
  return do_recast({a[2], a[1], a[0]}, why);
}

LayoutValue do_upcast(const Arguments& a, Derivation* why) {
  return recast(layout_argument(a, 0), 1, as_integer(a[1], "argument 2"), why);
}

LayoutValue do_downcast(const Arguments& a, Derivation* why) {
  return recast(layout_argument(a, 0), as_integer(a[1], "argument 2"), 1, why);
}

constexpr size_t kAnyNumber = 64;

// `parameters` by position, with CuTe DSL's names; CuTe C++ writes the last `statics` of them in
// angle brackets. `by_stride`: the result's modes are in the order of the argument's strides.
struct Operation {
  std::string_view name;
  size_t least;
  size_t most;
  LayoutValue (*apply)(const Arguments&, Derivation*);
  std::string_view parameters = {};
  size_t statics = 0;
  bool by_stride = false;
};

constexpr std::array kOperations = {
    Operation{"append", 1, 3, do_extend<append>, "input,elem,up_to_rank", 1},
    Operation{"blocked_product", 2, 2, do_zipped<blocked_product>, "block,tiler"},
    Operation{"coalesce", 1, 2, do_coalesce, "input,target_profile"},
    Operation{"complement", 1, 2, do_complement, "input,cotarget"},
    Operation{"composition", 2, 3, do_composition, "lhs,rhs"},
    Operation{"downcast", 2, 2, do_downcast, "input,factor", 1},
    Operation{"filter", 1, 1, do_filter, "input"},
    Operation{"filter_zeros", 1, 1, do_filter_zeros, "input"},
    Operation{"flat_divide", 2, 2, do_tiled<flat_divide>, "target,tiler"},
    Operation{"flat_product", 2, 2, do_tiled<flat_product>, "block,tiler"},
    Operation{"flatten", 1, 1, do_flatten, "a"},
    Operation{"get", 2, 2, do_get, "input,mode", kAnyNumber},
    Operation{"group", 2, 3, do_group, "input,begin,end", 2},
    Operation{"group_modes", 2, 3, do_group, "input,begin,end"},
    Operation{"left_inverse", 1, 1, do_left_inverse, "input"},
    Operation{"logical_divide", 2, 2, do_tiled<logical_divide>, "target,tiler"},
    Operation{"logical_product", 2, 2, do_logical_product, "block,tiler"},
    Operation{"make_composed_layout", 3, 3, do_make_composed_layout, "inner,offset,outer"},
    Operation{"make_fragment_like", 1, 1, do_make_fragment_like, "input", 0, true},
    Operation{"make_identity_layout", 1, 1, do_make_identity_layout, "shape"},
    Operation{"make_layout", 1, kAnyNumber, do_make_layout, "shape,stride"},
    Operation{"make_layout_like", 1, 1, do_make_layout_like, "input", 0, true},
    Operation{"make_ordered_layout", 2, 2, do_make_ordered_layout, "shape,order"},
    Operation{"prepend", 1, 3, do_extend<prepend>, "input,elem,up_to_rank", 1},
    Operation{"raked_product", 2, 2, do_zipped<raked_product>, "block,tiler"},
    Operation{"recast", 3, 3, do_recast},
    Operation{"recast_layout", 3, 3, do_recast_layout, "new_type_bits,old_type_bits,src_layout"},
    Operation{"right_inverse", 1, 1, do_right_inverse, "input"},
    Operation{"select", 2, 2, do_select, "input,mode", kAnyNumber},
    Operation{"take", 3, 3, do_take, "input,begin,end", 2},
    Operation{"tile_to_shape", 2, 3, do_tile_to_shape, "atom,trg_shape,order"},
    Operation{"tiled_divide", 2, 2, do_tiled<tiled_divide>, "target,tiler"},
    Operation{"tiled_product", 2, 2, do_tiled<tiled_product>, "block,tiler"},
    Operation{"upcast", 2, 2, do_upcast, "input,factor", 1},
    Operation{"zipped_divide", 2, 2, do_tiled<zipped_divide>, "target,tiler"},
    Operation{"zipped_product", 2, 2, do_tiled<zipped_product>, "block,tiler"},
};

const Operation* operation_named(std::string_view name) {
  const auto* const found =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [&](const Operation& operation) { return operation.name == name; });
  return found == kOperations.end() ? nullptr : found;
}

}  // namespace

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> names;
  names.reserve(kOperations.size());
  for (const Operation& operation : kOperations) names.push_back(operation.name);
  return names;
}

std::optional<CallForm> call_form(std::string_view name) {
  const Operation* const found = operation_named(name);
  if (found == nullptr) return std::nullopt;
  const bool list = found->statics == kAnyNumber;
  return CallForm{.parameters = split(found->parameters, ','),
                  .least = found->least,
                  .static_parameters = list ? 1 : found->statics,
                  .static_list = list,
                  .by_stride = found->by_stride};
}

LayoutValue call_operation(std::string_view name, const Arguments& arguments, Derivation* why) {
  const Operation* const found = operation_named(name);
  if (found == nullptr) {
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
    why->add_step(format("{}({})", name, join(texts, ", ")));
  }
  const DerivationLevel level(why);
  LayoutValue result = found->apply(arguments, why);
  if (why != nullptr) why->add_step("= " + to_string(result));
  return result;
}

}  // namespace tilewright
