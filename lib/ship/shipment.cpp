#include "ship/shipment.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "answer/answers_text.hpp"
#include "answer/library_choice.hpp"
#include "base/escape.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "serve/blob_names.hpp"
#include "serve/payload.hpp"
#include "ship/call_fields.hpp"
#include "ship/elf_image.hpp"
#include "ship/source_tree.hpp"
#include "tile/config/config_keys.hpp"
#include "tile/plan/plan.hpp"

namespace tilewright {
namespace {

using Tokens = std::vector<std::pair<std::string, std::string>>;

// The first of the tokens that stand at this place of the text; null for none.
const Tokens::value_type* token_at(std::string_view text, const Tokens& tokens) {
  const auto at = std::find_if(tokens.begin(), tokens.end(),
                               [text](const auto& token) { return text.starts_with(token.first); });
  return at == tokens.end() ? nullptr : &*at;
}

// Replaces each token by its value; a token within a value stays.
std::string replaced(std::string_view text, const Tokens& tokens) {
  std::string result;
  while (!text.empty()) {
    if (const auto* const token = token_at(text, tokens)) {
      result += token->second;
      text.remove_prefix(token->first.size());
    } else {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  return result;
}

std::string upper(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return text;
}

// A Markdown table of the rows, for human readers.
std::string rows_text(const AnswerTable& table) {
  std::string text =
      "| problem | config | us when it was tuned | cuBLASLt is used |\n|---|---|---|---|\n";
  for (const AnswerRow& row : table.rows) {
    text += format("| {}{} | `{}` | {} | {} |\n", to_string(row.problem),
                   row.pinned ? ", pinned" : "", to_string(row.choice),
                   row.median_us > 0 ? format("{:.2f}", row.median_us) : "predicted only",
                   join(answering_versions(row.library_pins), ", "));
  }
  return text;
}

// The README's text on whether the library calls cuBLASLt, and when.
std::string library_text(const AnswerTable& table) {
  const bool may_call = std::any_of(table.rows.begin(), table.rows.end(),
                                    [](const AnswerRow& row) { return !row.library_pins.empty(); });
  if (!may_call) return "This library never calls cuBLASLt.";
  return R"(Where cuBLASLt was faster when a row was tuned, this library calls the recorded algorithm of
cuBLASLt, if the process has the same version of it: the loaded one, else the one that the loader
finds. With another version it calls the faster of its own kernel and the heuristic's first choice, by
the recorded times. Without cuBLASLt, or where cuBLASLt refuses, it calls its own kernel.)";
}

// The fields of a row's calls as a dictionary of Python; a pointer has the value True.
std::string python_fields(const Workload& workload) {
  std::vector<std::string> fields;
  for (const CallField& field : call_fields(workload)) {
    fields.push_back(format("\"{}\": {}", field.name, field.value.empty() ? "True" : field.value));
  }
  return format("{{{}}}", join(fields, ", "));
}

// The rows in the form that test.py reads: op, types, layout, uplo, sizes and the other fields,
// with the header's numbers. An update with C is left out.
std::string python_rows(const AnswerTable& table) {
  std::string text = "[\n";
  for (const AnswerRow& row : table.rows) {
    const Workload& w = row.problem;
    if (is_triangular(w) && !is_plain(w.kind.epilogue)) continue;
    std::string shapes;
    for (const GemmShape& share : w.shapes) {
      const GemmShape shape = whole_of(share, w.parallel);
      shapes += format("({}, {}, {}), ", shape.m, shape.n, shape.k);
    }
    text += format("    ({}, {}, {}, {}, {}, [{}], {}),\n", static_cast<int>(w.op),
                   static_cast<int>(w.kind.dtype), static_cast<int>(output_type(w.kind)),
                   static_cast<int>(w.kind.layout), static_cast<int>(w.uplo),
                   shapes.substr(0, shapes.size() - 2), python_fields(w));
  }
  return text + "]";
}

// The row that the examples run: the first product of one GPU, else the first product, or null if
// there is none.
const AnswerRow* example_row(const AnswerTable& table) {
  const AnswerRow* first = nullptr;
  for (const AnswerRow& row : table.rows) {
    if (!is_product(row.problem)) continue;
    if (!is_across_gpus(row.problem)) return &row;
    if (first == nullptr) first = &row;
  }
  return first;
}

// The statements of the example in C that set the fields of a row's call. Every pointer is one
// that `allocated` returns for its bytes.
struct ExampleFields {
  std::string asked;      // with an address that nothing reads
  std::string allocated;  // with memory
};

ExampleFields example_fields(const Workload& workload, const std::string& large) {
  ExampleFields text;
  for (const CallField& field : call_fields(workload)) {
    if (!field.value.empty()) {
      text.asked += format("  call.{} = {};\n", field.name,
                           field.constant.empty() ? field.value : large + "_" + field.constant);
      continue;
    }
    text.asked += format("  call.{} = (void*)256;\n", field.name);
    text.allocated += format("  call.{} = allocated(allocate, fill, {});\n", field.name,
                             pointed_bytes(workload, field.name));
  }
  return text;
}

Tokens tokens_of(const Shipment& shipment) {
  const std::string large = upper(shipment.name);
  const AnswerRow* const row = example_row(shipment.table);
  const Workload any = row != nullptr ? row->problem : workload_of(Problem{{1024, 1024, 1024}, {}});
  const GemmShape shape = whole_of(any.shapes.front(), any.parallel);
  const ExampleFields fields = example_fields(any, large);
  Tokens tokens = {
      {"@NAME@", shipment.name},
      {"@LARGE@", large},
      {"@M@", format("{}", shape.m)},
      {"@N@", format("{}", shape.n)},
      {"@K@", format("{}", shape.k)},
      {"@TYPE@", format("{}_{}", large, upper(to_string(any.kind.dtype)))},
      {"@OUT_TYPE@", format("{}_{}", large, upper(to_string(output_type(any.kind))))},
      {"@LAYOUT@", format("{}_{}", large, upper(to_string(any.kind.layout)))},
      {"@FIELDS@\n", fields.asked},
      {"@POINTERS@\n", fields.allocated},
      {"@BYTES@", format("{}", bytes_of(any.kind.dtype))},
      {"@DEVICE@", markdown_text(shipment.table.device.marketing_name)},
      {"@VERSION@", std::string(kVersion)},
      {"@LIBRARY@", library_text(shipment.table)},
      {"@ROWS@", rows_text(shipment.table)},
      {"@PYTHON_ROWS@", python_rows(shipment.table)},
      {"@KERNELS@", format("{}", shipment.table.kernels.size())},
      {"@LICENSE@", shipment.license.empty()
                        ? "No licence is granted: the owner of tilewright has not chosen one."
                        : format("SPDX-License-Identifier: {}", shipment.license)}};
  return tokens;
}

// Puts a licence line at the top of a generated file, if the shipment names a licence.
std::string with_license(const Shipment& shipment, const std::string& mark, std::string text) {
  if (shipment.license.empty()) return text;
  const std::string line = format("{} SPDX-License-Identifier: {}", mark, shipment.license);
  return line + (mark == "/*" ? " */\n" : mark == "<!--" ? " -->\n" : "\n") + text;
}

std::string header_text(const Shipment& shipment) {
  return replaced(source_text("serve/api.h"),
                  {{"shipped", shipment.name}, {"SHIPPED", upper(shipment.name)}});
}

// A kernel in one file for nvcc, with its description and the command at the top.
std::string kernel_text(const ShippedProgram& program) {
  return format("// {} of {}.\n// nvcc -arch=sm_90a -std=c++20 -cubin {:016x}.cu\n{}",
                program.source.file, program.config, program.id, standalone_text(program.source));
}

std::string library_image(const Shipment& shipment, std::string_view template_image) {
  std::vector<Blob> blobs = {{kAnswersBlob, print_answers(shipment.table)}};
  for (const ShippedProgram& program : shipment.programs) {
    blobs.push_back({kernel_blob(program.id), program.cubin});
  }
  return make_image(template_image, shipment.name, pack_payload(blobs));
}

}  // namespace

std::vector<ShippedProgram> programs_of(const AnswerTable& table) {
  std::vector<ShippedProgram> programs;
  std::set<uint64_t> known;
  for (const ShippedKernel& kernel : table.kernels) {
    PlanOptions options;
    options.places = kernel.places;
    for (KernelSource& source :
         kernel_sources(make_plan(kernel.workload, kernel.config, table.device, options))) {
      const uint64_t id = program_id(source);
      if (!known.insert(id).second) continue;
      programs.push_back({id, std::move(source), to_string(kernel.config)});
    }
  }
  return programs;
}

int64_t packed_bytes(const ShippedProgram& program) {
  const Blob blob{kernel_blob(program.id), program.cubin};
  return static_cast<int64_t>(pack_payload({&blob, 1}).size() - pack_payload({}).size());
}

std::map<std::string, std::string> shipped_files(const Shipment& shipment,
                                                 std::string_view template_image) {
  const Tokens tokens = tokens_of(shipment);
  const auto document = [&](const std::string& name, const std::string& mark) {
    return with_license(shipment, mark, replaced(source_text("ship/documents/" + name), tokens));
  };
  std::map<std::string, std::string> files = {
      {"lib/lib" + shipment.name + ".so", library_image(shipment, template_image)},
      {"include/" + shipment.name + ".h", with_license(shipment, "/*", header_text(shipment))},
      {"README.md", document("README.md", "<!--")},
      {"NOTICE", document("NOTICE", "#")},
      {"example.c", document("example.c", "/*")},
      {"test.py", document("test.py", "#")},
      {"bench.py", document("bench.py", "#")},
      {"epilogue.py", document("epilogue.py", "#")},
      {"shared.py", document("shared.py", "#")},
      {"timing.py", document("timing.py", "#")},
      {"src/CMakeLists.txt", document("CMakeLists.txt", "#")},
      {"src/answers.txt", print_answers(shipment.table)}};
  for (const char* const name : {"pyproject.toml", "setup.py"}) {
    files[format("python/{}", name)] = document(format("python/{}", name), "#");
  }
  for (const char* const name :
       {"__init__", "_c_interface", "_library", "_record", "_torch", "_cupy", "_jax"}) {
    files[format("python/{}/{}.py", shipment.name, name)] =
        document(format("python/{}.py", name), "#");
  }
  for (const ShippedProgram& program : shipment.programs) {
    files[format("src/kernels/{:016x}.cu", program.id)] =
        with_license(shipment, "//", kernel_text(program));
  }
  for (const auto& [path, text] : library_sources()) {
    files["src/host/" + path] = with_license(shipment, "//", text);
  }
  return files;
}

}  // namespace tilewright
