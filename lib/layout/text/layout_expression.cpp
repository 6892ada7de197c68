#include "layout/text/layout_expression.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/algebra/composed_layout.hpp"
#include "layout/algebra/layout_operations.hpp"
#include "layout/algebra/layout_value.hpp"
#include "layout/algebra/wgmma_atom.hpp"
#include "layout/text/element_types.hpp"
#include "layout/text/layout_lexer.hpp"
#include "layout/text/operand_text.hpp"
#include "layout/text/partition_text.hpp"
#include "layout/text/refused_words.hpp"
#include "layout/text/runtime_numbers.hpp"
#include "layout/text/swizzle_text.hpp"
#include "layout/text/tiled_text.hpp"

namespace tilewright {

namespace {

/// A recursive-descent parser that evaluates while it reads.
///   expression: operand ("o" operand)* ("(" coordinate ")" | "[" coordinate "]")*
///   operand:    scaled [":" scaled] | tiler | "_" | swizzle | pointer
///   scaled:     factor ("*" factor)*
///   factor:     tuple | name "(" expressions ")"
///               | program text: Layout<Shape<_8,_64>,Stride<_64,_1>>, append<4>(L), E<0>{}
class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, Derivation* why) : lexer_(text), why_(why) {}

  LayoutValue read_all() {
    LayoutValue value = expression();
    if (lexer_.peek().kind != TokenKind::End) throw lexer_.fail("expected the end of the layout");
    return value;
  }

 private:
  /// Counts one level of brackets while it lives.
  struct Nested {
    explicit Nested(ExpressionReader& owner) : reader(owner) {
      if (++reader.depth_ > kMaxDepth) {
        throw reader.lexer_.fail(format("brackets nest deeper than {}", kMaxDepth));
      }
    }
    ~Nested() { --reader.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ExpressionReader& reader;
  };

  LayoutValue expression() {
    const Nested nested(*this);
    std::vector<LayoutValue> chain = {operand()};
    while (lexer_.at_word("o") || lexer_.at_word("smem_ptr") || lexer_.at_word("_smem_ptr")) {
      if (lexer_.at_word("o")) lexer_.take();
      chain.push_back(operand());
    }
    LayoutValue value = combine(std::move(chain));
    while (lexer_.at('(') || lexer_.at('[')) value = applied(value);
    return value;
  }

  LayoutValue applied(const LayoutValue& value) {
    const ComposedLayout layout = as_layout(value, "the operand of a coordinate");
    const char closing = lexer_.at('[') ? ']' : ')';
    lexer_.take();
    const std::vector<LayoutValue> items = list(closing);
    SliceCoordinate at;
    for (const LayoutValue& item : items) at.modes.push_back(as_coordinate(item, "a coordinate"));
    // L[0] of CuTe DSL is a mode; L[None, 0], as of a tensor, a slice.
    const bool is_mode = closing == ']' && items.size() == 1 && at.modes[0].index;
    if (is_mode) return call_operation("get", {layout, items[0]}, why_);
    if (at.modes.size() == 1) at = SliceCoordinate(at.modes[0]);
    if (has_free_mode(at)) return sliced(layout, at, reading_);
    const IntTuple coord = first_coordinate(at);
    const IntTuple result = value_at(layout, coord);
    if (why_ != nullptr) {
      why_->add_step(
          format("({})({}) = {}", to_string(layout), to_string(coord), to_string(result)));
    }
    return CodomainValue{result};
  }

  // Composes from the right: A o (B o C). A swizzle, an offset and a layout make one composed
  // layout.
  LayoutValue combine(std::vector<LayoutValue> chain) {
    while (chain.size() > 1) {
      const size_t n = chain.size();
      const LayoutValue right = chain[n - 1];
      const auto* const pointer = std::get_if<PointerTag>(&chain[n - 2]);
      const bool swizzled = n > 2 && std::holds_alternative<Swizzle>(chain[n - 3]);
      const bool offset = swizzled && std::holds_alternative<IntTuple>(chain[n - 2]);
      chain.pop_back();
      if (pointer != nullptr) {
        const PointerTag tag = *pointer;
        chain.pop_back();
        chain.push_back(right);
        if (swizzled) chain[n - 3] = on_elements(std::get<Swizzle>(chain[n - 3]), tag);
      } else if (offset) {
        const std::vector<LayoutValue> parts = {chain[n - 3], chain[n - 2], right};
        chain.resize(n - 3);
        chain.push_back(call_operation("composition", parts, nullptr));
      } else {
        const bool plain = std::holds_alternative<Swizzle>(chain[n - 2]);
        chain[n - 2] = call_operation("composition", {chain[n - 2], right}, plain ? nullptr : why_);
      }
    }
    return std::move(chain[0]);
  }

  // A swizzle in front of a pointer works on byte addresses; returns the one on elements.
  LayoutValue on_elements(const Swizzle& bytes, const PointerTag& pointer) {
    const int64_t bits = pointer.element_bits;
    const Swizzle elements = bits >= 8 ? upcast(bytes, bits / 8) : downcast(bytes, 8 / bits);
    if (why_ != nullptr) {
      why_->warn("swizzle-units",
                 format("{} before smem_ptr[{}b] works on bytes; on elements of {} "
                        "bits it is {}",
                        to_string(bytes), bits, bits, to_string(elements)));
    }
    return elements;
  }

  LayoutValue operand() {
    if (lexer_.peek().kind == TokenKind::Underscore) {
      lexer_.take();
      return Tiler{};
    }
    if (lexer_.accept('<')) return tiler(list('>'));
    if (lexer_.accept('[')) return tiler(list(']'));
    LayoutValue shape = scaled();
    if (!lexer_.at(':')) return shape;
    if (!std::holds_alternative<IntTuple>(shape)) throw lexer_.fail("only a shape has a stride");
    lexer_.take();
    const LayoutValue stride = scaled();
    if (!std::holds_alternative<IntTuple>(stride))
      throw lexer_.fail("a stride consists of integers");
    return ComposedLayout{
        {}, 0, make_layout(std::get<IntTuple>(shape), std::get<IntTuple>(stride))};
  }

  LayoutValue factor() { return lexer_.peek().kind == TokenKind::Word ? word() : tuple(); }

  // "8*E<1>{}", a number times a basis vector or a number.
  LayoutValue scaled() {
    LayoutValue value = factor();
    while (lexer_.accept('*')) {
      const IntTuple a = as_tuple(value, "a factor");
      const IntTuple b = as_tuple(factor(), "a factor");
      if (a.is_tuple() || b.is_tuple() || (a.is_basis() && b.is_basis())) {
        throw usage_error(format("{} * {} is not a number times a number or a basis vector",
                                 to_string(a), to_string(b)));
      }
      value = IntTuple::scaled_basis(checked_mul(a.value(), b.value()),
                                     a.is_basis() ? a.basis() : b.basis());
    }
    return value;
  }

  // A number, a scaled basis vector, or a bracketed list of expressions.
  LayoutValue tuple() {
    if (lexer_.peek().kind == TokenKind::Number) return leaf();
    lexer_.expect('(', "or a number");
    std::vector<LayoutValue> items = list(')');
    return items.size() == 1 && !std::holds_alternative<IntTuple>(items[0]) ? std::move(items[0])
                                                                            : joined(items);
  }

  // A tuple of integers, a coordinate if modes of it are free, else a tiler.
  LayoutValue joined(const std::vector<LayoutValue>& items) {
    std::vector<IntTuple> integers;
    SliceCoordinate coordinate;
    for (const LayoutValue& item : items) {
      const auto* const one = std::get_if<IntTuple>(&item);
      if (one != nullptr) integers.push_back(*one);
      const bool part = std::holds_alternative<SliceCoordinate>(item) ||
                        item == LayoutValue(Tiler{}) || (one != nullptr && !has_basis(*one));
      if (part) coordinate.modes.push_back(as_coordinate(item, "a mode"));
    }
    if (integers.size() == items.size()) return IntTuple(std::move(integers));
    if (coordinate.modes.size() == items.size()) return coordinate;
    return tiler(items);
  }

  LayoutValue leaf() {
    count_leaf();
    const bool plain = lexer_.peek().text[0] != '_';
    int64_t value = lexer_.take().number;
    if (plain) ++plain_numbers_;
    if (plain && step_depth_ > 0) value = kRuntimeStep;
    std::vector<int64_t> modes;
    while (lexer_.accept('@')) {
      modes.insert(modes.begin(), lexer_.expect_number("the mode of a basis vector"));
    }
    return basis_vector(value, modes);
  }

  // `value` times the basis vector of mode modes[0], inside it of mode modes[1], and so on.
  IntTuple basis_vector(int64_t value, const std::vector<int64_t>& modes) {
    std::vector<int> path;
    for (const int64_t mode : modes) {
      if (mode < 0 || mode >= kMaxDepth) {
        throw lexer_.fail(format("mode {} of a basis vector is not in [0, {})", mode, kMaxDepth));
      }
      path.push_back(static_cast<int>(mode));
    }
    if (path.size() > static_cast<size_t>(kMaxDepth)) throw lexer_.fail("too deep a basis");
    return IntTuple::scaled_basis(value, std::move(path));
  }

  // "E<0,1>{}", "E(0)" and "E([0, 1])"; "ScaledBasis<C<8>, 1>" with its scale in front.
  LayoutValue basis(bool has_scale) {
    const char closing = opened();
    const bool listed = lexer_.accept('[');
    std::vector<int64_t> numbers;
    for (const LayoutValue& item : list(listed ? ']' : closing)) {
      numbers.push_back(as_integer(item, "the mode of a basis vector"));
    }
    if (listed) lexer_.expect(closing, "after the modes of a basis vector");
    const int64_t scale = has_scale ? numbers[0] : 1;
    if (has_scale) numbers.erase(numbers.begin());
    return basis_vector(scale, numbers);
  }

  std::vector<LayoutValue> list(char closing) {
    std::vector<LayoutValue> items;
    if (lexer_.at(closing)) throw lexer_.fail("an empty list has no meaning");
    do {
      items.push_back(expression());
      count_leaf();
    } while ((lexer_.accept(',') || lexer_.accept(';')) && !lexer_.at(closing));
    lexer_.expect(closing, "or ','");
    return items;
  }

  LayoutValue tiler(const std::vector<LayoutValue>& items) {
    Tiler by_mode;
    for (const LayoutValue& item : items) by_mode.modes.push_back(as_tiler(item, "a tiler's mode"));
    return by_mode;
  }

  void count_leaf() {
    if (++leaves_ > kMaxLeaves) {
      throw lexer_.fail(format("more than {} integers", kMaxLeaves));
    }
  }

  LayoutValue word() {
    const LayoutToken name = lexer_.take();
    std::string_view text = name.text;
    if (text[0] == '_') text.remove_prefix(1);
    if (text == "Sw" || text == "S" || text == "Swizzle")
      return read_swizzle(lexer_, text == "Swizzle");
    if (text.substr(0, 3) == "SW_") return read_swizzle_name(lexer_, name);
    if (text == "smem_ptr" || text == "gmem_ptr" || text == "ptr") return read_pointer(lexer_);
    if (std::optional<LayoutValue> made = source_word(text)) return *made;
    if (const std::optional<CallForm> form = call_form(text)) return call(text, *form);
    if (lexer_.at('=')) {
      throw lexer_.fail_at(name.column, format("the call has no argument named '{}'", name.text));
    }
    if (const std::string why = why_refused(text); !why.empty()) {
      throw lexer_.fail_at(name.column, why);
    }
    if (!lexer_.at('(')) {
      throw lexer_.fail_at(name.column, format("'{}' is neither a layout nor an operation{}",
                                               name.text, did_you_mean(text, operation_names())));
    }
    return call_operation(text, {}, why_);
  }

  // A word of a program: a type of CuTe C++, or a function of CuTe C++ or CuTe DSL.
  std::optional<LayoutValue> source_word(std::string_view text) {
    const auto is = [text](std::initializer_list<std::string_view> words) {
      return std::find(words.begin(), words.end(), text) != words.end();
    };
    if (const auto atom = wgmma_atom_named(text)) {
      return LayoutValue(wgmma_atom(*atom, atom->of_bits ? 1 : element_types(lexer_, 1)[0]));
    }
    if (std::optional<LayoutValue> value = called_word(text)) return value;
    if (is({"None", "X"})) return LayoutValue(Tiler{});
    if (is({"E", "ScaledBasis"})) return basis(text == "ScaledBasis");
    if (is({"decltype"}) && lexer_.at('(')) return tuple();
    if (is({"recast_layout"}) && lexer_.at('<')) return recast_to_type();
    if (is({"make_swizzle"}))
      return lexer_.at('<') ? read_swizzle_masks(lexer_) : read_swizzle(lexer_);
    if (is({"Layout", "make_layout"})) {
      return call_operation("make_layout", arguments(opened(), *call_form("make_layout")), nullptr);
    }
    if (is({"ComposedLayout", "make_composed_layout"})) return made_composed();
    if (is({"LayoutLeft", "GenColMajor"})) return LayoutValue(ModeOrder{});
    if (is({"LayoutRight", "GenRowMajor"})) return LayoutValue(ModeOrder{.last_first = true});
    if (is({"Int", "C", "Constant"})) return LayoutValue(IntTuple(static_number()));
    if (is({"smem_ptr_flag_bits"})) return LayoutValue(PointerTag{static_number()});
    if (is({"Tile", "make_tile"})) return tiler(list(opened()));
    const bool made = is({"make_shape", "make_stride", "make_coord", "make_tuple"});
    if (is({"make_step"}) || (made && in_order_)) return steps();
    if (made || is({"Shape", "Stride", "Coord", "Step", "tuple"})) return made_tuple(text);
    return std::nullopt;
  }

  // The result of a call of tiled copies and MMAs, of partitions, or of wgmma's operands.
  std::optional<LayoutValue> called_word(std::string_view text) {
    std::optional<LayoutValue> value = read_tiled(text, reading_);
    if (!value) value = read_partition(text, reading_);
    return value ? value : read_operand(text, reading_);
  }

  // The tuple that `maker` makes; notes in runtime_ whether C++ knows its numbers only at run time.
  LayoutValue made_tuple(std::string_view maker) {
    const int64_t plain = plain_numbers_;
    LayoutValue made = joined(list(opened()));
    const bool runtime = plain_numbers_ > plain;
    runtime_.shape = runtime_.shape || (maker == "make_shape" && runtime);
    runtime_.stride = runtime_.stride || (maker == "make_stride" && runtime);
    return made;
  }

  // "recast_layout<uint128_t, half_t>(L)": the first type is the new one.
  LayoutValue recast_to_type() {
    const std::vector<int64_t> bits = element_types(lexer_, 2);
    lexer_.expect('(', "before the layout");
    LayoutValue layout = expression();
    lexer_.expect(')', "after the layout");
    return call_operation("recast_layout", {IntTuple(bits[0]), IntTuple(bits[1]), layout}, why_);
  }

  std::vector<IntTuple> extents(char closing) {
    std::vector<IntTuple> items;
    for (const LayoutValue& item : list(closing)) items.push_back(as_tuple(item, "an extent"));
    return items;
  }

  // "make_step(_1{}, 7, _0{})", or another tuple as an argument `order`. CuTe C++ ranks a number
  // that it knows only at run time, the 7, above all static numbers, and several of them from left
  // to right.
  LayoutValue steps() {
    ++step_depth_;
    const IntTuple order(extents(opened()));
    if (--step_depth_ > 0) return order;
    int64_t most = 0;
    bool runtime = false;
    for (const IntTuple& leaf : leaves(order)) {
      runtime = runtime || leaf.value() >= kRuntimeStep;
      if (leaf.value() < kRuntimeStep) most = std::max(most, leaf.value());
    }
    if (runtime && why_ != nullptr) {
      why_->warn("runtime-order",
                 "CuTe C++ ignores the numbers of an order that it knows only at run time and "
                 "treats them as the largest, from left to right: write _1{}, not 1");
    }
    int64_t place = most;
    return map_leaves(order, [&](const IntTuple& leaf) {
      return leaf.value() < kRuntimeStep ? leaf : IntTuple(++place);
    });
  }

  // Takes the bracket behind a word and returns the one that closes it.
  char opened() {
    if (lexer_.accept('<')) return '>';
    lexer_.expect('(', "or '<'");
    return ')';
  }

  int64_t static_number() {
    lexer_.expect('<', "before a static number");
    count_leaf();
    const int64_t number = lexer_.expect_number("a static number");
    lexer_.expect('>', "after a static number");
    return number;
  }

  // The arguments of a call by position; "_" for one that is left out.
  std::vector<LayoutValue> arguments(char closing, const CallForm& form) {
    std::vector<std::optional<LayoutValue>> found;
    if (lexer_.at(closing)) throw lexer_.fail("an empty list has no meaning");
    bool any_named = false;
    do {
      size_t place = found.size();
      const bool named = takes_name(form, place);
      if (!named && any_named) throw lexer_.fail("an argument without a name after a named one");
      any_named = any_named || named;
      if (place >= found.size()) found.resize(place + 1);
      if (found[place]) throw lexer_.fail("the same argument a second time");
      const bool is_order = place < form.parameters.size() && form.parameters[place] == "order";
      const bool outer = std::exchange(in_order_, is_order);
      found[place] = argument();
      in_order_ = outer;
      count_leaf();
    } while ((lexer_.accept(',') || lexer_.accept(';')) && !lexer_.at(closing));
    lexer_.expect(closing, "or ','");
    std::vector<LayoutValue> all;
    for (size_t i = 0; i < found.size(); ++i) {
      if (!found[i] && i < form.least) {
        throw lexer_.fail(format("the argument '{}' is missing", form.parameters[i]));
      }
      all.push_back(found[i].value_or(Tiler{}));
    }
    return all;
  }

  // Takes "order=" and sets `place` to the position of that parameter.
  bool takes_name(const CallForm& form, size_t& place) {
    for (size_t i = 0; i < form.parameters.size(); ++i) {
      if (!lexer_.at_word(form.parameters[i])) continue;
      lexer_.take();
      lexer_.expect('=', "after the name of an argument");
      place = i;
      return true;
    }
    return false;
  }

  // An expression or a Python list; a list of integers is a tuple.
  LayoutValue argument() { return lexer_.accept('[') ? joined(list(']')) : expression(); }

  // "composition(A, B)", "append<4>(L)", "select(L, mode=[0, 2])".
  LayoutValue call(std::string_view name, const CallForm& form) {
    std::vector<LayoutValue> statics;
    if (lexer_.accept('<')) {
      if (form.static_parameters == 0) {
        throw lexer_.fail(format("{} takes no static numbers: write all arguments in (...)", name));
      }
      for (const LayoutValue& one : list('>')) statics.emplace_back(as_integer(one, "a number"));
    }
    lexer_.expect('(', "before the arguments");
    const RuntimeNumbers outer = std::exchange(runtime_, {});
    std::vector<LayoutValue> all = arguments(')', form);
    if (!statics.empty()) append_statics(name, form, statics, all);
    if (form.by_stride) warn_of_runtime_numbers(runtime_, name, why_);
    runtime_.shape = runtime_.shape || outer.shape;
    runtime_.stride = runtime_.stride || outer.stride;
    return call_operation(name, all, why_);
  }

  // CuTe C++ writes the last parameters in front, as template arguments.
  void append_statics(std::string_view name, const CallForm& form,
                      const std::vector<LayoutValue>& statics, std::vector<LayoutValue>& all) {
    const size_t before = form.parameters.size() - form.static_parameters;
    if (all.size() > before || (!form.static_list && statics.size() != form.static_parameters)) {
      throw lexer_.fail(
          format("{}<...>(...) has {} and {} arguments", name, statics.size(), all.size()));
    }
    all.resize(before, Tiler{});
    if (!form.static_list) {
      all.insert(all.end(), statics.begin(), statics.end());
      return;
    }
    std::vector<IntTuple> one;
    one.reserve(statics.size());
    for (const LayoutValue& number : statics) one.push_back(as_tuple(number, "a number"));
    all.emplace_back(IntTuple(std::move(one)));
  }

  // "ComposedLayout<A,OFFSET,B>", "make_composed_layout(A, OFFSET, B)".
  LayoutValue made_composed() {
    const std::vector<LayoutValue> parts = arguments(opened(), *call_form("make_composed_layout"));
    if (parts.size() != 3) throw lexer_.fail("a composed layout has an inner, an offset, an outer");
    if (std::holds_alternative<PointerTag>(parts[1])) return combine(parts);
    return call_operation("make_composed_layout", parts, why_);
  }

  LayoutLexer lexer_;
  Derivation* why_;
  const std::function<LayoutValue()> next_ = [this] { return expression(); };
  const TextReading reading_{lexer_, next_, why_};
  // Stands for a number in make_step() that C++ knows only at run time.
  static constexpr int64_t kRuntimeStep = int64_t{1} << 62;

  int depth_ = 0;
  int step_depth_ = 0;
  int64_t leaves_ = 0;
  int64_t plain_numbers_ = 0;  // written without "_" or Int<>
  bool in_order_ = false;      // the argument being read is an order
  RuntimeNumbers runtime_;     // of the call being read
};

}  // namespace

LayoutValue evaluate_layout(std::string_view text, Derivation* why) {
  return ExpressionReader(text, why).read_all();
}

ComposedLayout parse_layout(std::string_view text, Derivation* why) {
  return as_layout(evaluate_layout(text, why), "the expression");
}

IntTuple parse_int_tuple(std::string_view text) {
  return as_tuple(evaluate_layout(text), "the text");
}

}  // namespace tilewright
