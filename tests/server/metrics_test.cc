// The text of /metrics.
#include "server/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace invar {
namespace {

using testing::HasSubstr;

TEST(ServerMetrics, RendersWhatWasCounted) {
  ServerMetrics metrics;
  metrics.count_reply("/health", 200);
  metrics.count_reply("/health", 200);
  metrics.count_reply("other", 404);
  metrics.count_tokens(10, 3);
  metrics.observe_first_token(0.02);
  metrics.observe_answer(3);
  HttpCounts counts;
  counts.connections_open = 2;
  counts.connections_accepted = 5;
  counts.connections_refused = 1;
  counts.requests_abandoned = 4;
  counts.text_running = 1;
  counts.body_bytes_held = 77;
  counts.bodies_refused = 6;
  const EngineStats stats{.steps = 11,
                          .rows = 12,
                          .generated_tokens = 13,
                          .requests_finished = 14,
                          .requests_cancelled = 15,
                          .requests_failed = 16,
                          .requests_refused = 17,
                          .pass_seconds = 1.5,
                          .requests_waiting = 18,
                          .requests_running = 19,
                          .sequences_running = 20,
                          .kv_blocks_held = 21,
                          .kv_blocks = 22,
                          .state_pages_held = 23,
                          .state_pages = 24,
                          .row_blocks_held = 25,
                          .row_blocks = 26};
  const std::string text = metrics.render(stats, counts);
  for (const char* line : {"invar_http_requests_total{path=\"/health\",status=\"200\"} 2\n",
                           "invar_http_requests_total{path=\"other\",status=\"404\"} 1\n",
                           "invar_tokens_total{kind=\"prompt\"} 10\n",
                           "invar_tokens_total{kind=\"generated\"} 3\n",
                           "invar_time_to_first_token_seconds_bucket{le=\"0.01\"} 0\n",
                           "invar_time_to_first_token_seconds_bucket{le=\"0.025\"} 1\n",
                           "invar_answer_seconds_sum 3\n",
                           "invar_connections_open 2\n",
                           "invar_connections_total 5\n",
                           "invar_connections_refused_total 1\n",
                           "invar_http_requests_abandoned_total 4\n",
                           "invar_text_requests_running 1\n",
                           "invar_http_body_bytes_held 77\n",
                           "invar_http_bodies_refused_total 6\n",
                           "invar_steps_total 11\n",
                           "invar_rows_total 12\n",
                           "invar_engine_tokens_total 13\n",
                           "invar_requests_finished_total 14\n",
                           "invar_requests_cancelled_total 15\n",
                           "invar_requests_failed_total 16\n",
                           "invar_requests_refused_total 17\n",
                           "invar_pass_seconds_total 1.5\n",
                           "invar_requests_waiting 18\n",
                           "invar_requests_running 19\n",
                           "invar_sequences_running 20\n",
                           "invar_kv_blocks_held 21\n",
                           "invar_kv_blocks 22\n",
                           "invar_state_pages_held 23\n",
                           "invar_state_pages 24\n",
                           "invar_row_blocks_held 25\n",
                           "invar_row_blocks 26\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace invar
