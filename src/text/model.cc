// The one switch over the kinds of models.
#include "text/model.h"

#include <limits>

#include "core/error.h"

namespace invar {
namespace {

struct PieceEncoder {
  std::string_view piece;
  TokenModelScratch& scratch;
  std::vector<int32_t>& ids;

  void operator()(const std::monostate&) const { INVAR_CHECK(false, "a tokenizer without model"); }
  void operator()(const Bpe& bpe) const { bpe.encode(piece, scratch.bpe, ids); }
  void operator()(const ScoredBpe& bpe) const { bpe.encode(piece, scratch.scored_bpe, ids); }
  void operator()(const Unigram& unigram) const { unigram.encode(piece, scratch.stop, ids); }
  void operator()(const WordPiece& words) const { words.encode(piece, ids); }
  void operator()(const WordLevel& words) const { words.encode(piece, ids); }
};

}  // namespace

void encode_piece(const TokenModel& model, std::string_view piece, TokenModelScratch& scratch,
                  std::vector<int32_t>& ids) {
  if (piece.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    fail(Code::kExhausted, "text: expected less than 2 GiB in one piece, found {} bytes",
         piece.size());
  }
  std::visit(PieceEncoder{piece, scratch, ids}, model);
}

}  // namespace invar
