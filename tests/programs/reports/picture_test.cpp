// picture(): well-formed SVG that shows everything in the plan.
#include "tests/programs/support.hpp"

#include <cctype>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

using hs::Acc, hs::Exp, hs::Vector;

namespace {

// The reason why a text is not well-formed XML of elements, attributes and text; empty if it is.
class XmlCheck {
 public:
  explicit XmlCheck(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size() && why_.empty()) {
      if (text_[at_] == '<')
        tag();
      else if (text_[at_] == '&')
        entity();
      else if (static_cast<unsigned char>(text_[at_]) < 0x20 && text_[at_] != '\n')
        why_ = "a control character";
      else if (open_.empty() && !std::isspace(static_cast<unsigned char>(text_[at_])))
        why_ = "text outside";
      else
        ++at_;
    }
    if (why_.empty() && !open_.empty()) why_ = "not closed: " + open_.back();
    if (why_.empty() && roots_ != 1) why_ = "not one root";
    return why_.empty() ? "" : why_ + " at " + std::to_string(at_);
  }

 private:
  void entity() {
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"})
      if (text_.substr(at_).starts_with(known)) {
        at_ += known.size();
        return;
      }
    why_ = "an unknown entity";
  }

  std::string name() {
    std::string result;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == ':'))
      result += text_[at_++];
    if (result.empty()) why_ = "a name is missing";
    return result;
  }

  void tag() {
    ++at_;
    if (text_[at_] == '/') {
      ++at_;
      if (const std::string closed = name(); open_.empty() || open_.back() != closed)
        why_ = "closed but not open: " + closed;
      else
        open_.pop_back();
      if (text_[at_++] != '>') why_ = "a tag without end";
      return;
    }
    if (open_.empty()) ++roots_;
    open_.push_back(name());
    while (why_.empty()) {
      while (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      if (text_[at_] == '>') break;
      if (text_.substr(at_).starts_with("/>")) {
        open_.pop_back();
        ++at_;
        break;
      }
      attribute();
    }
    ++at_;
  }

  void attribute() {
    name();
    if (!text_.substr(at_).starts_with("=\"")) {
      why_ = "an attribute without value";
      return;
    }
    at_ += 2;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '<') why_ = "< in an attribute";
      ++at_;
    }
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int roots_ = 0;
  std::string why_;
  std::vector<std::string> open_;
};

std::int64_t count(const std::string& text, const std::string& part) {
  std::int64_t result = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++result;
  return result;
}

TEST(XmlChecks, FindWhatIsWrong) {
  EXPECT_EQ(XmlCheck("<a x=\"1\"><b />t &amp; t</a>\n").run(), "");
  for (const char* wrong : {"<a>", "<a></b>", "<a>&</a>", "<a x=1></a>", "<a /><b />",
                            "<a>\x01</a>", "<a x=\"<\" />", "t"})
    EXPECT_NE(XmlCheck(wrong).run(), "") << wrong;
}

class Pictures : public hasten_test::OnEveryTarget {};

const auto twice = [](const auto& x) { return x * 2.0f; };

TEST_P(Pictures, HaveEveryKernelLoopAndBranch) {
  const auto f = hs::compile(
      [](const Acc<Vector<float>>& x, const Exp<std::int64_t>& n) {
        const auto scanned = hs::scanl1(std::plus<>{}, hs::sort(x));
        const auto looped =
            hs::aiterate(n, [](const Acc<Vector<float>>& v) { return hs::map(twice, v); }, scanned);
        return hs::acond(n > 3, hs::named("a < b & \"c\"", hs::reverse(looped)), looped);
      },
      GetParam());
  const std::string svg = f.picture().str();
  EXPECT_EQ(XmlCheck(svg).run(), "") << svg;
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << svg;
  for (std::int64_t kernel = 0; kernel < f.kernel_count(); ++kernel)
    EXPECT_GE(count(svg, "kernel " + std::to_string(kernel) + ": "), 1) << svg;
  EXPECT_EQ(count(svg, "class=\"launch\""), f.launch_count()) << svg;
  EXPECT_EQ(count(svg, "class=\"sort\""), 1) << svg;
  EXPECT_EQ(count(svg, ">loop at"), 1) << svg;
  EXPECT_EQ(count(svg, ">branch at"), 1) << svg;
  EXPECT_GE(count(svg, "a &lt; b &amp; &quot;c&quot;"), 1) << svg;
  EXPECT_GE(count(svg, "<path marker-end"), 4) << svg;
  EXPECT_EQ(svg, f.picture().str());
}

TEST_P(Pictures, HaveShapesAfterACall) {
  const auto f =
      hs::compile([](const Acc<Vector<float>>& x) { return hs::map(twice, x); }, GetParam());
  EXPECT_EQ(count(f.picture().str(), "[3]"), 0);
  f(Vector<float>{1, 2, 3});
  const bool is_interpreted = GetParam().target.name() == "interpreter";
  EXPECT_EQ(count(f.picture().str(), "[3]"), is_interpreted ? 0 : 1) << f.picture();
}

TEST_P(Pictures, OfNothingAreWellFormed) {
  const auto f = hs::compile([](const Acc<Vector<float>>& x) { return x; }, GetParam());
  EXPECT_EQ(XmlCheck(f.picture().str()).run(), "") << f.picture();
}

HASTEN_ON_EVERY_TARGET(Pictures);

}  // namespace
