// The list of families: a new family is one include and one line here.
#include <algorithm>

#include "models/family.h"
#include "models/kimi_k3.h"
#include "models/kimi_linear.h"
#include "models/lfm2.h"
#include "models/llama.h"
#include "models/mamba2.h"
#include "models/qwen2.h"
#include "models/qwen3.h"
#include "models/qwen3_5.h"
#include "models/qwen3_moe.h"
#include "models/qwen3_next.h"

namespace invar {

std::span<const Family* const> families() {
  static constexpr const Family* kFamilies[] = {
      &kKimiK3,           //
      &kKimiLinear,       //
      &kLfm2,             //
      &kLlama,            //
      &kMamba2,           //
      &kQwen2,            //
      &kQwen3,            //
      &kQwen35,           //
      &kQwen35Images,     //
      &kQwen35Moe,        //
      &kQwen35MoeImages,  //
      &kQwen3Moe,         //
      &kQwen3Next,        //
  };
  return kFamilies;
}

const Family* find_family(std::string_view architecture, bool gguf) {
  for (const Family* family : families()) {
    const auto& names = family->gguf_architectures;
    const bool matches = gguf ? std::find(names.begin(), names.end(), architecture) != names.end()
                              : family->name == architecture;
    if (matches) {
      return family;
    }
  }
  return nullptr;
}

}  // namespace invar
