#include "build/source_text.hpp"

#include <algorithm>
#include <iterator>

#include "base/digest.hpp"

namespace kernelgen::tool {

namespace {

constexpr std::string_view line_words[] = {"__LINE__",
                                           "__FILE__",
                                           "__BASE_FILE__",
                                           "__FILE_NAME__",
                                           "__builtin_LINE",
                                           "__builtin_FILE",
                                           "__builtin_COLUMN",
                                           "__builtin_source_location",
                                           "source_location",
                                           "__INCLUDE_LEVEL__",
                                           "assert"};
constexpr std::string_view more_words[] = {"__DATE__", "__TIME__", "__TIMESTAMP__", "embed", "__has_embed"};
constexpr std::string_view raw_prefixes[] = {"R", "LR", "uR", "UR", "u8R"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  // Bytes of UTF-8 may be part of names.
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

/// The bytes of a source from front to back, without the line ends that a backslash hides.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), at_(behind_splices(0)) {}

  bool at_end() const { return at_ == text_.size(); }
  /// '\0' after the end.
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  char peek_second() const {
    const std::size_t next = at_end() ? at_ : behind_splices(at_ + 1);
    return next == text_.size() ? '\0' : text_[next];
  }
  char take() {
    const char c = text_[at_];
    at_ = behind_splices(at_ + 1);
    return c;
  }
  /// From here to the end of a raw string, whose bytes are as they stand; all that is left where it has none.
  std::string_view take_raw_string() {
    const std::size_t open = text_.find('(', at_);
    std::size_t end = text_.size();
    if (open != std::string_view::npos) {
      const std::string close = ')' + std::string(text_.substr(at_ + 1, open - at_ - 1)) + '"';
      const std::size_t found = text_.find(close, open);
      if (found != std::string_view::npos) end = found + close.size();
    }
    const std::string_view raw = text_.substr(at_, end - at_);
    at_ = behind_splices(end);
    return raw;
  }

 private:
  std::size_t behind_splices(std::size_t at) const {
    while (at < text_.size() && text_[at] == '\\') {
      std::size_t next = at + 1;
      while (next < text_.size() && is_blank(text_[next])) ++next;
      if (next == text_.size() || text_[next] != '\n') break;
      at = next + 1;
    }
    return at;
  }

  std::string_view text_;
  std::size_t at_;
};

class Lexer {
 public:
  explicit Lexer(std::string_view bytes) : reader_(bytes) {
    // In a string of assembly, where no word of the language is.
    text_.names_more = bytes.find(".incbin") != std::string_view::npos;
  }

  SourceText run() {
    while (!reader_.at_end()) step();
    end_directive();
    return std::move(text_);
  }

 private:
  std::string& out() { return text_.tokens; }

  void step() {
    const char c = reader_.peek(), next = reader_.peek_second();
    if (c == '\n') {
      reader_.take();
      end_directive();
      is_line_start_ = has_blank_ = true;
    } else if (is_blank(c)) {
      reader_.take();
      has_blank_ = true;
    } else if (c == '/' && next == '/') {
      while (!reader_.at_end() && reader_.peek() != '\n') reader_.take();
      has_blank_ = true;
    } else if (c == '/' && next == '*') {
      skip_block_comment();
      has_blank_ = true;
    } else if (is_line_start_ && (c == '#' || (c == '%' && next == ':'))) {
      begin_directive();
    } else {
      is_line_start_ = false;
      put_blank();
      token(c, next);
    }
  }

  void skip_block_comment() {
    reader_.take();
    reader_.take();
    while (!reader_.at_end() && !(reader_.peek() == '*' && reader_.peek_second() == '/')) reader_.take();
    for (int i = 0; i < 2 && !reader_.at_end(); ++i) reader_.take();
  }

  void put_blank() {
    if (has_blank_ && !out().empty() && out().back() != '\n') out() += ' ';
    has_blank_ = false;
  }

  void begin_directive() {
    if (!out().empty() && out().back() != '\n') out() += '\n';
    directive_begin_ = out().size();
    if (reader_.take() == '%') reader_.take();
    out() += '#';
    in_directive_ = true;
    is_line_start_ = has_blank_ = false;
    skip_blanks();
    const std::string word = take_word();
    out() += word;
    is_line_ = word == "line" || (!word.empty() && is_digit(word[0]));
    if (word == "include" || word == "include_next" || word == "import") header_name(false);
  }

  void end_directive() {
    if (!in_directive_) return;
    in_directive_ = false;
    if (is_line_)
      out().resize(directive_begin_);
    else
      out() += '\n';
  }

  void skip_blanks() {
    while (is_blank(reader_.peek())) reader_.take();
  }

  std::string take_word() {
    std::string word;
    while (!reader_.at_end() && is_word(reader_.peek())) word += reader_.take();
    if (contains(line_words, word)) text_.names_lines = true;
    if (contains(more_words, word)) text_.names_more = true;
    return word;
  }

  /// The operand of #include or __has_include(): the start of a comment in it is part of the name.
  void header_name(bool is_question) {
    skip_blanks();
    const char open = reader_.peek();
    if (open != '"' && open != '<') {
      text_.has_computed_include = true;
      return;
    }
    out() += ' ';
    out() += reader_.take();
    std::string name;
    const char close = open == '<' ? '>' : '"';
    while (!reader_.at_end() && reader_.peek() != close && reader_.peek() != '\n') name += reader_.take();
    if (reader_.peek() == close) reader_.take();
    out() += name;
    out() += close;
    text_.includes.push_back({std::move(name), open == '"', is_question});
  }

  void token(char c, char next) {
    if (is_digit(c) || (c == '.' && is_digit(next)))
      number();
    else if (is_word(c))
      word();
    else if (c == '"' || c == '\'')
      literal();
    else
      out() += reader_.take();
  }

  /// With what separates its digits and the sign of its exponent.
  void number() {
    for (char before = '\0'; !reader_.at_end();) {
      const char c = reader_.peek();
      const bool is_sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      if (!is_word(c) && c != '.' && !is_sign && !(c == '\'' && is_word(reader_.peek_second()))) return;
      out() += before = reader_.take();
    }
  }

  void word() {
    const std::string word = take_word();
    out() += word;
    if (reader_.peek() == '"' && contains(raw_prefixes, word)) {
      out() += reader_.take_raw_string();
    } else if (word == "__has_include" || word == "__has_include_next") {
      skip_blanks();
      if (reader_.peek() != '(') return;  // defined(__has_include)
      out() += reader_.take();
      header_name(true);
    }
  }

  /// Ends with its line at the latest, as in prose between #if 0 and #endif.
  void literal() {
    const char quote = reader_.peek();
    out() += reader_.take();
    while (!reader_.at_end() && reader_.peek() != '\n') {
      const char c = reader_.take();
      out() += c;
      if (c == quote) return;
      if (c == '\\' && !reader_.at_end() && reader_.peek() != '\n') out() += reader_.take();
    }
  }

  Reader reader_;
  SourceText text_;
  bool is_line_start_ = true;
  bool has_blank_ = false;
  bool in_directive_ = false;
  bool is_line_ = false;
  std::size_t directive_begin_ = 0;
};

}  // namespace

SourceText read_source_text(std::string_view bytes) {
  SourceText text = Lexer(bytes).run();
  text.tokens_hash = hash128(text.tokens).hex();
  text.bytes_hash = hash128(bytes).hex();
  return text;
}

}  // namespace kernelgen::tool
