// gate FOLDER: what is wrong with vLLM's and SGLang's files, and with --harness MANIFEST: do their
// rows still beat the default config?
#pragma once

#include "host/console.hpp"
#include "host/devices.hpp"
#include "render/report.hpp"
#include "request/gate_request.hpp"

namespace tilewright {

/// Times each row of the folder's files for this device beside the default config of
/// `request.harness`, in the same rounds. Throws an environment error where no file is for this
/// device.
Report gate_vllm_folder(const GateRequest& request, const ResolvedDevice& device,
                        const ReportSink& show, Console& console);

/// Audits the folder's files for this device, which may be a preset; nothing runs. Throws an
/// environment error where no file is for this device.
Report audit_vllm_folder(const GateRequest& request, const ResolvedDevice& device,
                         const ReportSink& show, Console& console);

}  // namespace tilewright
