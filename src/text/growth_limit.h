// How long a text may become under the rules of a tokenizer's file. The file chooses what stands
// for a character, and may do so in many steps, so that a short text could take all memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace invar {

class GrowthLimit {
 public:
  // For a text of `text_bytes`. `file` and `field` name the rules in messages and must outlive
  // this; `field` may be empty.
  GrowthLimit(std::string_view file, std::string_view field, size_t text_bytes);

  // Error kExhausted if the text has become longer than its rules may make it.
  void check(size_t bytes) const {
    if (bytes > most_) {
      refuse_growth(bytes);
    }
  }

 private:
  [[noreturn]] void refuse_growth(size_t bytes) const;

  std::string_view file_;
  std::string_view field_;
  size_t text_bytes_;
  size_t most_;
};

}  // namespace invar
