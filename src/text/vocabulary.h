// A vocabulary: token texts by id and ids by text. Texts are as their file spells them (a
// byte-level vocabulary stays in its alphabet); what they mean is the model's and the decoder's
// business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace invar {

// Ids run from 0 to size() - 1; an id may be missing. Texts are owned; views stay valid until the
// next add(). const use is safe from many threads.
class Vocabulary {
 public:
  // Files that name a larger id are refused; the largest published vocabularies have about 2^18.
  static constexpr int32_t kMaxTokens = 1 << 23;

  void reserve(size_t tokens, size_t text_bytes);

  // Sets the text of `id`, 0 <= id < kMaxTokens. False, and nothing changes, if the text or the id
  // is already there with another partner.
  [[nodiscard]] bool add(int32_t id, std::string_view token);

  // Gives `id` a text that id_of() does not find: for files that hold one text twice.
  void add_unfindable(int32_t id, std::string_view token);

  std::optional<int32_t> id_of(std::string_view token) const;

  // The same in steps, so that the waits of many lookups overlap: prefetch() returns the hash and
  // asks for the token's bucket, prefetch_text() for the text of what is in it.
  uint64_t prefetch(std::string_view token) const;
  void prefetch_text(uint64_t hash) const;
  std::optional<int32_t> id_of(std::string_view token, uint64_t hash) const;

  // True if `token` is the text of `id` and id_of() would say so.
  bool is_text_of(int32_t id, std::string_view token) const;

  // The text of `id`, or nothing if no token has that id.
  std::optional<std::string_view> token(int32_t id) const;

  // One more than the largest id.
  int32_t size() const { return static_cast<int32_t>(spans_.size()); }

  // The number of ids that have a text.
  int32_t count() const { return count_; }

 private:
  struct Span {
    uint32_t offset;
    uint32_t size;  // kMissing: no such id
  };
  struct Bucket {
    uint32_t tag;  // half of the hash
    int32_t id;    // -1: empty
    Span text;     // a copy of the id's span: a lookup touches one cache line less
  };
  static constexpr uint32_t kMissing = UINT32_MAX;

  std::string_view text_of(Span span) const {
    return std::string_view(texts_).substr(span.offset, span.size);
  }
  void store(int32_t id, std::string_view token);
  size_t find_bucket(std::string_view token, uint64_t hash) const;
  void rehash(size_t buckets);

  std::string texts_;
  std::vector<Span> spans_;
  std::vector<Bucket> buckets_;  // a power of two, at most half full
  size_t findable_ = 0;
  int32_t count_ = 0;
  bool all_findable_ = true;
};

}  // namespace invar
