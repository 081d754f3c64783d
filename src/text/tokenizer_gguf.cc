// Tokenizers from the tokenizer.ggml.* keys of GGUF files.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "formats/printable.h"
#include "text/byte_alphabet.h"
#include "text/char_class.h"
#include "text/gguf_pre_tokenizers.h"
#include "text/merge_builder.h"
#include "text/tokenizer_parts.h"
#include "text/utf8.h"

namespace invar {
namespace {

// The values of tokenizer.ggml.token_type.
enum GgufTokenType : int64_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

constexpr std::string_view kTokensKey = "tokenizer.ggml.tokens";
constexpr std::string_view kTypesKey = "tokenizer.ggml.token_type";
constexpr std::string_view kMergesKey = "tokenizer.ggml.merges";
constexpr std::string_view kScoresKey = "tokenizer.ggml.scores";
constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

// Reads one file into parts.
class GgufReader {
 public:
  explicit GgufReader(const GgufFile& file)
      : file_(file), parts_(std::make_unique<TokenizerParts>()) {
    parts_->file = file.label();
  }

  Tokenizer run() {
    const std::string_view model = file_.get_string("tokenizer.ggml.model");
    read_vocabulary(model == "bert");
    if (model == "gpt2") {
      read_byte_level();
    } else if (model == "llama") {
      read_sentence_piece();
    } else if (model == "gemma4") {
      read_character_bpe();
    } else if (model == "bert") {
      read_wordpiece();
    } else if (model == "t5") {
      read_unigram();
    } else {
      fail(Code::kUnsupported,
           "{}: key 'tokenizer.ggml.model': expected a known kind of vocabulary, found '{}'",
           file_.label(), printable(model));
    }
    read_end_of_generation();
    return Tokenizer(std::move(parts_));
  }

 private:
  void read_vocabulary(bool marks_word_starts) {
    tokens_ = file_.get_strings(kTokensKey);
    if (tokens_.empty() || tokens_.size() > static_cast<size_t>(Vocabulary::kMaxTokens)) {
      fail(Code::kBadFile, "{}: key '{}': expected 1 to {} tokens, found {}", file_.label(),
           kTokensKey, Vocabulary::kMaxTokens, tokens_.size());
    }
    types_ = file_.find_integers(kTypesKey).value_or(std::vector<int64_t>(tokens_.size(), kNormal));
    expect_one_per_token(kTypesKey, types_.size());
    size_t bytes = 0;
    for (const std::string_view token : tokens_) {
      bytes += token.size();
    }
    parts_->vocabulary.reserve(tokens_.size(), bytes);
    for (size_t id = 0; id < tokens_.size(); ++id) {
      std::string token;
      append_lossy(tokens_[id], token);
      if (marks_word_starts && types_[id] == kNormal) {
        token = word_spelling(token);
      }
      // Files pad their vocabulary with repeated or empty texts; the first of equals is found.
      if (token.empty() || !parts_->vocabulary.add(static_cast<int32_t>(id), token)) {
        parts_->vocabulary.add_unfindable(static_cast<int32_t>(id), token);
      }
    }
    parts_->special.bos = special_id("tokenizer.ggml.bos_token_id");
    parts_->special.eos = special_id("tokenizer.ggml.eos_token_id");
    parts_->special.unk = special_id("tokenizer.ggml.unknown_token_id");
    parts_->special.pad = special_id("tokenizer.ggml.padding_token_id");
  }

  // These files mark tokens that begin a word; WordPiece marks those that continue one.
  static std::string word_spelling(const std::string& token) {
    if (token.starts_with(kSpaceMark)) {
      return token.substr(kSpaceMark.size());
    }
    return token.starts_with('[') && token.ends_with(']') ? token : "##" + token;
  }

  void expect_one_per_token(std::string_view key, size_t found) const {
    if (found != tokens_.size()) {
      fail(Code::kBadFile, "{}: key '{}': expected {} elements, one a token, found {}",
           file_.label(), key, tokens_.size(), found);
    }
  }

  std::optional<int32_t> special_id(std::string_view key) const {
    const std::optional<int64_t> id = file_.find_integer(key);
    // Files write -1 or 2^32 - 1 for "none".
    if (!id.has_value() || *id == -1 || *id == UINT32_MAX) {
      return std::nullopt;
    }
    if (*id < 0 || *id >= static_cast<int64_t>(tokens_.size())) {
      fail(Code::kBadFile, "{}: key '{}': expected an id below {}, found {}", file_.label(), key,
           tokens_.size(), *id);
    }
    return static_cast<int32_t>(*id);
  }

  // Tokens that are looked for in the text: control, unknown and user-defined ones.
  std::vector<AddedToken> added_tokens(bool byte_level) const {
    std::vector<AddedToken> added;
    for (size_t id = 0; id < tokens_.size(); ++id) {
      const bool special = types_[id] == kControl || types_[id] == kUnknown;
      if ((!special && types_[id] != kUserDefined) || tokens_[id].empty()) {
        continue;
      }
      AddedToken token;
      token.content = *parts_->vocabulary.token(static_cast<int32_t>(id));
      token.id = static_cast<int32_t>(id);
      token.special = special;
      if (byte_level) {
        // These tokens are written out plainly; the decoder expects the byte alphabet.
        append_byte_characters(token.content, token.decoded);
      }
      added.push_back(std::move(token));
    }
    return added;
  }

  void read_byte_level() {
    const std::string_view name = file_.find_string("tokenizer.ggml.pre").value_or("default");
    if (name == "gemma4") {
      read_character_bpe();
      return;
    }
    const GgufPreTokenizer* pre = find_gguf_pre_tokenizer(name);
    if (pre == nullptr) {
      fail(Code::kUnsupported,
           "{}: key 'tokenizer.ggml.pre': expected a known pre-tokenizer, found '{}'",
           file_.label(), printable(name));
    }
    const std::string where = file_.label() + ": pre-tokenizer '" + std::string(name) + "'";
    for (const std::string_view pattern : pre->patterns) {
      if (!pattern.empty()) {
        parts_->pre_tokenizer.push_back(PatternSplit{Regex::compile(pattern, where), {}});
      }
    }
    if (pre->nfc) {
      parts_->normalizer.push_back(ComposeStep{UnicodeForm::kNfc});
    }
    parts_->added = AddedTokens(added_tokens(true), {}, file_.label());
    BpeOptions options;
    options.byte_level = true;
    options.ignore_merges = pre->ignore_merges;
    parts_->model.emplace<Bpe>(parts_->vocabulary, read_merges(), options);
    parts_->keeps_broken_bytes = true;
    parts_->decoder = TokenDecoder({ByteLevelDecode{}});
    read_affixes(pre->add_bos, false);
  }

  ReplaceStep spaces_to_marks() const {
    return {Regex::literal(" ", file_.label()), std::string(kSpaceMark)};
  }

  // Marks to spaces, byte tokens to bytes, and without the space that encoding put in front.
  TokenDecoder marked_decoder(bool strip_first) const {
    std::vector<DecodeStage> stages;
    stages.emplace_back(ReplaceDecode{Regex::literal(kSpaceMark, file_.label()), " "});
    stages.emplace_back(ByteFallbackDecode{});
    stages.emplace_back(FuseDecode{});
    if (strip_first) {
      stages.emplace_back(StripDecode{U' ', 1, 0});
    }
    return TokenDecoder(std::move(stages));
  }

  std::vector<float> read_scores() const {
    std::vector<float> scores = file_.get_array<float>(kScoresKey);
    expect_one_per_token(kScoresKey, scores.size());
    for (float& score : scores) {
      if (!std::isfinite(score)) {
        fail(Code::kBadFile, "{}: key '{}': expected finite scores, found {}", file_.label(),
             kScoresKey, score);
      }
    }
    return scores;
  }

  void read_sentence_piece() {
    const bool space_prefix = file_.find<bool>("tokenizer.ggml.add_space_prefix").value_or(true);
    if (space_prefix) {
      parts_->normalizer.emplace_back(PrependStep{" "});
    }
    parts_->normalizer.emplace_back(spaces_to_marks());
    std::vector<AddedToken> added = added_tokens(false);
    if (is_phi3()) {
      strip_after_tokens(added);
    }
    parts_->added = AddedTokens(std::move(added), {}, file_.label());
    parts_->model.emplace<ScoredBpe>(parts_->vocabulary, read_scores(), parts_->special.unk);
    parts_->decoder = marked_decoder(space_prefix);
    read_affixes(true, false);
  }

  // The files do not say which tokens swallow the white space after them; this family's do.
  bool is_phi3() const {
    std::string name(file_.find_string("general.name").value_or(""));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return name.find("phi-3") != std::string::npos || name.find("phi3") != std::string::npos;
  }

  static void strip_after_tokens(std::vector<AddedToken>& added) {
    for (AddedToken& token : added) {
      token.rstrip =
          token.content != "<unk>" && token.content != "<s>" && token.content != "<|endoftext|>";
    }
  }

  // SentencePiece's spelling of spaces with merges by rank.
  void read_character_bpe() {
    parts_->normalizer.emplace_back(spaces_to_marks());
    const Regex lines = Regex::compile(R"([^\n]+|[\n]+)", file_.label());
    parts_->pre_tokenizer.emplace_back(PatternSplit{lines, {}});
    parts_->added = AddedTokens(added_tokens(false), {}, file_.label());
    BpeOptions options;
    options.byte_fallback = true;
    options.ignore_merges = true;  // runs of line ends have no merges
    options.fuse_unk = true;
    options.unk = parts_->special.unk;
    parts_->model.emplace<Bpe>(parts_->vocabulary, read_merges(), options);
    parts_->decoder = marked_decoder(false);
    read_affixes(true, false);
  }

  void read_wordpiece() {
    BertStep bert;
    bert.lowercase = file_.find<bool>("tokenizer.ggml.normalizer.lowercase").value_or(true);
    bert.strip_accents =
        file_.find<bool>("tokenizer.ggml.normalizer.strip_accents").value_or(bert.lowercase);
    parts_->normalizer.emplace_back(bert);
    const SplitRule removed{SplitBehavior::kRemoved, false};
    parts_->pre_tokenizer.emplace_back(CharacterSplit{is_whitespace, removed});
    parts_->pre_tokenizer.emplace_back(CharacterSplit{is_punctuation, {}});
    parts_->added = AddedTokens(added_tokens(false), {}, file_.label());
    const auto role = [&](std::optional<int32_t> id, std::string_view name) {
      return id.has_value() ? id : parts_->vocabulary.id_of(name);
    };
    parts_->special.unk = role(parts_->special.unk, "[UNK]");
    parts_->special.bos = role(parts_->special.bos, "[CLS]");
    const std::optional<int32_t> separator =
        role(special_id("tokenizer.ggml.seperator_token_id"), "[SEP]");  // spelled so in files
    WordPieceOptions options;
    options.unk = parts_->special.unk;
    parts_->model.emplace<WordPiece>(parts_->vocabulary, options);
    parts_->decoder = TokenDecoder({WordPieceDecode{"##", true}});
    if (parts_->special.bos.has_value()) {
      parts_->prefix.push_back(*parts_->special.bos);
    }
    if (separator.has_value()) {
      parts_->suffix.push_back(*separator);
    }
  }

  void read_unigram() {
    SentencePieceStep normalizer;
    normalizer.remove_extra_whitespaces =
        file_.find<bool>("tokenizer.ggml.remove_extra_whitespaces").value_or(false);
    normalizer.add_dummy_prefix =
        file_.find<bool>("tokenizer.ggml.add_space_prefix").value_or(false);
    constexpr std::string_view kMapKey = "tokenizer.ggml.precompiled_charsmap";
    if (const auto bytes = file_.find_array<uint8_t>(kMapKey)) {
      const std::string blob(bytes->begin(), bytes->end());
      const std::string where = file_.label() + ": key '" + std::string(kMapKey) + "'";
      normalizer.map = std::make_shared<const CharsMap>(CharsMap::parse(blob, where));
    }
    parts_->normalizer.emplace_back(normalizer);
    parts_->added = AddedTokens(added_tokens(false), {}, file_.label());
    const std::vector<float> stored = read_scores();
    std::vector<double> scores(stored.begin(), stored.end());
    std::vector<bool> unmatched(scores.size());
    for (size_t id = 0; id < scores.size(); ++id) {
      unmatched[id] = types_[id] == kControl || types_[id] == kUnknown || types_[id] == kByte;
      scores[id] = types_[id] == kUserDefined ? 0.0 : scores[id];
    }
    parts_->model.emplace<Unigram>(parts_->vocabulary, std::move(scores),
                                   UnigramOptions{parts_->special.unk, false}, unmatched);
    parts_->decoder = TokenDecoder({MetaspaceDecode{std::string(kSpaceMark), true}});
    read_affixes(false, true);
  }

  MergeTable read_merges() const {
    const std::vector<std::string_view> texts = file_.get_strings(kMergesKey);
    if (texts.size() > static_cast<size_t>(Vocabulary::kMaxTokens)) {
      fail(Code::kBadFile, "{}: key '{}': expected at most {} merges, found {}", file_.label(),
           kMergesKey, Vocabulary::kMaxTokens, texts.size());
    }
    const std::string where = file_.label() + ": key '" + std::string(kMergesKey) + "'";
    MergeBuilder::Options options;
    options.count = texts.size();
    options.repeated = MergeBuilder::Repeated::kFirstCounts;
    options.where = where;
    MergeBuilder merges(parts_->vocabulary, options);
    for (const std::string_view text : texts) {
      // A token may itself begin with the separator.
      const size_t space = text.find(' ', 1);
      merges.add(text.substr(0, space),
                 space == std::string_view::npos ? "" : text.substr(space + 1));
    }
    return merges.finish();
  }

  // What goes around a text; the file's word counts before the kind's habit.
  void read_affixes(bool add_bos, bool add_eos) {
    const std::optional<bool> bos = file_.find<bool>("tokenizer.ggml.add_bos_token");
    const std::optional<bool> eos = file_.find<bool>("tokenizer.ggml.add_eos_token");
    const auto put = [&](std::optional<bool> wanted, bool habit, std::optional<int32_t> id,
                         std::string_view key, std::vector<int32_t>& ids) {
      if (wanted.value_or(false) && !id.has_value()) {
        fail(Code::kBadFile,
             "{}: key '{}': expected a token id, since the file asks to add it, found none",
             file_.label(), key);
      }
      if (wanted.value_or(habit) && id.has_value()) {
        ids.push_back(*id);
      }
    };
    put(bos, add_bos, parts_->special.bos, "tokenizer.ggml.bos_token_id", parts_->prefix);
    put(eos, add_eos, parts_->special.eos, "tokenizer.ggml.eos_token_id", parts_->suffix);
  }

  void read_end_of_generation() {
    std::vector<int32_t> ids = known_end_tokens(parts_->added);
    for (const std::string_view key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                       "tokenizer.ggml.eom_token_id"}) {
      if (const std::optional<int32_t> id = special_id(key)) {
        ids.push_back(*id);
      }
    }
    set_end_of_generation(*parts_, std::move(ids));
  }

  const GgufFile& file_;
  std::unique_ptr<TokenizerParts> parts_;
  std::vector<std::string_view> tokens_;
  std::vector<int64_t> types_;
};

}  // namespace

Tokenizer tokenizer_from_gguf(const GgufFile& file) {
  return GgufReader(file).run();
}

}  // namespace invar
