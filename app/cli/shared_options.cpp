#include "cli/shared_options.hpp"

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "draw/picture.hpp"
#include "tile/workload/problem.hpp"
#include "tile/workload/product_kind.hpp"
#include "tile/workload/workload.hpp"
#include "verbs/subjects.hpp"

namespace tilewright {
namespace {

constexpr const char* kRace = "--race";

}  // namespace

std::string listed(std::span<const std::string_view> words) {
  return join(std::vector<std::string>(words.begin(), words.end()), ", ");
}

Format parse_format(const std::string& name, bool has_table) {
  for (size_t i = 0; i < std::size(kFormats); ++i) {
    if (name != kFormats[i]) continue;
    const auto format_named = static_cast<Format>(i);
    if (!is_of_tables(format_named) || has_table) return format_named;
    throw usage_error(
        format("only verbs that print a table take --format {}: here it is text or json", name));
  }
  throw usage_error(
      format("unknown format '{}': --format takes {}", name, join_words(kFormats, "or")));
}

CLI::Option* add_text(CLI::App& verb, const char* name,
                      const std::function<void(const std::string&)>& take,
                      const std::string& help) {
  return verb.add_option_function<std::string>(name, take, help);
}

CLI::Option* add_whole(CLI::App& verb, const char* name, int64_t& value, int64_t least,
                       int64_t most, const char* help) {
  const auto take = [&value, name, least, most](const std::string& text) {
    const std::optional<int64_t> number = parse_count(text);
    if (!number || *number < least || *number > most) {
      throw usage_error(
          format("{} {} is not a whole number from {} to {}", name, text, least, most));
    }
    value = *number;
  };
  return verb.add_option_function<std::string>(name, take, help)->type_name("INT");
}

void add_percent(CLI::App& verb, const char* name, std::optional<double>& value, const char* help) {
  const auto take = [&value, name](const std::string& text) {
    value = parse_percent(text);
    if (!value) throw usage_error(format("{} does not take '{}': write 1 or 1%", name, text));
  };
  verb.add_option_function<std::string>(name, take, help)->type_name("FLOAT");
}

void add_rounds(CLI::App& verb, int64_t& rounds, const char* help) {
  add_whole(verb, "--rounds", rounds, 5, 10000, help);
}

void add_race(CLI::App& verb, int64_t& race) {
  constexpr int64_t kMost = 64;
  add_whole(
      verb, kRace, race, 2, kMost,
      "[K]: race a short list of K unlike kernels (default: 8), the library's algorithms, then "
      "neighbours of the fastest, in place of a search: one or two seconds a product");
}

void add_shared(CLI::App& verb, bool& shared) {
  verb.add_flag("--shared", shared,
                "measure although other processes use the GPU, or heat reduces its clock; default: "
                "wait for a limited time, then exit with code 3");
}

void add_format(CLI::App& verb, Format& chosen, const char* table) {
  const bool has_table = *table != 0;
  verb.add_option_function<std::string>(
          "--format",
          [&chosen, has_table](const std::string& name) { chosen = parse_format(name, has_table); },
          has_table ? format("text (for people), {}: {}",
                             join_words(std::span(kFormats).subspan(1), "or"), table)
                    : std::string("text (for people) or json"))
      ->default_str("text");
}

void add_device(CLI::App& verb, std::string& device) {
  verb.add_option("--device", device,
                  "cuda:N, a preset such as h200 (h200x2: two on one host), a device file, or auto")
      ->default_str("auto");
}

void add_dtype(CLI::App& verb, std::string& dtype) {
  verb.add_option("--dtype", dtype, operand_type_names() + ", accumulated in fp32")
      ->default_str("bf16");
}

void add_dtype(CLI::App& verb, DataType& dtype) {
  add_parsed(verb, "--dtype", dtype, parse_data_type,
             operand_type_names() + ", accumulated in fp32")
      ->default_str("bf16");
}

void add_scales(CLI::App& verb, std::string& scale_a, std::string& scale_b,
                std::string& accumulate) {
  verb.add_option("--scale-a", scale_a,
                  format("fp32 factors of A, which has 8 bits: {} (tilewright help scales)",
                         scale_names(Operand::A)));
  verb.add_option("--scale-b", scale_b, format("the same of B: {}", scale_names(Operand::B)));
  verb.add_option("--accumulate", accumulate,
                  "fast, or promoted: the sums of every 128 of K are added in fp32")
      ->default_str("fast");
}

void add_parallel(CLI::App& verb, Collective& parallel, int64_t& gpus) {
  add_parsed(verb, "--parallel", parallel, parse_collective,
             format("{}: GPUs of one host share the product (tilewright help parallel)",
                    listed(collective_names())))
      ->default_str("none");
  add_whole(verb, "--gpus", gpus, 1, tw::kMaxGpus, "how many GPUs, with --parallel");
}

void add_sms(CLI::App& verb, int64_t& sms) {
  add_whole(verb, "--sms", sms, 1, kMaxMultiprocessors,
            "multiprocessors that the launch keeps to, so that a collective or a copy has the "
            "others (tilewright help parallel; default: all)");
}

void add_kind(CLI::App& verb, KindOptions& kind) {
  add_dtype(verb, kind.dtype);
  verb.add_option("--out-dtype", kind.out_dtype,
                  format("of D: {} (default: of C)", output_type_names()));
  verb.add_option(
          "--layout", kind.layout,
          format("{}: which operands are contiguous along k", join_words(kMatrixLayouts, "or")))
      ->default_str("tn");
  verb.add_option("--op", kind.op, listed(op_names()))->default_str("gemm");
  verb.add_option("--uplo", kind.uplo,
                  format("{}: the triangle that is computed and stored; full: the whole of D, one "
                         "triangle mirrored",
                         listed(kUplos)))
      ->default_str("lower");
  add_parallel(verb, kind.parallel, kind.gpus);
  add_sms(verb, kind.sms);
  verb.add_flag("--bias", kind.bias, "add a row of n elements to every row of D");
  verb.add_option(
      "--epilogue", kind.epilogue,
      "what is computed from the sums, such as 'gelu(bias)' (tilewright help epilogues)");
  add_scales(verb, kind.scale_a, kind.scale_b, kind.accumulate);
  verb.add_option("--scale-d", kind.scale_d,
                  "tensor: multiply D by one fp32 factor after everything else");
  verb.add_flag("--absmax", kind.absmax,
                "also compute the largest absolute value of D before its scale");
}

void add_examples(CLI::App& verb, const std::string& first, const std::string& second) {
  verb.footer(format("{}\n  tilewright {}\n  tilewright {}", kExamplesTitle, first, second));
}

void add_notes(CLI::App& verb, const std::string& lines) {
  verb.footer(format("{}\n{}", lines, verb.get_footer()));
}

void add_accesses(CLI::App& subject, AccessOptions& o) {
  add_parsed(subject, "--op", o.op, parse_access_op,
             "ld or st .u8|.u16|.b32|.v2|.v4, ldmatrix or stmatrix .x1|.x2|.x4[.trans]")
      ->required();
  subject.add_option("--addresses", o.addresses, "a0,...,a31: byte addresses, -1 inactive");
  subject.add_option("--file", o.file, "CSV, one warp instruction a line; '-' is stdin");
}

void add_space(CLI::App& subject, MemorySpace& space, const char* condition) {
  add_parsed(subject, "--space", space, parse_space, join_words(kSpaces, "or") + condition)
      ->default_str("shared");
}

void add_look(CLI::App& subject, PictureLook& look) {
  subject.add_option("--title", look.title, "replaces the default title");
  subject.add_flag_callback(
      "--no-legend", [&look] { look.legend = false; }, "omit the legend");
  add_parsed(subject, "--size", look.size, parse_picture_size,
             "WIDTH or WIDTHxHEIGHT in pixels (PDF: points); the picture is laid out for "
             "this size (default: the size that it needs)");
  add_parsed(subject, "--theme", look.theme, parse_theme, join_words(kThemes, "or"))
      ->default_str("light");
}

void add_sweep(CLI::App& subject, SweepOptions& o, const char* example, const char* parameters,
               std::initializer_list<const char*> lists) {
  CLI::Option* const sweep = add_parsed(
      subject, "--sweep", o.range, [](const std::string& text) { return parse_sweep_range(text); },
      format("NAME=VALUES, such as {} (also 8..64:8 by steps, 1..64*2 doubled, "
             "1,2,5): plot the numbers over {}",
             example, parameters));
  subject
      .add_option(
          "--metric", o.metrics,
          "with --sweep: the numbers to show; any that --check takes; several separated by commas")
      ->allow_extra_args(false);
  subject.add_option("-o,--output", o.picture.output,
                     "with --sweep: write a plot to FILE.svg, .png or .pdf; '-' is SVG on stdout");
  add_look(subject, o.picture.look);
  for (const char* const list : lists) sweep->excludes(subject.get_option(list));
}

void add_checks(CLI::App& subject, std::vector<CheckExpression>& checks, const char* example) {
  const auto take = [&checks](const std::vector<std::string>& texts) {
    checks = parse_checks(texts);
  };
  subject
      .add_option_function<std::vector<std::string>>(
          "--check", take,
          format("'{}': exit with code 1 unless it holds; repeatable; 5% means 0.05, "
                 "except for numbers in percent (_pct)",
                 example))
      ->allow_extra_args(false);  // the next word belongs to the subject
}

void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    const char* const advice =
        option->get_required() ? "it needs a value" : "omit it or give a value";
    option->check([advice](const std::string& value) {
      return value.empty() ? format("empty value: {}", advice) : std::string();
    });
  }
  for (CLI::App* const below : app.get_subcommands([](const CLI::App*) { return true; })) {
    refuse_empty_values(*below);
  }
}

void refuse_empty_assignments(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.rfind("--", 0) == 0 && word.size() > 2 && word.find('=') == word.size() - 1) {
      throw usage_error(format("{}: empty value: omit the option or give a value",
                               word.substr(0, word.size() - 1)));
    }
  }
}

std::vector<const char*> with_problem(int argc, const char* const* argv, std::string& problem) {
  constexpr std::string_view kSizes[] = {"-m", "-n", "-k"};
  std::vector<const char*> words;
  std::string sizes[3];
  size_t place = 0;
  const char* const* const end = std::find(argv, argv + argc, std::string_view("--"));
  const auto own = static_cast<int>(end - argv);
  for (int i = 0; i < own; ++i) {
    const auto size = std::find(std::begin(kSizes), std::end(kSizes), argv[i]);
    if (size == std::end(kSizes)) {
      words.push_back(argv[i]);
      continue;
    }
    std::string& value = sizes[size - std::begin(kSizes)];
    if (!value.empty() || i + 1 == own) {
      throw usage_error(format("{} takes one size, such as {} 4096", *size, *size));
    }
    value = argv[++i];
    place = words.size();
  }
  const bool has_sizes = std::ssize(words) < own;
  words.insert(words.end(), end, argv + argc);
  if (!has_sizes) return words;
  for (size_t i = 0; i < std::size(sizes); ++i) {
    if (sizes[i].empty()) {
      throw usage_error(format("-m, -n and -k give a problem together: {} is missing", kSizes[i]));
    }
  }
  problem = format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(place), problem.c_str());
  return words;
}

std::vector<const char*> with_race_length(std::vector<const char*> words) {
  static const std::string usual = format("{}", kUsualRace);
  const auto end = std::find(words.begin(), words.end(), std::string_view("--"));
  const auto race = std::find(words.begin(), end, std::string_view(kRace));
  if (race == end) return words;
  // An empty word is refused as its value.
  const bool has_length =
      race + 1 != end && (**(race + 1) == '\0' || parse_count(*(race + 1)).has_value());
  if (!has_length) words.insert(race + 1, usual.c_str());
  return words;
}

}  // namespace tilewright
