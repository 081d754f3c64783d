// Text to token ids and back: one class for every kind of vocabulary, made from a Hugging Face
// folder or from a GGUF file. How text is normalized, cut and encoded is in the files named by
// TokenizerParts; chat templates are elsewhere.
//
// Text that is not UTF-8: a byte-level vocabulary encodes broken bytes as they are, so that
// decode_bytes(encode(x)) == x for any bytes (unless its normalizer rewrites text); other
// vocabularies see U+FFFD for each maximal broken subpart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf.h"

namespace invar {

struct TokenizerParts;

struct EncodeOptions {
  // Put the tokens around the text that the vocabulary's file asks for (BOS, EOS, [CLS], ...).
  bool add_special_tokens = false;
  // Recognize special tokens that are written out in the text. Tokens that are added but not
  // special are always recognized.
  bool parse_special = true;
  // Lets another thread stop the work.
  std::stop_token stop = {};
};

// The roles that the vocabulary's files name.
struct SpecialIds {
  std::optional<int32_t> bos;
  std::optional<int32_t> eos;
  std::optional<int32_t> unk;
  std::optional<int32_t> pad;
};

// Immutable; safe from many threads; move-only.
class Tokenizer {
 public:
  explicit Tokenizer(std::unique_ptr<const TokenizerParts> parts);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // Longer texts are refused.
  static constexpr size_t kMaxTextBytes = size_t{256} << 20;

  // Error kBadArgument for a text that is too long, kExhausted if a pattern of the vocabulary's
  // file needs too many steps on this text, or if options.stop says so.
  std::vector<int32_t> encode(std::string_view text, EncodeOptions options = {}) const;

  // The text of a whole sequence of ids; valid UTF-8 (broken bytes become U+FFFD). Ids that are no
  // token add nothing. For text that arrives token by token: Detokenizer.
  std::string decode(std::span<const int32_t> ids, bool skip_special) const;

  // As decode, but bytes that are not UTF-8 are kept.
  std::string decode_bytes(std::span<const int32_t> ids, bool skip_special) const;

  // The bytes that one token adds in the middle of a text; empty if `id` is no token.
  std::string token_bytes(int32_t id) const;

  // The token's text as the vocabulary's file spells it.
  std::optional<std::string_view> token_text(int32_t id) const;

  // One more than the largest id. A model's logits may have more columns.
  int32_t vocab_size() const { return vocab_size_; }

  // The id of a token by its spelling in the vocabulary's file.
  std::optional<int32_t> id_of(std::string_view token) const;

  // A token that marks structure (<|im_start|>) rather than being text.
  bool is_special(int32_t id) const;

  const SpecialIds& special_ids() const;

  // Ids after which a model has finished its answer, ascending.
  const std::vector<int32_t>& end_of_generation_ids() const;
  bool is_end_of_generation(int32_t id) const;

  const TokenizerParts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const TokenizerParts> parts_;
  int32_t vocab_size_;
};

// `path`: tokenizer.json or a folder with it. Beside it, tokenizer_config.json and
// generation_config.json are read if they are there. Error kBadFile or kUnsupported, naming the
// file and the field.
Tokenizer tokenizer_from_json(const std::filesystem::path& path);

// The same over the files' texts; `config` and `generation_config` may be empty. `label` stands for
// the path in messages.
struct TokenizerJson {
  std::string label = "tokenizer.json";
  std::string_view tokenizer = "";
  std::string_view config = "";
  std::string_view generation_config = "";
};
Tokenizer tokenizer_from_json_text(const TokenizerJson& json);

// From a GGUF file's tokenizer.ggml.* keys; `file` is not needed afterwards.
Tokenizer tokenizer_from_gguf(const GgufFile& file);

}  // namespace invar
