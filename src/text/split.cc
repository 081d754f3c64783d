// The five behaviours, as folds over the alternation of matches and gaps.
#include "text/split.h"

#include <algorithm>

namespace invar {
namespace {

struct Segment {
  size_t begin;
  size_t end;
  bool is_match;
};

// Matches and the gaps between them, in order; they cover the text.
std::vector<Segment> cover(size_t size, std::span<const TextSpan> matches, bool invert) {
  std::vector<Segment> segments;
  segments.reserve(matches.size() * 2 + 1);
  size_t at = 0;
  for (const TextSpan& match : matches) {
    if (at != match.begin) {
      segments.push_back({at, match.begin, invert});
    }
    segments.push_back({match.begin, match.end, !invert});
    at = match.end;
  }
  if (at != size) {
    segments.push_back({at, size, invert});
  }
  return segments;
}

// Joins a segment to the one before it wherever `joins(previous_is_match, segment)` says so.
template <class Joins>
std::vector<Segment> joined(const std::vector<Segment>& segments, Joins joins) {
  std::vector<Segment> out;
  bool previous_match = false;
  for (const Segment& segment : segments) {
    if (!out.empty() && joins(previous_match, segment.is_match)) {
      out.back().begin = std::min(out.back().begin, segment.begin);
      out.back().end = std::max(out.back().end, segment.end);
    } else {
      out.push_back(segment);
    }
    previous_match = segment.is_match;
  }
  return out;
}

}  // namespace

void split_piece(const Piece& piece, std::span<const TextSpan> matches, const SplitRule& rule,
                 std::vector<Piece>& out) {
  const auto emit = [&](size_t begin, size_t end) {
    if (begin != end) {
      out.push_back({piece.text.substr(begin, end - begin), piece.at_start && begin == 0});
    }
  };
  if (rule.behavior == SplitBehavior::kIsolated) {
    size_t at = 0;
    for (const TextSpan& match : matches) {
      emit(at, match.begin);
      emit(match.begin, match.end);
      at = match.end;
    }
    emit(at, piece.text.size());
    return;
  }
  std::vector<Segment> segments = cover(piece.text.size(), matches, rule.invert);
  const auto after_gap = [](bool previous_match, bool is_match) {
    return is_match && !previous_match;
  };
  switch (rule.behavior) {
    case SplitBehavior::kIsolated:
      break;
    case SplitBehavior::kRemoved:
      std::erase_if(segments, [](const Segment& segment) { return segment.is_match; });
      break;
    case SplitBehavior::kContiguous:
      segments = joined(
          segments, [](bool previous_match, bool is_match) { return is_match == previous_match; });
      break;
    case SplitBehavior::kMergedWithPrevious:
      segments = joined(segments, after_gap);
      break;
    case SplitBehavior::kMergedWithNext:
      // The mirror image: a match joins the gap that follows it.
      std::reverse(segments.begin(), segments.end());
      segments = joined(segments, after_gap);
      std::reverse(segments.begin(), segments.end());
      break;
  }
  for (const Segment& segment : segments) {
    emit(segment.begin, segment.end);
  }
}

}  // namespace invar
