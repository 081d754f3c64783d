// A chain of stages. Each receives parts of elements (text), ends of elements (end) and the end of
// everything (close), and calls the next stage; the last writes to the output. A stage that needs a
// whole element collects it; Fuse and ByteLevel pass parts on while their one element is still
// open, which is what makes streaming possible.
#include "text/token_decoder.h"

#include <utility>

#include "text/byte_alphabet.h"
#include "text/growth_limit.h"
#include "text/utf8.h"

namespace invar {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The byte of a token <0xNN>, or -1.
int fallback_byte(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') {
    return -1;
  }
  // The reference's number parser also takes a plus sign for the first digit.
  const int high = token[3] == '+' ? 0 : hex_digit(token[3]);
  const int low = hex_digit(token[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  size_t at = 0;
  while (!from.empty()) {
    const size_t found = text.find(from, at);
    if (found == std::string_view::npos) {
      break;
    }
    out += text.substr(at, found - at);
    out += to;
    at = found + from.size();
  }
  out += text.substr(at);
  return out;
}

// English clean-up of the WordPiece decoder, in its order.
std::string cleaned_up(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},     {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},   {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
  };
  for (const auto& [from, to] : kRules) {
    text = replaced(text, from, to);
  }
  return text;
}

bool fuses(const DecodeStage& stage) {
  return std::holds_alternative<FuseDecode>(stage) ||
         std::holds_alternative<ByteLevelDecode>(stage);
}

}  // namespace

class TokenDecoder::Runner {
 public:
  Runner(const std::vector<DecodeStage>& stages, DecodeState& state, Broken broken,
         std::string& out)
      : stages_(stages), state_(state), broken_(broken), out_(out) {
    state_.stages_.resize(stages_.size());
  }

  void text(size_t i, std::string_view part) {
    if (i == stages_.size()) {
      out_ += part;
      return;
    }
    std::visit([&](const auto& stage) { on_text(i, stage, part); }, stages_[i]);
  }

  void end(size_t i) {
    if (i == stages_.size()) {
      return;
    }
    std::visit([&](const auto& stage) { on_end(i, stage); }, stages_[i]);
    ++state_.stages_[i].elements;
  }

  void close(size_t i) {
    if (i == stages_.size()) {
      return;
    }
    std::visit([&](const auto& stage) { on_close(i, stage); }, stages_[i]);
    state_.stages_[i] = {};
    close(i + 1);
  }

 private:
  DecodeState::Stage& at(size_t i) { return state_.stages_[i]; }

  void whole(size_t i, std::string_view element) {
    text(i, element);
    end(i);
  }

  // Most stages collect an element and do nothing at the end.
  template <class Stage>
  void on_text(size_t i, const Stage&, std::string_view part) {
    at(i).element += part;
  }
  template <class Stage>
  void on_close(size_t, const Stage&) {}

  void on_end(size_t i, const ByteLevelDecode&) {
    DecodeState::Stage& state = at(i);
    append_spelled_bytes(state.element, state.pending);
    state.element.clear();
    std::string ready;
    if (broken_ == Broken::kKept) {
      ready.swap(state.pending);
    } else {
      state.pending.erase(0, append_lossy_prefix(state.pending, ready));
    }
    text(i + 1, ready);
  }
  void on_close(size_t i, const ByteLevelDecode&) {
    std::string rest;
    append_lossy(at(i).pending, rest);
    whole(i + 1, rest);
  }

  void on_end(size_t i, const ByteFallbackDecode&) {
    DecodeState::Stage& state = at(i);
    const int byte = fallback_byte(state.element);
    if (byte >= 0) {
      state.pending.push_back(static_cast<char>(byte));
    } else {
      end_byte_run(i);
      whole(i + 1, state.element);
    }
    state.element.clear();
  }
  void on_close(size_t i, const ByteFallbackDecode&) { end_byte_run(i); }
  void end_byte_run(size_t i) {
    const std::string run = std::exchange(at(i).pending, {});
    if (run.empty()) {
      return;
    }
    if (broken_ == Broken::kKept || utf8_is_valid(run)) {
      whole(i + 1, run);
      return;
    }
    for (size_t byte = 0; byte < run.size(); ++byte) {
      whole(i + 1, kReplacementUtf8);
    }
  }

  void on_text(size_t i, const FuseDecode&, std::string_view part) { text(i + 1, part); }
  void on_end(size_t, const FuseDecode&) {}
  void on_close(size_t i, const FuseDecode&) { end(i + 1); }

  void on_text(size_t i, const StripDecode& stage, std::string_view part) {
    DecodeState::Stage& state = at(i);
    std::string content;
    append_utf8(stage.content, content);
    while (!state.started && state.cut < stage.start && part.starts_with(content)) {
      part.remove_prefix(content.size());
      ++state.cut;
    }
    state.started = state.started || state.cut == stage.start || !part.empty();
    // What could be cut at the end waits; `pending` holds nothing else.
    state.pending += part;
    size_t keep = 0;
    std::string_view ready = state.pending;
    while (keep < stage.stop && ready.ends_with(content)) {
      ready.remove_suffix(content.size());
      ++keep;
    }
    const std::string passed(ready);
    state.pending.erase(0, passed.size());
    text(i + 1, passed);
  }
  void on_end(size_t i, const StripDecode&) {
    DecodeState::Stage& state = at(i);
    state.pending.clear();
    state.cut = 0;
    state.started = false;
    end(i + 1);
  }

  void on_end(size_t i, const ReplaceDecode& stage) {
    const std::string element = std::exchange(at(i).element, {});
    const GrowthLimit limit(stage.regex.where(), "", state_.bytes_);
    std::string out;
    size_t from = 0;
    for (const TextSpan& match : stage.regex.find_all(element)) {
      out.append(element, from, match.begin - from);
      out += stage.content;
      limit.check(out.size());
      from = match.end;
    }
    out.append(element, from);
    whole(i + 1, out);
  }

  void on_text(size_t i, const MetaspaceDecode& stage, std::string_view part) {
    const bool drop = stage.drop_first && at(i).elements == 0;
    text(i + 1, replaced(part, stage.replacement, drop ? "" : " "));
  }
  void on_end(size_t i, const MetaspaceDecode&) { end(i + 1); }

  void on_end(size_t i, const WordPieceDecode& stage) {
    std::string element = std::exchange(at(i).element, {});
    if (at(i).elements > 0) {
      if (element.starts_with(stage.prefix)) {
        element.erase(0, stage.prefix.size());
      } else {
        element.insert(element.begin(), ' ');
      }
    }
    whole(i + 1, stage.cleanup ? cleaned_up(std::move(element)) : element);
  }

  void on_end(size_t i, const SuffixDecode& stage) {
    DecodeState::Stage& state = at(i);
    if (state.has_pending) {
      whole(i + 1, replaced(state.pending, stage.suffix, " "));
    }
    state.pending = std::exchange(state.element, {});
    state.has_pending = true;
  }
  void on_close(size_t i, const SuffixDecode& stage) {
    if (at(i).has_pending) {
      whole(i + 1, replaced(at(i).pending, stage.suffix, ""));
    }
  }

  void on_end(size_t i, const JoinDecode&) {
    std::string element = std::exchange(at(i).element, {});
    if (at(i).elements > 0) {
      element.insert(element.begin(), ' ');
    }
    whole(i + 1, element);
  }

  const std::vector<DecodeStage>& stages_;
  DecodeState& state_;
  Broken broken_;
  std::string& out_;
};

TokenDecoder::TokenDecoder(std::vector<DecodeStage> stages) : stages_(std::move(stages)) {}

void TokenDecoder::push(DecodeState& state, std::string_view token, Broken broken,
                        std::string& out) const {
  state.bytes_ += token.size();
  Runner runner(stages_, state, broken, out);
  runner.text(0, token);
  runner.end(0);
}

void TokenDecoder::finish(DecodeState& state, Broken broken, std::string& out) const {
  Runner(stages_, state, broken, out).close(0);
  state.bytes_ = 0;
}

std::string TokenDecoder::middle_bytes(std::string_view token) const {
  // A state as if text had gone before: no stage is at its first element any more.
  DecodeState state;
  bool fused = false;
  bool suffixes = false;
  for (const DecodeStage& stage : stages_) {
    DecodeState::Stage before;
    before.elements = 1;
    before.started = fused;
    fused = fused || fuses(stage);
    suffixes = suffixes || std::holds_alternative<SuffixDecode>(stage);
    state.stages_.push_back(before);
  }
  std::string out;
  push(state, token, Broken::kKept, out);
  if (suffixes) {
    push(state, "", Broken::kKept, out);  // so that the token is not the last one
  }
  finish(state, Broken::kKept, out);
  return out;
}

}  // namespace invar
