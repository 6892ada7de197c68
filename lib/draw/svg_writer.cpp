#include "draw/svg_writer.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/interruption.hpp"
#include "base/text.hpp"
#include "draw/font_metrics.hpp"

namespace tilewright {
namespace {

// Inter, then common system families, including Chinese, Japanese and Korean ones.
constexpr std::string_view kFontFamily =
    "Inter, Helvetica, Arial, Noto Sans CJK SC, PingFang SC, Hiragino Sans, Microsoft YaHei, "
    "Yu Gothic, Malgun Gothic, sans-serif";
constexpr int64_t kMaxTooltips = 65'536;  // above, files would grow too large

// In hundredths: two decimals are a fiftieth of a pixel at twice the size.
int64_t hundredths(double value) {
  return std::llround(value * 100);
}

// 12, 12.5, .25, -3.
std::string decimal(int64_t of_hundredths) {
  const int64_t whole = std::abs(of_hundredths) / 100;
  const int64_t rest = std::abs(of_hundredths) % 100;
  std::string text = of_hundredths < 0 ? "-" : "";
  if (whole > 0 || rest == 0) text += format("{}", whole);
  if (rest > 0) text += rest % 10 == 0 ? format(".{}", rest / 10) : format(".{:02}", rest);
  return text;
}

std::string decimal(double value) {
  return decimal(hundredths(value));
}

std::string class_of(const std::string& role) {
  std::string name = role;
  std::replace(name.begin(), name.end(), '.', '-');
  return xml_escape(name);
}

std::string hex(const Color& c) {
  return to_string(Color{c.r, c.g, c.b});
}

// " fill=... fill-opacity=...", or the same with another attribute `what`.
std::string paint(const char* what, const Color& c) {
  std::string text = format(" {}=\"{}\"", what, hex(c));
  if (c.a < 255) text += format(" {}-opacity=\"{}\"", what, decimal(c.a / 255.0));
  return text;
}

// Path data in relative coordinates. Steps are differences of rounded points, so errors do not add
// up.
class PathData {
 public:
  void move(Point to) {
    const int64_t x = hundredths(to.x);
    const int64_t y = hundredths(to.y);
    text_ += text_.empty() ? "M" : "m";
    add(x - x_);
    add(y - y_, true);
    start_x_ = x_ = x;
    start_y_ = y_ = y;
  }
  void line(Point to) {
    const int64_t x = hundredths(to.x);
    const int64_t y = hundredths(to.y);
    if (y == y_) {
      text_ += 'h';
      add(x - x_);
    } else if (x == x_) {
      text_ += 'v';
      add(y - y_);
    } else {
      text_ += 'l';
      add(x - x_);
      add(y - y_, true);
    }
    x_ = x;
    y_ = y;
  }
  void close() {
    text_ += 'z';
    x_ = start_x_;
    y_ = start_y_;
  }
  std::string take() {
    std::string text = std::move(text_);
    *this = PathData();
    return text;
  }

 private:
  void add(int64_t value, bool second = false) {
    if (second && value >= 0) text_ += ' ';
    text_ += decimal(value);
  }

  std::string text_;
  int64_t x_ = 0;
  int64_t y_ = 0;
  int64_t start_x_ = 0;
  int64_t start_y_ = 0;
};

// The part that all texts begin with, up to a mark behind which another number may begin.
std::string_view shared_head(std::span<const std::string> texts) {
  if (texts.size() < 2) return {};
  std::string_view head = texts.front();
  for (const std::string& text : texts) {
    const auto [end, other] = std::mismatch(head.begin(), head.end(), text.begin(), text.end());
    head = head.substr(0, static_cast<size_t>(end - head.begin()));
  }
  return head.substr(0, head.find_last_of(":,") + 1);
}

class Writer {
 public:
  explicit Writer(SvgTooltips tooltips) : tooltips_(tooltips) {}

  void operator()(const RectangleItem& r) {
    write_cells();
    const std::string look = area_look(r.style);
    if (r.radius > 0) {
      open("", "");
      out_ +=
          format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"{}/>\n",
                 class_of(r.role), decimal(r.at.x), decimal(r.at.y), decimal(r.width),
                 decimal(r.height), decimal(std::min({r.radius, r.width / 2, r.height / 2})), look);
      return;
    }
    open_path(r.role, look);
    path_.move(r.at);
    path_.line({r.at.x + r.width, r.at.y});
    path_.line({r.at.x + r.width, r.at.y + r.height});
    path_.line({r.at.x, r.at.y + r.height});
    path_.close();
  }

  void operator()(const PathItem& p) {
    write_cells();
    open_path(p.role,
              area_look(p.style) +
                  (p.style.stroke ? " stroke-linecap=\"round\" stroke-linejoin=\"round\"" : ""));
    for (size_t i = 0; i < p.points.size(); ++i) {
      i == 0 ? path_.move(p.points[i]) : path_.line(p.points[i]);
    }
    if (p.closed) path_.close();
  }

  void operator()(const LabelItem& l) {
    if (!cells_.empty() && holds(*cells_.back().tooltip, l.at)) {
      cells_.back().labels.push_back(&l);
      return;
    }
    write_cells();
    open(format("<g class=\"{}\"{}>\n", class_of(l.role), text_look(l)), "</g>\n");
    out_ += format("<text x=\"{}\" y=\"{}\">{}</text>\n", decimal(l.at.x), decimal(l.at.y),
                   xml_escape(shown_text(l.text)));
  }

  // Cells are collected until the row ends, because a row shares its position and its look.
  void operator()(const TooltipItem& h) {
    if (!cells_.empty() && !is_row(*cells_.front().tooltip, h)) write_cells();
    cells_.push_back({&h, {}});
  }

  std::string finish() {
    write_cells();
    open("", "");
    return std::move(out_);
  }

  const std::set<std::string>& patterns() const { return patterns_; }

 private:
  struct Cell {
    const TooltipItem* tooltip;
    std::vector<const LabelItem*> labels;
  };

  static bool holds(const TooltipItem& h, Point at) {
    return at.x >= h.at.x && at.x <= h.at.x + h.width && at.y >= h.at.y &&
           at.y <= h.at.y + h.height;
  }

  static bool is_row(const TooltipItem& a, const TooltipItem& b) {
    return a.role == b.role && a.at.y == b.at.y && a.height == b.height;
  }

  void write_cells() {
    const std::vector<Cell> cells = std::move(cells_);
    cells_.clear();
    std::vector<std::string> texts;
    texts.reserve(cells.size());
    for (const Cell& cell : cells) texts.push_back(shown_text(cell.tooltip->text));
    const std::string_view head =
        tooltips_ == SvgTooltips::Shared ? shared_head(texts) : std::string_view();
    for (size_t i = 0; i < cells.size(); ++i) {
      write_cell(cells[i], head, std::string_view(texts[i]).substr(head.size()));
    }
  }

  // The row's baseline is the origin, so that most texts need no y. The area that reacts to the
  // pointer is an unpainted line as thick as the row, which is shorter to write than four sides.
  void write_cell(const Cell& cell, std::string_view head, std::string_view text) {
    const TooltipItem& h = *cell.tooltip;
    const LabelItem* const first = cell.labels.empty() ? nullptr : cell.labels.front();
    const double middle = h.at.y + h.height / 2;
    const double base = first != nullptr ? first->at.y : middle;
    const std::string look = first != nullptr ? text_look(*first) : " fill=\"none\"";
    const bool halo = first != nullptr && first->halo;
    open(format("<g class=\"{}\" pointer-events=\"{}\" transform=\"translate(0 {})\"{}{}{}>\n",
                class_of(h.role), halo ? "all" : "stroke", decimal(base), look,
                halo ? "" : format(" stroke-width=\"{}\"", decimal(h.height)),
                head.empty() ? "" : format(" data-head=\"{}\"", xml_escape(head))),
         "</g>\n");
    PathData area;
    if (halo) {
      area.move({h.at.x, h.at.y - base});
      area.line({h.at.x + h.width, h.at.y - base});
      area.line({h.at.x + h.width, h.at.y + h.height - base});
      area.line({h.at.x, h.at.y + h.height - base});
    } else {
      area.move({h.at.x, middle - base});
      area.line({h.at.x + h.width, middle - base});
    }
    const std::string title = format("<title>{}</title>", xml_escape(text));
    if (first == nullptr) {
      out_ += format("<path d=\"{}\">{}</path>\n", area.take(), title);
      return;
    }
    out_ += format("<g>{}<path{} d=\"{}\"/>", title, halo ? " fill=\"none\" stroke=\"none\"" : "",
                   area.take());
    for (const LabelItem* l : cell.labels) {
      const int64_t y = hundredths(l->at.y) - hundredths(base);
      const std::string own = text_look(*l) == look ? "" : text_look(*l);
      out_ += format("<text x=\"{}\"{}{}>{}</text>", decimal(l->at.x),
                     y == 0 ? "" : format(" y=\"{}\"", decimal(y)), own,
                     xml_escape(shown_text(l->text)));
    }
    out_ += "</g>\n";
  }

  void open(const std::string& head, const std::string& tail) {
    if (!head.empty() && head == head_) return;
    out_ += path_.take() + tail_ + head;
    head_ = head;
    tail_ = tail;
  }

  void open_path(const std::string& role, const std::string& look) {
    open(format("<path class=\"{}\"{} d=\"", class_of(role), look), "\"/>\n");
  }

  std::string area_look(const Style& s) {
    std::string look;
    if (s.hatch) {
      look = format(" fill=\"url(#{})\"", add_pattern(s));
    } else {
      look = s.fill ? paint("fill", *s.fill) : " fill=\"none\"";
    }
    if (s.stroke) {
      look += paint("stroke", *s.stroke);
      if (s.stroke_width != 1) look += format(" stroke-width=\"{}\"", decimal(s.stroke_width));
    }
    return look;
  }

  // Lines x + y = c at multiples of 6, so that the hatches of neighbouring areas line up.
  std::string add_pattern(const Style& s) {
    std::string id = format("hatch-{}", hex(*s.hatch).substr(1));
    if (s.fill) id += format("-{}", to_string(*s.fill).substr(1));
    const std::string back =
        s.fill ? format("<path{} d=\"M0 0h6v6h-6z\"/>", paint("fill", *s.fill)) : "";
    patterns_.insert(
        format("<pattern id=\"{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">{}"
               "<path fill=\"none\"{} stroke-width=\".9\" d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\"/>"
               "</pattern>\n",
               id, back, paint("stroke", *s.hatch)));
    return id;
  }

  static std::string text_look(const LabelItem& l) {
    std::string look = format(" font-size=\"{}\"{}", decimal(l.size), paint("fill", l.color));
    if (l.bold) look += " font-weight=\"600\"";
    if (l.anchor == Anchor::Middle) look += " text-anchor=\"middle\"";
    if (l.anchor == Anchor::End) look += " text-anchor=\"end\"";
    if (l.halo) {
      look += format("{} stroke-width=\"{}\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                     paint("stroke", *l.halo), decimal(l.size * kHaloWidth));
    }
    return look;
  }

  SvgTooltips tooltips_;
  std::string out_;
  std::vector<Cell> cells_;
  std::string head_;
  std::string tail_;
  PathData path_;
  std::set<std::string> patterns_;
};

int64_t tooltip_count(const Scene& scene) {
  return std::count_if(scene.items.begin(), scene.items.end(), [](const SceneItem& item) {
    return std::holds_alternative<TooltipItem>(item);
  });
}

}  // namespace

std::string svg_document(const Scene& scene, double width, double height, SvgTooltips tooltips) {
  Writer writer(tooltips);
  const bool silent = tooltip_count(scene) > kMaxTooltips;
  for (const SceneItem& item : scene.items) {
    throw_if_interrupted();
    if (silent && std::holds_alternative<TooltipItem>(item)) continue;
    std::visit([&writer](const auto& it) { writer(it); }, item);
  }
  const std::string body = writer.finish();
  std::string patterns;
  for (const std::string& pattern : writer.patterns()) patterns += pattern;
  if (!patterns.empty()) patterns = format("<defs>\n{}</defs>\n", patterns);
  // The view box has the document's aspect ratio, so that the background fills it.
  const double scale = std::min(width / scene.width, height / scene.height);
  const Point view = {width / scale, height / scale};
  const Point corner = {(scene.width - view.x) / 2, (scene.height - view.y) / 2};
  return format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{}\" height=\"{}\" "
      "viewBox=\"{} {} {} {}\" font-family=\"{}\">\n"
      "<title>{}</title>\n{}<path class=\"background\"{} d=\"M{} {}h{}v{}h-{}z\"/>\n{}</svg>\n",
      decimal(width), decimal(height), decimal(corner.x), decimal(corner.y), decimal(view.x),
      decimal(view.y), kFontFamily, xml_escape(shown_text(scene.title)), patterns,
      paint("fill", scene.background), decimal(corner.x), decimal(corner.y), decimal(view.x),
      decimal(view.y), decimal(view.x), body);
}

}  // namespace tilewright
