// Launches calls that were built from arrays, through the C interface.
#pragma once

#include <cstdint>

#include "serve/array_call.hpp"

namespace tilewright {

/// Throws the Error for a status of the C interface, with the text of shipped_error().
void throw_unless_good(int status);

/// Bytes of workspace that a call needs, including group offsets that the host writes. Throws as
/// launch_arrays() does.
int64_t workspace_of(const ArrayCall& made);

/// Launches on the call's device, in its stream, with workspace_of() bytes at `workspace`. Throws
/// an Error with the text of shipped_error().
void launch_arrays(ArrayCall& made, void* workspace, int64_t workspace_bytes);

}  // namespace tilewright
