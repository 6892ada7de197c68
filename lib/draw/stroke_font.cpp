#include "draw/stroke_font.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewright {
namespace {

// A glyph is strokes separated by ';'. A point is two digits, x then y, counted from the left and
// from below the descenders (a = 10 ... d = 13); '(' before a point rounds that corner, 'z' closes
// the stroke.
//
//      d  ascenders of brackets, dots          x: 0 .. 8
//      c  capitals, digits
//      a  small letters
//      4  baseline
//      1  descenders
constexpr int kFirst = 32;
constexpr std::array<const char*, 95> kGlyphs = {
    /*space*/ "",
    /*!*/ "0c07;0404",
    /*"*/ "0c0a;2c2a",
    /*#*/ "142c;344c;0a5a;0656",
    /*$*/ "4a(4c(0c(08(48(44(0406;2d23",
    /*%*/ "054b;(0a(0c(2c(2az;(24(26(46(44z",
    /*&*/ "54(19(1c(3c(39(06(04(3457",
    /*'*/ "0c0a",
    /*(*/ "2d(0b(0523",
    /*)*/ "0d(2b(2503",
    /***/ "2c28;0b49;094b",
    /*+*/ "2a26;0848",
    /*,*/ "1402",
    /*-*/ "0838",
    /*.*/ "0404",
    /*slash*/ "033d",
    /*0*/ "(04(0c(5c(54z",
    /*1*/ "0a3c34",
    /*2*/ "0a(0c(5c(590454",
    /*3*/ "0b(0c(5c(5828;28(58(54(0405",
    /*4*/ "444c0656",
    /*5*/ "5c0c09(59(54(0405",
    /*6*/ "5b(5c(0c(04(54(5909",
    /*7*/ "0c5c24",
    /*8*/ "(08(0c(5c(58z;(04(08(58(54z",
    /*9*/ "05(04(54(5c(0c(0757",
    /*:*/ "0404;0909",
    /*;*/ "1402;1919",
    /*<*/ "4b0845",
    /*=*/"0949;0646",
    /*>*/ "0b4805",
    /*?*/ "0a(0c(4c(492726;2424",
    /*@*/ "(26(2a(5a(56z;5a(56(76(7c(0c(0363",
    /*A*/ "043c64;1757",
    /*B*/ "040c(5c(5808;38(58(5404",
    /*C*/ "5a(5c(0c(04(5456",
    /*D*/ "040c(5c(5404z",
    /*E*/ "5c0c0454;0848",
    /*F*/ "5c0c04;0848",
    /*G*/ "5a(5c(0c(04(545838",
    /*H*/ "0c04;5c54;0858",
    /*I*/ "0c04",
    /*J*/ "4c(44(0406",
    /*K*/ "0c04;5c07;2954",
    /*L*/ "0c0444",
    /*M*/ "040c366c64",
    /*N*/ "040c545c",
    /*O*/ "(04(0c(6c(64z",
    /*P*/ "040c(5c(5707",
    /*Q*/ "(04(0c(6c(64z;4663",
    /*R*/ "040c(5c(5808;3854",
    /*S*/ "5b(5c(0c(08(58(54(0405",
    /*T*/ "0c6c;3c34",
    /*U*/ "0c(04(545c",
    /*V*/ "0c346c",
    /*W*/ "0c244a648c",
    /*X*/ "0c54;5c04",
    /*Y*/ "0c386c;3834",
    /*Z*/ "0c5c0454",
    /*[*/ "2d0d0323",
    /*backslash*/ "0d33",
    /*]*/ "0d2d2303",
    /*^*/ "0a2c4a",
    /*_*/ "0353",
    /*`*/ "0d1b",
    /*a*/ "4a44;4a(0a(0444",
    /*b*/ "0c04;0a(4a(4404",
    /*c*/ "49(4a(0a(04(4445",
    /*d*/ "4c44;4a(0a(0444",
    /*e*/ "0747(4a(0a(0444",
    /*f*/ "3c(1c14;0a3a",
    /*g*/ "4a(4101;4a(0a(0444",
    /*h*/ "0c04;0a(4a44",
    /*i*/ "0a04;0d0d",
    /*j*/ "1a(1101;1d1d",
    /*k*/ "0c04;4a06;1744",
    /*l*/ "0c(0414",
    /*m*/ "0a04;0a(3a34;3a(6a64",
    /*n*/ "0a04;0a(4a44",
    /*o*/ "(04(0a(4a(44z",
    /*p*/ "0a01;0a(4a(4404",
    /*q*/ "4a41;4a(0a(0444",
    /*r*/ "0a04;07(0a3a",
    /*s*/ "49(4a(0a(07(47(44(0405",
    /*t*/ "1c(1434;0a3a",
    /*u*/ "0a(0444;4a44",
    /*v*/ "0a244a",
    /*w*/ "0a1439546a",
    /*x*/ "0a44;4a04",
    /*y*/ "0a24;4a11",
    /*z*/ "0a4a0444",
    /*{*/ "3d(1d(1808;08(18(1333",
    /*|*/ "0d03",
    /*}*/ "0d(2d(2838;38(28(2303",
    /*~*/ "07(19(3749"};
constexpr const char* kBox = "040c4c44z";

constexpr double kBaseline = 4;
constexpr double kCapital = 8;  // units from the baseline to the top of capitals
constexpr double kMostRadius = 3;
constexpr double kGap = 2.6;           // units between two glyphs
constexpr double kBlank = 3;           // advance of a blank
constexpr double kCapitalPart = 0.68;  // of the size, as in common type

double unit(double size) {
  return size * kCapitalPart / kCapital;
}

double digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

const char* glyph_of(char c) {
  const int code = static_cast<unsigned char>(c);
  return code >= kFirst && code < kFirst + static_cast<int>(kGlyphs.size())
             ? kGlyphs[static_cast<size_t>(code - kFirst)]
             : kBox;
}

std::vector<Stroke> parse_glyph(const char* text) {
  std::vector<Stroke> strokes;
  if (*text == '\0') return strokes;
  strokes.emplace_back();
  for (bool round = false; *text != '\0'; ++text) {
    switch (*text) {
      case ';': strokes.emplace_back(); break;
      case '(': round = true; break;
      case 'z': strokes.back().closed = true; break;
      default:
        strokes.back().corners.push_back(
            {{digit(text[0]), digit(text[1])}, round ? kMostRadius : 0});
        round = false;
        ++text;
    }
  }
  return strokes;
}

double advance(char c) {
  if (c == ' ') return kBlank;
  double width = 0;
  for (const Stroke& stroke : parse_glyph(glyph_of(c))) {
    for (const StrokeCorner& corner : stroke.corners) width = std::max(width, corner.at.x);
  }
  return width + kGap;
}

double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

// An arc may take half of a side that has an arc on its other end too, and all of it otherwise.
void fit_radii(Stroke& stroke) {
  std::vector<StrokeCorner>& corners = stroke.corners;
  const size_t count = corners.size();
  std::vector<double> fitted(count);
  for (size_t i = 0; i < count; ++i) {
    fitted[i] = corners[i].radius;
    for (const size_t j : {(i + count - 1) % count, (i + 1) % count}) {
      const double side = distance(corners[i].at, corners[j].at);
      fitted[i] = std::min(fitted[i], corners[j].radius > 0 ? side / 2 : side);
    }
  }
  for (size_t i = 0; i < count; ++i) corners[i].radius = fitted[i];
}

}  // namespace

double pen_width(double size, bool bold) {
  return size * (bold ? 0.125 : 0.085);
}

double capital_height(double size) {
  return size * kCapitalPart;
}

double text_width(std::string_view text, double size, bool bold) {
  if (text.empty()) return 0;
  double units = -kGap;  // nothing after the last glyph
  for (const char c : text) units += advance(c) + (bold ? 0.3 : 0);
  return units * unit(size) + pen_width(size, bold);
}

std::vector<Stroke> text_strokes(std::string_view text, Point at, double size, bool bold) {
  const double scale = unit(size);
  double pen = at.x + pen_width(size, bold) / 2;
  std::vector<Stroke> strokes;
  for (const char c : text) {
    for (Stroke& stroke : parse_glyph(glyph_of(c))) {
      fit_radii(stroke);
      for (StrokeCorner& corner : stroke.corners) {
        corner.at = {pen + corner.at.x * scale, at.y - (corner.at.y - kBaseline) * scale};
        corner.radius *= scale;
      }
      strokes.push_back(std::move(stroke));
    }
    pen += (advance(c) + (bold ? 0.3 : 0)) * scale;
  }
  return strokes;
}

}  // namespace tilewright
