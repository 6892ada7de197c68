#include "layout/text/partition_text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "layout/text/call_arguments.hpp"
#include "layout/text/call_table.hpp"

namespace tilewright {
namespace {

SliceCoordinate read_coordinate(const TextReading& reading) {
  return as_coordinate(reading.next(), "a coordinate");
}

ComposedLayout part_of(const ComposedLayout& whole, const LayoutPart& part, const char* what,
                       const TextReading& reading) {
  if (whole.swizzle) {
    return make_composed(whole.swizzle, checked_add(whole.offset, part.begin.value()), part.layout);
  }
  if (part.begin != IntTuple(0)) {
    reading.warn("tile-offset", format("{} begins at offset {} of {}", what, to_string(part.begin),
                                       to_string(whole.layout)));
  }
  return {{}, 0, part.layout};
}

LayoutValue read_local_tile(const TextReading& reading) {
  ComposedLayout whole;
  Tiler tiler;
  SliceCoordinate at;
  std::optional<SliceCoordinate> kept;
  read_arguments(reading.lexer, "local_tile", ')',
                 {{"input", [&] { whole = as_layout(reading.next(), "the operand of a tiling"); }},
                  {"tiler", [&] { tiler = as_tiler(reading.next(), "a tiler"); }},
                  {"coord", [&] { at = read_coordinate(reading); }},
                  {"proj", [&] { kept = read_coordinate(reading); }, false}});
  if (kept && !kept->modes.empty()) {
    const size_t modes = kept->modes.size();
    if (modes != at.modes.size() || modes != tiler.modes.size()) {
      throw reading.lexer.fail(format("tiler, coordinate and projection have {}, {} and {} modes",
                                      tiler.modes.size(), at.modes.size(), modes));
    }
    Tiler projected;
    SliceCoordinate place;
    for (size_t i = 0; i < modes; ++i) {
      if (kept->modes[i].is_free()) continue;
      projected.modes.push_back(tiler.modes[i]);
      place.modes.push_back(at.modes[i]);
    }
    tiler = projected;
    at = place;
  }
  return part_of(whole, local_tile(whole.layout, tiler, at), "the tile", reading);
}

LayoutValue read_local_partition(const TextReading& reading) {
  ComposedLayout whole;
  Layout threads;
  int64_t index = 0;
  std::optional<SliceCoordinate> kept;
  read_arguments(
      reading.lexer, "local_partition", ')',
      {{"target", [&] { whole = as_layout(reading.next(), "the operand of a partition"); }},
       {"tiler", [&] { threads = as_plain_layout(reading.next(), "the layout of threads"); }},
       {"index", [&] { index = as_integer(reading.next(), "the number of a thread"); }},
       {"proj", [&] { kept = read_coordinate(reading); }, false}});
  if (index < 0 || index >= cosize(threads)) {
    throw usage_error(format("local_partition: thread {} is not in [0, {}), the threads of {}",
                             index, cosize(threads), to_string(threads)));
  }
  if (kept && !kept->modes.empty()) {
    std::vector<Layout> modes_kept;
    if (kept->modes.size() != rank(threads)) {
      throw reading.lexer.fail(format("the threads have {} modes and the projection {}",
                                      rank(threads), kept->modes.size()));
    }
    for (size_t i = 0; i < kept->modes.size(); ++i) {
      if (!kept->modes[i].is_free()) modes_kept.push_back(mode(threads, i));
    }
    threads = join_modes(modes_kept);
  }
  return part_of(whole, local_partition(whole.layout, threads, index), "the partition", reading);
}

LayoutValue value_of(const ComposedLayout& whole, const SliceCoordinate& at,
                     const TextReading& reading) {
  if (has_free_mode(at)) return sliced(whole, at, reading);
  return CodomainValue{value_at(whole, first_coordinate(at))};
}

// "slice_(L, (None, 0))" of CuTe DSL.
LayoutValue read_slice_call(const TextReading& reading) {
  ComposedLayout whole;
  SliceCoordinate at;
  read_arguments(reading.lexer, "slice_", ')',
                 {{"src", [&] { whole = as_layout(reading.next(), "the operand of a slice"); }},
                  {"coord", [&] { at = read_coordinate(reading); }}});
  return value_of(whole, at, reading);
}

// "slice(make_coord(_, 0), L)" of CuTe C++.
LayoutValue read_cpp_slice(const TextReading& reading) {
  ComposedLayout whole;
  SliceCoordinate at;
  read_arguments(
      reading.lexer, "slice", ')',
      {{"coord", [&] { at = read_coordinate(reading); }},
       {"layout", [&] { whole = as_layout(reading.next(), "the operand of a slice"); }}});
  return value_of(whole, at, reading);
}

constexpr std::array kPartitionCalls = {
    TextCall{"local_tile", read_local_tile}, TextCall{"local_partition", read_local_partition},
    TextCall{"slice_", read_slice_call}, TextCall{"slice", read_cpp_slice}};

}  // namespace

ComposedLayout sliced(const ComposedLayout& whole, const SliceCoordinate& coordinate,
                      const TextReading& reading) {
  const LayoutPart part = slice(whole.layout, coordinate);
  if (part.begin != IntTuple(0)) {
    std::string message =
        format("the slice begins at offset {} of {}", to_string(part.begin), to_string(whole));
    if (whole.swizzle) {
      const int64_t begin = checked_add(whole.offset, part.begin.value());
      message +=
          format(", where it is {}", to_string(make_composed(whole.swizzle, begin, part.layout)));
    }
    reading.warn("tile-offset", message);
  }
  return make_composed(whole.swizzle, whole.offset, part.layout);
}

std::optional<LayoutValue> read_partition(std::string_view word, const TextReading& reading) {
  return read_call(kPartitionCalls, word, reading);
}

}  // namespace tilewright
