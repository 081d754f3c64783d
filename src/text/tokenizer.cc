// The way of a text through the parts, and the questions about single tokens.
#include "text/tokenizer.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "text/tokenizer_parts.h"
#include "text/utf8.h"

namespace invar {
namespace {

// One encode() call.
class Encoding {
 public:
  Encoding(const TokenizerParts& parts, EncodeOptions options)
      : parts_(parts),
        options_(std::move(options)),
        stop_(options_.stop),
        scratch_(options_.stop) {}

  std::vector<int32_t> run(std::string_view text) {
    if (options_.add_special_tokens) {
      ids_ = parts_.prefix;
    }
    std::string repaired;
    if (!parts_.keeps_broken_bytes && !utf8_is_valid(text)) {
      append_lossy(text, repaired);
      text = repaired;
    }
    std::vector<TextSection> sections;
    parts_.added.split(text, {false, options_.parse_special}, sections, stop_);
    for (const TextSection& section : sections) {
      stop_.step();
      if (section.token.has_value()) {
        ids_.push_back(*section.token);
      } else {
        encode_section(section.text, section.text.data() == text.data());
      }
    }
    if (options_.add_special_tokens) {
      ids_.insert(ids_.end(), parts_.suffix.begin(), parts_.suffix.end());
    }
    return std::move(ids_);
  }

 private:
  // Valid stretches go through all parts, broken bytes straight to the model.
  void encode_section(std::string_view text, bool at_start) {
    size_t at = 0;
    while (at < text.size()) {
      stop_.step();
      const size_t valid = utf8_valid_prefix(text.substr(at));
      if (valid > 0) {
        encode_valid(text.substr(at, valid), at_start && at == 0);
        at += valid;
        continue;
      }
      const size_t broken = utf8_step(text.substr(at)).size;
      encode_piece(parts_.model, text.substr(at, broken), scratch_, ids_);
      at += broken;
    }
  }

  void encode_valid(std::string_view text, bool at_start) {
    std::string normalized(text);
    at_start = normalize_text(parts_.normalizer, parts_.file, normalized, stop_) && at_start;
    std::vector<TextSection> sections;
    parts_.added.split(normalized, {true, options_.parse_special}, sections, stop_);
    for (const TextSection& section : sections) {
      if (section.token.has_value()) {
        ids_.push_back(*section.token);
        continue;
      }
      TextArena arena(GrowthLimit(parts_.file, "pre_tokenizer", section.text.size()));
      std::vector<Piece> pieces = {
          {section.text, at_start && section.text.data() == normalized.data()}};
      pre_tokenize(parts_.pre_tokenizer, arena, pieces, stop_);
      for (const Piece& piece : pieces) {
        stop_.step();
        encode_piece(parts_.model, piece.text, scratch_, ids_);
      }
    }
  }

  const TokenizerParts& parts_;
  EncodeOptions options_;
  StopCheck stop_;
  TokenModelScratch scratch_;
  std::vector<int32_t> ids_;
};

std::string decode_with(const TokenizerParts& parts, std::span<const int32_t> ids,
                        bool skip_special, TokenDecoder::Broken broken) {
  DecodeState state;
  std::string out;
  for (const int32_t id : ids) {
    const AddedToken* added = parts.added.find(id);
    if (skip_special && added != nullptr && added->special) {
      continue;
    }
    if (const std::optional<std::string_view> token = decoder_text(parts, id)) {
      parts.decoder.push(state, *token, broken, out);
    }
  }
  parts.decoder.finish(state, broken, out);
  return out;
}

}  // namespace

std::optional<std::string_view> decoder_text(const TokenizerParts& parts, int32_t id) {
  if (const AddedToken* added = parts.added.find(id)) {
    return added->decoded.empty() ? added->content : added->decoded;
  }
  return parts.vocabulary.token(id);
}

void set_end_of_generation(TokenizerParts& parts, std::vector<int32_t> ids) {
  std::erase_if(ids, [&](int32_t id) { return !decoder_text(parts, id).has_value(); });
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  parts.end_of_generation = std::move(ids);
}

std::vector<int32_t> known_end_tokens(const AddedTokens& added) {
  constexpr auto kNames = std::to_array<std::string_view>({
      "<|eot_id|>",
      "<|im_end|>",
      "<|end|>",
      "<|return|>",
      "<|call|>",
      "<|calls|>",
      "<|flush|>",
      "<end_of_turn>",
      "<turn|>",
      "<eos>",
      "<|tool_response>",
      "<|endoftext|>",
      "<|eom_id|>",
      "<EOT>",
      "[EOT]",
      "[EOS]",
      "<|end_of_text|>",
      "<end_of_utterance>",
      "<\xEF\xBD\x9C"
      "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>",
      "[e~[",
  });
  std::vector<int32_t> ids;
  for (const std::string_view name : kNames) {
    const AddedToken* token = added.find(name);
    // Where <|return|> and <|call|> end an answer, <|end|> only ends one of its messages.
    const bool ends_message =
        name == "<|end|>" &&
        ((added.find("<|return|>") != nullptr && added.find("<|call|>") != nullptr) ||
         (added.find("<|calls|>") != nullptr && added.find("<|flush|>") != nullptr));
    if (token != nullptr && token->special && !ends_message) {
      ids.push_back(token->id);
    }
  }
  return ids;
}

Tokenizer::Tokenizer(std::unique_ptr<const TokenizerParts> parts)
    : parts_(std::move(parts)), vocab_size_(parts_->vocabulary.size()) {
  for (const AddedToken& token : parts_->added.tokens()) {
    vocab_size_ = std::max(vocab_size_, token.id + 1);
  }
}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<int32_t> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  if (text.size() > kMaxTextBytes) {
    fail(Code::kBadArgument, "text: expected at most {} bytes, found {}", kMaxTextBytes,
         text.size());
  }
  return Encoding(*parts_, std::move(options)).run(text);
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special) const {
  return decode_with(*parts_, ids, skip_special, TokenDecoder::Broken::kReplaced);
}

std::string Tokenizer::decode_bytes(std::span<const int32_t> ids, bool skip_special) const {
  return decode_with(*parts_, ids, skip_special, TokenDecoder::Broken::kKept);
}

std::string Tokenizer::token_bytes(int32_t id) const {
  const std::optional<std::string_view> token = decoder_text(*parts_, id);
  return token.has_value() ? parts_->decoder.middle_bytes(*token) : std::string();
}

std::optional<std::string_view> Tokenizer::token_text(int32_t id) const {
  const AddedToken* added = parts_->added.find(id);
  return added != nullptr ? std::optional<std::string_view>(added->content)
                          : parts_->vocabulary.token(id);
}

std::optional<int32_t> Tokenizer::id_of(std::string_view token) const {
  const AddedToken* added = parts_->added.find(token);
  return added != nullptr ? std::optional<int32_t>(added->id) : parts_->vocabulary.id_of(token);
}

bool Tokenizer::is_special(int32_t id) const {
  const AddedToken* added = parts_->added.find(id);
  return added != nullptr && added->special;
}

const SpecialIds& Tokenizer::special_ids() const {
  return parts_->special;
}

const std::vector<int32_t>& Tokenizer::end_of_generation_ids() const {
  return parts_->end_of_generation;
}

bool Tokenizer::is_end_of_generation(int32_t id) const {
  return std::binary_search(parts_->end_of_generation.begin(), parts_->end_of_generation.end(), id);
}

}  // namespace invar
