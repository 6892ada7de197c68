// One compiled kernel as bytes that say whether they are whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpu/compile/nvrtc.hpp"

namespace tilewright {

/// A checksum over all that follows it: the format's version, what the kernel was compiled from,
/// the log and the machine code.
std::string encode_entry(std::string_view identity, const CompiledKernel& kernel);

/// The kernel of encode_entry(identity, kernel); nothing from bytes of another one or version, from
/// damaged ones, or from a kernel without machine code.
std::optional<CompiledKernel> decode_entry(std::string_view identity, std::string_view bytes);

}  // namespace tilewright
