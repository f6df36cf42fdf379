// One token ahead; numbers and names are told apart by their first character.
#include "core/text/lexer.hpp"

#include <hasten/run/error.hpp>

#include <algorithm>
#include <charconv>

namespace hasten::core {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      comment_ = text_.substr(at_ + 2, end - at_ - 2);
      at_ = end;
    } else {
      return;
    }
  }
}

void Lexer::take_until(std::size_t end, Token::Kind kind) {
  token_ = {kind, text_.substr(at_, end - at_), 0, line_, column()};
  at_ = end;
}

// "x12" or "%12".
void Lexer::take_number(Token::Kind kind) {
  std::size_t end = at_ + 1;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  take_until(end, kind);
  const char* const last = token_.text.data() + token_.text.size();
  const auto [read, error] = std::from_chars(token_.text.data() + 1, last, token_.number);
  if (error != std::errc() || read != last) token_.number = ~std::uint32_t{0};
}

// A number or "-inf", not "->".
bool Lexer::starts_number(std::size_t at) const {
  if (at >= text_.size()) return false;
  if (text_[at] == '-') return at + 1 < text_.size() && text_[at + 1] != '>';
  return is_digit(text_[at]);
}

std::size_t Lexer::word_end() const {
  if (text_.substr(at_, 6) == "nan:0x")
    return std::min(text_.find_first_of(" ,)\n", at_), text_.size());
  std::size_t end = at_ + 1;
  const bool number = starts_number(at_);
  for (; end < text_.size(); ++end) {
    const char c = text_[end];
    const bool exponent = number && (c == '-' || c == '+') && text_[end - 1] == 'e';
    if (!is_letter(c) && !is_digit(c) && !exponent && !(number && c == '.')) break;
  }
  return end;
}

void Lexer::advance() {
  skip_blanks();
  if (at_ >= text_.size()) {
    token_ = {Token::Kind::end, {}, 0, line_, column()};
    return;
  }
  const char c = text_[at_];
  const bool numbered = at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
  if (c == '\n' || c == ';') {
    take_until(at_ + 1, Token::Kind::separator);
    if (c == '\n') ++line_, line_start_ = at_;
  } else if (c == '%') {
    take_number(Token::Kind::array);
  } else if (c == 'x' && numbered) {
    take_number(Token::Kind::value);
  } else if (c == '"') {
    const std::size_t end = std::min(text_.find('"', at_ + 1), text_.size());
    token_ = {Token::Kind::text, text_.substr(at_ + 1, end - at_ - 1), 0, line_, column()};
    at_ = std::min(end + 1, text_.size());
  } else if (text_.substr(at_, 2) == "->") {
    take_until(at_ + 2, Token::Kind::punctuation);
  } else if (is_letter(c) || starts_number(at_)) {
    take_until(word_end(), Token::Kind::word);
  } else {
    take_until(at_ + 1, Token::Kind::punctuation);
  }
}

void fail_parse(const Token& found, std::string_view expected) {
  std::string shown = found.kind == Token::Kind::end         ? "the end of the text"
                      : found.kind == Token::Kind::separator ? "the end of a statement"
                                                             : "'" + std::string(found.text) + "'";
  throw BuildError("line " + std::to_string(found.line) + ", column " +
                   std::to_string(found.column) + ": found " + shown + " where " +
                   std::string(expected) + " is expected");
}

bool accept(Lexer& lexer, std::string_view text) {
  const Token& token = lexer.peek();
  if (token.text != text || token.kind == Token::Kind::text || token.kind == Token::Kind::separator)
    return false;
  lexer.take();
  return true;
}

void expect(Lexer& lexer, std::string_view text) {
  if (!accept(lexer, text)) fail_parse(lexer.peek(), "'" + std::string(text) + "'");
}

void skip_separators(Lexer& lexer) {
  while (lexer.peek().kind == Token::Kind::separator) lexer.take();
}

}  // namespace hasten::core
