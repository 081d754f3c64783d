// The families of metrics (metrics.h). The engine's and the connections' figures are read when
// asked for; the others are counted as they happen.
#include "server/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <sstream>
#include <utility>

namespace invar {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

prometheus::Histogram::BucketBoundaries time_boundaries() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100};
}

class Snapshot {
 public:
  void counter(const char* name, const char* help, double value) {
    ClientMetric metric;
    metric.counter.value = value;
    add(name, help, MetricType::Counter, metric);
  }
  void gauge(const char* name, const char* help, double value) {
    ClientMetric metric;
    metric.gauge.value = value;
    add(name, help, MetricType::Gauge, metric);
  }
  std::vector<MetricFamily> take() { return std::move(families_); }

 private:
  void add(const char* name, const char* help, MetricType type, const ClientMetric& metric) {
    families_.push_back({.name = name, .help = help, .type = type, .metric = {metric}});
  }
  std::vector<MetricFamily> families_;
};

void add_engine(Snapshot& snapshot, const EngineStats& stats) {
  const auto number = [](int64_t value) { return static_cast<double>(value); };
  snapshot.gauge("invar_requests_waiting", "Requests that are queued and do not run yet.",
                 number(stats.requests_waiting));
  snapshot.gauge("invar_requests_running", "Requests that run.", number(stats.requests_running));
  snapshot.gauge("invar_sequences_running", "Answers that are computed now.",
                 number(stats.sequences_running));
  snapshot.gauge("invar_kv_blocks_held", "kv_blocks of 64 positions that are in use.",
                 number(stats.kv_blocks_held));
  snapshot.gauge("invar_kv_blocks", "kv_blocks that there are.", number(stats.kv_blocks));
  snapshot.gauge("invar_state_pages_held", "Pages of recurrent state that are in use.",
                 number(stats.state_pages_held));
  snapshot.gauge("invar_state_pages", "Pages of recurrent state that there are.",
                 number(stats.state_pages));
  snapshot.gauge("invar_row_blocks_held", "row_blocks of 64 recurrent rows that are in use.",
                 number(stats.row_blocks_held));
  snapshot.gauge("invar_row_blocks", "row_blocks that there are.", number(stats.row_blocks));
  snapshot.counter("invar_steps_total", "Steps of the engine that ran a pass.",
                   number(stats.steps));
  snapshot.counter("invar_rows_total", "Rows of all passes.", number(stats.rows));
  snapshot.counter("invar_pass_seconds_total", "Time spent in passes.", stats.pass_seconds);
  snapshot.counter("invar_engine_tokens_total", "Tokens that the engine has drawn.",
                   number(stats.generated_tokens));
  snapshot.counter("invar_requests_finished_total", "Requests whose answers are complete.",
                   number(stats.requests_finished));
  snapshot.counter("invar_requests_cancelled_total", "Requests whose clients went away.",
                   number(stats.requests_cancelled));
  snapshot.counter("invar_requests_failed_total", "Requests that the engine could not answer.",
                   number(stats.requests_failed));
  snapshot.counter("invar_requests_refused_total", "Requests that found the queue full.",
                   number(stats.requests_refused));
}

void add_http(Snapshot& snapshot, const HttpCounts& counts) {
  const auto number = [](const std::atomic<int64_t>& value) {
    return static_cast<double>(value.load());
  };
  snapshot.gauge("invar_connections_open", "Connections, with the one that asks for this.",
                 number(counts.connections_open));
  snapshot.counter("invar_connections_total", "Connections that were accepted.",
                   number(counts.connections_accepted));
  snapshot.counter("invar_connections_refused_total", "Connections over the limit.",
                   number(counts.connections_refused));
  snapshot.counter("invar_http_requests_abandoned_total",
                   "HTTP requests whose client went away before the answer's end.",
                   number(counts.requests_abandoned));
  snapshot.gauge("invar_text_requests_running", "Requests that a text thread works on.",
                 number(counts.text_running));
  snapshot.gauge("invar_http_body_bytes_held", "Bytes of requests' bodies that are in memory.",
                 number(counts.body_bytes_held));
  snapshot.counter("invar_http_bodies_refused_total",
                   "Requests refused because all bodies together were too long.",
                   number(counts.bodies_refused));
}

}  // namespace

struct ServerMetrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& replies = prometheus::BuildCounter()
                                                         .Name("invar_http_requests_total")
                                                         .Help("HTTP requests by path and status.")
                                                         .Register(registry);
  prometheus::Family<prometheus::Counter>& tokens =
      prometheus::BuildCounter()
          .Name("invar_tokens_total")
          .Help("Tokens of prompts and of answers that reached their end.")
          .Register(registry);
  prometheus::Counter& prompt_tokens = tokens.Add({{"kind", "prompt"}});
  prometheus::Counter& generated_tokens = tokens.Add({{"kind", "generated"}});
  prometheus::Histogram& first_token = prometheus::BuildHistogram()
                                           .Name("invar_time_to_first_token_seconds")
                                           .Help("From the request to its first token.")
                                           .Register(registry)
                                           .Add({}, time_boundaries());
  prometheus::Histogram& answer = prometheus::BuildHistogram()
                                      .Name("invar_answer_seconds")
                                      .Help("From the request to the end of its last answer.")
                                      .Register(registry)
                                      .Add({}, time_boundaries());
};

ServerMetrics::ServerMetrics() : families_(std::make_unique<Families>()) {}
ServerMetrics::~ServerMetrics() = default;

void ServerMetrics::count_reply(std::string_view route, int status) {
  families_->replies.Add({{"path", std::string(route)}, {"status", std::to_string(status)}})
      .Increment();
}

void ServerMetrics::count_tokens(int64_t prompt, int64_t generated) {
  families_->prompt_tokens.Increment(static_cast<double>(prompt));
  families_->generated_tokens.Increment(static_cast<double>(generated));
}

void ServerMetrics::observe_first_token(double seconds) {
  families_->first_token.Observe(seconds);
}

void ServerMetrics::observe_answer(double seconds) {
  families_->answer.Observe(seconds);
}

std::string ServerMetrics::render(const EngineStats& engine, const HttpCounts& http) const {
  Snapshot snapshot;
  add_engine(snapshot, engine);
  add_http(snapshot, http);
  std::vector<MetricFamily> all = snapshot.take();
  for (MetricFamily& family : families_->registry.Collect()) {
    all.push_back(std::move(family));
  }
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, all);
  return text.str();
}

}  // namespace invar
