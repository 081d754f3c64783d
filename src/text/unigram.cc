// One pass forward that keeps the best way to each byte, one pass back that reads it off.
#include "text/unigram.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "formats/printable.h"
#include "text/utf8.h"

namespace invar {
namespace {

// How much worse than the worst token an unknown character is; part of the format.
constexpr double kUnknownPenalty = 10.0;

struct BestPath {
  double score = 0;
  size_t begin = SIZE_MAX;  // of the last token; SIZE_MAX: not reached
  int32_t id = -1;          // -1: unknown
};

}  // namespace

Unigram::Unigram(const Vocabulary& vocabulary, std::vector<double> scores, UnigramOptions options,
                 const std::vector<bool>& unmatched)
    : vocabulary_(vocabulary), scores_(std::move(scores)), options_(options) {
  INVAR_CHECK(scores_.size() == static_cast<size_t>(vocabulary_.size()), "{} scores",
              scores_.size());
  std::vector<ByteTrie::Entry> entries;
  double lowest = std::numeric_limits<double>::infinity();
  for (int32_t id = 0; id < vocabulary_.size(); ++id) {
    const size_t index = static_cast<size_t>(id);
    const bool skipped = index < unmatched.size() && unmatched[index];
    const std::optional<std::string_view> token = vocabulary_.token(id);
    if (skipped || !token.has_value() || token->empty()) {
      continue;
    }
    lowest = std::min(lowest, scores_[index]);
    entries.push_back({*token, id});
  }
  unk_score_ = (entries.empty() ? 0.0 : lowest) - kUnknownPenalty;
  trie_ = ByteTrie(std::move(entries));
}

void Unigram::encode(std::string_view piece, StopCheck& stop, std::vector<int32_t>& ids) const {
  std::vector<BestPath> best(piece.size() + 1);
  const auto offer = [&](size_t begin, size_t end, double score, int32_t id) {
    const double total = best[begin].score + score;
    if (best[end].begin == SIZE_MAX || total > best[end].score) {
      best[end] = {total, begin, id};
    }
  };
  for (size_t begin = 0; begin < piece.size();) {
    stop.step();
    size_t next = begin;
    next_code(piece, next);
    bool covered = false;
    uint32_t node = ByteTrie::kRoot;
    for (size_t end = begin; end < piece.size();) {
      node = trie_.child(node, static_cast<uint8_t>(piece[end]));
      if (node == ByteTrie::kNone) {
        break;
      }
      ++end;
      if (const int32_t id = trie_.value(node); id >= 0) {
        offer(begin, end, scores_[static_cast<size_t>(id)], id);
        covered = covered || end == next;
      }
    }
    if (!covered) {
      offer(begin, next, unk_score_, -1);
    }
    begin = next;
  }
  // Backwards; neighbouring unknown characters are one part.
  struct Part {
    size_t begin;
    size_t end;
    int32_t id;
  };
  std::vector<Part> parts;
  for (size_t end = piece.size(); end > 0; end = best[end].begin) {
    const BestPath& path = best[end];
    const bool unknown = path.id < 0 || path.id == options_.unk;
    if (unknown && !parts.empty() && parts.back().id < 0) {
      parts.back().begin = path.begin;
    } else {
      parts.push_back({path.begin, end, unknown ? -1 : path.id});
    }
  }
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    append(piece.substr(part->begin, part->end - part->begin), part->id, ids);
  }
}

void Unigram::append(std::string_view part, int32_t id, std::vector<int32_t>& ids) const {
  if (id >= 0) {
    ids.push_back(id);
    return;
  }
  // A run of unknown characters may itself spell a token.
  if (const std::optional<int32_t> known = vocabulary_.id_of(part)) {
    ids.push_back(*known);
    return;
  }
  if (options_.byte_fallback) {
    std::vector<int32_t> bytes;
    for (const char byte : part) {
      const auto token = vocabulary_.id_of(fmt::format("<0x{:02X}>", static_cast<uint8_t>(byte)));
      if (!token.has_value()) {
        break;
      }
      bytes.push_back(*token);
    }
    if (bytes.size() == part.size()) {
      ids.insert(ids.end(), bytes.begin(), bytes.end());
      return;
    }
  }
  if (!options_.unk.has_value()) {
    fail(Code::kBadArgument, "text: no token for '{}', and the vocabulary has no unknown token",
         printable(part));
  }
  ids.push_back(*options_.unk);
}

}  // namespace invar
