// Launches calls that are made of arrays, by the C interface.
#pragma once

#include <cstdint>

#include "serve/array_call.hpp"

namespace tilewright {

/// Throws the Error that a status of the C interface came of, with its sentence.
void throw_unless_good(int status);

/// Bytes of workspace that a call needs, the offsets of groups on the host among them. Throws as
/// launch_arrays() does.
int64_t workspace_of(const ArrayCall& made);

/// Launches on the call's device, in its stream, with workspace_of() bytes at `workspace`. Throws
/// an Error with the library's sentence.
void launch_arrays(ArrayCall& made, void* workspace, int64_t workspace_bytes);

}  // namespace tilewright
