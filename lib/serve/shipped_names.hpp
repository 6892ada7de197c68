// serve/api.h with names of functions that begin with the placeholder, as a shipped library's
// symbols need them.
#pragma once

#include "serve/placeholder.hpp"

#define shipped_abi_version TILEWRIGHT_NAMED(_abi_version)
#define shipped_prepare TILEWRIGHT_NAMED(_prepare)
#define shipped_set_policy TILEWRIGHT_NAMED(_set_policy)
#define shipped_set_sm_budget TILEWRIGHT_NAMED(_set_sm_budget)
#define shipped_workspace TILEWRIGHT_NAMED(_workspace)
#define shipped_gemm TILEWRIGHT_NAMED(_gemm)
#define shipped_grouped_gemm TILEWRIGHT_NAMED(_grouped_gemm)
#define shipped_rank_k TILEWRIGHT_NAMED(_rank_k)
#define shipped_comm_bytes TILEWRIGHT_NAMED(_comm_bytes)
#define shipped_comm_create TILEWRIGHT_NAMED(_comm_create)
#define shipped_comm_connect TILEWRIGHT_NAMED(_comm_connect)
#define shipped_comm_lost TILEWRIGHT_NAMED(_comm_lost)
#define shipped_comm_destroy TILEWRIGHT_NAMED(_comm_destroy)
#define shipped_why TILEWRIGHT_NAMED(_why)
#define shipped_error TILEWRIGHT_NAMED(_error)

/// Marks a function that the library exports.
#define SHIPPED_FUNCTION __attribute__((visibility("default")))

#include "serve/api.h"
