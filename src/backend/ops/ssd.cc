// Checks and cost of ssd.
#include "backend/ops/ssd.h"

#include "backend/ops/chunk_place.h"

namespace invar {

int64_t ssd_heads_together(const SsdAttributes& a) {
  int64_t together = std::min<int64_t>(4, a.heads / a.groups);
  while (a.heads / a.groups % together != 0) {
    --together;
  }
  return together;
}

int64_t ssd_page_columns(const SsdAttributes& a) {
  return a.heads * a.state_size * a.head_dim;
}

int64_t ssd_row_columns(const SsdAttributes& a) {
  return a.heads / ssd_heads_together(a) * a.state_size + a.heads * (a.head_dim + 1);
}

void validate(const Ssd& op) {
  const Ssd::Attributes& a = op.attributes;
  const int64_t rows = op.out.rows;
  INVAR_CHECK(a.groups > 0 && a.heads > 0 && a.heads % a.groups == 0,
              "ssd: expected heads that are a multiple of groups, found {} and {}", a.heads,
              a.groups);
  for (int64_t dim : {a.head_dim, a.state_size}) {
    INVAR_CHECK(dim > 0 && dim % 16 == 0 && dim <= kSsdDimMax,
                "ssd: expected sizes that are multiples of 16, at most {}, found {}", kSsdDimMax,
                dim);
  }
  check_operand({"ssd", "x", kOnlyF32, rows, a.heads * a.head_dim}, op.x);
  check_operand({"ssd", "b", kOnlyF32, rows, a.groups * a.state_size}, op.b);
  check_operand({"ssd", "c", kOnlyF32, rows, a.groups * a.state_size}, op.c);
  check_operand({"ssd", "dt", kOnlyF32, rows, a.heads}, op.dt);
  check_operand({"ssd", "dt_bias", kOnlyF32, 1, a.heads}, op.dt_bias);
  check_operand({"ssd", "a_log", kOnlyF32, 1, a.heads}, op.a_log);
  check_operand({"ssd", "d", kOnlyF32, 1, a.heads}, op.d);
  check_chunk_operands(op, ssd_page_columns(a), ssd_row_columns(a));
  check_operand({"ssd", "out", kOnlyF32, rows, a.heads * a.head_dim}, op.out);
}

Cost cost(const Ssd& op) {
  const Ssd::Attributes& a = op.attributes;
  const int64_t page = ssd_page_columns(a);
  Cost total = chunk_cost(op, page, ssd_row_columns(a));
  const int64_t input_columns = op.x.columns + op.b.columns + op.c.columns + op.dt.columns;
  total.read_bytes += (op.out.rows * input_columns + 3 * a.heads) * 4;
  total.write_bytes += op.out.rows * op.out.columns * 4;
  for (int64_t s = 0; s + 1 < op.cu_rows.rows; ++s) {
    for_each_chunk(op, s, [&](const ChunkPiece& piece) {
      const int64_t rows = piece.end - piece.begin;
      const int64_t places = rows * piece.place + rows * (rows + 1) / 2;
      total.flops += piece.page >= 0 ? rows * page * 2 : 0;
      total.flops += places * (a.groups * a.state_size + a.heads * a.head_dim) * 2;
      total.flops += piece.next_page >= 0 ? kChunkRows * page * 2 : 0;
    });
  }
  return total;
}

}  // namespace invar
