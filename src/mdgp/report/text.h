// Text for SVG and HTML: escaping, numbers, and how wide a string will be.
#pragma once

#include <string>
#include <string_view>

namespace mdgp {

// Text as it may stand between tags and inside double quotes, in XML and HTML alike: escapes &, <,
// > and ". What XML 1.0 forbids even when escaped (control characters, bytes that are not UTF-8)
// becomes U+FFFD, so that a table in some old encoding cannot break the document.
std::string escape_xml(std::string_view text);

// Throws std::invalid_argument for what is neither a name nor # and hexadecimal digits: it could be
// url(…), which makes a browser load it.
void check_colour(std::string_view function, std::string_view colour);

// At most two decimals, no trailing zeros, a point in every locale.
std::string svg_number(double value);

// An estimate of the width in pixels, without the font: a little more than a typical sans-serif.
double text_width(std::string_view text, double font_size);

// The text, or as much of its beginning as fits with an ellipsis.
std::string fit_text(std::string_view text, double font_size, double width);

}  // namespace mdgp
