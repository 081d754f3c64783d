// One function a step: piece in, pieces out.
#include "text/pre_tokenizer.h"

#include "text/byte_alphabet.h"
#include "text/utf8.h"

namespace invar {
namespace {

// Appends the pieces that a step makes of one piece.
struct StepRunner {
  TextArena& arena;
  std::vector<Piece>& out;
  const Piece& piece;
  StopCheck& stop;

  void operator()(const PatternSplit& step) const {
    split_piece(piece, step.regex.find_all(piece.text, stop), step.rule, out);
  }

  void operator()(const CharacterSplit& step) const { split_characters(step.is_match, step.rule); }

  void operator()(const DelimiterSplit& step) const {
    split_characters([&](char32_t code) { return code == step.delimiter; },
                     {SplitBehavior::kRemoved, false});
  }

  void operator()(const PrefixSpace&) const {
    Piece whole = piece;
    if (!whole.text.starts_with(' ')) {
      std::string spaced = " ";
      spaced += whole.text;
      whole.text = arena.keep(std::move(spaced));
    }
    out.push_back(whole);
  }

  void operator()(const SpellBytes&) const {
    std::string spelled;
    append_byte_characters(piece.text, spelled);
    out.push_back({arena.keep(std::move(spelled)), piece.at_start});
  }

  void operator()(const MetaspaceSplit& step) const {
    std::string text;
    for (const char c : piece.text) {
      stop.step();
      if (c == ' ') {
        text += step.replacement;
      } else {
        text += c;
      }
    }
    const bool prepend = step.prepend_scheme == PrependScheme::kAlways ||
                         (step.prepend_scheme == PrependScheme::kFirst && piece.at_start);
    if (prepend && !text.starts_with(step.replacement)) {
      text.insert(0, step.replacement);
    }
    const Piece whole{arena.keep(std::move(text)), piece.at_start};
    if (!step.split) {
      out.push_back(whole);
      return;
    }
    std::vector<TextSpan> marks;
    const size_t size = step.replacement.size();
    for (size_t at = whole.text.find(step.replacement); at != std::string_view::npos;
         at = whole.text.find(step.replacement, at + size)) {
      marks.push_back({at, at + size});
    }
    split_piece(whole, marks, {SplitBehavior::kMergedWithNext, false}, out);
  }

  void operator()(const FixedLengthSplit& step) const {
    std::vector<TextSpan> parts;
    size_t at = 0;
    while (at < piece.text.size()) {
      stop.step();
      const size_t begin = at;
      for (size_t i = 0; i < step.length && at < piece.text.size(); ++i) {
        next_code(piece.text, at);
      }
      parts.push_back({begin, at});
    }
    split_piece(piece, parts, {}, out);
  }

  template <class IsMatch>
  void split_characters(IsMatch is_match, const SplitRule& rule) const {
    std::vector<TextSpan> matches;
    for (size_t at = 0; at < piece.text.size();) {
      stop.step();
      const size_t begin = at;
      if (is_match(next_code(piece.text, at))) {
        matches.push_back({begin, at});
      }
    }
    split_piece(piece, matches, rule, out);
  }
};

}  // namespace

void pre_tokenize(const std::vector<PreTokenizerStep>& steps, TextArena& arena,
                  std::vector<Piece>& pieces, StopCheck& stop) {
  std::vector<Piece> out;
  for (const PreTokenizerStep& step : steps) {
    out.clear();
    for (const Piece& piece : pieces) {
      stop.step();
      std::visit(StepRunner{arena, out, piece, stop}, step);
    }
    pieces.swap(out);
  }
}

}  // namespace invar
