// The verbs: each takes a request and returns its answer as a Report; one that answers while it
// works shows the parts to a sink. They throw Error; main turns it into a message and a code.
#pragma once

#include <chrono>

#include "base/error.hpp"
#include "host/console.hpp"
#include "host/devices.hpp"
#include "render/report.hpp"
#include "request/bench_request.hpp"
#include "request/best_request.hpp"
#include "request/device_request.hpp"
#include "request/gate_request.hpp"
#include "request/grid_request.hpp"
#include "request/layout_request.hpp"
#include "request/options.hpp"
#include "request/profile_request.hpp"
#include "request/schedule_request.hpp"
#include "request/tune_request.hpp"
#include "verbs/subjects.hpp"

namespace tilewright {

Report run_analyze_grid(const GridRequest& request);
Report run_rank_grid(const RankRequest& request, Console& console);
Report run_analyze_access(const AccessRequest& request);
Report run_analyze_layout(const LayoutRequest& request);
Report run_analyze_nested(const NestedRequest& request);
Report run_analyze_swizzle(const SwizzleOptions& options);
Report run_analyze_pad(const PadOptions& options);
Report run_analyze_schedule(const ScheduleRequest& request);
Report run_draw_grid(const DrawGridRequest& request);
Report run_draw_access(const AccessRequest& request, const PictureOptions& picture);
Report run_draw_swizzle(const SwizzleOptions& options);
Report run_draw_nested(const DrawNestedRequest& request);
Report run_draw_schedule(const DrawScheduleRequest& request);
Report run_draw_trace(const DrawTraceOptions& options);
Report run_draw_layout(const DrawLayoutOptions& options);
/// Shows each problem's rows as soon as they are there.
Report run_tune(const TuneRequest& request, const ReportSink& show, Console& console,
                const BackendLoader& load = load_backend);
Report run_bench(const BenchRequest& request, Console& console);
/// Times the configs at each product of `request.sweep`, each in rounds of its own.
Report sweep_bench(const BenchRequest& request, Console& console);
Report run_profile(const ProfileRequest& request, Console& console);
Report run_profile_access(const AccessOptions& options, Console& console);
ExitCode run_worker(const WorkerOptions& options);
Report run_record(const RecordOptions& options);
Report run_merge(const MergeOptions& options, Console& console);
Report run_report(const ReportOptions& options, Console& console);
Report run_best(const BestRequest& request, Console& console,
                const BackendLoader& load = load_backend);
Report run_ship(const ShipOptions& options, Console& console);
/// Shows the verdicts before it records them. `today`, in UTC, is the day that the ends of waivers
/// are compared with.
Report run_gate(const GateRequest& request, const ReportSink& show, Console& console,
                const BackendLoader& load = load_backend,
                std::chrono::sys_days today =
                    std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
Report run_gate_bisect(const GateBisectOptions& options, Console& console);
Report run_gate_trend(const GateTrendOptions& options);
Report run_device(const DeviceRequest& request, Console& console,
                  const BackendLoader& load = load_backend);

}  // namespace tilewright
