// Checkpoints of models that also see: the configuration holds that of the text part, and beside
// its tensors are those of other parts, which requests of text never touch.
#pragma once

#include "models/family.h"

namespace invar {

struct Wrapper {
  const Family& text;                               // what the text part alone is
  TensorPrefixes prefixes;                          // a head without its prefix is accepted too
  std::span<const std::string_view> other_tensors;  // how their names begin
  std::span<const std::string_view> other_keys;     // of the configuration
};

// Builds the text part out of `text_config`. End tokens are those of both configurations; whether
// the head is tied may stand in either. The other parts' tensors are not loaded, but every other
// tensor must be used. Errors: kBadFile without text_config, kUnsupported for unknown keys, and
// those of the text part's family.
FamilyOutput build_text_part(FamilyInput& input, const Wrapper& wrapper);

}  // namespace invar
