// Pre-tokenizers: cut normalized text into pieces that the model encodes one by one, and rewrite
// them where the format says so. Each step is plain data; a Sequence is a list of steps.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "text/split.h"

namespace invar {

// Splits at a pattern.
struct PatternSplit {
  Regex regex;
  SplitRule rule;
};

// Splits at single characters of a class.
struct CharacterSplit {
  bool (*is_match)(char32_t);
  SplitRule rule;
};

// Splits at one given character.
struct DelimiterSplit {
  char32_t delimiter;
};

// A space in front of a piece that does not begin with one.
struct PrefixSpace {};

// Bytes spelled in the byte alphabet.
struct SpellBytes {};

enum class PrependScheme { kAlways, kFirst, kNever };

// SentencePiece's: spaces become a visible mark; each mark begins a piece.
struct MetaspaceSplit {
  std::string replacement;
  PrependScheme prepend_scheme = PrependScheme::kAlways;
  bool split = true;
};

// Cuts every `length` characters.
struct FixedLengthSplit {
  size_t length;
};

using PreTokenizerStep = std::variant<PatternSplit, CharacterSplit, DelimiterSplit, PrefixSpace,
                                      SpellBytes, MetaspaceSplit, FixedLengthSplit>;

// Applies the steps in order. `pieces` hold valid UTF-8; new strings go into the arena. Error
// kExhausted at its limit.
void pre_tokenize(const std::vector<PreTokenizerStep>& steps, TextArena& arena,
                  std::vector<Piece>& pieces, StopCheck& stop);

}  // namespace invar
