// Open addressing with linear probing over one string that holds all texts.
#include "text/vocabulary.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "text/string_hash.h"

namespace invar {

void Vocabulary::reserve(size_t tokens, size_t text_bytes) {
  tokens = std::min(tokens, static_cast<size_t>(kMaxTokens));
  texts_.reserve(text_bytes);
  spans_.reserve(tokens);
  rehash(std::bit_ceil(std::max<size_t>(tokens * 2, 16)));
}

size_t Vocabulary::find_bucket(std::string_view token, uint64_t hash) const {
  const size_t mask = buckets_.size() - 1;
  size_t at = hash & mask;
  const uint32_t tag = static_cast<uint32_t>(hash >> 32);
  while (buckets_[at].id >= 0 && (buckets_[at].tag != tag || text_of(buckets_[at].text) != token)) {
    at = (at + 1) & mask;
  }
  return at;
}

void Vocabulary::rehash(size_t buckets) {
  if (buckets <= buckets_.size()) {
    return;
  }
  std::vector<Bucket> old(buckets, Bucket{0, -1, {0, 0}});
  old.swap(buckets_);
  for (const Bucket& bucket : old) {
    if (bucket.id >= 0) {
      const std::string_view token = text_of(bucket.text);
      buckets_[find_bucket(token, text_hash(token))] = bucket;
    }
  }
}

void Vocabulary::store(int32_t id, std::string_view token) {
  INVAR_CHECK(id >= 0 && id < kMaxTokens, "token id {}", id);
  if (texts_.size() + token.size() >= kMissing) {
    fail(Code::kUnsupported, "vocabulary: expected texts of less than 4 GiB in all");
  }
  if (id >= size()) {
    spans_.resize(static_cast<size_t>(id) + 1, Span{0, kMissing});
  }
  Span& span = spans_[static_cast<size_t>(id)];
  count_ += span.size == kMissing ? 1 : 0;
  span = {static_cast<uint32_t>(texts_.size()), static_cast<uint32_t>(token.size())};
  texts_.append(token);
}

bool Vocabulary::add(int32_t id, std::string_view token) {
  rehash(std::bit_ceil((findable_ + 1) * 2));
  const uint64_t hash = text_hash(token);
  const size_t at = find_bucket(token, hash);
  if (buckets_[at].id >= 0) {
    return buckets_[at].id == id;
  }
  if (this->token(id).has_value()) {
    return false;
  }
  store(id, token);
  buckets_[at] = {static_cast<uint32_t>(hash >> 32), id, spans_[static_cast<size_t>(id)]};
  ++findable_;
  return true;
}

void Vocabulary::add_unfindable(int32_t id, std::string_view token) {
  store(id, token);
  all_findable_ = false;
}

std::optional<int32_t> Vocabulary::id_of(std::string_view token) const {
  return id_of(token, text_hash(token));
}

std::optional<int32_t> Vocabulary::id_of(std::string_view token, uint64_t hash) const {
  if (buckets_.empty()) {
    return std::nullopt;
  }
  const Bucket& bucket = buckets_[find_bucket(token, hash)];
  return bucket.id >= 0 ? std::optional<int32_t>(bucket.id) : std::nullopt;
}

uint64_t Vocabulary::prefetch(std::string_view token) const {
  const uint64_t hash = text_hash(token);
  if (!buckets_.empty()) {
    __builtin_prefetch(&buckets_[hash & (buckets_.size() - 1)]);
  }
  return hash;
}

void Vocabulary::prefetch_text(uint64_t hash) const {
  if (!buckets_.empty()) {
    __builtin_prefetch(texts_.data() + buckets_[hash & (buckets_.size() - 1)].text.offset);
  }
}

bool Vocabulary::is_text_of(int32_t id, std::string_view token) const {
  return all_findable_ && this->token(id) == token;
}

std::optional<std::string_view> Vocabulary::token(int32_t id) const {
  if (id < 0 || id >= size() || spans_[static_cast<size_t>(id)].size == kMissing) {
    return std::nullopt;
  }
  return text_of(spans_[static_cast<size_t>(id)]);
}

}  // namespace invar
