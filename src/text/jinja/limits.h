// The bounds within which a chat template is parsed and rendered. A template comes from a model
// file and its inputs from a request, so both are untrusted: each bound ends in a clear Error, and
// none depends on the machine, so that a template behaves the same everywhere.
#pragma once

#include <cstdint>

namespace invar::jinja {

// Published templates have up to 20 KiB.
inline constexpr int64_t kMaxSourceBytes = int64_t{1} << 20;
// Nesting of expressions and statements in the source, and operands of one chain (`a + b + ...`).
inline constexpr int kMaxNestingDepth = 200;
// Nested evaluations, macro calls included. A level takes at most about 1 KiB of stack (3 KiB
// under AddressSanitizer), so that the deepest render fits in half of a usual 8 MiB stack.
inline constexpr int kMaxEvaluationDepth = 1200;
// A step is one evaluated node, one visited item, one value made, kItemsPerStep items copied or
// kBytesPerStep bytes of text made or read: whatever a template does for long, it counts. A
// conversation of a thousand messages takes 30 to 150 thousand in published templates, and a
// million in one that walks all messages for each of them.
inline constexpr int64_t kMaxSteps = 10'000'000;
inline constexpr int64_t kItemsPerStep = 16;
inline constexpr int64_t kBytesPerStep = 128;
// One string, and the rendered text.
inline constexpr int64_t kMaxTextBytes = int64_t{64} << 20;
// All values alive at a time.
inline constexpr int64_t kMaxLiveBytes = int64_t{512} << 20;
// The reference environment's own bound of range().
inline constexpr int64_t kMaxRangeLength = 100'000;
// Lists and dicts inside one another, in inputs too.
inline constexpr int kMaxValueDepth = 100;
// Macros and namespaces made by one render; they live until it ends.
inline constexpr int64_t kMaxRetainedObjects = 100'000;

struct Limits {
  int64_t source_bytes = kMaxSourceBytes;
  int nesting_depth = kMaxNestingDepth;
  int evaluation_depth = kMaxEvaluationDepth;
  int64_t steps = kMaxSteps;
  int64_t text_bytes = kMaxTextBytes;
  int64_t live_bytes = kMaxLiveBytes;
  int64_t range_length = kMaxRangeLength;
  int value_depth = kMaxValueDepth;
  int64_t retained_objects = kMaxRetainedObjects;
};

}  // namespace invar::jinja
