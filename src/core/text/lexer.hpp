// Tokens of the text form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hasten::core {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    separator,    // end of line, or ;
    word,         // name, number or literal: "map", "2.5", "-inf", "nan:0x7fc1"
    value,        // x12
    array,        // %12
    text,         // "..."
    punctuation,  // ( ) { } [ ] , = : # . _ ->
  };
  Kind kind = Kind::end;
  std::string_view text;     // of `text` without quotes
  std::uint32_t number = 0;  // of values and arrays; none if it is too large
  std::uint32_t line = 1, column = 1;
};

/// Skips comments ("//" to the end of the line); comment() is the last one skipped.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  [[nodiscard]] const Token& peek() const { return token_; }
  Token take() {
    Token result = token_;
    advance();
    return result;
  }
  /// The text after the "//" skipped last.
  [[nodiscard]] std::string_view comment() const { return comment_; }
  void forget_comment() { comment_ = {}; }

 private:
  void advance();
  void skip_blanks();
  void take_until(std::size_t end, Token::Kind kind);
  void take_number(Token::Kind kind);
  [[nodiscard]] std::uint32_t column() const {
    return static_cast<std::uint32_t>(at_ - line_start_ + 1);
  }
  [[nodiscard]] std::size_t word_end() const;
  [[nodiscard]] bool starts_number(std::size_t at) const;

  std::string_view text_, comment_;
  std::size_t at_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
  Token token_;
};

/// Throws BuildError: "line 3, column 7: found ... where ... is expected".
[[noreturn]] void fail_parse(const Token& found, std::string_view expected);
/// Takes a token with this text, or throws.
void expect(Lexer& lexer, std::string_view text);
/// Takes a token with this text if it is next.
bool accept(Lexer& lexer, std::string_view text);
void skip_separators(Lexer& lexer);

}  // namespace hasten::core
