// One compiled kernel as bytes that say whether they are whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpu/nvrtc.hpp"

namespace tilewright {

/// A checksum over all that follows it: the format's version, `key`, the log and the machine code.
std::string encode_entry(std::string_view key, const CompiledKernel& kernel);

/// The kernel of encode_entry(key, kernel); nothing from bytes of another key or version, from
/// damaged ones, or from a kernel without machine code.
std::optional<CompiledKernel> decode_entry(std::string_view key, std::string_view bytes);

}  // namespace tilewright
