// A heap of candidate pairs over a linked list of symbols. Symbols are stretches of the piece, so a
// candidate is stale exactly when the stretch it was made for has another end.
#include "text/scored_bpe.h"

#include <algorithm>

#include "core/error.h"
#include "text/utf8.h"

namespace invar {
namespace {

struct Symbol {
  uint32_t begin;
  uint32_t size;  // 0: merged into another
  int32_t previous;
  int32_t next;
};

struct Candidate {
  float score;
  int32_t left;   // index of the left symbol
  uint32_t size;  // of both together
};

bool merges_later(const Candidate& a, const Candidate& b) {
  return a.score != b.score ? a.score < b.score : a.left > b.left;
}

}  // namespace

// The merging of one piece.
struct ScoredBpe::Run {
  const ScoredBpe& model;
  std::string_view piece;
  StopCheck& stop;
  std::vector<Symbol> symbols = {};
  std::vector<Candidate> heap = {};

  Symbol& at(int32_t index) { return symbols[static_cast<size_t>(index)]; }

  void offer(int32_t left) {
    if (left < 0 || at(left).next < 0) {
      return;
    }
    const uint32_t size = at(left).size + at(at(left).next).size;
    if (size > model.longest_token_) {
      return;
    }
    if (const auto id = model.vocabulary_.id_of(piece.substr(at(left).begin, size))) {
      heap.push_back({model.scores_[static_cast<size_t>(*id)], left, size});
      std::push_heap(heap.begin(), heap.end(), merges_later);
    }
  }

  void merge_all() {
    for (size_t begin = 0; begin < piece.size();) {
      size_t end = begin;
      next_code(piece, end);
      const int32_t index = static_cast<int32_t>(symbols.size());
      symbols.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin),
                         index - 1, end == piece.size() ? -1 : index + 1});
      begin = end;
    }
    for (int32_t i = 0; i < static_cast<int32_t>(symbols.size()); ++i) {
      stop.step();
      offer(i);
    }
    while (!heap.empty()) {
      stop.step();
      std::pop_heap(heap.begin(), heap.end(), merges_later);
      const Candidate best = heap.back();
      heap.pop_back();
      Symbol& left = at(best.left);
      if (left.size == 0 || left.next < 0 || left.size + at(left.next).size != best.size) {
        continue;
      }
      Symbol& right = at(left.next);
      left.size = best.size;
      left.next = right.next;
      right.size = 0;
      if (left.next >= 0) {
        at(left.next).previous = best.left;
      }
      offer(left.previous);
      offer(best.left);
    }
  }
};

ScoredBpe::ScoredBpe(const Vocabulary& vocabulary, std::vector<float> scores,
                     std::optional<int32_t> unk)
    : vocabulary_(vocabulary), scores_(std::move(scores)), unk_(unk), words_(vocabulary) {
  INVAR_CHECK(scores_.size() == static_cast<size_t>(vocabulary_.size()), "{} scores",
              scores_.size());
  for (int byte = 0; byte < 256; ++byte) {
    byte_ids_.push_back(vocabulary_.id_of(fmt::format("<0x{:02X}>", byte)).value_or(-1));
  }
  for (int32_t id = 0; id < vocabulary_.size(); ++id) {
    longest_token_ = std::max(longest_token_, vocabulary_.token(id).value_or("").size());
  }
}

void ScoredBpe::encode(std::string_view piece, ScoredBpeScratch& scratch,
                       std::vector<int32_t>& ids) const {
  for (size_t begin = 0; begin < piece.size();) {
    scratch.stop.step();
    const size_t end = words_.word_end(piece, begin);
    const std::string_view word = piece.substr(begin, end - begin);
    if (!scratch.cache.append_known(word, ids)) {
      const size_t first = ids.size();
      encode_word(word, scratch.stop, ids);
      scratch.cache.remember(word, ids, first);
    }
    begin = end;
  }
}

void ScoredBpe::encode_word(std::string_view word, StopCheck& stop,
                            std::vector<int32_t>& ids) const {
  Run run{*this, word, stop};
  run.merge_all();
  for (int32_t i = 0; i >= 0; i = run.at(i).next) {
    append_symbol(word.substr(run.at(i).begin, run.at(i).size), ids);
  }
}

void ScoredBpe::append_symbol(std::string_view text, std::vector<int32_t>& ids) const {
  if (const std::optional<int32_t> id = vocabulary_.id_of(text)) {
    ids.push_back(*id);
    return;
  }
  const bool all_bytes = std::all_of(text.begin(), text.end(), [&](char byte) {
    return byte_ids_[static_cast<uint8_t>(byte)] >= 0;
  });
  if (!all_bytes) {
    if (unk_.has_value()) {
      ids.push_back(*unk_);
    }
    return;
  }
  for (const char byte : text) {
    ids.push_back(byte_ids_[static_cast<uint8_t>(byte)]);
  }
}

}  // namespace invar
