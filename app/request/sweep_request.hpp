// --sweep NAME=VALUES on the command line: the place of the parameter in what is swept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "request/options.hpp"

namespace tilewright {

/// Throws a usage error for --metric, a picture's options or --format csv without --sweep.
void require_sweep(const SweepOptions& options, std::string_view subject,
                   Format format = Format::Text);

/// The mark "{name}", a parameter's place in the texts of a subject's options, which fill_mark()
/// replaces by each value. The user writes it; for a parameter with a name the words of the sweep
/// have it, and a number of the subject's request is set.
std::string sweep_mark(const std::string& name);

/// True where one of the texts has the mark.
bool has_mark(const std::string& name, std::initializer_list<const std::string*> texts);

void fill_mark(const std::string& name, int64_t value, std::initializer_list<std::string*> texts);

/// The size at `index` of a text, for example of 128x256x64.
struct SizeParameter {
  std::string_view name;
  std::string* text;
  size_t index;
};

/// Marks the size of this name; returns false where no parameter has the name. Throws a usage error
/// where its text has no such size.
bool mark_size(const std::string& name, std::initializer_list<SizeParameter> parameters);

/// A raster with a mark in the place of its first factor. swizzle-merge stands for an empty one.
std::string marked_raster(const std::string& raster, const std::string& name);

/// The error for a parameter that the subject lacks; `known` are the names that it has.
Error unknown_parameter(const std::string& name, std::initializer_list<std::string_view> known);

}  // namespace tilewright
