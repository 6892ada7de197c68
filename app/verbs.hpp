// The verbs: each takes a request and returns its answer as a Report; one that prints while it
// works returns an exit code. They throw Error; main turns it into a message and a code.
#pragma once

#include <chrono>

#include "base/error.hpp"
#include "bench_request.hpp"
#include "console.hpp"
#include "devices.hpp"
#include "grid_request.hpp"
#include "layout_request.hpp"
#include "options.hpp"
#include "profile_request.hpp"
#include "report.hpp"
#include "schedule_request.hpp"
#include "subjects.hpp"
#include "tune_request.hpp"

namespace tilewright {

Report run_analyze_grid(const GridRequest& request);
Report run_rank_grid(const RankRequest& request, Console& console);
Report run_analyze_access(const AccessRequest& request);
Report run_analyze_layout(const LayoutRequest& request);
Report run_analyze_nested(const NestedRequest& request);
Report run_analyze_swizzle(const SwizzleOptions& options);
Report run_analyze_schedule(const ScheduleRequest& request);
Report run_draw_grid(const DrawGridRequest& request);
Report run_draw_access(const AccessRequest& request, const PictureOptions& picture);
Report run_draw_swizzle(const SwizzleOptions& options);
Report run_draw_nested(const DrawNestedRequest& request);
Report run_draw_schedule(const DrawScheduleRequest& request);
Report run_draw_trace(const DrawTraceOptions& options);
Report run_draw_layout(const DrawLayoutOptions& options);
ExitCode run_tune(const TuneRequest& request, Console& console,
                  const BackendLoader& load = load_backend);
ExitCode run_bench(const BenchRequest& request, Console& console);
ExitCode run_profile(const ProfileRequest& request, Console& console);
ExitCode run_profile_access(const AccessOptions& options, Console& console);
ExitCode run_worker(const WorkerOptions& options);
ExitCode run_merge(const MergeOptions& options, Console& console);
ExitCode run_report(const ReportOptions& options, Console& console);
ExitCode run_best(const BestOptions& options, Console& console);
ExitCode run_ship(const ShipOptions& options, Console& console);
/// `today`, in UTC, is the day that the ends of waivers are compared with.
ExitCode run_gate(const GateOptions& options, Console& console,
                  const BackendLoader& load = load_backend,
                  std::chrono::sys_days today =
                      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
ExitCode run_gate_bisect(const GateBisectOptions& options, Console& console);
ExitCode run_gate_trend(const GateTrendOptions& options, Console& console);
ExitCode run_device(const DeviceOptions& options, Console& console,
                    const BackendLoader& load = load_backend);

}  // namespace tilewright
