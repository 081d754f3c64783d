// Conformance of ops with a recurrent state: sequences from position 0, run in passes. The same
// sequences in one pass, row by row, or cut at random with steps back must give equal outputs,
// pages and rows; pages and row_blocks that belong to nobody are poison, as are table entries that
// no row needs.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "backend/ops/chunk_place.h"
#include "backend/registry.h"
#include "conformance/compare.h"

namespace invar::conformance {

template <class Op>
struct RecurrentCase {
  std::string name;
  std::vector<int32_t> lengths;  // rows of each sequence
  int64_t page_columns = 0;
  int64_t row_columns = 0;
  int64_t padding_bytes = 0;
  Tolerance tolerance;
  // Adds the inputs of `rows` rows, and `out`; tables and state are not its part.
  std::function<Op(Memory& memory, int64_t rows)> make;
};

struct PassPart {
  int32_t sequence;
  int32_t first_position;
  int32_t rows;
};
using Passes = std::vector<std::vector<PassPart>>;

// Row_blocks and pages of their own for each chunk of a sequence, or two that take turns, as a long
// prefill may use them.
enum class ChunkStorage { kOwn, kTurns };

template <class Op>
class RecurrentRun {
 public:
  RecurrentRun(const RecurrentCase<Op>& recurrent_case, ChunkStorage storage)
      : case_(recurrent_case), storage_(storage) {
    first_row_.push_back(0);
    for (int32_t length : case_.lengths) {
      first_row_.push_back(first_row_.back() + length);
      entries_ = std::max<int64_t>(entries_, length / kChunkRows + 2);
    }
    op_ = case_.make(memory_, first_row_.back());
    const auto count = static_cast<int64_t>(case_.lengths.size()) * entries_ + 2;
    op_.pages = memory_.add({DType::kF32, count, case_.page_columns, case_.padding_bytes});
    op_.rows =
        memory_.add({DType::kF32, count, case_.row_columns * kChunkRows, case_.padding_bytes});
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0);
    std::mt19937 random(11);
    std::shuffle(order_.begin(), order_.end(), random);
  }

  const Op& op() const { return op_; }

  // Outputs, pages and rows hold the results.
  void run(const Backend& backend, const Passes& passes, int lanes) {
    for (const std::vector<PassPart>& parts : passes) {
      run_pass(backend, parts, lanes);
    }
    EXPECT_EQ(memory_.broken_guard(), "");
  }

  // The same as words, where NaN equals itself.
  std::vector<uint32_t> bits() const {
    std::vector<uint32_t> words;
    for (const TensorView& view : {op_.out, op_.pages, op_.rows}) {
      for (int64_t t = 0; t < view.rows; ++t) {
        const auto* row = view.template row<uint32_t>(t);
        words.insert(words.end(), row, row + view.columns);
      }
    }
    return words;
  }

  std::vector<std::vector<double>> results() const {
    return {numbers(op_.out), numbers(op_.pages), numbers(op_.rows)};
  }

 private:
  // An entry that no op may use.
  static constexpr int32_t kPoisonEntry = -0x40000000;

  int32_t index_of(int32_t sequence, int64_t chunk) const {
    return order_[sequence * entries_ + (storage_ == ChunkStorage::kOwn ? chunk : chunk % 2)];
  }

  void run_pass(const Backend& backend, const std::vector<PassPart>& parts, int lanes) {
    Memory pass_memory;
    std::vector<int64_t> source;  // row of op_ for each row of the pass
    std::vector<int32_t> positions;
    std::vector<int32_t> cu_rows = {0};
    for (const PassPart& part : parts) {
      for (int32_t i = 0; i < part.rows; ++i) {
        source.push_back(first_row_[part.sequence] + part.first_position + i);
        positions.push_back(part.first_position + i);
      }
      cu_rows.push_back(static_cast<int32_t>(positions.size()));
    }
    Op pass = op_;
    Op::fields(
        [&](const char*, Use, const TensorView& all, TensorView& some) {
          if (all.rows == first_row_.back() && all.data != op_.pages.data &&
              all.data != op_.rows.data) {
            some = pass_memory.add(
                {all.dtype, static_cast<int64_t>(source.size()), all.columns, case_.padding_bytes});
            copy_rows(all, source, some);
          }
        },
        op_, pass);
    pass.positions = indices(pass_memory, positions);
    pass.cu_rows = indices(pass_memory, cu_rows);
    add_tables(pass_memory, parts, pass);
    for (int lane = lanes - 1; lane >= 0; --lane) {
      backend.run({.lane = lane, .lanes = lanes}, pass);
    }
    EXPECT_EQ(pass_memory.broken_guard(), "");
    for (size_t i = 0; i < source.size(); ++i) {
      std::copy_n(pass.out.template row<float>(static_cast<int64_t>(i)), pass.out.columns,
                  op_.out.template row<float>(source[i]));
    }
  }

  static void copy_rows(const TensorView& all, const std::vector<int64_t>& source,
                        const TensorView& some) {
    for (size_t i = 0; i < source.size(); ++i) {
      std::copy_n(all.row<float>(source[i]), all.columns, some.row<float>(static_cast<int64_t>(i)));
    }
  }

  static TensorView indices(Memory& memory, const std::vector<int32_t>& values) {
    const TensorView view = memory.add({DType::kI32, static_cast<int64_t>(values.size()), 1});
    set_column(view, values);
    return view;
  }

  void add_tables(Memory& memory, const std::vector<PassPart>& parts, Op& pass) const {
    const auto segments = static_cast<int64_t>(parts.size());
    pass.state_pages = memory.add({DType::kI32, segments, entries_ + 1});
    pass.row_blocks = memory.add({DType::kI32, segments, entries_ + 1});
    for (int64_t s = 0; s < segments; ++s) {
      const PassPart& part = parts[s];
      auto* pages = pass.state_pages.template row<int32_t>(s);
      auto* row_blocks = pass.row_blocks.template row<int32_t>(s);
      std::fill_n(pages, entries_ + 1, kPoisonEntry);
      std::fill_n(row_blocks, entries_ + 1, kPoisonEntry);
      const int64_t end = part.first_position + part.rows;
      const int64_t first = part.first_position / kChunkRows;
      for (int64_t chunk = first; chunk * kChunkRows < end && part.rows > 0; ++chunk) {
        row_blocks[chunk - first] = index_of(part.sequence, chunk);
      }
      for (int64_t boundary = first; boundary * kChunkRows <= end; ++boundary) {
        pages[boundary - first] = boundary == 0 ? -1 : index_of(part.sequence, boundary);
      }
    }
  }

  const RecurrentCase<Op>& case_;
  ChunkStorage storage_;
  std::vector<int64_t> first_row_;
  int64_t entries_ = 0;
  std::vector<int32_t> order_;
  Memory memory_;
  Op op_;
};

// All rows of all sequences at once.
inline Passes one_pass(const std::vector<int32_t>& lengths) {
  Passes passes(1);
  for (size_t s = 0; s < lengths.size(); ++s) {
    passes[0].push_back({static_cast<int32_t>(s), 0, lengths[s]});
  }
  return passes;
}

// Passes of a few rows of some of the sequences, `rows_max` at most, in a random order of segments,
// empty ones among them. With steps back a sequence may repeat rows of its last pass, as after
// rejected rows.
inline Passes random_passes(const std::vector<int32_t>& lengths, int32_t rows_max, bool steps_back,
                            std::mt19937& random) {
  std::vector<int32_t> done(lengths.size(), 0);
  Passes passes;
  for (bool more = true; more;) {
    std::vector<PassPart> parts;
    more = false;
    for (size_t s = 0; s < lengths.size(); ++s) {
      const int32_t left = lengths[s] - done[s];
      const int32_t rows =
          std::min(left, std::uniform_int_distribution<int32_t>(0, rows_max)(random));
      parts.push_back({static_cast<int32_t>(s), done[s], rows});
      int32_t kept = rows;
      if (steps_back && rows > 1 && random() % 4 == 0) {
        kept = std::uniform_int_distribution<int32_t>(1, rows)(random);
      }
      done[s] += kept;
      more = more || done[s] < lengths[s];
    }
    std::shuffle(parts.begin(), parts.end(), random);
    passes.push_back(parts);
  }
  return passes;
}

template <class Op>
std::string first_disagreement(const RecurrentCase<Op>& recurrent_case,
                               const std::vector<std::vector<double>>& expected,
                               const std::vector<std::vector<double>>& found) {
  for (size_t tensor = 0; tensor < expected.size(); ++tensor) {
    for (size_t i = 0; i < expected[tensor].size(); ++i) {
      if (!within(recurrent_case.tolerance, found[tensor][i], expected[tensor][i])) {
        return fmt::format("{} {}: expected {} +- {}, found {}",
                           tensor == 0   ? "out"
                           : tensor == 1 ? "pages"
                                         : "rows",
                           i, expected[tensor][i], recurrent_case.tolerance.absolute,
                           found[tensor][i]);
      }
    }
  }
  return "";
}

template <class Op>
void check_recurrent_case(const RecurrentCase<Op>& recurrent_case) {
  SCOPED_TRACE(recurrent_case.name);
  const std::vector<int32_t>& lengths = recurrent_case.lengths;
  const Passes whole = one_pass(lengths);
  RecurrentRun<Op> reference(recurrent_case, ChunkStorage::kOwn);
  reference.run(*make_ref_backend(), whole, 2);
  std::optional<std::vector<uint32_t>> first;
  for (std::string_view isa : supported_isas()) {
    SCOPED_TRACE(isa);
    const std::unique_ptr<Backend> backend = make_cpu_backend(isa);
    RecurrentRun<Op> run(recurrent_case, ChunkStorage::kOwn);
    run.run(*backend, whole, 1);
    ASSERT_EQ(first_disagreement(recurrent_case, reference.results(), run.results()), "");
    const std::vector<uint32_t> bits = run.bits();
    first = first.value_or(bits);
    ASSERT_TRUE(*first == bits) << "against " << supported_isas().front();
    std::mt19937 random(5);
    for (int32_t rows_max : {1, 3, 40, 200}) {
      SCOPED_TRACE(fmt::format("passes of up to {} rows", rows_max));
      RecurrentRun<Op> cut(recurrent_case, ChunkStorage::kOwn);
      cut.run(*backend, random_passes(lengths, rows_max, true, random), 3);
      ASSERT_TRUE(bits == cut.bits());
      RecurrentRun<Op> turns(recurrent_case, ChunkStorage::kTurns);
      turns.run(*backend, random_passes(lengths, rows_max, false, random), 2);
      ASSERT_EQ(numbers(run.op().out), numbers(turns.op().out)) << "pages that take turns";
    }
    RecurrentRun<Op> turns(recurrent_case, ChunkStorage::kTurns);
    turns.run(*backend, whole, 3);
    ASSERT_EQ(numbers(run.op().out), numbers(turns.op().out)) << "pages that take turns";
  }
}

template <class Op>
void check_recurrent_cases(const std::vector<RecurrentCase<Op>>& cases) {
  ASSERT_FALSE(cases.empty());
  for (const RecurrentCase<Op>& recurrent_case : cases) {
    check_recurrent_case(recurrent_case);
    if (testing::Test::HasFatalFailure()) {
      return;
    }
  }
}

// For the bench: the whole case in one pass. One row of a sequence is at the middle of its second
// chunk, so that there is a page to read and 32 pending rows.
template <class Op>
OpCase<Op> recurrent_bench_case(const RecurrentCase<Op>& recurrent_case) {
  return {fmt::format("rows={} {}", recurrent_case.lengths.at(0), recurrent_case.name),
          [recurrent_case] {
            auto memory = std::make_unique<Memory>();
            Filler filler(3);
            const auto rows = static_cast<int64_t>(recurrent_case.lengths.at(0));
            const int64_t first = rows == 1 ? kChunkRows + kChunkRows / 2 : 0;
            Op op = recurrent_case.make(*memory, rows);
            const int64_t entries = rows / kChunkRows + 2;
            op.pages = memory->add({DType::kF32, entries + 1, recurrent_case.page_columns});
            op.rows = memory->add({DType::kF32, entries, recurrent_case.row_columns * kChunkRows});
            filler.uniform(op.pages, -0.1, 0.1);
            filler.uniform(op.rows, -0.1, 0.1);
            op.positions = memory->add({DType::kI32, rows, 1});
            for (int64_t t = 0; t < rows; ++t) {
              *op.positions.template row<int32_t>(t) = static_cast<int32_t>(first + t);
            }
            op.cu_rows = memory->add({DType::kI32, 2, 1});
            *op.cu_rows.template row<int32_t>(0) = 0;
            *op.cu_rows.template row<int32_t>(1) = static_cast<int32_t>(rows);
            op.state_pages = memory->add({DType::kI32, 1, entries});
            op.row_blocks = memory->add({DType::kI32, 1, entries});
            for (int64_t i = 0; i < entries; ++i) {
              op.state_pages.template row<int32_t>(0)[i] =
                  static_cast<int32_t>(first == 0 && i == 0 ? -1 : i);
              op.row_blocks.template row<int32_t>(0)[i] = static_cast<int32_t>(i);
            }
            return Problem<Op>{.memory = std::move(memory),
                               .op = op,
                               .tolerance = recurrent_case.tolerance,
                               .rows = rows,
                               .row_alone = nullptr};
          }};
}

}  // namespace invar::conformance
