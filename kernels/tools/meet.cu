// Starts the streams of several GPUs together.

#include "map/peer_blocks.cuh"
#include "ptx/global_memory.cuh"
#include "ptx/special_registers.cuh"
#include "tools/meet_args.cuh"

/// One thread on each GPU. It ends once the host has released the turn and every GPU's thread has
/// arrived at it, and after `most_ns` at the latest.
extern "C" __global__ void meet(const __grid_constant__ tw::MeetArgs args) {
  const unsigned long long start = tw::ptx::global_time_ns();
  const auto is_late = [&] { return tw::ptx::global_time_ns() - start >= args.most_ns; };
  const auto has_come = [&](unsigned turn) { return static_cast<int>(turn - args.turn) >= 0; };
  while (!has_come(*args.released) && !is_late()) {
  }
  for (int gpu = 0; gpu < args.gpus; ++gpu) {
    tw::ptx::store_release_system(args.arrivals[gpu] + args.rank, args.turn);
  }
  for (int gpu = 0; gpu < args.gpus; ++gpu) {
    while (!has_come(tw::ptx::load_acquire_system(args.arrivals[args.rank] + gpu)) && !is_late()) {
    }
  }
}
