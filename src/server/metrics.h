// What operators see at /metrics, in Prometheus' text form: counts of replies, connections and
// tokens, times, and the engine's own figures.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "server/http/http_server.h"

namespace invar {

// Thread-safe.
class ServerMetrics {
 public:
  ServerMetrics();
  ~ServerMetrics();

  // `route` must be one of few: the paths that the server knows, or "other".
  void count_reply(std::string_view route, int status);
  void count_tokens(int64_t prompt, int64_t generated);
  void observe_first_token(double seconds);
  void observe_answer(double seconds);

  std::string render(const EngineStats& engine, const HttpCounts& http) const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace invar
