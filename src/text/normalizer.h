// Normalizers: rewrite text before it is cut into pieces. Each step is plain data; a Sequence is a
// list of steps.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/chars_map.h"
#include "text/regex.h"

namespace invar {

enum class UnicodeForm { kNfc, kNfd, kNfkc, kNfkd };

struct ComposeStep {
  UnicodeForm form;
};
struct LowercaseStep {};
struct StripAccentsStep {};  // drops marks; decomposing first is another step
struct NmtStep {};           // drops control characters, turns odd spaces into spaces
struct SpellBytesStep {};    // spells bytes in the byte alphabet
struct PrependStep {         // in front of a text that is not empty
  std::string prefix;
};
struct ReplaceStep {
  Regex regex;
  std::string content;  // inserted as it is
};
struct StripStep {  // white space at the ends
  bool left = true;
  bool right = true;
};
struct BertStep {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};
struct PrecompiledStep {  // by character and grapheme, as Hugging Face's library applies the map
  std::shared_ptr<const CharsMap> map;
};
struct SentencePieceStep {  // as SentencePiece's own normalizer applies it, with its space rules
  std::shared_ptr<const CharsMap> map;  // may be null
  bool remove_extra_whitespaces = true;
  bool add_dummy_prefix = true;
};

using NormalizerStep =
    std::variant<ComposeStep, LowercaseStep, StripAccentsStep, NmtStep, SpellBytesStep, PrependStep,
                 ReplaceStep, StripStep, BertStep, PrecompiledStep, SentencePieceStep>;

// Applies the steps in order to `text`, which is valid UTF-8 and stays so. False if the beginning
// of the text was dropped, so that what is left no longer begins where the text began. Error
// kExhausted, which names `file`, if the text grows too long (growth_limit.h).
bool normalize_text(const std::vector<NormalizerStep>& steps, std::string_view file,
                    std::string& text, StopCheck& stop);

}  // namespace invar
